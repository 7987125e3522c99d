"""
The vectors of one arm -> its rankings: exact, by the graph, and by graphs of other seeds.

It owns when the graph gives way to exact search, and how much of a graph's answer is luck of
its seed. It knows no strings, no labels and no costs.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from evaluator.experiment.protocol import Protocol
from evaluator.vectors.search import HnswIndex, Ranking, build_hnsw, exact_search

Rankings = Mapping[str, Sequence[tuple[str, float]]]
# Rows of queries that share a filter, and which chunks it lets in; None for all.
Group = tuple[list[int], NDArray[np.bool_] | None]
# Of the chunks and of the queries.
Vectors = tuple[NDArray[np.float32], NDArray[np.float32]]


def rank_both(
    groups: Sequence[Group],
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


def rank_again(
    groups: Sequence[Group],
    query_ids: Sequence[str],
    *,
    vectors: Vectors,
    exact: Rankings,
    index: HnswIndex,
    protocol: Protocol,
) -> dict[int, Rankings]:
    """
    By seed, what graphs of the same parameters and other seeds find, no deeper than 2k.

    Where the graph cannot answer, the exact ranking stands in, as in `rank_both`.
    """
    documents, asked = vectors
    settings, depth = protocol.index, protocol.cutoffs[1]
    found: dict[int, Rankings] = {}
    for seed in settings.seeds_after(len(documents)):
        graph = build_hnsw(
            documents,
            chunk_ids=index.chunk_ids,
            m=settings.m,
            ef_construction=settings.ef_construction,
            ef_search=settings.ef_search,
            seed=seed,
        )
        rankings: dict[str, Sequence[tuple[str, float]]] = {q: exact[q][:depth] for q in query_ids}
        for rows, allowed in groups:
            if _is_selective(allowed, protocol):
                continue
            near = graph.search(asked[rows], depth=depth, allowed=allowed)
            rankings |= {
                query_ids[row]: one for row, one in zip(rows, near, strict=True) if one is not None
            }
        found[seed] = rankings
    return found


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
