"""
Which chunks are shown for a query.

In come a workspace with queries, run files, files of pairs and a model; out go pairs to judge,
stored in the workspace all at once. Begin at `fill.py`; `encoder.py` and `full_text.py` are the
systems that it has of its own.
"""
