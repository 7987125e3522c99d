"""
Judging without Streamlit: what is shown, and what becomes of what the browser sends.

In: a workspace and messages. Out: data for the components, and stored events. Read `agenda`
(which query is next), `desk` (one query), `search` (chunks that were not pooled), `decide`.
"""
