"""What unjudged chunks could do to one query, checked against every assignment there is."""

import itertools
import math
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator.measures.values import per_query
from evaluator.statistics import unjudged_bounds
from evaluator.statistics.unjudged_bounds import Lists, difference_range, lowering_steps

K = 3
CHUNKS = "abcdefgh"

rankings = st.lists(st.sampled_from(CHUNKS), min_size=1, max_size=K, unique=True)
lists = st.builds(
    Lists,
    baseline=rankings,
    treatment=rankings,
    k=st.just(K),
    grades=st.dictionaries(st.sampled_from(CHUNKS), st.integers(0, 2), max_size=5),
    min_grade=st.sampled_from([1, 2]),
    max_grade=st.just(2),
)


def differences(family: str, one: Lists, assignments: Sequence[Mapping[str, int]]) -> list[float]:
    """Treatment minus baseline by `ir_measures` under each assignment, as a query of its own."""
    ids = [f"q{number}" for number in range(len(assignments))]
    qrels = {q: {**one.grades, **given_} for q, given_ in zip(ids, assignments, strict=True)}
    gold = [q for q in ids if max(qrels[q].values(), default=0) >= one.min_grade]
    arms = []
    for ranking in (one.baseline, one.treatment):
        run = {q: [(c, -float(rank)) for rank, c in enumerate(ranking)] for q in ids}
        values = dict.fromkeys(ids, 0.0)  # a query without gold scores 0 whatever the measure
        if gold:
            measures, least = [f"{family}@{K}"], one.min_grade
            [found] = per_query(
                run, qrels, measures=measures, query_ids=gold, min_grade=least
            ).values()
            values |= found
        arms.append(list(values.values()))
    return [after - before for before, after in zip(*arms, strict=True)]


def every_assignment(one: Lists, grades: Sequence[int]) -> list[dict[str, int]]:
    """Each way to give the unjudged chunks of either list one of these grades."""
    return [
        dict(zip(one.unjudged, chosen, strict=True))
        for chosen in itertools.product(grades, repeat=len(one.unjudged))
    ]


@pytest.mark.parametrize("family", ["Success", "R", "RR", "P", "AP", "nDCG"])
@settings(max_examples=100, deadline=None)
@given(one=lists)
def test_the_range_is_that_of_all_assignments(family: str, one: Lists) -> None:
    """Every unjudged chunk with every grade, one in both arms: mirrored by swapped arms."""
    found = differences(family, one, every_assignment(one, [0, 1, 2]))
    low, high, exact = difference_range(family, one)
    assert (min(found), max(found)) == pytest.approx((low, high))
    assert exact
    assert (-high, -low, True) == difference_range(family, one.swapped)


@settings(max_examples=60, deadline=None)
@given(one=lists)
def test_too_many_ways_to_judge_leave_an_outer_bound(one: Lists) -> None:
    """It holds every difference, and says that it may be wider."""
    found = differences("AP", one, every_assignment(one, [0, 2]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(unjudged_bounds, "ASSIGNMENTS", 1)
        low, high, exact = difference_range("AP", one)
    assert -1 - 1e-9 <= low <= min(found) + 1e-9
    assert max(found) - 1e-9 <= high <= 1 + 1e-9
    assert exact == (not one.unjudged)


def test_ndcg_is_exact_for_lists_that_nobody_could_enumerate() -> None:
    """Of 200 unjudged chunks with four grades each: all of the treatment's at the top."""
    baseline, treatment = ([f"{arm}{rank}" for rank in range(100)] for arm in "ab")
    one = Lists([*baseline[:99], "g"], treatment, 100, {"g": 1, "x": 2}, 1, 3)
    low, high, exact = difference_range("nDCG", one)
    # With all of b at 3 the treatment is at 1, and of the baseline g alone counts, at the last.
    whole = sum(3 / math.log2(rank + 1) for rank in range(1, 101))
    assert exact
    assert 1 - 1 / math.log2(101) / whole == pytest.approx(high)
    assert -1 <= low < -0.99


@pytest.mark.parametrize("family", ["Success", "R", "RR", "P"])
@settings(max_examples=150, deadline=None)
@given(one=lists)
def test_each_step_lowers_as_far_as_that_many_chunks_can(family: str, one: Lists) -> None:
    """For every number of chunks no other choice is lower, and the steps never grow."""
    steps = lowering_steps(family, one)
    assert sorted((size for size, _ in steps), reverse=True) == pytest.approx(
        [size for size, _ in steps]
    )
    now = differences(family, one, [{}])[0]
    for number in range(len(one.unjudged) + 1):
        choices = [dict.fromkeys(some, 2) for some in itertools.combinations(one.unjudged, number)]
        lowest = min(now, *differences(family, one, choices), now)
        reached = now - sum(size for size, _ in steps[:number])
        assert reached == pytest.approx(lowest) or (
            number > len(steps) and reached <= lowest + 1e-9
        )


def test_gold_that_is_assigned_also_counts_in_the_denominator() -> None:
    """One of one gold chunk found only by the treatment; two unjudged ones in the baseline."""
    one = Lists(["x", "y"], ["g", "x"], 2, {"g": 1}, 1, 1)
    low, high, _ = difference_range("R", one)
    # y gold: (1 - 1) of 2; x and y gold: 2 of 3 less 2 of 3; neither: 1 less 0.
    assert (0.0, 1.0) == (low, high)
    assert [(1.0, "y")] == lowering_steps("R", one)
