"""
Distinct queries of logs in; a sample with known probabilities and its design out.

Read `draw` first, with `designs` (how one stratum is drawn from) and `systematic` (the
arithmetic of it); then `strata` and `log_strata` (what a stratum is), `from_workspace`,
`design_text`. Later on: `age` and `successor`, which know a `former_sample`.
"""
