"""
Numbers in, numbers out: paired tests, intervals, weights and power.

Values by query come in, differences with their chance go out; neither labels nor arms are known
here. Begin with `cells` (hits), then `graded` and `clusters`; `sample_weights`, `weighted` and
`per_search` weigh by searches, `power` and `graded_power` plan, `unjudged_bounds` bounds.
"""
