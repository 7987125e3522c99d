"""
How far a smaller chunk set misleads.

In comes an experiment; out go samples of its chunk set (`make`), one run on each with their
spread and the lines that show it (`run`).
"""
