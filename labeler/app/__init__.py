"""
The pages on which people judge, draw a sample, watch progress and freeze.

In: a workspace and what a browser sends. Out: pages, and events stored in the workspace. Read
`frame/frame` (around every page), `desk/desk` with `views/judge` (judging), `blocks/` (what the
other pages show) and `serving/serve` (the process).
"""
