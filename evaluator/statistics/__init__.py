"""
Numbers in, numbers out: paired tests, intervals, weights and power.

Values by query come in, differences with their chance go out; no arm is known here, and of a
label set only what `per_search` weighs by. Begin with `cells` (hits), `intervals` and `sign_flip`,
then `clusters` and `per_search`; `power` and `graded_power` plan, and
`unjudged_bounds` bounds.
"""
