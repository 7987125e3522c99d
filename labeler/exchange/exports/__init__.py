"""
A frozen label set, written for other tools.

In come the directory of a set and a format, out go files and notes on what they have no room
for. Begin at `export.py`, which knows the formats; `content.py` says what there is to write,
`by_id.py` and `by_text.py` write it.
"""
