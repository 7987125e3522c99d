"""
From the judgements of several people to one grade per pair.

In come judgements and decisions; out come grades, and how far they can be relied on. Read
`assign` (who judges what), `adjudicate` with `skips` (one grade each), `disagreements` (what to
decide), then `agreement` with its `coefficients`, and `pace`. `names` says what can name a person.
"""
