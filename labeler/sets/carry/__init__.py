"""
Judgements of a frozen set, carried into a workspace on another snapshot.

In come a label set and a workspace without queries; out come its queries, pairs and events there,
with the fate of every judged pair. Read `plan` (what becomes of each, by equal text or by
`overlap`), then `carry`, which stores it, and `text`, which tells it.
"""
