"""What the search box of the desk is answered, without a browser."""

from pathlib import Path
from typing import Any

import pytest

from evaluator.labelset.format import Query
from labeler.app.desk.desk import Desk, lay_out
from labeler.app.desk.search import Finds, TextSearch, look
from labeler.workspace.workspace import Workspace
from tests.browser.materials import make_workspace, plain_texts, some_queries

MISSED = "Zebra crossings are painted white."


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return make_workspace(
        tmp_path / "w", queries=some_queries(), texts=plain_texts(4), unpooled=[MISSED]
    )


@pytest.fixture
def desk(workspace: Workspace) -> Desk:
    return lay_out(workspace, assessor="Ana", query_id="q1", where="")


@pytest.fixture
def search(workspace: Workspace) -> TextSearch:
    search = TextSearch(workspace)
    search.wait(20)
    return search


def ask(
    workspace: Workspace,
    desk: Desk,
    search: TextSearch,
    message: object,
    finds: Finds | None = None,
) -> dict[str, Any]:
    finds = Finds() if finds is None else finds
    return look(workspace, desk, message, text_search=lambda: search, finds=finds)


def test_a_text_is_found_and_added_once(
    workspace: Workspace, desk: Desk, search: TextSearch
) -> None:
    """The message may come again and again; the pool has the chunk once, found by Ana."""
    finds = Finds()
    answer = ask(workspace, desk, search, {"attempt": 1, "text": "zebra", "adds": []}, finds)
    ((key, text),) = answer["results"]
    assert (MISSED, []) == (text, answer["added"])
    for attempt in (2, 3):
        message = {"attempt": attempt, "text": "zebra", "adds": [key]}
        assert [[key, MISSED]] == ask(workspace, desk, search, message, finds)["added"]
    added = [e for e in workspace.pool.entries("q1") if e.chunk_id == "payroll-secret.md#4"]
    assert [("assessor:Ana",)] == [entry.found_by for entry in added]


def test_what_ana_found_is_last_for_her_and_shuffled_for_others(
    workspace: Workspace, desk: Desk, search: TextSearch
) -> None:
    """Her order stays as it was when she found it; nobody else can tell it from the rest."""
    before = [key for key, _ in desk.data["chunks"]]
    finds = Finds()
    answer = ask(workspace, desk, search, {"attempt": 1, "text": "zebra"}, finds)
    key = answer["results"][0][0]
    ask(workspace, desk, search, {"attempt": 2, "adds": [key]}, finds)
    again = lay_out(workspace, assessor="Ana", query_id="q1", where="")
    assert [*before, key] == [each for each, _ in again.data["chunks"]]
    places = set()
    for name in ("Bo", "Cy", "Di", "Ed", "Flo", "Gus"):
        texts = [
            t for _, t in lay_out(workspace, assessor=name, query_id="q1", where="").data["chunks"]
        ]
        places.add(texts.index(MISSED))
    assert len(places) > 1


def test_a_key_that_was_not_shown_is_named(
    workspace: Workspace, desk: Desk, search: TextSearch
) -> None:
    """After a restart the session knows no results; the page can say so."""
    answer = ask(workspace, desk, search, {"attempt": 9, "text": "", "adds": ["abc"]})
    assert (["abc"], []) == (answer["unknown"], answer["added"])
    assert 4 == len(list(workspace.pool.entries("q1")))


def test_a_filter_of_the_query_holds_for_the_search(
    workspace: Workspace, search: TextSearch
) -> None:
    """A text that this query can never retrieve cannot be added to it."""
    workspace.queries.add([Query("q9", "zebra", filter={"tenant": "north"})])
    entry = next(workspace.pool.entries("q1"))._replace(query_id="q9")
    workspace.pool.add([entry], source={"source": "s"})
    desk = lay_out(workspace, assessor="Ana", query_id="q9", where="")
    assert [] == ask(workspace, desk, search, {"attempt": 1, "text": "zebra"})["results"]


def test_while_the_index_is_made_the_answer_says_how_far_it_is(
    workspace: Workspace, desk: Desk, search: TextSearch
) -> None:
    """And nothing was sought yet."""
    search.index, search.share = None, 0.4
    answer = ask(workspace, desk, search, {"attempt": 1, "text": "zebra"})
    assert 0.4 == answer["preparing"]
    assert "results" not in answer


def test_trouble_with_the_index_is_said(workspace: Workspace, desk: Desk) -> None:
    """The desk goes on; the search says what is wrong."""
    (workspace.path / "search.sqlite").mkdir()
    search = TextSearch(workspace)
    search.wait(20)
    answer = ask(workspace, desk, search, {"attempt": 1, "text": "zebra"})
    assert "search.sqlite" in answer["trouble"]


@pytest.mark.parametrize("nonsense", [None, 3, [], {}, {"attempt": "x"}, {"adds": 3}])
def test_nonsense_is_answered_with_nothing(
    workspace: Workspace, desk: Desk, nonsense: object
) -> None:
    """Before anything is asked no index is made either."""
    answer = look(
        workspace, desk, nonsense, text_search=lambda: pytest.fail("asked"), finds=Finds()
    )
    assert {"desk": f"{desk.data['desk']}/search", "attempt": 0} == answer
