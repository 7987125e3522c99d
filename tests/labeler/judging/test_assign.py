"""Who judges what: shared out equally, and moved no more than must be."""

from collections import Counter
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator import InputError
from labeler.judging.assign import assign

NAMES = ["ada", "bob", "cy", "di", "ed"]
queries = st.lists(st.text("qrst0123", min_size=1, max_size=4), max_size=40, unique=True)
crews = st.integers(2, 5).map(lambda n: NAMES[:n])
overlaps = st.sampled_from([0.0, 0.1, 0.2, 0.5, 1.0])
seeds = st.integers(0, 3)


def loads(assigned: Mapping[str, Sequence[str]], names: Sequence[str]) -> list[int]:
    counts = Counter(name for there in assigned.values() for name in there)
    return [counts[name] for name in names]


def places(assigned: Mapping[str, Sequence[str]]) -> set[tuple[str, str]]:
    return {(query_id, name) for query_id, there in assigned.items() for name in there}


@given(queries, crews, overlaps, seeds)
def test_everybody_gets_as_many_as_anybody(
    query_ids: list[str], names: list[str], overlap: float, seed: int
) -> None:
    """Every query has one or two different assessors, the chosen share has two."""
    assigned = assign(query_ids, names, overlap=overlap, seed=seed)
    assert query_ids == list(assigned)
    assert {1, 2} >= {len(set(there)) for there in assigned.values()}
    assert round(overlap * len(query_ids)) == sum(len(there) == 2 for there in assigned.values())
    assert max(loads(assigned, names)) - min(loads(assigned, names)) <= 1


@given(queries, crews, overlaps)
def test_the_order_of_the_arguments_decides_nothing(
    query_ids: list[str], names: list[str], overlap: float
) -> None:
    """Only the seed does."""
    many = [f"q{n}" for n in range(30)]
    one, two = (assign(many, names, overlap=0.2, seed=seed) for seed in (1, 2))
    assert one != two
    assigned = assign(query_ids, names, overlap=overlap, seed=1)
    turned = assign(query_ids[::-1], names[::-1], overlap=overlap, seed=1)
    assert assigned == turned


@given(queries, queries, crews, overlaps, seeds)
def test_queries_that_come_later_move_nobody(
    first: list[str], later: list[str], names: list[str], overlap: float, seed: int
) -> None:
    """Whoever had a query keeps it, and the balance stays."""
    before = assign(first, names, overlap=overlap, seed=seed)
    both = list(dict.fromkeys([*first, *later]))
    after = assign(both, names, overlap=overlap, seed=seed, before=before)
    assert places(before) <= places(after)
    assert max(loads(after, names)) - min(loads(after, names)) <= 1


@given(queries, crews, overlaps, seeds)
def test_a_new_assessor_takes_an_equal_share_and_no_more_moves(
    query_ids: list[str], names: list[str], overlap: float, seed: int
) -> None:
    """Nothing is exchanged among the others."""
    before = assign(query_ids, names, overlap=overlap, seed=seed)
    after = assign(query_ids, ["new", *names], overlap=overlap, seed=seed, before=before)
    assert {"new"} >= {name for _, name in places(after) - places(before)}
    assert max(loads(after, ["new", *names])) - min(loads(after, ["new", *names])) <= 1


@given(queries, crews, seeds)
def test_a_lost_assessor_leaves_their_queries_alone_to_the_others(
    query_ids: list[str], names: list[str], seed: int
) -> None:
    """The rest keep what they have."""
    before = assign(query_ids, ["gone", *names], overlap=0.0, seed=seed)
    after = assign(query_ids, names, overlap=0.0, seed=seed, before=before)
    assert {place for place in places(before) if place[1] != "gone"} <= places(after)


@settings(max_examples=50)
@given(queries, crews, overlaps, seeds, st.data())
def test_a_query_stays_with_whoever_began_it(
    query_ids: list[str], names: list[str], overlap: float, seed: int, data: st.DataObject
) -> None:
    """Whatever was assigned before, and however many began it."""
    some = st.lists(st.sampled_from([*names, "stranger"]), max_size=3, unique=True)
    begun = {query_id: data.draw(some) for query_id in query_ids[:10]}
    before = assign(query_ids, names, overlap=overlap, seed=seed)
    after = assign(query_ids, names, overlap=overlap, seed=seed, before=before, begun=begun)
    assert {p for p in places(begun) if p[1] != "stranger"} <= places(after)
    assert all(there for there in after.values())
    assert "stranger" not in {name for _, name in places(after)}


def test_shared_queries_are_spread_over_all_pairs() -> None:
    """Agreement can be measured between any two."""
    assigned = assign([f"q{n}" for n in range(60)], NAMES[:3], overlap=0.5, seed=13)
    pairs = Counter(there for there in assigned.values() if len(there) == 2)
    assert {10} == set(pairs.values())


@pytest.mark.parametrize(
    ("names", "overlap", "message"),
    [
        ([], 0.0, "nobody to assign"),
        (["ada", "ada"], 0.0, "named twice"),
        (["ada"], 0.2, "needs two assessors"),
        (NAMES, 1.5, "no share"),
        (NAMES, float("nan"), "no share"),
    ],
)
def test_what_cannot_be_shared_out_is_refused(
    names: list[str], overlap: float, message: str
) -> None:
    """Each with what to do."""
    with pytest.raises(InputError, match=message):
        assign(["q"], names, overlap=overlap, seed=1)
