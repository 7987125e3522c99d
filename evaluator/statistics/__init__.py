"""
Numbers in, numbers out: paired tests, intervals, weights and power.

Values by query come in, differences with their chance go out; neither labels nor arms are known
here. Begin with `cells` (hits), `intervals` and `sign_flip`, then `graded`, `clusters` and
`per_search`, which weighs by searches; `power` and `graded_power` plan, `unjudged_bounds` bounds.
"""
