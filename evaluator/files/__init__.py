"""
Files of any kind, safely: read as what they are, and written whole or not at all.

Paths come in; rows, texts and checked tables go out. Begin with `records` (JSON lines, JSON, CSV,
TSV, Parquet) and `whole` (writing); then `encodings`, `form` (TOML by hand), `ids`,
`chunk_records` (fields of other tools) and `spreadsheet` (cells that are no formulas).
"""
