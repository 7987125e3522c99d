"""
The frozen label set.

In come queries, pairs, judgements and grades; out comes a directory that can prove it was not
touched, and back again a `LabelSet`. Read `labelset.md` for the format, then `format` (reading
and verifying, the standard library only), `writing`, `frames` (its rows as tables) and
`ledger` (who looked at held-out results).
"""
