"""The contrast by each assessor's own labels."""

from dataclasses import replace
from pathlib import Path

from evaluator.contrasts.assessors import assessors_record, own_labels
from evaluator.contrasts.pair import Pair
from evaluator.labelset.format import ADJUDICATION, Judgement, LabelSet, Query, Verdict

MOMENT = "2026-11-20T10:00:00.000Z"


def event(
    assessor: str,
    query_id: str,
    chunk_id: str,
    grade: int | None,
    verdict: Verdict = "grade",
    *,
    method: str | None = None,
) -> Judgement:
    return Judgement("e", query_id, chunk_id, assessor, grade, verdict, MOMENT, method=method)


def pair() -> Pair:
    """The treatment brings g up in both queries; the labels call it gold."""
    return Pair(
        baseline={"q1": [("x", 2.0), ("g", 1.0)], "q2": [("x", 2.0), ("g", 1.0)]},
        treatment={"q1": [("g", 2.0), ("x", 1.0)], "q2": [("g", 2.0), ("x", 1.0)]},
        qrels={"q1": {"g": 1, "x": 0}, "q2": {"g": 1, "x": 0}},
        min_grade=1,
        max_grade=1,
        query_ids=["q1", "q2"],
        gold_ids=["q1", "q2"],
        primary="Success@1",
        measures=["Success@1"],
        k=1,
    )


def test_the_last_event_of_a_person_stands_and_adjudication_is_nobodys() -> None:
    """Undone and unsure leave nothing, and what settled a disagreement is left out."""
    events = [
        event("ann", "q1", "g", 0),
        event("ann", "q1", "g", 1),
        event("ann", "q1", "x", 1),
        event("ann", "q1", "x", None, "undone"),
        event("bob", "q1", "g", None, "unsure"),
        event("bob", "q2", "g", 0),
        event("cy", "q1", "g", 1, method=ADJUDICATION),
    ]
    assert {"ann": {"q1": {"g": 1}}, "bob": {"q2": {"g": 0}}} == own_labels(events)


def test_a_verdict_can_hang_on_one_assessor() -> None:
    """By ann's labels both queries are won; bob calls x the answer and sees one lost."""
    events = [
        *(event("ann", q, c, grade) for q in ("q1", "q2") for c, grade in (("g", 1), ("x", 0))),
        event("bob", "q2", "g", 0),
        event("bob", "q2", "x", 1),
    ]
    ann, bob = assessors_record(pair(), events, seed=13)
    assert ("ann", 2, 2, 1.0) == (
        ann["assessor"],
        ann["queries"],
        ann["with_gold"],
        ann["measure"]["difference"],
    )
    assert (1, -1.0, 1) == (bob["queries"], bob["measure"]["difference"], bob["cells"]["lost"])


def test_an_assessor_who_found_no_gold_has_no_figures() -> None:
    """The row stays, so that nobody is left out in silence."""
    events = [event("ann", "q1", "g", 1), event("bob", "q1", "g", 0)]
    _, bob = assessors_record(pair(), events, seed=13)
    assert (1, 0, None) == (bob["queries"], bob["with_gold"], bob["measure"])


def test_one_persons_labels_are_the_labels() -> None:
    """Nothing is repeated under a name, and judgements of other queries make no second person."""
    events = [event("ann", "q1", "g", 1), event("bob", "q9", "g", 1)]
    assert [] == assessors_record(pair(), events, seed=13)


def test_paraphrases_are_one_by_an_assessors_own_labels_too() -> None:
    """The labels find gold in one of two paraphrases, ann in both: that is one need won."""
    queries = (Query("q1", "leave", group="leave"), Query("q2", "holiday", group="leave"))
    qrels = {"q1": {"g": 1, "x": 0}, "q2": {"g": 0, "x": 0}}
    labels = LabelSet(Path("labels"), "", {}, queries, qrels, {})
    found = replace(pair(), qrels=qrels, gold_ids=["q1"], label_set=labels)
    events = [*(event("ann", q, "g", 1) for q in ("q1", "q2")), event("bob", "q1", "g", 1)]
    ann, bob = assessors_record(found, events, seed=13)
    assert (2, 1, 1.0) == tuple(ann["measure"][key] for key in ("n", "clusters", "p"))
    assert 1 == bob["measure"]["n"]
