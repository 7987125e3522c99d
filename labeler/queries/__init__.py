"""
Queries that no log holds in; queries of a workspace out, with their answers if known.

Read `answers` (known from elsewhere) or `authored` (written by people who read documents);
`heading_words` flags those of either kind that are worded like headings.
"""
