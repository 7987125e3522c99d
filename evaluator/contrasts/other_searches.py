"""
What a contrast owes to how its rankings were searched.

The error of approximate search does not cancel between arms, so the ranking that is not
primary gets the contrast anew: its own cells, interval and p. It gives no verdict on which of
the two is right.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from evaluator.arms.arm import ArmRun
from evaluator.contrasts.figures import cells_record, measure_record
from evaluator.contrasts.other_labels import SEED
from evaluator.contrasts.pair import Pair
from evaluator.statistics.cells import four_cells


def approximate_record(
    a: ArmRun,
    b: ArmRun,
    pair: Pair,
    *,
    other_ranking: str,
    cluster_by_query: Mapping[str, str] | None,
) -> dict[str, Any]:
    """The contrast by the other ranking."""
    baseline, treatment = (run.ranking(other_ranking) for run in (a, b))
    found = replace(pair, baseline=baseline, treatment=treatment)
    return {"other_ranking": {"ranking": other_ranking, **_contrast(found, cluster_by_query)}}


def _contrast(pair: Pair, cluster_by_query: Mapping[str, str] | None) -> dict[str, Any]:
    """The primary measure and the cells at k."""
    hits = pair.success(pair.k)
    before, after = pair.values([pair.primary, hits])
    return {
        "measures": {
            pair.primary: measure_record(
                pair.primary,
                before[pair.primary],
                after[pair.primary],
                seed=SEED,
                cluster_by_query=cluster_by_query,
            )
        },
        "cells": {str(pair.k): cells_record(four_cells(before[hits], after[hits]))},
    }
