"""
Two arms over the same queries.

In come two arm runs, or two runs made elsewhere as an `ArmPair`, with their labels; out come
the parts of a contrast, in the shape of the record's model. Read `measured` and `contrast`, then
`figures`; each of the others is one question that is asked of a contrast.
"""
