"""
Distinct queries of logs in; a sample with known probabilities and its design out.

Read `draw` first, with `designs` (how one stratum is drawn from) and `systematic` (the
arithmetic of it); then `strata` (what a stratum is), `successor` (which draws for a workspace,
anew or after a former sample), `design_text`. Later on: `age`.
"""
