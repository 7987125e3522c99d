"""
Whether the labels came before the treatment: what dates either, and the verdict.

`witnesses` date the labels: a `timestamp` (put in order by `der`), a commit (`git_history`), and
what `clocks` say against each other. `traces` date the work on headers. As `evidence` both go
into `order`, which decides, while `looked` asks what was seen in between; `observed` runs it all.
"""
