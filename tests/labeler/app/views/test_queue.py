"""The pages on which queries are drawn and written, run without a browser."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from evaluator.labelset.format import PoolEntry, Query
from labeler.app.blocks.sample import private_rows
from labeler.sampling.designs import DESIGNS
from labeler.workspace.workspace import Workspace
from tests.browser.materials import (
    NOW,
    PAYLOADS,
    add_log,
    judge,
    make_workspace,
    plain_texts,
    some_queries,
)
from tests.labeler.app_pages import sent_all

SEARCHES = ["**leave** $5", "how do I leave", *(f"search {at}" for at in range(8))]


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return make_workspace(tmp_path / "w", queries=some_queries(), texts=plain_texts(6))


@pytest.fixture
def page(workspace: Workspace, open_page: Callable[..., AppTest]) -> Callable[..., AppTest]:
    """Opens a page as Ana."""
    return partial(open_page, workspace)


def blocks(at: AppTest, kind: str) -> list[Any]:
    return [block for sheet in sent_all(at, "sheet") for block in sheet if block["kind"] == kind]


def table(at: AppTest, label: str) -> list[list[str]]:
    """The rows of the one table of that name; none if there is none."""
    return next((b["rows"] for b in blocks(at, "table") if b["label"] == label), [])


# Sample


def test_every_design_says_what_it_cannot_say(
    page: Callable[..., AppTest], workspace: Workspace
) -> None:
    """Beside its name before it is chosen, and above the button once it is."""
    add_log(workspace, SEARCHES)
    at = page("sample")
    design = at.radio[0]
    said = [f"Cannot say {each.cannot_say}." for each in DESIGNS.values()]
    assert said == list(design.proto.captions)
    at.number_input[0].set_value(4).run()
    for name, each in DESIGNS.items():
        at.radio[0].set_value(name).run()
        assert not at.exception
        assert ["Cannot say", f"{each.cannot_say}."] in blocks(at, "facts")[0]["rows"]


def test_a_sample_of_the_most_frequent_has_no_chances_and_is_worth_nothing(
    page: Callable[..., AppTest], workspace: Workspace
) -> None:
    """No probability of 1 that would look like one; the text of the query is untouched."""
    add_log(workspace, SEARCHES)
    at = page("sample")
    at.number_input[0].set_value(4)
    at.radio[0].set_value("top").run()
    assert ["**leave** $5", "10", "none"] == table(at, "Most frequent queries drawn")[0]
    assert ["queries of equal weight (Kish)", "none"] in blocks(at, "numbers")[0]["rows"]
    head, tail = table(at, "Head and tail")
    assert ["Head: the most frequent, all taken", "4", "4", "34", "34 (100%)"] == head
    assert ["Tail: left out", "6", "0", "21", "0 (0%)"] == tail
    at.button[0].click().run()
    assert not at.exception
    assert "top" == getattr(workspace.queries.sample(), "design", None)
    assert ["queries of equal weight (Kish)", "none"] in blocks(at, "numbers")[0]["rows"]


def test_strata_show_target_and_drawn(page: Callable[..., AppTest], workspace: Workspace) -> None:
    """By the kind of query; nothing is kept by looking."""
    add_log(workspace, SEARCHES)
    at = page("sample")
    at.number_input[0].set_value(5)
    at.button_group[0].set_value(["type"]).run()
    assert not at.exception
    rows = {row[0]: row[1:] for row in table(at, "Strata")}
    assert ["1", "16.4%", "1", "1", "9 (100%)"] == rows["question"]
    assert ["9", "83.6%", "4", "4"] == rows["keywords"][:4]
    assert workspace.queries.sample() is None


def test_strata_of_single_searches_ask_for_the_log_files(
    page: Callable[..., AppTest], workspace: Workspace, tmp_path: Path
) -> None:
    """Which are read again; another file than the one that was read is refused in words."""
    add_log(workspace, SEARCHES)
    at = page("sample")
    at.button_group[0].set_value(["file"]).run()
    assert "Say where these log files are: searches <b>*1*</b>.csv" in " ".join(
        text.value for text in at.text
    )
    other = tmp_path / "other.csv"
    other.write_text("query\nx\n", encoding="utf-8")
    at.text_area[0].set_value(f"{other}\n").run()
    assert "need the log files again, unchanged" in "".join(text.value for text in at.text)
    assert "Keep this sample" not in [button.label for button in at.button]


def test_a_sample_that_is_being_judged_stays(
    page: Callable[..., AppTest], workspace: Workspace
) -> None:
    """The page says so, and offers no other."""
    add_log(workspace, SEARCHES)
    at = page("sample")
    at.button[0].click().run()
    assert "Draw another sample" in [each.label for each in at.expander]
    last = workspace.queries.all()[-1].query_id
    entry = PoolEntry(last, "c", "d", "0" * 64, ("s",))
    workspace.pool.add([entry], source={"source": "s", "depth": 1})
    judge(workspace, "Ana", last, [1])
    at = page("sample")
    assert [] == list(at.expander)
    assert "Judging has begun, so this sample stays. Another one takes a new workspace." in [
        each.value for each in at.caption
    ]


def test_private_data_is_said_with_what_was_decided() -> None:
    """Found and masked, found and undecided, not found, never looked for."""
    found: dict[str, Any] = {
        "choice": "mask",
        "rules": "e-mail address: a; IBAN: b",
        "identifiers": ["K-[0-9]+"],
        "queries": 3,
        "searches": 7,
        "kinds": {"e-mail address": {"queries": 3, "searches": 7}},
    }
    none = {**found, "queries": 0, "searches": 0, "kinds": {}}
    logs: list[dict[str, Any]] = [
        {"file": "a", "private": found},
        {"file": "b", "private": {**found, "choice": None}},
        {"file": "c", "private": none},
        {"file": "d"},
    ]
    masked, open_, clean, old = private_rows(logs)
    assert ("good", "a: 3 queries held private data, asked in 7 searches.") == masked[:2]
    assert masked[2].startswith("E-mail address in 3 (7 searches). They were masked")
    assert "care" == open_[0]
    assert "Nobody has decided" in open_[2]
    assert ("good", "Looked for e-mail address, IBAN, 1 pattern of your own.") == clean[::2]
    assert ("care", "d: nobody looked for private data.") == old[:2]


# Write queries


def test_what_was_seen_is_asked_once_and_goes_with_the_query(
    page: Callable[..., AppTest], workspace: Workspace
) -> None:
    """No document before the answer; after it a query and its need are kept, also later on."""
    at = page("write")
    assert [] == blocks(at, "prose")
    assert at.button[0].disabled
    at.radio[0].set_value("headings").run()
    at.button[0].click().run()
    assert 1 == len(blocks(at, "prose"))
    at.text_input[0].set_value(" **how** much warning ")
    at.text_area[0].set_value("The notice.")
    at.button[-1].click().run()
    assert not at.exception
    assert [["**how** much warning", "The notice."]] == table(at, "Kept")
    assert ("", "") == (at.text_input[0].value, at.text_area[0].value)
    query = workspace.queries.all()[-1]
    assert ("authored", "The notice.") == (query.origin, query.need)
    assert {query.query_id: "headings"} == workspace.queries.seen()
    assert 1 == len(blocks(page("write"), "prose"))


def test_a_query_that_cannot_be_kept_stays_in_its_box(
    page: Callable[..., AppTest], workspace: Workspace
) -> None:
    """With the reason; who has judged since then has seen chunks, whatever they declared."""
    workspace.queries.declare_author("Ana", seen="none")
    at = page("write")
    before = workspace.queries.all()
    at.text_area[0].set_value("A need without a query.")
    at.button[-1].click().run()
    assert "This query cannot be kept: no text." in [text.value for text in at.text]
    assert "A need without a query." == at.text_area[0].value
    assert before == workspace.queries.all()
    judge(workspace, "Ana", "q1", [3])
    at.text_input[0].set_value("when may I go")
    at.button[-1].click().run()
    assert ["chunks"] == list(workspace.queries.seen().values())


def test_documents_are_running_text_without_titles_headings_or_names(
    open_page: Callable[..., AppTest], tmp_path: Path
) -> None:
    """All of each, as it is; the way leads on and back and stands in the address."""
    awkward = make_workspace(tmp_path / "odd", queries=[Query("q", "x")], texts=PAYLOADS)
    awkward.people.add_assessor("Ana", now=NOW)
    awkward.queries.declare_author("Ana", seen="none")
    at, seen = open_page(awkward, "write"), ""
    for number in range(5):
        (prose,) = blocks(at, "prose")
        seen += prose["text"]
        assert at.button[0].disabled == (number == 0)
        assert at.button[1].disabled == (number == 4)
        if number < 4:
            at.button[1].click().run()
    assert "5" in at.query_params["document"]
    assert all(text.strip() in seen for text in PAYLOADS)
    sent = json.dumps(sent_all(at, "sheet"))
    assert not [name for name in ("nobody may see", "payroll-secret", "handbook") if name in sent]


@pytest.mark.parametrize(("stated", "number"), [("3", 3), ("99", 5), ("0", 1), ("²", 1)])
def test_an_address_leads_to_a_document_that_is_there(
    page: Callable[..., AppTest], workspace: Workspace, stated: str, number: int
) -> None:
    """Whatever it says."""
    workspace.queries.declare_author("Ana", seen="none")
    at = page("write", document=stated)
    assert not at.exception
    assert f"Document {number} of 5" in at.caption[0].value


@pytest.mark.parametrize("email", ["ana@example.org", "olga@example.org", "eve@example.org"])
def test_assessors_and_owners_write_and_nobody_else(
    page: Callable[..., AppTest], email: str
) -> None:
    """Where people sign in, the list says who that is."""
    at = page("write", user={"email": email})
    assert not at.exception
    expected = "You are not on the list" if email.startswith("eve") else "Write queries"
    assert [expected] == [title.value for title in at.title]
    assert bool(at.radio) == (expected == "Write queries")
