"""
Words and figures for people; it knows no domain.

Numbers, ids and texts come in, what a message or a report shows of them goes out. `messages`
counts, quotes and lists, `figures` writes numbers, `moments` reads dates, and `words` says
what the words of a text are, and which of them say nothing.
"""
