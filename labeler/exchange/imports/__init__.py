"""
Queries and judgements made elsewhere: files of many shapes, read whole or refused.

In come a workspace and files; out comes an `ImportPlan` that can be stored. Begin at `plan.py`.
`shapes.py` tells one kind of judgements from another (`lines`, `json_files`, `label_studio`,
`opensearch` and `quepid` read theirs) and gives `cells`, of which `judgements.py` makes grades;
`queries.py` reads the simpler files. Then `matching.py` finds what is meant in the workspace,
and `reconcile.py` compares with what was judged there.
"""
