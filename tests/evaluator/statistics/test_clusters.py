"""Queries in clusters, checked against McNemar and the interval over units."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator.statistics.cells import exact_mcnemar
from evaluator.statistics.clusters import (
    clusters_of_groups,
    clusters_of_shared,
    compare_clustered,
)
from evaluator.statistics.intervals import mean_interval

Values = dict[str, float]


def arms(differences: list[float]) -> tuple[Values, Values]:
    """Two arms over numbered queries that differ by these."""
    ids = [f"q{number:04}" for number in range(len(differences))]
    return dict.fromkeys(ids, 0.0), dict(zip(ids, differences, strict=True))


def in_pairs(ids: list[str]) -> dict[str, str]:
    """Every two neighbours are one cluster."""
    return {query_id: f"pair-{number // 2}" for number, query_id in enumerate(ids)}


@settings(deadline=None)
@given(st.integers(0, 40), st.integers(0, 40))
def test_clusters_of_one_give_mcnemar(won: int, lost: int) -> None:
    """With a query in each cluster the test for hits is the exact McNemar test."""
    base, treated = arms([1.0] * won + [-1.0] * lost + [0.0])
    found = compare_clustered(base, treated, cluster_by_query={}, seed=1)
    assert exact_mcnemar(won, lost) == pytest.approx(found.test.p)
    assert "exact" == found.test.method


def test_copies_of_a_query_add_no_evidence() -> None:
    """Three copies of every query have the same p as the queries alone; McNemar's falls."""
    alone = [1.0] * 9 + [-1.0] * 3
    base, treated = arms([value for value in alone for _ in range(3)])
    copies = {query_id: f"c{number // 3}" for number, query_id in enumerate(base)}
    found = compare_clustered(base, treated, cluster_by_query=copies, seed=1)
    assert exact_mcnemar(9, 3) == pytest.approx(found.test.p)
    assert exact_mcnemar(27, 9) < found.test.p / 10


def test_the_interval_takes_clusters_as_units() -> None:
    """Pairs that move together give the interval of half as many queries; its guards count them."""
    pairs = [1.0] * 6 + [-1.0] * 2 + [0.0] * 12
    base, treated = arms([value for value in pairs for _ in range(2)])
    found = compare_clustered(base, treated, cluster_by_query=in_pairs(list(base)), seed=1)
    assert found.interval == pytest.approx(mean_interval(np.array(pairs)))
    assert (20, 1 / 20, None) == (found.units, found.largest_share, found.reason)
    few = compare_clustered(*arms([1.0] * 4), cluster_by_query={}, seed=1)
    assert (None, "4 independent queries or groups are fewer than 20") == (
        few.interval,
        few.reason,
    )
    base, treated = arms([1.0] * 100)
    heavy = dict.fromkeys(list(base)[:30], "heavy")
    found = compare_clustered(base, treated, cluster_by_query=heavy, seed=1)
    assert (0.3, None) == (found.largest_share, found.interval)
    assert "the weights are worth 10.3 equal ones, fewer than 15" == found.reason


def test_groups_make_clusters_only_where_two_queries_share_one() -> None:
    """Queries without a group stay by themselves, even beside a group that bears their id."""
    assert clusters_of_groups({"a": None, "b": "x", "c": "y"}) is None
    groups = clusters_of_groups({"a": None, "b": "a", "c": "a"})
    assert {"b": "a", "c": "a"} == groups
    assert groups is not None
    zeros, ones = dict.fromkeys("abc", 0.0), dict.fromkeys("abc", 1.0)
    found = compare_clustered(zeros, ones, cluster_by_query=groups, seed=1)
    assert 2 == found.units


def test_queries_that_share_a_document_are_linked_through_others() -> None:
    """a and c share nothing, but each shares a document with b."""
    found = clusters_of_shared({"a": ["1"], "b": ["1", "2"], "c": ["2"], "d": ["3"]})
    assert {"a": "a", "b": "a", "c": "a", "d": "d"} == found
    assert clusters_of_shared({"a": ["1"], "b": ["2"], "c": []}) is None
