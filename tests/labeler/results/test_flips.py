"""Flips of real results: what is named of them, what their chunks say, what is kept of readers."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from evaluator import InputError
from evaluator.labelset.ledger import ledger_path
from evaluator.record.model import record_json
from labeler.cli.main import main
from labeler.results.chunk_texts import ChunkText, chunk_texts
from labeler.results.flip_report import flip_report
from labeler.results.flips import (
    HitContrast,
    NamedFlip,
    Wanted,
    contrasts_of,
    open_held_out,
    said_of,
    select,
    still_to_judge,
)
from labeler.results.results import ResultsFolder, find_results, labels_here, read_results
from labeler.workspace.records import FlipMark, QueryProgress
from labeler.workspace.workspace import Workspace
from tests.labeler.flipped import AT, flipped_workspace, results_of

NOW = datetime(2026, 12, 3, 9, tzinfo=UTC)


@pytest.fixture(scope="module")
def shut(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """A run that counts its held-out flips and does not name them."""
    return flipped_workspace(tmp_path_factory.mktemp("shut") / "w")


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """The same, run with its held-out flips named."""
    return flipped_workspace(tmp_path_factory.mktemp("opened") / "w", opened=True)


def won_and_lost(workspace: Workspace) -> tuple[HitContrast, HitContrast]:
    won, lost = contrasts_of(results_of(workspace))
    return won, lost


def ids(flips: tuple[NamedFlip, ...]) -> list[str]:
    return [flip.query.query_id for flip in flips]


def told(workspace: Workspace, *chunk_ids: str, opened: bool = False) -> dict[str, ChunkText]:
    results = results_of(workspace)
    return chunk_texts(
        workspace,
        results,
        won_and_lost(workspace)[0],
        chunk_ids,
        labels=labels_here(workspace.path, results),
        opened=opened,
    )


def mark(workspace: Workspace, event_id: str, query_id: str = "q4", **more: Any) -> FlipMark:
    verdict = more.pop("verdict", "read")
    sha256 = results_of(workspace).sha256
    return FlipMark(event_id, sha256, "plain", "headed", query_id, verdict, **more)


# What a record tells


def test_a_flip_has_its_ranks_and_tokens(shut: Workspace) -> None:
    """Six of seven queries are won with headers and lost without; the three tuning ones named."""
    won, lost = won_and_lost(shut)
    assert (6, 0, 7, 1) == (won.cells.won, won.cells.lost, won.cells.n, won.k)
    assert (0, 6) == (lost.cells.won, lost.cells.lost)
    named = won.listed(opened=True)
    assert ["q4", "q5", "q7"] == ids(named) == ids(lost.listed(opened=True))
    first = named[0]
    assert {"baseline": 6, "treatment": 1} == first.ranks
    chunk = first.query.chunk
    assert (0, 3) == (chunk.header_tokens_baseline, chunk.header_tokens_treatment)
    assert (10, 10) == (chunk.body_tokens_baseline, chunk.body_tokens_treatment)
    before = first.query.outranked_by[0]
    assert ("export#0", 1, None) == (before.chunk_id, before.rank, before.title)
    assert (
        "headed has a gold chunk at rank 1, within the first 1; in plain the best one is at rank 6."
        == said_of(won, first)
    )


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (Wanted(), ["q1", "q2", "q3", "q4", "q5", "q7"]),
        (Wanted(moved="lost"), []),
        (Wanted(query_class="tuning"), ["q4", "q5", "q7"]),
        (Wanted(cause="header names it", read="read"), ["q5"]),
        (Wanted(cause="truncated"), []),
        (Wanted(query_class="tuning", read="unread"), ["q4", "q7"]),
    ],
)
def test_flips_are_chosen_by_what_they_are(
    opened: Workspace, wanted: Wanted, expected: list[str]
) -> None:
    """Filters narrow each other down; held-out ones are named only once they are opened."""
    won, _ = won_and_lost(opened)
    assert ["q4", "q5", "q7"] == ids(won.listed(opened=False))
    assert expected == ids(select(won.listed(opened=True), wanted, read={"q5"}))


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda _: b"{", "is not JSON"),
        (lambda _: b"[]", "is no record of the format onecause-record/4"),
        (lambda _: b'{"format": "onecause-record/2"}', "is no record of the format"),
        (
            lambda record: json.dumps({**record, "contrasts": [{"baseline": "a"}]}).encode(),
            r"cannot be read.*\n- record",
        ),
        (
            lambda record: json.dumps({**record, "labels": None, "arms": ["plain"]}).encode(),
            r"(?s)- record.labels.*- record.arms",
        ),
    ],
    ids=["broken", "a list", "another format", "another shape", "parts of another kind"],
)
def test_what_is_no_record_is_refused_in_words(
    shut: Workspace, tmp_path: Path, spoil: Callable[[Any], bytes], words: str
) -> None:
    """Whatever lies there under that name."""
    (tmp_path / "record.json").write_bytes(spoil(record_json(results_of(shut).record)))
    with pytest.raises(InputError, match=words):
        read_results(tmp_path)


def test_a_record_is_read_again_only_when_it_is_another(tmp_path: Path) -> None:
    """A page asks for it at every press."""
    workspace = flipped_workspace(tmp_path / "w")
    first = results_of(workspace)
    assert first is results_of(workspace)
    file = first.path / "record.json"
    file.write_text(file.read_text(encoding="utf-8") + " ", encoding="utf-8")
    second = results_of(workspace)
    assert (first.path, False) == (second.path, first.sha256 == second.sha256)


def test_results_are_found_wherever_experiments_lie(tmp_path: Path) -> None:
    """Beside an experiment in the workspace, and anywhere in its folder of experiments."""
    for place in ("a.results/1", "experiments/b.results/2", "experiments/2026/c/d.results/3"):
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / "record.json").write_text("{}")
    (tmp_path / "snapshot").mkdir()
    (tmp_path / "snapshot/record.json").write_text("{}")
    assert ["1", "2", "3"] == sorted(path.name for path in find_results(tmp_path))


# What chunks say


def test_a_chunk_comes_with_its_text_and_the_header_of_each_arm(shut: Workspace) -> None:
    """The header is the string that the run kept, line end and all."""
    chunk = told(shut, "pay#0")["pay#0"]
    assert "The hours are paid with the next month." == chunk.text
    assert ("Pay", "Overtime") == chunk.headings
    assert {"baseline": "", "treatment": "Pay > Overtime\n"} == chunk.header_by_side


def test_held_out_documents_say_nothing_until_they_are_opened(opened: Workspace) -> None:
    """Neither as gold chunk nor as what outranks one."""
    assert ChunkText("leave#0", shut=True) == told(opened, "leave#0")["leave#0"]
    assert "Leave" == told(opened, "leave#0", opened=True)["leave#0"].title


def test_chunks_of_another_snapshot_are_not_taken_for_these(shut: Workspace) -> None:
    """Their ids may be the same and their texts others."""
    results = results_of(shut)
    assert results.record.snapshot is not None
    elsewhere = replace(results.record.snapshot, digest="0" * 64)
    other = replace(results, record=replace(results.record, snapshot=elsewhere))
    won, _ = won_and_lost(shut)
    found = chunk_texts(shut, other, won, ["pay#0"], labels=None, opened=True)
    assert ChunkText("pay#0", known=False) == found["pay#0"]


def test_headers_of_a_changed_file_are_left_out(tmp_path: Path) -> None:
    """The record holds the digest of the file; what does not match it was not embedded."""
    workspace = flipped_workspace(tmp_path / "w")
    kept = results_of(workspace).path / "headed.inputs.parquet"
    kept.chmod(0o644)
    kept.write_bytes((results_of(workspace).path / "plain.inputs.parquet").read_bytes())
    assert {"baseline": ""} == told(workspace, "pay#0")["pay#0"].header_by_side


# Who has read them


def test_marks_are_only_added(tmp_path: Path) -> None:
    """The same event twice is stored once; a later word stands and an earlier one stays."""
    workspace = flipped_workspace(tmp_path / "w")
    workspace.flip_marks.add(mark(workspace, "m1", comment="=1+1 *x*"), person="Ana", now=AT)
    workspace.flip_marks.add(mark(workspace, "m1", comment="other"), person="Bo", now=AT)
    workspace.flip_marks.add(mark(workspace, "m2", verdict="unread"), person="Bo", now=AT)
    sha256 = results_of(workspace).sha256
    workspace.close()
    kept = list(Workspace.open(workspace.path).flip_marks.of(sha256))
    assert [("Ana", "read", "=1+1 *x*", AT), ("Bo", "unread", None, AT)] == [
        (each.person, each.verdict, each.comment, each.marked_at) for each in kept
    ]
    assert [] == list(workspace.flip_marks.of("0" * 64))


@pytest.mark.parametrize("comment", ["x" * 2001, "half \ud800 a pair"])
def test_a_comment_that_cannot_be_kept_is_refused(shut: Workspace, comment: str) -> None:
    """In words, and nothing is stored."""
    with pytest.raises(InputError, match="comment"):
        shut.flip_marks.add(mark(shut, "long", comment=comment), person="Ana", now=AT)


# Looks


def test_opening_held_out_flips_is_a_look(opened: Workspace) -> None:
    """In the list beside the label set; what cannot be counted must not happen."""
    results = results_of(opened)
    with pytest.raises(InputError, match="a look at held-out queries cannot be counted"):
        open_held_out(results, None, person="Ana", now=NOW)
    labels = labels_here(opened.path, results)
    assert labels is not None
    assert 2 == open_held_out(results, labels, person="Ana", now=NOW)
    last = json.loads(ledger_path(labels.path).read_text().splitlines()[-1])
    told = tuple(last[name] for name in ("who", "what", "split"))
    assert ("Ana", "held-out flips by name, on a page", "all") == told
    headed = next(arm for arm in results.record.arms if arm.name == "headed")
    assert [headed.header_sha256] == last["headers"]


def progressed(query_id: str, pool: int = 3, **by: Any) -> QueryProgress:
    return QueryProgress(
        query_id, query_id, "log", pool, 0, by.get("judged", {}), by.get("ended", {})
    )


@pytest.mark.parametrize(
    ("rows", "assigned", "expected"),
    [
        ([progressed("q1"), progressed("q2")], None, 0),
        ([progressed("q1", judged={"Ana": 1}), progressed("q2")], None, 2),
        ([progressed("q1", judged={"Bo": 1}), progressed("q2")], None, 0),
        ([progressed("q1", ended={"Ana": "finished"}), progressed("q2")], None, 1),
        ([progressed("q1"), progressed("q2")], {"q2"}, 1),
        ([progressed("q1", pool=0), progressed("q9")], {"q1", "q9"}, 0),
    ],
    ids=["owner", "has begun", "another has", "one is ended", "assigned", "nothing of these"],
)
def test_who_still_has_to_judge_these_queries(
    rows: list[QueryProgress], assigned: set[str] | None, expected: int
) -> None:
    """Assigned to them, or anybody's where they judge; only queries of the results count."""
    left = still_to_judge(rows, person="Ana", assigned=assigned, query_ids={"q1", "q2"})
    assert expected == left


# For programs and terminals


def test_the_command_lists_flips_and_comments(tmp_path: Path) -> None:
    """The newest results, unless others are named; with JSON everything that is kept."""
    workspace = flipped_workspace(tmp_path / "w")
    workspace.flip_marks.add(mark(workspace, "m1", comment="<b>see</b> 4.3"), person="Ana", now=AT)
    done = CliRunner().invoke(main, ["flips", str(workspace.path)])
    assert 0 == done.exit_code, done.output
    assert (
        "headed against plain, hits at 1: lost 0, won 6 of 7 queries with gold; "
        "1 read, 3 held-out and not named" in done.output
    )
    assert "won, read: overtime paid when [header names it]" in done.output
    assert f"  Ana, {AT}: <b>see</b> 4.3" in done.output
    asked = ["flips", str(workspace.path), "--json", "--unread", "--only", "won"]
    report = json.loads(CliRunner().invoke(main, asked).output)
    assert ["q5", "q7"] == [flip["query_id"] for flip in report["contrasts"][0]["flips"]]
    assert [] == report["contrasts"][1]["flips"]
    assert results_of(workspace).sha256 == report["results_sha256"]


def test_the_command_says_where_there_is_nothing(tmp_path: Path) -> None:
    """A workspace without results."""
    workspace = flipped_workspace(tmp_path / "w")
    (workspace.path / "experiment.results").rename(tmp_path / "elsewhere.results")
    done = CliRunner().invoke(main, ["flips", str(workspace.path)])
    assert 1 == done.exit_code
    assert "There are no results in" in done.output
    (named,) = (tmp_path / "elsewhere.results").iterdir()
    done = CliRunner().invoke(main, ["flips", str(workspace.path), "--results", str(named)])
    assert 0 == done.exit_code


def test_the_command_names_nothing_that_is_held_out(opened: Workspace) -> None:
    """Also of results that name it: no query, and no words of a chunk."""
    results: ResultsFolder = results_of(opened)
    text = json.dumps(flip_report(opened, results))
    secrets = ("parental", "sick leave", "Alarm emails", "Open the page", "Supply")
    assert [each for each in secrets if each in text] == []
