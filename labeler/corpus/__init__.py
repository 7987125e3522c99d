"""
From documents, or chunks that others made, to a stream of chunks.

In: a folder of documents or a file of ready chunks, and what a person chose for it (`choices`).
Out: a snapshot with warnings, and a new workspace around it. Read `init` (`labeler init`)
and `build` first. Documents: `documents` finds and reads files, `markdown` (with `front_matter`)
and `html` turn them into the sections of `outline`, `parents` adds the pages above, `chunker`
cuts them, `workers` spreads that over processes. Ready chunks: `ready`. `warnings` watches what
comes out of either.
"""
