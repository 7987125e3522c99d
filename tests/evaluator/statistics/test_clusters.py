"""Queries in clusters, checked against enumeration, McNemar, scipy and the unclustered tests."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from evaluator.statistics.cells import exact_mcnemar
from evaluator.statistics.clusters import (
    clusters_of_groups,
    clusters_of_shared,
    compare_clustered,
    exact_sign_flip,
)
from evaluator.statistics.graded import FEWEST

Values = dict[str, float]


def arms(differences: list[float]) -> tuple[Values, Values]:
    """Two arms over numbered queries that differ by these."""
    ids = [f"q{number:04}" for number in range(len(differences))]
    return dict.fromkeys(ids, 0.0), dict(zip(ids, differences, strict=True))


def in_pairs(ids: list[str]) -> dict[str, str]:
    """Every two neighbours are one cluster."""
    return {query_id: f"pair-{number // 2}" for number, query_id in enumerate(ids)}


def enumerated(sums: list[int]) -> float:
    """The p-value from every sign pattern, one by one."""
    seen = abs(sum(sums))
    totals = [
        abs(sum(sign * size for sign, size in zip(signs, sums, strict=True)))
        for signs in itertools.product((-1, 1), repeat=len(sums))
    ]
    return sum(total >= seen for total in totals) / len(totals)


@settings(deadline=None)
@given(st.lists(st.integers(-4, 4), min_size=1, max_size=9))
def test_the_exact_p_is_that_of_all_sign_patterns(sums: list[int]) -> None:
    """Building the totals up gives what counting every pattern gives."""
    assert enumerated(sums) == pytest.approx(exact_sign_flip(np.array(sums, dtype=float)))


@settings(deadline=None)
@given(st.integers(0, 40), st.integers(0, 40))
def test_clusters_of_one_give_mcnemar(won: int, lost: int) -> None:
    """With a query in each cluster the test for hits is the exact McNemar test."""
    base, treated = arms([1.0] * won + [-1.0] * lost + [0.0])
    found = compare_clustered(base, treated, cluster_by_query={}, seed=1, resamples=10)
    assert exact_mcnemar(won, lost) == pytest.approx(found.p)
    assert "exact" == found.p_method


def test_the_drawn_p_comes_near_that_of_all_sign_patterns() -> None:
    """Ten clusters of two have 1,024 patterns, and scipy enumerates them as well."""
    random = np.random.default_rng(3)
    differences = (random.random(20) - 0.35).tolist()
    base, treated = arms(differences)
    found = compare_clustered(base, treated, cluster_by_query=in_pairs(list(base)), seed=5)
    sums = np.array(differences).reshape(10, 2).sum(axis=1)
    exact = stats.permutation_test(
        (sums, np.zeros(10)),
        lambda x, y: (x - y).mean(),
        permutation_type="samples",
        n_resamples=5000,
    ).pvalue
    assert exact == pytest.approx(found.p, abs=0.02)
    assert "draws" == found.p_method


def test_the_interval_is_that_of_drawing_clusters() -> None:
    """scipy's bootstrap over whole clusters, as a ratio of sums, gives the same ends."""
    random = np.random.default_rng(11)
    sizes = random.integers(1, 5, size=60)
    clusters = [f"c{number}" for number, size in enumerate(sizes) for _ in range(size)]
    differences = (random.random(len(clusters)) - 0.4).tolist()
    base, treated = arms(differences)
    found = compare_clustered(
        base, treated, cluster_by_query=dict(zip(base, clusters, strict=True)), seed=2
    )
    ends = np.cumsum(sizes)
    sums = np.add.reduceat(differences, np.concatenate(([0], ends[:-1])))
    expected = stats.bootstrap(
        (sums, sizes),
        lambda x, y, axis: x.sum(axis=axis) / y.sum(axis=axis),
        paired=True,
        method="percentile",
        n_resamples=10_000,
        rng=np.random.default_rng(9),
    ).confidence_interval
    assert found.interval is not None
    assert (expected.low, expected.high) == pytest.approx(found.interval, abs=0.01)


def test_copies_of_a_query_add_no_evidence() -> None:
    """Three copies of every query have the same p as the queries alone; McNemar's falls."""
    alone = [1.0] * 9 + [-1.0] * 3
    base, treated = arms([value for value in alone for _ in range(3)])
    copies = {query_id: f"c{number // 3}" for number, query_id in enumerate(base)}
    found = compare_clustered(base, treated, cluster_by_query=copies, seed=1, resamples=10)
    assert exact_mcnemar(9, 3) == pytest.approx(found.p)
    assert exact_mcnemar(27, 9) < found.p / 10


def test_where_the_bootstrap_promises_too_much_there_is_no_interval() -> None:
    """Below thirty clusters, with one above a fifth, or without any spread; the test stays."""
    for clusters, has in ((FEWEST - 1, False), (FEWEST, True)):
        base, treated = arms([1.0, *[0.0] * (2 * clusters - 1)])
        found = compare_clustered(base, treated, cluster_by_query=in_pairs(list(base)), seed=1)
        assert has == (found.interval is not None)
        assert clusters == found.clusters
    few = compare_clustered(*arms([1.0] * 4), cluster_by_query={}, seed=1)
    assert "4 clusters are fewer than 30: no interval" == few.reason
    base, treated = arms([*[1.0] * 99, 0.0])
    for size, has in ((20, True), (21, False)):
        heavy = dict.fromkeys(list(base)[:size], "heavy")
        found = compare_clustered(base, treated, cluster_by_query=heavy, seed=1, resamples=10)
        assert (size / 100, has) == (found.largest_share, found.interval is not None)
    equal = compare_clustered(*arms([0.0] * 70), cluster_by_query={}, seed=1)
    assert (1.0, None) == (equal.p, equal.interval)
    assert "all clusters moved by the same amount: no interval" == equal.reason


def test_the_same_seed_gives_the_same_bytes() -> None:
    """And another seed gives others."""
    base, treated = arms((np.random.default_rng(1).random(80) - 0.4).tolist())
    how = {"cluster_by_query": in_pairs(list(base)), "resamples": 2000}
    first, again, other = (
        compare_clustered(base, treated, seed=seed, **how)  # type: ignore[arg-type]
        for seed in (1, 1, 2)
    )
    assert first == again
    assert first.interval != other.interval


def test_groups_make_clusters_only_where_two_queries_share_one() -> None:
    """Queries without a group stay by themselves, even beside a group that bears their id."""
    assert clusters_of_groups({"a": None, "b": "x", "c": "y"}) is None
    groups = clusters_of_groups({"a": None, "b": "a", "c": "a"})
    assert {"b": "a", "c": "a"} == groups
    assert groups is not None
    zeros, ones = dict.fromkeys("abc", 0.0), dict.fromkeys("abc", 1.0)
    found = compare_clustered(zeros, ones, cluster_by_query=groups, seed=1, resamples=10)
    assert 2 == found.clusters


def test_queries_that_share_a_document_are_linked_through_others() -> None:
    """a and c share nothing, but each shares a document with b."""
    found = clusters_of_shared({"a": ["1"], "b": ["1", "2"], "c": ["2"], "d": ["3"]})
    assert {"a": "a", "b": "a", "c": "a", "d": "d"} == found
    assert clusters_of_shared({"a": ["1"], "b": ["2"], "c": []}) is None
