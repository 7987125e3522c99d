"""
From the judgements of several people to one grade per pair.

In come judgements and decisions; out come grades, and how far they can be relied on. Read
`assign` (who judges what), `adjudicate` (one grade each), then `agreement` with its
`coefficients`, and `pace`.
"""
