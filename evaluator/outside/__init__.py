"""
Runs that were made elsewhere, measured with frozen labels or a plain qrels file.

In come two TREC run files; out goes a record like that of an experiment, with what is not
known left out. Read `compare` (files), then `record` (figures), then `notices` (what must be
said of the runs).
"""
