"""
Two arms over the same queries.

In come two arm runs, or two runs made elsewhere as an `ArmPair`, with their labels; out
comes a `Contrast`. Read `measured` and `contrast`, then `figures`; `model` has the shapes, and
each of the others is one question that is asked of a contrast.
"""
