"""
The vectors of one arm -> its rankings: exact and by the graph.

It owns when the graph gives way to exact search. It knows no strings, no labels and no costs.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from evaluator.experiment.protocol import Protocol
from evaluator.vectors.search import HnswIndex, Ranking, exact_search

Rankings = Mapping[str, Sequence[tuple[str, float]]]
# Rows of queries that share a filter, and which chunks it lets in; None for all.
FilterGroup = tuple[list[int], NDArray[np.bool_] | None]
# Of the chunks and of the queries.
Vectors = tuple[NDArray[np.float32], NDArray[np.float32]]


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
    for rows, allowed in groups:
        found = exact_search(
            asked[rows],
            documents,
            chunk_ids=index.chunk_ids,
            depth=protocol.depth,
            allowed=allowed,
        )
        selective = _is_selective(allowed, protocol)
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
    return {q: exact[q] for q in query_ids}, {q: hnsw[q] for q in query_ids}, exact_instead


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


def _is_selective(allowed: NDArray[np.bool_] | None, protocol: Protocol) -> bool:
    return allowed is not None and int(allowed.sum()) <= protocol.index.ef_search
