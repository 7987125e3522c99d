"""
The figures that every contrast has, whoever made the runs: measures, cells, cutoff by treatment.

It takes values by query and hands them to the statistics of `compare`, in the shape of
`record.json`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from evaluator.contrasts.figures import cells_record, k_by_treatment, measure_record
from evaluator.contrasts.other_labels import SEED
from evaluator.contrasts.pair import Pair
from evaluator.statistics.cells import PairedCells, four_cells

Values = Mapping[str, Mapping[str, float]]


def cells_by_cutoff(pair: Pair, before: Values, after: Values) -> dict[int, PairedCells]:
    """The four cells at k and at 2k."""
    names = {k: pair.success(k) for k in (pair.k, 2 * pair.k)}
    return {k: four_cells(before[name], after[name]) for k, name in names.items()}


def main_figures(
    pair: Pair,
    before: Values,
    after: Values,
    *,
    cluster_by_query: Mapping[str, str] | None,
    notes: Sequence[str],
) -> dict[str, Any]:
    """
    Measures, cells and the table of cutoff by treatment; `notes` stand under the table.

    The values are by measure and query, over the queries with gold.
    """
    cells = cells_by_cutoff(pair, before, after)
    at_k, at_2k = cells.values()
    return {
        "primary": {"measure": pair.primary, "k": pair.k},
        "measures": {
            name: measure_record(
                name, before[name], after[name], seed=SEED, cluster_by_query=cluster_by_query
            )
            for name in pair.measures
        },
        "cells": {str(k): cells_record(found) for k, found in cells.items()},
        "k_by_treatment": k_by_treatment(
            k=pair.k,
            baseline=(at_k.rate_baseline, at_2k.rate_baseline),
            treatment=(at_k.rate_treatment, at_2k.rate_treatment),
            measure=pair.success(pair.k),
        )
        | {"notes": list(notes)},
    }
