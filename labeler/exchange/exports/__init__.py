"""
A frozen label set, written for other tools.

`export` knows the formats and what each leaves out, `content` what there is to write; `by_id`
and `by_text` write it, and `spreadsheet` keeps cells from being formulas.
"""
