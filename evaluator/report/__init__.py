"""
A record comes in; the same report goes out as terminal text, Markdown and a page.

Read `report`, which puts it together, `document` for the blocks that it is made of, then
`sections` for what is said and `render` for how it is written. Nothing here writes a file.
"""
