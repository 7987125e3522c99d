"""
The one SQLite file of a label project, with the snapshot beside it: the only package with SQL.

In come sampled queries, pairs to judge, and events of people; out come the same as typed
records, or as frames. Read `records.py` for what is kept, `schema.py` for the tables and
`workspace.py` for the whole; it is composed of one part for each group of tables (`queries`,
`pool`, `judgements`, `decisions`, `people`, `flip_marks`) over one `connection`. `pairs.py`
makes pairs of rankings, `rows.py` turns records to rows and back, `frames.py` to DataFrames;
`search_index.py` is the file of full-text search beside it.
"""
