"""
The made-up company of data/demo.

In come its documents, searches and judgements; out come a workspace to try (`demo.py`) and, by
`python -m labeler.demo`, its frozen label set made again (`rebuild.py`).
"""
