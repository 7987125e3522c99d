"""Pages of a workspace with nothing to show yet, of one that is done, and of one frozen twice."""

import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from unittest.mock import Mock

import pytest
from streamlit.testing.v1 import AppTest

from labeler.freezing.freeze import freeze
from labeler.freezing.header_work import HeaderWork
from labeler.workspace.queries import Queries
from labeler.workspace.records import KNOWN_ANSWER
from labeler.workspace.workspace import Workspace
from tests.browser.materials import NOW, judge, make_workspace, plain_texts, some_queries
from tests.labeler.app_pages import sent_all


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return make_workspace(tmp_path / "w", queries=some_queries(2), texts=plain_texts(3))


@pytest.fixture
def app(workspace: Workspace, open_page: Callable[..., AppTest]) -> Callable[..., AppTest]:
    return partial(open_page, workspace)


def finish(workspace: Workspace, query_id: str, assessor: str, *, grade: int = 3) -> None:
    """Grades for all chunks of a query, and its end."""
    judge(workspace, assessor, query_id, [grade] * 3)
    workspace.judgements.end_query(assessor, query_id, outcome="finished", reason=None, now=NOW)


def labels(at: AppTest) -> list[str]:
    return [button.label for button in at.button]


@pytest.mark.parametrize("page", ["queue", "progress", "agreement", "decide"])
def test_without_queries_a_page_leads_to_where_they_come_from(
    tmp_path: Path, open_page: Callable[..., AppTest], page: str
) -> None:
    """Two buttons, and no list of nothing."""
    workspace = make_workspace(tmp_path / "w", queries=[], texts=plain_texts(2))
    at = open_page(workspace, page)
    assert "There are no queries yet." in [text.value for text in at.text]
    assert ["Draw a sample", "Write queries"] == labels(at)
    assert [] == sent_all(at, "agenda")


@pytest.mark.parametrize("page", ["queue", "progress", "agreement", "decide"])
def test_without_a_pool_a_page_leads_to_where_it_is_filled(
    tmp_path: Path, open_page: Callable[..., AppTest], page: str
) -> None:
    """By the way to the page that fills it."""
    workspace = make_workspace(
        tmp_path / "w", queries=some_queries(), texts=[], unpooled=plain_texts(2)
    )
    at = open_page(workspace, page)
    assert "Find texts" in labels(at)


@pytest.mark.parametrize("page", ["agreement", "decide"])
def test_where_nobody_has_judged_a_page_leads_to_the_queue(
    app: Callable[..., AppTest], workspace: Workspace, page: str
) -> None:
    """There, what these pages show begins; known answers are nobody's."""
    finish(workspace, "q2", KNOWN_ANSWER)
    at = app(page)
    assert ["Nobody has judged yet."] == [text.value for text in at.text]
    assert ["Go to the queue"] == labels(at)
    assert [] == sent_all(at, "sheet")


def test_who_is_done_goes_on_to_agreement(
    app: Callable[..., AppTest], workspace: Workspace
) -> None:
    """Once every query of one's own has ended; where nothing is to decide, to freezing."""
    finish(workspace, "q1", "Ana")
    assert [] == labels(app())
    assert ["Go on to freezing"] == labels(app("decide"))
    finish(workspace, "q2", "Ana")
    assert ["Go on to agreement"] == labels(app())


def test_no_button_leads_where_somebody_may_not_go(
    tmp_path: Path, open_page: Callable[..., AppTest]
) -> None:
    """Ana may judge: she may write queries, and drawing a sample is for others."""
    workspace = make_workspace(tmp_path / "w", queries=[], texts=plain_texts(2))
    assert ["Write queries"] == labels(open_page(workspace, user={"email": "ana@example.org"}))


def test_known_answers_are_nobody_among_the_assessors(
    app: Callable[..., AppTest], workspace: Workspace
) -> None:
    """They are counted as no person, and have no column; nor has who only looked in."""
    finish(workspace, "q2", KNOWN_ANSWER)
    assert "Nobody has judged yet." in [text.value for text in app("agreement").text]
    finish(workspace, "q1", "Ana")
    workspace.people.add_assessor("Visitor", now=NOW)
    contents = sent_all(app("freeze"), "sheet")[1][0]["rows"]
    assert ["assessor", "1"] in contents
    (queries,) = sent_all(app("progress"), "sheet")[-1]
    assert ["Query", "Judged", "Ana"] == [column["name"] for column in queries["columns"]]


@pytest.mark.parametrize("error", [sqlite3.OperationalError, OSError])
def test_what_a_full_disk_does_not_take_is_said_in_its_place(
    app: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    """The form stays, with what was chosen in it."""

    full = Mock(side_effect=error("disk is full"))
    monkeypatch.setattr(Queries, "declare_author", full)
    at = app("write")
    at.radio[0].set_value("none").run()
    at.button[0].click().run()
    assert ["Nothing was recorded."] == [each.value for each in at.error]
    assert "disk is full" in at.text[-1].value
    assert "none" == at.radio[0].value


def test_the_freeze_page_leads_to_what_is_to_clear(
    app: Callable[..., AppTest], workspace: Workspace
) -> None:
    """To the disagreements, and to the queue as long as pairs are unjudged."""
    finish(workspace, "q1", "Ana")
    assert ["Go to the queue", "Freeze"] == labels(app("freeze"))
    finish(workspace, "q2", "Ana")
    finish(workspace, "q2", "Bo", grade=0)
    assert ["Decide where assessors differ", "Freeze"] == labels(app("freeze"))


def test_a_superseded_set_is_shown_as_one(
    app: Callable[..., AppTest], workspace: Workspace
) -> None:
    """With what was declared at each freeze; the newest stands first, a broken one last."""
    finish(workspace, "q1", "Ana")
    first = freeze(
        workspace,
        name="first",
        header_work=HeaderWork(begun=False),
        declared_by="Ana",
        clock=lambda: datetime(2027, 1, 1, tzinfo=UTC),
    )
    freeze(
        workspace,
        name="second",
        header_work=HeaderWork(begun=True, at="2027-01-02T00:00:00.000Z"),
        declared_by="Ana",
        supersedes=first.path,
        clock=lambda: datetime(2027, 1, 3, tzinfo=UTC),
    )
    (workspace.path / "labels" / "odd").mkdir()
    (workspace.path / "labels" / "odd" / "manifest.json").write_text("[")
    (table,) = next(
        s for s in sent_all(app("freeze"), "sheet") if s[0].get("label") == "Label sets"
    )
    assert [
        ["second", "2027-01-03 00:00", "begun 2027-01-02", "–"],
        ["first", "2027-01-01 00:00", "none begun", "second"],
        ["odd", "not stated", "not declared", "–"],
    ] == [row[:4] for row in table["rows"]]
