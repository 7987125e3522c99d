"""
The built-in retrieval system: one encoder over the plain texts, and a ranking per query.

It fills pools. It never sees a header: a pool is for labels, and headers are what the
labels will judge. Model and depth come in as arguments; nothing is stored here.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from evaluator.console import Progress
from evaluator.labelset.format import Query
from evaluator.snapshot.snapshot import Snapshot
from evaluator.trec import Run
from evaluator.vectors.encoder import document_input, query_input
from evaluator.vectors.model import Model, encode_cached
from evaluator.vectors.search import Ranking, build_hnsw, exact_search
from labeler.workspace.pairs import lets_through

RankingKind = Literal["exact", "hnsw"]
GRAPH = {"m": 16, "ef_construction": 200, "ef_search": 128, "seed": 13}


@dataclass(frozen=True, slots=True)
class System:
    """The built-in system as the pool should use it. `load` is called when all else is sound."""

    load: Callable[[], Model]
    ranking: RankingKind = "exact"
    query_prefix: str = ""
    doc_prefix: str = ""


def rank_plain(
    snapshot: Snapshot,
    queries: Sequence[Query],
    system: System,
    *,
    model: Model,
    depth: int,
    progress: Progress | None = None,
) -> Run:
    """
    The first `depth` chunks of every query, each query within its own filter.

    A filter allows the chunks whose attributes have all its values.
    """
    chunks = list(snapshot.chunks())
    inputs = [document_input(system.doc_prefix, "", chunk.text) for chunk in chunks]
    vectors = encode_cached(model, inputs, progress=progress).vectors
    inputs = [query_input(system.query_prefix, query.text) for query in queries]
    asked = encode_cached(model, inputs, progress=progress).vectors
    chunk_ids = [chunk.chunk_id for chunk in chunks]
    graph = None
    if system.ranking == "hnsw":
        settings = {**GRAPH, "ef_search": max(GRAPH["ef_search"], depth)}
        graph = build_hnsw(vectors, chunk_ids=chunk_ids, **settings)
    run: dict[str, Ranking] = {}
    for filters, rows in _by_filter(queries).items():
        allowed = None
        if filters:
            allowed = np.array([lets_through(dict(filters), chunk) for chunk in chunks], dtype=bool)
        found = exact_search(
            asked[rows], vectors, chunk_ids=chunk_ids, depth=depth, allowed=allowed
        )
        if graph is not None:  # a filter can leave the graph unable to answer
            near = graph.search(asked[rows], depth=depth, allowed=allowed)
            found = [one or exact for one, exact in zip(near, found, strict=True)]
        run |= {queries[row].query_id: one for row, one in zip(rows, found, strict=True)}
    return run


def describe(system: System, *, model: Model, depth: int) -> dict[str, Any]:
    """How this system is named in the pool, and all that is needed to run it again."""
    query_prefix, doc_prefix = system.query_prefix, system.doc_prefix
    parts = [model.source]
    parts += ["hnsw"] if system.ranking == "hnsw" else []
    parts += [f"prefixes {query_prefix!r} {doc_prefix!r}"] if query_prefix or doc_prefix else []
    return {
        "source": ", ".join(parts),
        "kind": "model",
        "depth": depth,
        "model": {"source": model.source, "identity": model.identity, "engine": model.engine},
        "ranking": system.ranking,
        "graph": GRAPH if system.ranking == "hnsw" else None,
        "query_prefix": query_prefix,
        "doc_prefix": doc_prefix,
    }


def _by_filter(queries: Sequence[Query]) -> dict[tuple[tuple[str, str], ...], list[int]]:
    rows: dict[tuple[tuple[str, str], ...], list[int]] = {}
    for row, query in enumerate(queries):
        rows.setdefault(tuple(sorted((query.filter or {}).items())), []).append(row)
    return rows
