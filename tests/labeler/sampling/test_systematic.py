"""The arithmetic of a draw: shares of strata, certainty, and systematic steps."""

from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator import InputError
from labeler.logs.queries import LogQuery
from labeler.sampling.systematic import allocate, draw_start, split_certainty, systematic

counts_lists = st.lists(st.integers(0, 200), min_size=1, max_size=40).filter(any)
strata = st.dictionaries(
    st.sampled_from("abcdefgh"),
    st.integers(1, 30).flatmap(lambda n: st.tuples(st.just(n), st.integers(n, 40 * n))),
    min_size=1,
)


def log(*counts: int) -> list[LogQuery]:
    return [LogQuery(f"query {n}", f"Query {n}", count) for n, count in enumerate(counts)]


def test_fractions_go_to_the_largest_remainders() -> None:
    """The smallest gets its one; of 9 over the others 4.5 and 1.44 go down, 1.53 twice up."""
    searches = {"a": 47, "b": 16, "c": 16, "d": 15, "e": 6}
    shared = allocate(10, searches=searches, queries=dict.fromkeys(searches, 50))
    assert {"a": 4, "b": 2, "c": 2, "d": 1, "e": 1} == shared


def test_a_small_stratum_gets_one_and_the_others_make_up_for_it() -> None:
    """A hundredth of the traffic would get no query of ten, and gets one."""
    assert {"large": 9, "small": 1} == allocate(
        10, searches={"large": 990, "small": 10}, queries={"large": 80, "small": 5}
    )


def test_a_stratum_with_few_queries_is_taken_whole() -> None:
    """Two queries with nearly all searches leave the other twenty to the rest."""
    assert {"head": 2, "x": 10, "y": 10} == allocate(
        22,
        searches={"head": 1000, "x": 10, "y": 10},
        queries={"head": 2, "x": 10, "y": 10},
    )
    assert {"head": 2, "x": 12, "y": 8} == allocate(
        22, searches={"head": 1000, "x": 60, "y": 40}, queries={"head": 2, "x": 50, "y": 40}
    )


def test_one_query_each_is_the_least() -> None:
    """A head with two queries does not take what the small strata need."""
    assert {"head": 1, "x": 1, "y": 1} == allocate(
        3, searches={"head": 1000, "x": 1, "y": 1}, queries={"head": 2, "x": 1, "y": 1}
    )
    with pytest.raises(InputError, match="2 queries cannot be shared out over 3 strata"):
        allocate(2, searches={"a": 1, "b": 1, "c": 1}, queries={"a": 1, "b": 1, "c": 1})


@given(strata, st.integers(0, 200))
def test_the_shares_add_up_and_stay_within_bounds(
    counts: dict[str, tuple[int, int]], more: int
) -> None:
    """Over all strata they are what was asked for; each has from one to all its queries."""
    queries = {name: n for name, (n, _) in counts.items()}
    searches = {name: x for name, (_, x) in counts.items()}
    size = min(len(counts) + more, sum(queries.values()))
    shared = allocate(size, searches=searches, queries=queries)
    assert size == sum(shared.values())
    assert all(1 <= shared[name] <= queries[name] for name in counts)
    assert shared == allocate(size, searches=dict(reversed(searches.items())), queries=queries)


@given(strata, st.integers(0, 200))
def test_strata_with_equal_bounds_differ_from_proportion_by_less_than_one(
    counts: dict[str, tuple[int, int]], more: int
) -> None:
    """Between two strata that are not at a bound, shares go as searches do, to one query."""
    queries = {name: n for name, (n, _) in counts.items()}
    searches = {name: x for name, (_, x) in counts.items()}
    size = min(len(counts) + more, sum(queries.values()))
    shared = allocate(size, searches=searches, queries=queries)
    free = [name for name in shared if 1 < shared[name] < queries[name]]
    for one in free:
        for other in free:
            low = Fraction(shared[one] - 1, searches[one])
            assert low < Fraction(shared[other] + 1, searches[other])


def test_certainty_is_repeated_over_the_rest() -> None:
    """Once 100 is taken, 5 is certain among the rest although it was not before."""
    certain, rest = split_certainty(log(100, 5, 2, 1, 1), size=3)
    assert [100, 5] == [query.count for query in certain]
    assert [2, 1, 1] == [query.count for query in rest]


@given(counts_lists, st.integers(1, 45))
def test_nobody_in_the_rest_would_be_drawn_once_or_more(counts: list[int], size: int) -> None:
    """After the split every n x / X of the rest is below 1, and was not for who was taken."""
    queries = [query for query in log(*counts) if query.count]
    certain, rest = split_certainty(queries, size=size)
    left, total = size - len(certain), sum(query.count for query in rest)
    assert all(left * query.count < total for query in rest)
    if certain:
        least = min(query.count for query in certain)
        assert (left + 1) * least >= total + least


@given(st.lists(st.integers(1, 12), min_size=2, max_size=8), st.integers(1, 7))
def test_over_all_starts_the_probabilities_are_exact(counts: list[int], size: int) -> None:
    """Systematic sampling hits each position in exactly n x of the X starts, n in each."""
    total = sum(counts)
    if any(size * count >= total for count in counts):
        return
    hit = Counter[int]()
    for start in range(total):
        chosen = systematic(counts, size=size, start=start)
        assert size == len(set(chosen))
        hit.update(chosen)
    assert [Fraction(size * count, total) for count in counts] == [
        Fraction(hit[position], total) for position in range(len(counts))
    ]


def test_the_start_can_be_any_number() -> None:
    """Over seeds it reaches the first and the last of the whole numbers below the total."""
    assert set(range(7)) == {draw_start(seed, below=7) for seed in range(200)}
    assert 0 == draw_start(13, below=1)
