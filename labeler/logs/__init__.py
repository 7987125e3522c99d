"""
Query logs of any kind in; distinct queries with their counts out, and a record of the reading.

Read `read` first, then in the order in which a log goes through them: `file` makes lines of
bytes; `formats` decides on a format and reads plain lines; the reader of any other, which is
`delimited` (with `columns`), `json_log`, `parquet_log` or `access`, makes rows of lines; `group`
makes queries of them, without what is `private`. `preview` shows a log before that, and its
spellings after.
"""
