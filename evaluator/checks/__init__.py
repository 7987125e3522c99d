"""
Checks on what exists, none of which needs an encoder but the probe of vectors.

In come a label set, a store, a results directory or somebody's figures; out goes a finding,
with its lines for people and its data for programs. Read `labels` first (is a set sound, and
were the shown texts free of headers), then `reproduce` for a stored run, `store_chunks` and
`store_vectors` for what a search system holds, `changeover` for two sets, `audit` for a slide.
"""
