"""
One contrast under other readings of its labels: what a hostile reader would ask next.

It puts the doubts, each assessor's own verdict and the sensitivity to shared documents side by
side. All of it needs two rankings and labels and nothing of how the rankings were made.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from evaluator.contrasts.doubts import doubts_record
from evaluator.contrasts.figures import clustered_record, primary_record
from evaluator.contrasts.pair import ArmPair
from evaluator.labelset.format import ADJUDICATION, Judgement
from evaluator.statistics.clusters import clusters_of_shared
from evaluator.statistics.graded import SEED


def sensitivity_record(
    pair: ArmPair,
    before: Mapping[str, float],
    after: Mapping[str, float],
    *,
    weight_by_query: Mapping[str, float] | None = None,
) -> dict[str, Any]:
    """
    What unjudged chunks, single assessors and shared documents could change.

    `before` and `after` are the primary measure of both arms over the queries with gold.
    """
    judgements = pair.label_set.judgements if pair.label_set else ()
    return {
        "doubts": doubts_record(pair, before, after, weight_by_query=weight_by_query),
        "assessors": assessors_record(pair, judgements),
        "shared_documents": _shared_documents(pair, before, after),
    }


def _shared_documents(
    pair: ArmPair, before: Mapping[str, float], after: Mapping[str, float]
) -> dict[str, Any] | None:
    """
    The primary difference with queries that share a gold document as one cluster.

    A line beside the contrast and never its verdict: queries of a log are draws of their own,
    whichever documents answer them. None without documents, or where no two share one.
    """
    if pair.label_set is None:
        return None
    doc_id_by_chunk = pair.label_set.doc_id_by_chunk
    clusters = clusters_of_shared(
        {q: sorted({doc_id_by_chunk[c] for c in pair.gold(q)}) for q in pair.gold_ids}
    )
    if clusters is None:
        return None
    return clustered_record(before, after, seed=SEED, cluster_by_query=clusters)


def own_labels(judgements: Iterable[Judgement]) -> dict[str, dict[str, dict[str, int]]]:
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
    found: dict[str, dict[str, dict[str, int]]] = {}
    for (assessor, query_id, chunk_id), grade in sorted(standing.items()):
        if grade is not None:
            found.setdefault(assessor, {}).setdefault(query_id, {})[chunk_id] = grade
    return found


def assessors_record(pair: ArmPair, judgements: Iterable[Judgement]) -> list[dict[str, Any]]:
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
            **_contrast(one),
        }
        for assessor, one in sorted(pairs.items())
    ]


def _contrast(pair: ArmPair) -> dict[str, Any]:
    measure, cells = primary_record(pair) if pair.gold_ids else (None, None)
    return {"measure": measure, "cells": cells}
