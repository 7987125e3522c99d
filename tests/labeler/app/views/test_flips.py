"""The page on flips, run without a browser; what the browser sends is written by hand."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from evaluator.labelset.format import PoolEntry, text_sha256
from evaluator.labelset.ledger import ledger_path
from evaluator.outside.compare import compare_files
from evaluator.record.model import record_json
from labeler.results.results import labels_here
from labeler.workspace.workspace import Workspace
from tests.browser.materials import NOW, make_workspace, some_queries
from tests.labeler.app_pages import press, sent_all
from tests.labeler.flipped import flipped_workspace, results_of


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """Results that name their held-out flips."""
    return flipped_workspace(tmp_path / "w", opened=True)


@pytest.fixture
def page(open_page: Callable[..., AppTest]) -> Callable[..., AppTest]:
    return partial(open_page, page="flips", assessor="Olga")


def listed(data: Any) -> list[str]:
    return [row["id"] for row in data["rows"]]


def test_a_flip_is_read_and_marked_and_the_next_one_follows(
    page: Callable[..., AppTest], workspace: Workspace
) -> None:
    """The mark is on disk when the page says so, and is there again for the next session."""
    at = page(workspace)
    first = sent_all(at, "flips")[0]
    assert (["q4", "q5", "q7"], "q4", False) == (
        listed(first),
        first["flip"]["id"],
        first["chosen"],
    )
    opened = press(at, "flips", "1", kind="open", query="q5")
    assert ("q5", True, []) == (opened["flip"]["id"], opened["chosen"], opened["flip"]["marks"])
    assert ["headed", "API keys > Rotate\n"] == opened["flip"]["gold"]["headers"][0]
    after = press(at, "flips", "2", kind="mark", query="q5", verdict="read", comment=" *why* ")
    assert ("q7", "q5") == (after["flip"]["id"], after["saved"]["query"])
    (kept,) = workspace.flip_marks.of(results_of(workspace).sha256)
    assert ("q5", "*why*", "Olga", "headed") == (
        kept.query_id,
        kept.comment,
        kept.person,
        kept.treatment,
    )
    again = press(page(workspace, assessor="Bo"), "flips", "1", kind="open", query="q5")
    assert (True, ["Olga", "read", "*why*"]) == (
        again["flip"]["read"],
        [again["flip"]["marks"][0][at] for at in (0, 2, 3)],
    )
    assert not press(at, "flips", "3", kind="mark", query="q5", verdict="unread")["rows"][1]["read"]


def test_filters_narrow_the_list(page: Callable[..., AppTest], workspace: Workspace) -> None:
    """They add up, count what each would list, and a mark moves a flip between them."""
    at = page(workspace)
    press(at, "flips", "1", kind="mark", query="q4", verdict="read", comment="")
    data = press(at, "flips", "2", kind="filter", name="read", value="unread")
    assert ["q5", "q7"] == listed(data)
    assert ["", "Read or not", 3] == data["filters"][3]["choices"][0]
    assert ["unread", "Not read yet", 2] == data["filters"][3]["choices"][1]
    data = press(at, "flips", "3", kind="filter", name="moved", value="lost")
    assert ([], None, "No flip is like that. Choose otherwise above.") == (
        listed(data),
        data["flip"],
        data["nothing"],
    )
    press(at, "flips", "4", kind="filter", name="moved", value="won")
    press(at, "flips", "5", kind="filter", name="read", value="read")
    data = press(at, "flips", "6", kind="filter", name="no_such_filter", value="x")
    assert ["q4"] == listed(data)


def test_held_out_flips_open_as_a_counted_look(
    page: Callable[..., AppTest], workspace: Workspace
) -> None:
    """Before it nothing of them reaches the browser; a new session has to look again."""
    labels = labels_here(workspace.path, results_of(workspace))
    assert labels is not None
    looks = len(ledger_path(labels.path).read_text().splitlines())
    at = page(workspace)
    before = json.dumps(sent_all(at, "flips")) + json.dumps(sent_all(at, "sheet"))
    assert [each for each in ("parental", "Leave", "Alarm emails") if each in before] == []
    assert looks == len(ledger_path(labels.path).read_text().splitlines())
    at.button[0].click().run()
    assert ["q1", "q2", "q3", "q4", "q5", "q7"] == listed(sent_all(at, "flips")[0])
    assert looks + 1 == len(ledger_path(labels.path).read_text().splitlines())
    assert ["q4", "q5", "q7"] == listed(sent_all(page(workspace), "flips")[0])


def test_what_cannot_be_counted_is_not_opened(
    page: Callable[..., AppTest], workspace: Workspace, tmp_path: Path
) -> None:
    """Without the label set there is no list of looks; a mark on what is shut is not taken."""
    (workspace.path / "labels").rename(tmp_path / "elsewhere")
    at = page(workspace)
    press(at, "flips", "1", kind="mark", query="q1", verdict="read", comment="seen")
    assert [] == list(workspace.flip_marks.of(results_of(workspace).sha256))
    at.button[0].click().run()
    assert "a look at held-out queries cannot be counted" in at.text[1].value
    assert ["q4", "q5", "q7"] == listed(sent_all(at, "flips")[0])


def test_results_that_name_nothing_say_how_they_are_made_to(
    page: Callable[..., AppTest], tmp_path: Path
) -> None:
    """With the command and the experiment's own name."""
    at = page(flipped_workspace(tmp_path / "shut"))
    assert "experiment.toml --open-held-out" in at.code[0].value
    assert [] == list(at.button)


def test_runs_made_elsewhere_are_read_with_texts_of_the_snapshot(
    page: Callable[..., AppTest], workspace: Workspace
) -> None:
    """Their record has no tokens and no texts; the label set says which chunks they are of."""
    made = results_of(workspace).path
    record = record_json(
        compare_files(
            made / "plain.run",
            made / "headed.run",
            labels=workspace.path / "labels/small-1",
            measures=["Success@1"],
        )
    )
    place = workspace.path / "experiments/elsewhere"
    place.mkdir(parents=True)
    (place / "record.json").write_text(json.dumps(record))
    at = page(workspace)
    flip = sent_all(at, "flips")[0]["flip"]
    assert [["Rank of the best gold chunk", "6", "1"]] == flip["figures"]
    assert "The hours are paid with the next month." == flip["gold"]["text"]
    opened = press(at, "flips", "1", kind="open", query="q7")["flip"]
    assert ["supply#0", True, ""] == [
        opened["before"]["rows"][0][k] for k in ("id", "shut", "words")
    ]
    assert at.code[0].value.startswith("evaluator compare RUN_A RUN_B")


def test_another_contrast_begins_afresh(page: Callable[..., AppTest], workspace: Workspace) -> None:
    """Filters and choice belong to the contrast they were made in, and so do marks."""
    at = page(workspace)
    press(at, "flips", "1", kind="mark", query="q4", verdict="read", comment="")
    press(at, "flips", "2", kind="filter", name="read", value="read")
    at.selectbox[1].set_value(1).run()
    data = sent_all(at, "flips")[0]
    assert (["q4", "q5", "q7"], [False] * 3) == (
        listed(data),
        [row["read"] for row in data["rows"]],
    )
    assert [False] * 3 == [row["won"] for row in data["rows"]]


def test_who_has_these_queries_to_judge_is_asked_first(
    page: Callable[..., AppTest], workspace: Workspace
) -> None:
    """Assessors see no title and no rank; nothing of a flip is sent until they insist."""
    text = workspace.snapshot.fetch(["pay#0"])["pay#0"].text
    entry = PoolEntry("q4", "pay#0", "pay", text_sha256(text), ("x",))
    workspace.pool.add([entry], source={"source": "x", "depth": 1})
    workspace.people.save_assignment({"q4": ["Ana"]}, record={}, now=NOW)
    at = page(workspace, assessor="Ana")
    assert [] == sent_all(at, "flips")
    assert "You have 1 of these queries still to judge." in json.dumps(sent_all(at, "sheet"))
    queue, anyway = at.button
    assert "Go to the queue" == queue.label
    anyway.click().run()
    assert ["q4", "q5", "q7"] == listed(sent_all(at, "flips")[0])
    assert ["q4", "q5", "q7"] == listed(sent_all(page(workspace, assessor="Bo"), "flips")[0])


def test_who_reads_is_asked_for_a_name_and_told_what_for(
    page: Callable[..., AppTest], workspace: Workspace
) -> None:
    """Nobody judges on this page, so nobody is asked who is judging."""
    (asked,) = sent_all(page(workspace, assessor=None), "chooser")
    assert "Who is reading?" == asked["question"]
    assert "what you mark as read" in asked["kept"]


def test_a_workspace_without_results_says_how_to_get_some(
    page: Callable[..., AppTest], tmp_path: Path
) -> None:
    """By the page that runs experiments, and where their keys are told."""
    workspace = make_workspace(tmp_path / "w", queries=some_queries(1))
    at = page(workspace)
    assert "Run an experiment" in [button.label for button in at.button]
    assert Path(at.code[0].value).read_text(encoding="utf-8").startswith("# The experiment file")
    assert [] == sent_all(at, "flips")
