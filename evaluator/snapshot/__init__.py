"""
The chunks that both programs stand on, as a folder with a digest.

Chunks come in and go out by id, and nobody can change them unseen. Begin with `chunk`, then
`snapshot`; `table` holds the columns.
"""
