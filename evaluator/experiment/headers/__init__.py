"""
Titles and heading paths to header strings.

A rule and chunks come in, one string for each chunk goes out. Begin with `rule`; `options` says
what a header leaves out, and `file` reads headers that were made elsewhere.
"""
