"""Decisions on disagreements: events of their own, beside the judgements."""

import sqlite3
from pathlib import Path

import pytest

from evaluator import InputError
from labeler.judging.adjudicate import adjudicate_workspace
from labeler.workspace.connection import FILE
from labeler.workspace.records import Decision, Event
from labeler.workspace.workspace import Workspace
from tests.labeler.small import AT, pooled_workspace

LATER = "2026-01-02T03:05:00.000Z"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """Ada and Bob differ on leave.md#0 of q1, agree on vpn.md#1, and Ada alone judged the third."""
    workspace = pooled_workspace(tmp_path)
    for name, first in (("Ada", 1), ("Bob", 0)):
        events = [Event(f"{name}1", "leave.md#0", first, "grade")]
        events += [Event(f"{name}2", "vpn.md#1", 1, "grade")]
        events += [Event(f"{name}3", "parking.md#0", 0, "grade")] if name == "Ada" else []
        assert not workspace.judgements.record(name, "q1", events, now=AT).refused
    return workspace


def decision(event_id: str, grade: int | None, **more: object) -> Decision:
    values = {"chunk_id": "leave.md#0", "verdict": "unsure" if grade is None else "grade", **more}
    return Decision(event_id=event_id, grade=grade, **values)  # type: ignore[arg-type]


def decide(workspace: Workspace, *decisions: Decision, now: str = AT) -> None:
    assert not workspace.decisions.record("Eve", "q1", decisions, now=now).refused


def final(workspace: Workspace) -> int | None:
    return adjudicate_workspace(workspace).qrels["q1"].get("leave.md#0")


def test_a_decision_is_stored_once_and_stands(workspace: Workspace) -> None:
    """The same event again changes nothing."""
    assert 0 == final(workspace)
    decide(workspace, decision("d1", 1))
    decide(workspace, decision("d1", 0))
    assert 1 == final(workspace)
    assert 1 == len(list(workspace.decisions.all()))


def test_the_last_decision_stands_until_it_is_undone(workspace: Workspace) -> None:
    """Then the rule decides again."""
    decide(workspace, decision("d1", 1), decision("d2", None))
    assert final(workspace) is None
    decide(workspace, decision("d3", None, verdict="undone"))
    assert 0 == final(workspace)
    assert {} == workspace.decisions.standing()
    assert 3 == len(list(workspace.decisions.all()))


def test_a_decision_is_no_judgement(workspace: Workspace) -> None:
    """Not of the adjudicator, not in the events that pace and agreement are made of."""
    before = list(workspace.judgements.all())
    decide(workspace, decision("d1", 1))
    assert before == list(workspace.judgements.all())
    assert {} == workspace.judgements.current("Eve", "q1")
    assert "Eve" not in workspace.progress()[0].judged_by


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (decision("d", 7), "not on the scale"),
        (decision("d", 1, verdict="unsure"), "with a grade"),
        (decision("d", 1, rule="dice"), "none of the rules"),
        (decision("d", 1, note="\ud800"), "no text"),
        (decision("", 1), "without an id"),
        (decision("d", 1, chunk_id="vpn.md#1"), "nobody disagrees"),
        (decision("d", 1, chunk_id="parking.md#0"), "nobody disagrees"),
        (decision("Ada1", 1), "a judgement has this event id"),
    ],
)
def test_what_cannot_be_decided_is_refused_alone(
    workspace: Workspace, made: Decision, reason: str
) -> None:
    """With a reason, and nothing else is held up by it."""
    receipt = workspace.decisions.record("Eve", "q1", [made, decision("ok", 1)], now=AT)
    assert ("ok",) == receipt.stored
    ((refused, said),) = receipt.refused
    assert (made.event_id, True) == (refused, reason in said)


def test_a_decision_can_be_changed_when_the_assessors_agree_by_then(workspace: Workspace) -> None:
    """It stands until somebody undoes it, whatever is judged later."""
    decide(workspace, decision("d1", 1))
    workspace.judgements.record("Ada", "q1", [Event("e9", "leave.md#0", 0, "grade")], now=LATER)
    assert 1 == final(workspace)
    decide(workspace, decision("d2", None, verdict="undone"), now=LATER)
    assert 0 == final(workspace)


def test_events_come_in_the_order_of_time(workspace: Workspace) -> None:
    """A decision after what it decides on, even if the clock was set back."""
    workspace.judgements.record("Ada", "q1", [Event("e8", "leave.md#0", 1, "grade")], now=LATER)
    decide(workspace, decision("d1", 1), now=AT)
    events = list(workspace.events())
    assert sorted(event.judged_at for event in events) == [event.judged_at for event in events]
    assert [("e8", None), ("d1", "adjudication")] == [
        (event.event_id, event.method) for event in events[-2:]
    ]


def test_a_note_that_is_no_text_is_named_with_its_decision(
    workspace: Workspace, tmp_path: Path
) -> None:
    """Only another program writes one."""
    decide(workspace, decision("d1", 1, note="agreed"))
    with sqlite3.connect(tmp_path / FILE) as database:
        database.execute("UPDATE decisions SET note = x'ff'")
    with pytest.raises(InputError, match=r"decision 'd1' on query 'q1', chunk 'leave\.md#0'"):
        list(workspace.decisions.all())
