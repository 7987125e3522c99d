"""
What stands around every page: who is there, what they may do, and what is wrong.

In: a request. Out: a page, or words on why there is none. Read `frame`, `session`, `people`, then
`components`.
"""
