"""
The primary difference by each assessor's own labels.

Adjudicated labels hide whether a verdict hangs on one person. It owns which of an assessor's
events stand, and measures the same two rankings by them. It changes no label.
"""

from collections.abc import Iterable
from typing import Any

from evaluator.contrasts.figures import cells_record, measure_record
from evaluator.contrasts.pair import Pair
from evaluator.labelset.format import ADJUDICATION, Judgement
from evaluator.statistics.cells import four_cells

Grades = dict[str, dict[str, int]]


def own_labels(judgements: Iterable[Judgement]) -> dict[str, Grades]:
    """
    The grades that stand, by query and chunk, of each assessor apart.

    A later event replaces an earlier one of the same person; "can't tell" and an undone grade
    leave none. What settled a disagreement is nobody's own label and stays out.
    """
    standing: dict[tuple[str, str, str], int | None] = {}
    for event in judgements:
        if event.method != ADJUDICATION:
            grade = event.grade if event.verdict == "grade" else None
            standing[event.assessor, event.query_id, event.chunk_id] = grade
    found: dict[str, Grades] = {}
    for (assessor, query_id, chunk_id), grade in sorted(standing.items()):
        if grade is not None:
            found.setdefault(assessor, {}).setdefault(query_id, {})[chunk_id] = grade
    return found


def assessors_record(
    pair: Pair, judgements: Iterable[Judgement], *, seed: int
) -> list[dict[str, Any]]:
    """
    For each assessor the contrast over the headline's queries that he or she judged.

    None where fewer than two people judged: one person's labels are the labels. Paraphrases
    count as one among the queries with gold by the assessor's own labels, which need not be
    those with gold by the adjudicated ones.
    """
    own = own_labels(judgements)
    pairs = {assessor: pair.judged_by(own[assessor]) for assessor in own}
    pairs = {assessor: one for assessor, one in pairs.items() if one.query_ids}
    if len(pairs) < 2:
        return []
    return [
        {
            "assessor": assessor,
            "queries": len(one.query_ids),
            "with_gold": len(one.gold_ids),
            **_contrast(one, seed=seed),
        }
        for assessor, one in sorted(pairs.items())
    ]


def _contrast(pair: Pair, *, seed: int) -> dict[str, Any]:
    if not pair.gold_ids:
        return {"measure": None, "cells": None}
    hits = pair.success(pair.k)
    before, after = pair.values([pair.primary, hits])
    return {
        "measure": measure_record(
            pair.primary,
            before[pair.primary],
            after[pair.primary],
            seed=seed,
            cluster_by_query=pair.paraphrase_clusters,
        ),
        "cells": cells_record(four_cells(before[hits], after[hits])),
    }
