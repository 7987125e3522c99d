"""The range of a difference and the shortest way to turn its sign, against enumeration."""

import itertools
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from evaluator.contrasts.contrast import compare_pair
from evaluator.contrasts.doubts import doubts, full_by_construction
from evaluator.contrasts.model import Doubts
from evaluator.contrasts.pair import ArmPair
from evaluator.labelset.format import LabelSet

CHUNKS = "abcde"
QUERIES = ("q1", "q2", "q3")

runs = st.fixed_dictionaries(
    {q: st.lists(st.sampled_from(CHUNKS), min_size=2, max_size=2, unique=True) for q in QUERIES}
)
# Every query has gold outside both lists' reach or inside; x was found wanting.
labels = st.fixed_dictionaries(
    {
        q: st.dictionaries(st.sampled_from(CHUNKS), st.integers(0, 1), max_size=3).map(
            lambda grades: {**grades, "gold": 1, "x": 0}
        )
        for q in QUERIES
    }
)


def pair(
    baseline: dict[str, list[str]],
    treatment: dict[str, list[str]],
    qrels: dict[str, dict[str, int]],
    *,
    primary: str = "Success@2",
    measures: tuple[str, ...] = ("Success@2", "R@2", "RR@2", "nDCG@2"),
) -> ArmPair:
    def ranked(run: dict[str, list[str]]) -> dict[str, list[tuple[str, float]]]:
        return {q: [(c, -float(rank)) for rank, c in enumerate(ids)] for q, ids in run.items()}

    return ArmPair(
        baseline=ranked(baseline),
        treatment=ranked(treatment),
        qrels=qrels,
        min_grade=1,
        max_grade=1,
        query_ids=list(qrels),
        gold_ids=[q for q in qrels if 1 in qrels[q].values()],
        primary=primary,
        measures=measures,
        k=2,
    )


def doubts_of(one: ArmPair, **options: Any) -> Any:
    before, after = (values[one.primary] for values in one.values([one.primary]))
    return doubts(one, before, after, **options)


def difference(one: ArmPair, extra: set[tuple[str, str]]) -> float:
    """The primary difference if these pairs were gold and all other unjudged ones were not."""
    qrels = {
        q: {**grades, **{c: 1 for query_id, c in extra if query_id == q}}
        for q, grades in one.qrels.items()
    }
    before, after = one.judged_by(qrels).values([one.primary])
    a, b = before[one.primary], after[one.primary]
    return sum(b[q] - a[q] for q in one.gold_ids) / len(one.gold_ids)


@pytest.mark.parametrize("primary", ["Success@2", "R@2", "RR@2", "P@2"])
@settings(max_examples=25, deadline=None)
@given(baseline=runs, treatment=runs, qrels=labels)
def test_range_and_shortest_list_are_those_of_enumeration(
    primary: str, baseline: Any, treatment: Any, qrels: Any
) -> None:
    """Every subset of the unjudged pairs is tried, the small ones first."""
    one = pair(baseline, treatment, qrels, primary=primary, measures=(primary,))
    found = doubts_of(one)
    pairs = [(q, c) for q, chunk_ids in found.unjudged.items() for c in chunk_ids]
    assume(len(pairs) <= 7)  # 2 ** 12 assignments in each example would take minutes
    now = difference(one, set())
    turned, values = None, [now]
    for number in range(1, len(pairs) + 1):
        for some in itertools.combinations(pairs, number):
            values.append(difference(one, set(some)))
            if turned is None and values[-1] * (1 if now > 0 else -1) <= 1e-9:
                turned = number
    assert [min(values), max(values)] == pytest.approx(found.ranges[primary].interval)
    if abs(now) < 1e-9:
        assert 0 == found.sign.chunks
        return
    assert turned == found.sign.chunks
    if turned:
        chosen = {(q, c) for q, ids in found.sign.by_query.items() for c in ids}
        assert difference(one, chosen) * (1 if now > 0 else -1) <= 1e-9


def test_labels_without_negatives_have_no_range() -> None:
    """Only gold was kept, so a chunk without a grade may have been judged and found wanting."""
    one = pair({"q1": ["a", "b"]}, {"q1": ["c", "a"]}, {"q1": {"a": 1}})
    assert Doubts("negatives not recorded", {}) == doubts_of(one)


def test_a_query_without_gold_can_come_in_over_all_queries() -> None:
    """q2 has no gold: it moves nothing over the queries with gold, and half over both."""
    one = pair(
        {"q1": ["g", "x"], "q2": ["x", "y"]},
        {"q1": ["g", "x"], "q2": ["u", "x"]},
        {"q1": {"g": 1, "x": 0}, "q2": {"x": 0, "y": 0}},
    )
    found = doubts_of(one).ranges["Success@2"]
    assert ((0.0, 0.0), (0.0, 0.5)) == (found.interval, found.over_all)


def test_weights_make_it_the_range_per_search() -> None:
    """Query q1 carries nine of ten searches and is in doubt; q2 was won."""
    one = pair(
        {"q1": ["u", "x"], "q2": ["x", "y"]},
        {"q1": ["x", "y"], "q2": ["g", "x"]},
        {"q1": {"g": 1, "x": 0, "y": 0}, "q2": {"g": 1, "x": 0, "y": 0}},
    )
    found = doubts_of(one, weight_by_query={"q1": 9.0, "q2": 1.0})
    assert [-0.8, 0.1] == pytest.approx(found.primary_range.interval)
    assert [0.0, 0.5] == pytest.approx(found.ranges["Success@2"].interval)
    assert {"q1": ("u",)} == found.sign.by_query
    assert 0.1 == pytest.approx(found.sign.difference)


def test_a_negative_difference_is_turned_by_chunks_of_the_treatment() -> None:
    """The baseline hits, the treatment brings up something that nobody judged."""
    one = pair({"q1": ["g", "x"]}, {"q1": ["x", "u"]}, {"q1": {"g": 1, "x": 0}})
    found = doubts_of(one).sign
    assert (-1.0, 1, {"q1": ("u",)}) == (found.difference, found.chunks, found.by_query)


def test_other_measures_have_no_range() -> None:
    """Nothing is claimed of a measure whose extremes nobody worked out."""
    one = pair(
        {"q1": ["g", "x"]},
        {"q1": ["x", "u"]},
        {"q1": {"g": 1, "x": 0}},
        primary="ERR@2",
        measures=("ERR@2",),
    )
    found = doubts_of(one)
    assert found.ranges["ERR@2"].interval is None
    assert found.sign.method is None
    assert {"q1": ("u",)} == found.unjudged


RANKING = {"q1": ["a", "b", "c"], "q2": ["d", "e"]}


@pytest.mark.parametrize(
    ("said", "gold", "depth"),
    [
        (True, {"q1": ["a", "b"], "q2": ["e"]}, 2),
        (False, {"q1": ["a", "b"], "q2": ["e"]}, 3),
        (False, {"q1": ["a", "b"], "q2": ["e"]}, None),
        (False, {"q1": ["a", "c"], "q2": ["e"]}, 2),
        (False, {"q1": ["a"], "q3": ["a"]}, 2),
        (False, {}, 2),
    ],
)
def test_a_pool_that_holds_no_gold_beyond_k_makes_a_full_level(
    said: bool, gold: dict[str, list[str]], depth: int | None
) -> None:
    """Only where the pool is no deeper than k and all gold, not just some, is in the first k."""
    qrels = {q: dict.fromkeys(ids, 1) for q, ids in gold.items()}
    frozen = LabelSet(Path("labels"), "", {"pooling": {"depth": depth}}, (), qrels, {})
    one = pair(RANKING, {}, qrels)
    found = full_by_construction(replace(one, names=("plain", "other"), label_set=frozen), 2)

    assert said == bool(found)
    assert all("first 2 of 'plain'" in text for text in found)
    assert [] == full_by_construction(one, 2)


def test_unevenly_judged_arms_are_compared_over_judged_chunks_alone() -> None:
    """As the lists would be without what nobody judged, and by Bpref."""
    qrels = {f"q{n}": {"g": 1, "x": 0, "y": 0} for n in range(4)}
    before = {q: ["x", "g", "y"] for q in qrels}
    after = {q: ["u", "v", "g", "x"] for q in qrels}
    one = pair(before, after, qrels)
    how: Any = {"notices": (), "guess": lambda _: (), "rules": {}}
    measured = [*one.measures, "Success@4"]
    found = compare_pair(one, *one.values(measured), **how).condensed
    assert ["Success(judged_only)@2", "nDCG(judged_only)@4", "Bpref"] == list(found)
    assert (1.0, 1.0) == (found["Success(judged_only)@2"].baseline, found["Bpref"].treatment)
    assert pytest.approx(1 / math.log2(3)) == found["nDCG(judged_only)@4"].baseline
    assert 1.0 == found["nDCG(judged_only)@4"].treatment
    # 1 - (judged and not relevant chunks above the one relevant) / min(relevant, not relevant)
    assert 0.0 == found["Bpref"].baseline
    evenly = pair(before, {q: ["g", "x", "u"] for q in qrels}, qrels)
    assert compare_pair(evenly, *evenly.values(measured), **how).condensed is None
