"""
Results of the evaluator, looked at in a workspace.

In: a results directory. Out: flips to read and mark, and counted looks at held-out ones. Read
`results` (where they lie), `flips`, `chunk_texts` (what chunks say), `flip_report`.
"""
