"""
The app as a process: its address and how people sign in.

In: options of `labeler serve`. Out: a running app. Read `serve`, then `sign_in`.
"""
