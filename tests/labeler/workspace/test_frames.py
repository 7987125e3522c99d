"""A workspace as tables: every column of its dtype, every text as it was."""

from pathlib import Path

import pytest

from evaluator.labelset.format import Query
from labeler.workspace.frames import COLUMNS, judgements_frame, pool_frame, queries_frame
from labeler.workspace.records import Event
from labeler.workspace.workspace import Workspace
from tests.labeler.small import AT, entry, small_workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """Two queries whose texts other programs would misread, and three events on one pair."""
    made = small_workspace(tmp_path)
    made.queries.add([Query("007", "NA", log_count=3, weight=1.5), Query("NA", "=1+1", need="x")])
    made.pool.add([entry("007", "vpn.md#0"), entry("007", "leave.md#0")], source={"source": "s"})
    for number, grade in enumerate((0, 1, None)):
        event = Event(f"e{number}", "vpn.md#0", grade, "grade" if grade is not None else "unsure")
        made.judgements.record("ada" if number < 2 else "bob", "007", [event], now=AT)
    return made


def test_tables_have_the_columns_that_are_listed(workspace: Workspace) -> None:
    """Of their dtypes, with a row for every query, pair and event."""
    frames = {
        "queries": queries_frame(workspace),
        "pool": pool_frame(workspace),
        "judgements": judgements_frame(workspace),
    }
    assert {"queries": 2, "pool": 2, "judgements": 3} == {n: len(f) for n, f in frames.items()}
    for name, frame in frames.items():
        assert dict(COLUMNS[name]) == {column: str(kind) for column, kind in frame.dtypes.items()}


def test_an_empty_workspace_has_the_same_columns(tmp_path: Path) -> None:
    """With their dtypes, though no value shows them."""
    frame = judgements_frame(small_workspace(tmp_path))
    assert dict(COLUMNS["judgements"]) == {name: str(kind) for name, kind in frame.dtypes.items()}


def test_text_stays_text_and_numbers_stay_exact(workspace: Workspace) -> None:
    """`NA` and `007` are ids; what is unknown is missing, and makes no float of a count."""
    queries = queries_frame(workspace)
    assert [("007", "NA"), ("NA", "=1+1")] == list(
        zip(queries["query_id"], queries["text"], strict=True)
    )
    assert [False, True] == list(queries["log_count"].isna())
    assert (3, 2, 1) == (queries["log_count"][0], queries["pairs"][0], queries["judged"][0])


def test_the_final_events_are_told_from_those_replaced(workspace: Workspace) -> None:
    """The last one of each assessor on each pair."""
    frame = judgements_frame(workspace)
    assert [("e0", False), ("e1", True), ("e2", True)] == list(
        zip(frame["event_id"], frame["final"], strict=True)
    )
    assert [False, False, True] == list(frame["grade"].isna())
    assert "2026-01-02 03:04:05+00:00" == str(frame["judged_at"][0])
