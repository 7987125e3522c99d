"""
Judgements of a frozen set, carried into a workspace on another snapshot.

`plan` decides what becomes of each, by `exact` text or by `overlap` (for which `overlaps` finds
shared words), and `events` writes down what comes along. `carry` stores it, `text` tells it.
"""
