"""
What a report says: each section turns a part of a record into blocks, and computes nothing.

Start at `first_screen` with `headline`, then `contrast`, which puts the sections of one
contrast in order; `arms` and `labels` stand behind all of them.
"""
