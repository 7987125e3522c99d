"""
Queries, pairs and judgements made elsewhere: files of many shapes, read whole or refused.

`plan` brings an import together. Files: `tables` and `json_files` read rows and documents,
`columns` knows the names that others use, `shapes` tells one kind of judgements from another
(`lines`, `label_studio`, `opensearch` and `quepid` read theirs) and gives `cells`, of which
`judgements` makes grades; `queries` and `pairs` are simpler files. Then `matching` finds what is
meant in the workspace, `reconcile` compares with what stands there, `notes` says the rest.
"""
