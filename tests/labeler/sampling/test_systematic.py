"""The arithmetic of a draw: shares of strata, certainty, and systematic steps."""

from collections import Counter
from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator import InputError
from labeler.sampling.systematic import allocate, draw_start, split_certainty, systematic
from tests.labeler.sampling.test_draw import log

counts_lists = st.lists(st.integers(0, 200), min_size=1, max_size=40).filter(any)
strata = st.dictionaries(
    st.sampled_from("abcdefgh"),
    st.integers(1, 30).flatmap(lambda n: st.tuples(st.just(n), st.integers(n, 40 * n))),
    min_size=1,
)


@pytest.mark.parametrize(
    ("expected", "searches", "queries"),
    [
        ((4, 2, 2, 1, 1), (47, 16, 16, 15, 6), (50,) * 5),
        ((9, 1), (990, 10), (80, 5)),
        ((2, 10, 10), (1000, 10, 10), (2, 10, 10)),
        ((2, 12, 8), (1000, 60, 40), (2, 50, 40)),
        ((1, 1, 1), (1000, 1, 1), (2, 1, 1)),
    ],
    ids=["remainders", "a small stratum", "all", "a small head", "one each"],
)
def test_fractions_go_to_the_largest_remainders(
    expected: tuple[int, ...], searches: tuple[int, ...], queries: tuple[int, ...]
) -> None:
    """Each stratum gets its one, a stratum with few queries is taken whole, the others share."""
    by_name = [dict(zip("abcde", numbers, strict=False)) for numbers in (searches, queries)]
    shared = allocate(sum(expected), searches=by_name[0], queries=by_name[1])
    assert expected == tuple(shared[name] for name in by_name[0])


def test_one_query_each_is_the_least() -> None:
    """Fewer cannot be shared out."""
    with pytest.raises(InputError, match="2 queries cannot be shared out over 3 strata"):
        allocate(2, searches={"a": 1, "b": 1, "c": 1}, queries={"a": 1, "b": 1, "c": 1})


@given(strata, st.integers(0, 200))
def test_the_shares_add_up_and_stay_within_bounds(
    counts: dict[str, tuple[int, int]], more: int
) -> None:
    """Each has from one to all its queries; those at no bound go as searches do, to one query."""
    queries = {name: n for name, (n, _) in counts.items()}
    searches = {name: x for name, (_, x) in counts.items()}
    size = min(len(counts) + more, sum(queries.values()))
    shared = allocate(size, searches=searches, queries=queries)
    assert size == sum(shared.values())
    assert all(1 <= shared[name] <= queries[name] for name in counts)
    assert shared == allocate(size, searches=dict(reversed(searches.items())), queries=queries)
    free = [name for name in shared if 1 < shared[name] < queries[name]]
    for one, other in permutations(free, 2):
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
