"""Vectors to rankings: exact search against the obvious way, and the graph beside it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from evaluator.vectors import search
from evaluator.vectors.search import build_hnsw, exact_search, time_in_turns
from tests.stand_in import stand_in_model

SETTINGS = {"m": 16, "ef_construction": 200, "ef_search": 128, "seed": 13}


def unit(rows: int, dimension: int = 16, *, seed: int = 0) -> NDArray[np.float32]:
    vectors = np.random.default_rng(seed).normal(size=(rows, dimension)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def ids(rows: int) -> list[str]:
    return [f"c{row:05}" for row in range(rows)]


def by_sorting(query: NDArray[np.float32], vectors: NDArray[np.float32], depth: int) -> list[str]:
    scores = (vectors.astype(np.float64) * query.astype(np.float64)).sum(axis=1)
    return [f"c{row:05}" for row in sorted(range(len(vectors)), key=lambda r: (-scores[r], r))][
        :depth
    ]


@settings(deadline=None, max_examples=60)
@given(
    seed=st.integers(0, 1000),
    rows=st.integers(1, 60),
    depth=st.integers(1, 70),
    block=st.sampled_from([3, 7, 8192]),
    copies=st.integers(1, 4),
)
def test_exact_search_is_sorting_by_score_then_chunk_id(
    seed: int, rows: int, depth: int, block: int, copies: int
) -> None:
    """Whatever the blocks, the depth, or the number of equal vectors."""
    vectors = np.repeat(unit(rows, seed=seed), copies, axis=0)
    queries = unit(5, seed=seed + 1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "_ROWS", block)
        found = exact_search(queries, vectors, chunk_ids=ids(len(vectors)), depth=depth)
    expected = [by_sorting(query, vectors, depth) for query in queries]
    assert expected == [[chunk_id for chunk_id, _ in ranking] for ranking in found]


def test_a_query_asked_alone_gets_the_same_ranking_to_the_last_bit() -> None:
    """Neither other queries nor the block that a chunk or its copy falls into changes a score."""
    vectors, queries = unit(20_000, 64), unit(30, 64, seed=1)
    vectors[19_999] = vectors[0]
    together = exact_search(queries, vectors, chunk_ids=ids(20_000), depth=50)
    alone = [
        exact_search(queries[row : row + 1], vectors, chunk_ids=ids(20_000), depth=50)[0]
        for row in range(30)
    ]
    assert together == alone
    [ranking] = exact_search(vectors[:1], vectors, chunk_ids=ids(20_000), depth=2)
    assert [("c00000", ranking[1][1]), ("c19999", ranking[0][1])] == ranking


@pytest.mark.parametrize("depth", [1, 10])
def test_no_more_results_than_chunks(depth: int) -> None:
    """Seven chunks give seven results for a depth of 10, exact and from the graph."""
    texts = "rotate key|export invoice|reset password|delete account|language|invite|cancel plan"
    vectors = stand_in_model().encode(texts.split("|"))
    [exact] = exact_search(vectors[:1], vectors, chunk_ids=ids(7), depth=depth)
    [graph] = build_hnsw(vectors, chunk_ids=ids(7), **SETTINGS).search(vectors[:1], depth=depth)
    assert min(depth, 7) == len({chunk_id for chunk_id, _ in exact})
    assert [chunk_id for chunk_id, _ in exact] == [chunk_id for chunk_id, _ in graph or []]


def test_a_filter_leaves_only_what_it_allows() -> None:
    """Ranks are counted among the allowed chunks, in the exact ranking and in the graph's."""
    vectors, queries = unit(500), unit(3, seed=1)
    allowed = np.zeros(500, dtype=bool)
    allowed[::2] = True
    exact = exact_search(queries, vectors, chunk_ids=ids(500), depth=10, allowed=allowed)
    graph = build_hnsw(vectors, chunk_ids=ids(500), **SETTINGS)
    expected = exact_search(queries, vectors[::2], chunk_ids=ids(500)[::2], depth=10)
    assert expected == exact
    assert [[c for c, _ in one] for one in expected] == [
        [c for c, _ in one or []] for one in graph.search(queries, depth=10, allowed=allowed)
    ]
    none = np.zeros(500, dtype=bool)
    assert 3 * [[]] == graph.search(queries, depth=3, allowed=none)
    assert 3 * [[]] == exact_search(queries, vectors, chunk_ids=ids(500), depth=3, allowed=none)


def test_a_filter_too_selective_for_the_graph_is_handed_back() -> None:
    """The graph says None for that query instead of failing or returning strangers."""
    vectors, allowed = unit(5_000), np.zeros(5_000, dtype=bool)
    allowed[np.argsort(vectors @ vectors[0])[:3]] = True
    graph = build_hnsw(vectors, chunk_ids=ids(5_000), **{**SETTINGS, "ef_search": 4})
    [found] = graph.search(vectors[:1], depth=3, allowed=allowed)
    assert found is None or {c for c, _ in found} == {
        ids(5_000)[r] for r in np.flatnonzero(allowed)
    }


def test_building_twice_gives_the_same_graph() -> None:
    """Its size is that of the saved file, with all vectors."""
    vectors, queries = unit(800), unit(20, seed=1)
    first, second = (build_hnsw(vectors, chunk_ids=ids(800), **SETTINGS) for _ in range(2))
    assert 800 * 16 * 4 < first.size_bytes == second.size_bytes
    assert first.search(queries, depth=10) == second.search(queries, depth=10)
    assert first.build_seconds > 0


def test_graphs_are_timed_in_turns() -> None:
    """The median lies within its spread, below the 95th percentile, for each graph."""
    vectors, queries = unit(800), unit(130, seed=1)
    graphs = [build_hnsw(vectors[:n], chunk_ids=ids(n), **SETTINGS) for n in (800, 200)]
    found = time_in_turns([(graph, queries) for graph in graphs], depth=10)
    assert 2 == len(found)
    for one in found:
        assert 0 < one.spread[0] <= one.median <= min(one.spread[1], one.p95)
