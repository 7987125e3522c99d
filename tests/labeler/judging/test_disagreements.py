"""The queue of pairs that assessors differ on."""

import json
from dataclasses import asdict
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.labelset.format import Judgement
from labeler.judging.agreement import Disagreements, find_disagreements
from labeler.workspace.records import KNOWN_ANSWER
from tests.labeler.frozen import event


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
