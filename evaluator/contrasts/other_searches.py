"""
What a contrast owes to how its rankings were searched.

The error of approximate search does not cancel between arms, so the ranking that is not
primary and the graphs of other seeds each get the contrast anew: their own cells, interval
and p. It gives no verdict on which of them is right.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from evaluator.arms.arm import ArmRun, Rankings
from evaluator.contrasts.figures import cells_record, measure_record
from evaluator.contrasts.other_labels import SEED
from evaluator.contrasts.pair import Pair
from evaluator.experiment.protocol import EXTRA_SEEDS_UP_TO, IndexSettings
from evaluator.statistics.cells import four_cells


def approximate_record(
    a: ArmRun,
    b: ArmRun,
    pair: Pair,
    *,
    other_ranking: str,
    index: IndexSettings,
    cluster_by_query: Mapping[str, str] | None,
) -> dict[str, Any]:
    """The contrast by the other ranking, and by the graphs of every seed that was built."""

    def again(baseline: Rankings, treatment: Rankings) -> dict[str, Any]:
        found = replace(pair, baseline=baseline, treatment=treatment)
        return _contrast(found, cluster_by_query)

    declared = again(a.hnsw, b.hnsw)
    seeds = {index.seed: declared} | {
        seed: again(a.reseeded[seed], b.reseeded[seed]) for seed in sorted(a.reseeded)
    }
    return {
        "other_ranking": {
            "ranking": other_ranking,
            **(declared if other_ranking == "hnsw" else again(a.exact, b.exact)),
        },
        "index_seeds": {
            "seeds": [{"seed": seed, **found} for seed, found in seeds.items()],
            "note": None if a.reseeded else _why_none(a, index),
        },
    }


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


def _why_none(run: ArmRun, index: IndexSettings) -> str:
    if index.extra_seeds == 0:
        return "The experiment asks for no graphs of other seeds."
    return (
        f"No graphs of other seeds were built: {len(run.inputs.offered):,} chunks are more than "
        f"{EXTRA_SEEDS_UP_TO:,}. Ask for some with extra_seeds in [protocol.index]."
    )
