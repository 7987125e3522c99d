"""
Whether the labels came before the treatment: what dates either, and the verdict.

In come a label set, an experiment and its header rules; out goes what `record.json` says of
the order. Read `later_headers.observed_order` first, which runs it all. `label_dates` reads
`timestamps` and `git_commits` for the labels, `header_dates` dates the work on headers, both as
`evidence` that `verdict` weighs; `later_headers` asks which headers came after a look at held-out
results.
"""
