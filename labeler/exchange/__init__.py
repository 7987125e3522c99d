"""
Files of other tools: in by `imports/`, which fills a workspace, and out by `exports/`, which
writes a frozen label set. Begin at `imports/plan.py` and at `exports/export.py`.
"""
