"""The pages on agreement and on deciding, run without a browser."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from evaluator.labelset.format import Query
from labeler.app.blocks.agreement import grade_blocks, grades_by_assessor, overall_blocks, said_of
from labeler.app.desk.decide import Docket, Pair, case, decision, disagreements, docket
from labeler.app.frame.session import kept
from labeler.judging.agreement import measure_agreement
from labeler.workspace.records import KNOWN_ANSWER, Decision, Event
from labeler.workspace.workspace import Workspace
from tests.browser.materials import NOW, judge, make_workspace, plain_texts, some_queries
from tests.labeler.app_pages import press, sent_all


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """Ana and Bo judged two chunks of q1; they differ by 3 on the first, by 1 on the second."""
    made = make_workspace(tmp_path / "w", queries=some_queries(2), texts=plain_texts(3))
    judge(made, "Ana", "q1", [3, 1, 2], note="note of Ana")
    judge(made, "Bo", "q1", [0, 2, 2], note="note of Bo")
    return made


@pytest.fixture
def page(workspace: Workspace, open_page: Callable[..., AppTest]) -> Callable[..., AppTest]:
    return partial(open_page, workspace, assessor="Olga")


def left(workspace: Workspace, *put_off: Pair) -> Docket:
    return docket(workspace, disagreements(workspace), put_off=put_off)


# The case


def test_what_others_gave_is_shut_until_it_is_opened(workspace: Workspace) -> None:
    """No grade, note, name, id or title is in what the browser gets before."""
    shut = case(workspace, left(workspace), adjudicator="Olga", opened=False)
    assert None is shut["theirs"]
    assert [] == shut["rules"]
    secrets = ("Ana", "Bo", "note of", "payroll-secret", "A title nobody", "system-x")
    assert [each for each in secrets if each in json.dumps(shut)] == []
    opened = case(workspace, left(workspace), adjudicator="Olga", opened=True)
    assert [
        ["Ana", "3: Answers", "note of Ana"],
        ["Bo", "0: Not relevant", "note of Bo"],
    ] == opened["theirs"]
    assert ["majority", "What most of them gave", "0"] == opened["rules"][0]
    own = case(workspace, left(workspace), adjudicator="Ana", opened=False)
    assert (False, True, None) == (shut["took_part"], own["took_part"], own["theirs"])


def test_the_widest_difference_comes_first_unless_put_off(workspace: Workspace) -> None:
    """A decided pair is not there until that is undone; a pair that was put off comes last."""
    there = left(workspace)
    wide, narrow = ("q1", "payroll-secret.md#0"), ("q1", "payroll-secret.md#1")
    assert (wide, narrow) == there.pairs
    assert (narrow, wide) == left(workspace, wide).pairs
    workspace.decisions.record("Olga", "q1", [Decision("d", wide[1], 3, "grade")], now=NOW)
    assert (narrow,) == left(workspace).pairs
    undone = Decision("u", wide[1], None, "undone")
    workspace.decisions.record("Olga", "q1", [undone], now=NOW)
    assert (wide, narrow) == left(workspace).pairs


@pytest.mark.parametrize("value", [None, "", "x", "-1", 3, "²"])
def test_what_is_no_grade_decides_nothing(value: object) -> None:
    """Whatever a browser sends."""
    with pytest.raises(ValueError, match="is no grade"):
        decision({"press": "p", "value": value}, "c")


# The pages


def test_a_pair_is_opened_decided_and_undone(
    page: Callable[..., AppTest], workspace: Workspace
) -> None:
    """Grade, adjudicator, rule and note are kept; the next pair follows, shut again."""
    at = page("decide")
    first = sent_all(at, "decide")[0]
    assert (2, None) == (first["left"], first["theirs"])
    assert 2 == len(press(at, "decide", "1", kind="see")["theirs"])
    second = press(at, "decide", "2", kind="decide", value="3", rule="highest", note=" clear ")
    assert (1, None, 1) == (second["left"], second["theirs"], second["decided"])
    (made,) = workspace.decisions.standing().values()
    assert ("Olga", 3, "rule: highest; clear") == (made.assessor, made.grade, made.note)
    assert "3: Answers" == sent_all(at, "sheet")[0][0]["rows"][0][1]
    press(at, "decide", "3", kind="decide", value="?")
    assert None is sent_all(at, "decide")[0]["pair"]
    assert 1 == press(at, "decide", "4", kind="undo")["left"]
    assert 1 == len(workspace.decisions.standing())


def test_a_pair_can_wait(page: Callable[..., AppTest]) -> None:
    """The other one comes first, and then this one again; a strange grade decides nothing."""
    at = page("decide")
    first = sent_all(at, "decide")[0]["pair"]
    assert first != press(at, "decide", "1", kind="later")["pair"]
    assert first == press(at, "decide", "2", kind="later")["pair"]
    assert 2 == press(at, "decide", "3", kind="decide", value="9")["left"]
    assert "not on the scale" in at.text[0].value


def test_the_agreement_page_shows_numbers_with_their_reasons(page: Callable[..., AppTest]) -> None:
    """Two assessors, three pairs, one of them alike, too few queries for an interval."""
    overall, given, waiting = sent_all(page("agreement"), "sheet")
    assert ["pairs with the same grade", "1 of 3"] in overall[0]["rows"]
    assert overall[1]["rows"][0].startswith("Same grade on 1 of 3 pairs that two or more judged.")
    assert ["Ana and Bo", "1", "3", "0", "33.3%", "none"] == overall[4]["rows"][0][:6]
    assert any("fewer than 20" in note for note in overall[5]["rows"])
    assert any("fewer than 20" in note for note in given[1]["rows"])
    assert ["Ana", "0", "1", "1", "1", "0"] == given[2]["rows"][0]
    assert ["pairs to decide", "2"] in waiting[0]["rows"]


def test_nobody_in_common_is_said(page: Callable[..., AppTest], workspace: Workspace) -> None:
    """With what to do about it."""
    workspace.queries.add([Query("q9", "alone")])
    for at in range(3):
        undone = Event(f"u{at}", f"payroll-secret.md#{at}", None, "undone")
        workspace.judgements.record("Bo", "q1", [undone], now=NOW)
    at = page("agreement")
    assert "nothing can be compared" in at.text[0].value
    assert "Assign queries" in [button.label for button in at.button]


def test_intervals_are_shown_where_there_are_enough_queries(workspace: Workspace) -> None:
    """With two figures, and no note on them."""
    for at in range(30):
        workspace.queries.add([Query(f"x{at}", f"query {at}")])
        pool = list(workspace.pool.entries("q1"))
        workspace.pool.add([e._replace(query_id=f"x{at}") for e in pool], source={"source": "s"})
        for name in ("Ana", "Bo"):
            step = name == "Bo" and at % 3 == 0
            judge(workspace, name, f"x{at}", [(at + n * step) % 4 for n in range(3)])
    report = measure_agreement(
        workspace.judgements.given(), scale=[0, 1, 2, 3], seed=1, resamples=200
    )
    _, _, overall, _, by_pair, _ = overall_blocks(report)
    assert " to " in overall["rows"][1][1]
    assert " to " in by_pair["rows"][0][5]
    counts, meanings = grades_by_assessor(workspace), dict(workspace.settings.grades)
    assert " to " in grade_blocks(report, counts, meanings)[0]["rows"][0][3]
    weighted, made = said_of(report)
    assert "linear weights" in weighted
    assert "200 draws" in made


def test_grades_are_counted_by_assessor(workspace: Workspace) -> None:
    """Known answers are nobody's, and can't tell is no grade; a name is a name."""
    unsure = Event("n", "payroll-secret.md#0", None, "unsure")
    workspace.judgements.record("NA", "q1", [unsure], now=NOW)
    judge(workspace, KNOWN_ANSWER, "q1", [3])
    counts = {name: row for name, *row in grades_by_assessor(workspace).itertuples()}
    assert {"Ana": [0, 1, 1, 1, 0], "Bo": [1, 0, 2, 0, 0], "NA": [0, 0, 0, 0, 1]} == counts


# Kept reports


def test_a_report_is_made_once_until_the_workspace_changes(workspace: Workspace) -> None:
    """Whoever asks gets the same one; any commit makes it anew."""
    made: list[int] = []

    def asked() -> int:
        return kept("test", workspace, lambda _: made.append(len(made)) or len(made))

    assert [1, 1] == [asked(), asked()]
    workspace.people.add_assessor("Di", now=NOW)
    assert [2, 2] == [asked(), asked()]
