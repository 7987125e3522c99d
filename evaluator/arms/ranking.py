"""
The vectors of one arm -> its rankings: exact and by the graph.

It owns when the graph gives way to exact search. It knows no strings, no labels and no costs.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from evaluator.experiment.protocol import Protocol
from evaluator.vectors.search import HnswIndex, Ranking, exact_search

# Of the distance from the first to the last score of a list.
NEAR = 0.02
Rankings = Mapping[str, Sequence[tuple[str, float]]]
# Rows of queries that share a filter, and which chunks it lets in; None for all.
FilterGroup = tuple[list[int], NDArray[np.bool_] | None]
# Of the chunks and of the queries.
Vectors = tuple[NDArray[np.float32], NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class GraphRecall:
    """
    How far the graph finds what exact search finds.

    `graph_recall` is the share of the first k by exact search that the graph has in its first k,
    mean over the queries. Of the `lists_that_differ`, `near_ties` miss only chunks whose scores
    lie as near to the k-th as a near tie does.
    """

    graph_recall: float
    lists_that_differ: int
    near_ties: int


def compare_rankings(
    exact: Rankings, hnsw: Rankings, *, query_ids: Sequence[str], k: int
) -> GraphRecall:
    """The graph's rankings of these queries, at least one, held against exact search at k."""
    recalls, differ, near_ties = [], 0, 0
    for query_id in query_ids:
        best, graph = exact[query_id], {chunk_id for chunk_id, _ in hnsw[query_id][:k]}
        missed = [score for chunk_id, score in best[:k] if chunk_id not in graph]
        recalls.append(1 - len(missed) / max(1, len(best[:k])))
        if missed:
            differ += 1
            near_ties += missed[0] - best[:k][-1][1] <= NEAR * (best[0][1] - best[-1][1])
    return GraphRecall(fmean(recalls), differ, near_ties)


def rank_both(
    groups: Sequence[FilterGroup],
    query_ids: Sequence[str],
    *,
    vectors: Vectors,
    index: HnswIndex,
    protocol: Protocol,
) -> tuple[Rankings, Rankings, Counter[str]]:
    """
    Both rankings of every query, and how often the graph gave way to exact search, and why.

    A query whose vector is zero has no answer: every chunk would be as near as any other.

    A filter that lets in no more chunks than the graph keeps in view (ef_search) makes it
    walk through everything it can reach, so there is nothing left to approximate.
    """
    documents, asked = vectors
    exact: dict[str, Ranking] = {}
    hnsw: dict[str, Ranking] = {}
    exact_instead: Counter[str] = Counter()
    # The graph searches at least as widely as it is asked to return; asking for more than
    # ef_search would rank better than production does.
    graph_depth = min(protocol.depth, protocol.index.ef_search)
    for group, allowed in groups:
        rows = [row for row in group if asked[row].any()]
        found = exact_search(
            asked[rows],
            documents,
            chunk_ids=index.chunk_ids,
            depth=protocol.depth,
            allowed=allowed,
        )
        selective = allowed is not None and int(allowed.sum()) <= protocol.index.ef_search
        approximate = (
            [None] * len(rows)
            if selective
            else index.search(asked[rows], depth=graph_depth, allowed=allowed)
        )
        for row, best, near in zip(rows, found, approximate, strict=True):
            query_id = query_ids[row]
            exact[query_id] = best
            hnsw[query_id] = best[:graph_depth] if near is None else near
            exact_instead["selective" if selective else "short"] += near is None
    both = [{q: ranked.get(q, []) for q in query_ids} for ranked in (exact, hnsw)]
    return both[0], both[1], exact_instead


def fallback_notices(exact_instead: Counter[str], protocol: Protocol) -> tuple[str, ...]:
    """A sentence for each reason why some hnsw rankings are the exact ones."""
    notices = {
        "selective": f"have a filter that lets in no more than {protocol.index.ef_search} chunks "
        "(ef_search)",
        "short": "got too few chunks from the graph (a selective filter, or many equal vectors)",
    }
    return tuple(
        f"{exact_instead[why]} queries {text}; their hnsw ranking is the exact one"
        for why, text in notices.items()
        if exact_instead[why]
    )
