"""
The `labeler` command: options in, one function called, text or JSON out.

Read `main`, which lists all commands in the order of the work; the other modules hold a group
of them each, and `options` what they share.
"""
