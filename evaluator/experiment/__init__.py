"""
What is to be compared, declared before it is run.

A TOML file comes in, an experiment whose arms differ in one factor and whose pins were checked
goes out. Begin with `protocol` (the values), then `experiment` (the file), `factors` (one cause),
`headers` (rules), `pinned` (labels, snapshot and models, opened) and `population` (who is asked).
"""
