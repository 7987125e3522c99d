"""
The app as a process: its address and how people sign in.

In: options of `labeler serve`. Out: a running app. Read `serve`, then
`jobs`, which are commands that run beside it.
"""
