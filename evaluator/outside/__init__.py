"""
Runs that were made elsewhere, measured with frozen labels or a plain qrels file.

In come run files, or runs in memory of any shape; out goes a record like that of an
experiment, with what is not known left out. Read `compare` (how they are read), then `record`
(figures, and what must be said of the runs).
"""
