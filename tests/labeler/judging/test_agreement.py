"""What is said of assessors who judged the same pairs, and the queue of those they differ on."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator.labelset.format import Given, Judgement
from labeler.judging.agreement import (
    AgreementReport,
    Disagreements,
    PairAgreement,
    find_disagreements,
    measure_agreement,
)
from labeler.judging.coefficients import AgreementEstimate
from labeler.workspace.records import KNOWN_ANSWER
from tests.labeler.frozen import event

Judged = tuple[str, list[tuple[str, Given]]]


def _judged(grades_by_assessor: Mapping[str, str], *, query_id: str = "q") -> Judged:
    """A letter a chunk: its grade, `?` for can't tell, a dot where nobody looked."""
    by_chunk: dict[str, Given] = {}
    for assessor, grades in sorted(grades_by_assessor.items()):
        for number, each in enumerate(grades):
            if each != ".":
                one = (assessor, None if each == "?" else int(each))
                by_chunk[f"c{number}"] = (*by_chunk.get(f"c{number}", ()), one)
    return query_id, list(by_chunk.items())


def _report(
    grades_by_assessor: Mapping[str, str], *, scale: tuple[int, ...] = (0, 1)
) -> AgreementReport:
    return measure_agreement([_judged(grades_by_assessor)], scale=scale, seed=1, resamples=50)


def _pair(report: AgreementReport, one: str, other: str) -> PairAgreement:
    return next(pair for pair in report.by_pair if pair.assessors == (one, other))


def test_two_assessors_on_the_textbook_table() -> None:
    """Fifty pairs, 20 relevant to both, 15 to neither, 5 and 10 to one: raw 0.7, kappa 0.4."""
    report = _report({"Ann": "1" * 25 + "0" * 25, "Bo": "1" * 20 + "0" * 5 + "1" * 10 + "0" * 15})
    (pair,) = report.by_pair
    assert (pair.assessors, pair.queries, pair.pairs, pair.same) == (("Ann", "Bo"), 1, 50, 35)
    assert (pair.raw.value, pair.kappa.value) == (0.7, pytest.approx(0.4))
    assert report.kappa_weights == "none"


def test_alpha_over_all_assessors_of_the_published_example() -> None:
    """Krippendorff's four observers and twelve units: 0.815 on an ordered scale."""
    report = _report(
        {"A": "123321412...", "B": "1233224125.3", "C": ".3332342251.", "D": "12332441251."},
        scale=(1, 2, 3, 4, 5),
    )
    assert report.alpha.value == pytest.approx(0.815, abs=5e-4)
    assert (report.alpha_metric, report.kappa_weights) == ("ordinal", "linear")
    assert (report.pairs, report.shared_pairs, report.shared_queries) == (12, 11, 1)
    assert len(report.by_pair) == 6


def test_a_scale_may_leave_grades_out() -> None:
    """Weights go by steps on the scale, so 0, 1, 5 is weighted like 0, 1, 2."""
    near = _report({"A": "0012", "B": "0122"}, scale=(0, 1, 2))
    far = _report({"A": "0015", "B": "0155"}, scale=(0, 1, 5))
    assert near.by_pair[0].kappa == far.by_pair[0].kappa
    assert near.alpha == far.alpha


def test_cant_tell_is_counted_apart() -> None:
    """It is in no agreement and no prevalence, and is not a 0; a pair graded twice counts twice."""
    report = _report({"Ann": "1100?1", "Bo": "11?0??"})
    pair = _pair(report, "Ann", "Bo")
    assert (pair.pairs, pair.same, pair.unsure) == (3, 3, 3)
    assert report.unsure == 4
    assert [(each.grade, each.count) for each in report.prevalence] == [(0, 3), (1, 5)]
    assert [each.share.value for each in report.prevalence] == [3 / 8, 5 / 8]


def test_only_shared_pairs_say_anything() -> None:
    """What one assessor graded alone changes neither kappa nor alpha."""
    shared = _report({"Ann": "110100", "Bo": "100101"})
    more = _report({"Ann": "110100" + "1" * 9, "Bo": "100101"})
    assert more.by_pair == shared.by_pair
    assert more.alpha == shared.alpha


def test_known_answers_are_no_assessor() -> None:
    """They hold only what is relevant, so any agreement with them says nothing."""
    report = _report({"Ann": "10", "Bo": "11", KNOWN_ANSWER: "1."})
    assert [pair.assessors for pair in report.by_pair] == [("Ann", "Bo")]
    assert sum(each.count for each in report.prevalence) == 4


def test_what_is_not_defined_says_why() -> None:
    """Nothing judged, nothing shared, and one grade throughout are three different things."""
    nothing = measure_agreement([], scale=(0, 1), seed=1)
    assert nothing.alpha == AgreementEstimate(None, None, "no pair with two grades")
    assert nothing.prevalence[0].share == AgreementEstimate(None, None, "no grade yet")
    assert nothing.by_pair == ()

    unsure = _pair(_report({"Ann": "10", "Bo": "??"}), "Ann", "Bo")
    assert unsure.raw == unsure.kappa == AgreementEstimate(None, None, "no pair that both graded")
    assert (unsure.pairs, unsure.unsure) == (0, 2)

    same = _report({"Ann": "000", "Bo": "000"})
    assert same.by_pair[0].kappa.note == "both gave one and the same grade throughout"
    assert same.by_pair[0].raw.value == 1.0
    assert same.alpha == AgreementEstimate(None, None, "one and the same grade throughout")


def _many(queries: int) -> list[Judged]:
    """Two assessors over ten chunks of each query, agreeing more on some queries than others."""
    draw = Random(3)
    given = []
    for number in range(queries):
        agreeing = draw.uniform(0.5, 1)
        first = [draw.randint(0, 1) for _ in range(10)]
        second = [grade if draw.random() < agreeing else 1 - grade for grade in first]
        both = {"Ann": "".join(map(str, first)), "Bo": "".join(map(str, second))}
        given.append(_judged(both, query_id=f"q{number}"))
    return given


def test_intervals_come_with_enough_queries() -> None:
    """Every number has one with thirty shared queries, and holds its value."""
    report = measure_agreement(_many(30), scale=(0, 1), seed=1)
    (pair,) = report.by_pair
    for estimate in (pair.raw, pair.kappa, report.alpha, *(p.share for p in report.prevalence)):
        assert estimate.interval is not None
        assert estimate.value is not None
        assert estimate.interval[0] < estimate.value < estimate.interval[1]


def test_the_order_of_queries_and_pairs_does_not_matter() -> None:
    """The same judgements and seed give the same report, interval ends included."""
    given, draw = _many(25), Random(1)
    shuffled = [(query_id, draw.sample(pairs, len(pairs))) for query_id, pairs in given]
    draw.shuffle(shuffled)
    one, other = (
        measure_agreement(each, scale=(0, 1), seed=7, resamples=99) for each in (given, shuffled)
    )
    assert one == other


letters = st.text("0123?.", min_size=4, max_size=4)


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from(["A", "B", "C", KNOWN_ANSWER]), letters))
def test_no_number_is_ever_nan(grades_by_assessor: dict[str, str]) -> None:
    """Whatever was judged, the report is numbers and reasons that JSON can hold."""
    report = _report(grades_by_assessor, scale=(0, 1, 2, 3))
    json.dumps(asdict(report), allow_nan=False)
    for estimate in (report.alpha, *(pair.kappa for pair in report.by_pair)):
        assert (estimate.value is None) <= (estimate.note is not None)
    assert report.shared_pairs <= report.pairs
    assert all(0 <= pair.same <= pair.pairs for pair in report.by_pair)


# The pairs to decide


def _judgements(*pairs: str) -> list[Judgement]:
    """`q c grades`: a letter an assessor, from A on; `?` is can't tell and a dot nothing."""
    return [
        event(query_id, chunk_id, assessor, None if grade == "?" else int(grade))._replace(
            note=f"because {grade}"
        )
        for query_id, chunk_id, grades in (pair.split() for pair in pairs)
        for assessor, grade in zip("ABCDE", grades, strict=False)
        if grade != "."
    ]


def _queue(found: Disagreements) -> list[str]:
    return [f"{pair.query_id} {pair.chunk_id} {pair.assessors}" for pair in found.pairs]


def test_the_furthest_apart_come_first() -> None:
    """By the widest distance, then by the mean one, then by query and chunk."""
    found = find_disagreements(
        _judgements("q1 a 01", "q1 b 11", "q2 a 03", "q2 b 0333", "q1 c 0033", "q3 a 10", "q1 d 12")
    )
    assert _queue(found) == ["q2 a 2", "q1 c 4", "q2 b 4", "q1 a 2", "q1 d 2", "q3 a 2"]


def test_grades_stay_shut_until_asked_for() -> None:
    """Neither the queue's records nor its repr tell what was given, or by whom."""
    found = find_disagreements(_judgements("q a 0?3", "q b 11"))
    assert json.loads(json.dumps([asdict(pair) for pair in found.pairs])) == [
        {"query_id": "q", "chunk_id": "a", "assessors": 2}
    ]
    assert "because" not in repr(found) + repr(found.pairs)
    opened = found.opened("q", "a")
    assert [(j.assessor, j.grade) for j in opened] == [("A", 0), ("B", None), ("C", 3)]
    with pytest.raises(KeyError):  # it is no way to look at pairs on which nobody differs
        found.opened("q", "b")


def test_an_assessor_may_differ_from_a_known_answer() -> None:
    """One of the two is mistaken, and somebody should look."""
    known, judged = _judgements("q a 1"), _judgements("q a .0")
    known = [each._replace(assessor=KNOWN_ANSWER) for each in known]
    assert _queue(find_disagreements(known + judged)) == ["q a 2"]


grades = st.lists(st.text("012?.", min_size=1, max_size=5), max_size=6)


@given(grades, st.randoms())
def test_the_queue_is_every_pair_with_two_different_grades(
    grades_by_chunk: list[str], draw: Random
) -> None:
    """None is left out, none is there without reason, and the order of judgements is no matter."""
    judgements = _judgements(*(f"q c{n} {each}" for n, each in enumerate(grades_by_chunk)))
    expected = {f"c{n}" for n, each in enumerate(grades_by_chunk) if len(set(each) - {*"?."}) > 1}
    found = find_disagreements(judgements)
    assert {pair.chunk_id for pair in found.pairs} == expected
    draw.shuffle(judgements)
    assert find_disagreements(judgements).pairs == found.pairs
