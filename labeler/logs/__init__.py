"""
Query logs of any kind, read into distinct queries with their counts by `querylog`.

In the order in which a log goes through them: `file` makes lines of bytes, with `blocks`,
`encoding` and `findings`; `opening` decides on a format; its reader, which is `table` (with
`cells` and `columns`), `plain`, `json_rows`, `parquet_rows` or `access`, makes rows of lines,
one by one. For long logs `lines`, `runs` and `bulk` do the same for many lines at once, with
`arrows`, and hand whatever is not plain to the reader. `groups` makes queries of it, with
`counter` and `keys`. `preview` looks at a log before that, `spellings` and `strata` at its
queries after.
"""
