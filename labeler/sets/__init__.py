"""
Frozen label sets beside each other.

In come label sets; out come their differences, or their judgements on another snapshot. Read
`frozen` (what a set holds and states), `differences` with its text, then `carry`.
"""
