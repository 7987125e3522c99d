"""
Somebody else's figures, checked: what does not add up, what fits, and what is missing.

`figures` reads the file, `audit` runs every check, some of which are in `costs`, `statistics`
and `missing`; each says a `finding`, and `printed` shows them all.
"""
