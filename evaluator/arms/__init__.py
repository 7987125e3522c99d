"""
One arm over one snapshot.

In come a pinned experiment, its chunks and its models; out comes an `ArmRun` with its strings,
vectors, index and two rankings, within the `Setting` that all arms share. Read `arm`, then
`ranking` and `bodies`; `header_report` and `trace` show what an arm embeds.
"""
