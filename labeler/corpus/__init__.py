"""
From documents, or chunks that others made, to a stream of chunks.

`corpus` tells the two apart. Documents: `documents` finds files, `decoding` makes text of their
bytes, `markdown` (with `front_matter`, `footnotes`) and `html` turn it into the sections of
`outline`, `parents` adds the pages above, `chunks` (with `announced`, `tokens`) cuts them,
`splitting` spreads that over processes. Ready chunks: `rows` reads records, `shapes` names
their fields, `ready` makes chunks. `reading` holds what a person chose for either, and `scan`
warns of what came out.
"""
