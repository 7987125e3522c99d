"""
One contrast under other readings of its labels: what a hostile reader would ask next.

It puts the doubts, the assessors' own verdicts and the sensitivity to shared documents side by
side. All of it needs two rankings and labels and nothing of how the rankings were made.
"""

from collections.abc import Mapping
from typing import Any

from evaluator.contrasts.assessors import assessors_record
from evaluator.contrasts.doubts import doubts_record
from evaluator.contrasts.figures import clustered_record
from evaluator.contrasts.pair import Pair
from evaluator.statistics.clusters import clusters_of_shared

# Of the resampling tests; any fixed number would do.
SEED = 13


def sensitivity_record(
    pair: Pair,
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
        "assessors": assessors_record(pair, judgements, seed=SEED),
        "shared_documents": _shared_documents(pair, before, after),
    }


def _shared_documents(
    pair: Pair, before: Mapping[str, float], after: Mapping[str, float]
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
