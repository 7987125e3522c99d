"""
The pages on which a study is made and judged, frozen and measured.

In: a workspace and what a browser sends. Out: pages, and events stored in the workspace. Read
`frame/frame` (around every page), `desk/desk` with `views/judge` (judging), `blocks/` (what the
other pages show) and `serving/serve` (the process).
"""
