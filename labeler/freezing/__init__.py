"""
From a workspace that was judged to a frozen label set.

In come a workspace and what its owner declares of header work; out comes a label set. Read
`freeze`, then what it asks: `obstacles`, `manifest` and `header_work`. `status` and
`held_out_counts` say how far the work is, `plan` how much there is to do, and `timestamp` stamps
what was frozen.
"""
