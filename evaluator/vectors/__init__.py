"""
Texts to vectors to neighbours.

Strings come in, unit vectors and rankings go out. Begin with `model`, which says what an encoder
is to us and keeps what it made in `cache`; `encoder` is the edge to sentence-transformers,
`weights` finds models on disk, `tokens` counts, and `search` ranks, exactly or by a graph.
"""
