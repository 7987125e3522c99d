"""A workspace in numbers, for people and for programs."""

import json
import os
import shutil
from pathlib import Path

import pytest

from evaluator.labelset.format import HeldOutRule
from labeler.freezing.freeze import Frozen, freeze
from labeler.freezing.header_work import HeaderWork
from labeler.freezing.status import status, status_text
from labeler.sets.frozen import frozen_sets
from labeler.workspace.records import Event
from labeler.workspace.workspace import Workspace
from tests.labeler.small import AT, clock, pooled_workspace, small_workspace


def judged(directory: Path) -> Workspace:
    """q1 has gold in leave.md; q2 is skipped by ada after one grade."""
    workspace = pooled_workspace(directory)
    workspace.people.add_assessor("bob", now=AT)
    workspace.judgements.record("ada", "q1", [Event("e1", "leave.md#0", 1, "grade")], now=AT)
    workspace.judgements.record("ada", "q1", [Event("e2", "vpn.md#1", None, "unsure")], now=AT)
    workspace.judgements.record("ada", "q2", [Event("e3", "vpn.md#1", 1, "grade")], now=AT)
    workspace.judgements.end_query("ada", "q2", outcome="skipped", reason="unclear", now=AT)
    return workspace


def made(workspace: Workspace, name: str, **options: Path) -> Frozen:
    none = HeaderWork(begun=False)
    return freeze(workspace, name=name, header_work=none, declared_by="ada", clock=clock, **options)


def test_pairs_are_counted_and_assessors_named(tmp_path: Path) -> None:
    """Somebody on the list who has not judged yet is there too."""
    found = status(judged(tmp_path))
    assert (6, 2, 1) == tuple(found["pool"][key] for key in ("pairs", "judged", "unsure"))
    assert {"log": 1, "authored": 1} == found["queries"]["origins"]
    assert [
        {"name": "ada", "pairs": 2, "assigned": 0, "finished": 0, "skipped": 1},
        {"name": "bob", "pairs": 0, "assigned": 0, "finished": 0, "skipped": 0},
    ] == found["assessors"]


def test_the_held_out_slice_follows_the_rule(tmp_path: Path) -> None:
    """Documents by their id alone, queries by their gold; a skipped query has no class."""
    held = status(judged(tmp_path))["held_out"]
    rule = HeldOutRule("00", 2, (0,))
    documents = [doc for doc in ("leave.md", "parking.md", "vpn.md") if rule.holds_out(doc)]
    expected = "held-out" if rule.holds_out("leave.md") else "tuning"
    assert (len(documents), 2 * len(documents)) == (held["documents"], held["chunks"])
    assert {"held-out": 0, "tuning": 0, "mixed": 0, "no-gold": 0} | {expected: 1} == held["classes"]


def test_each_class_says_what_it_can_detect(tmp_path: Path) -> None:
    """With the gold documents a query, and nothing for a class without queries."""
    found = status(judged(tmp_path))
    [name] = [name for name, queries in found["held_out"]["classes"].items() if queries]
    assert {name: 1.0} == found["held_out"]["gold_documents"]
    assert {name: None} == found["held_out"]["detects"]
    assert (
        f"  {name}, 1.0 gold documents a query: 1 query is too few to show any difference (exact "
        "McNemar, 5%)."
    ) in status_text(found).splitlines()


def test_agreement_and_what_can_be_detected_are_said(tmp_path: Path) -> None:
    """Before freezing, where it can still be mended; nothing is said of what nobody did."""
    workspace = judged(tmp_path)
    assert "Agreement   unknown: no pair was graded by two assessors" in status_text(
        status(workspace)
    )
    workspace.judgements.record("bob", "q1", [Event("e4", "leave.md#0", 0, "grade")], now=AT)
    text = status_text(status(workspace))
    assert (
        "Agreement   Krippendorff’s alpha 0.00 (nominal; no interval: 1 query, fewer than 20) "
        "on 1 of 2 pairs, in 1 query"
    ) in text
    empty = status_text(status(small_workspace(tmp_path / "empty")))
    assert "Can detect  nothing: no query has a relevant chunk yet" in empty
    assert "In the way  There are no queries. Read a log and draw a sample" in empty


def test_what_is_no_file_is_no_manifest(tmp_path: Path) -> None:
    """A folder under its name, or a pipe, which would be waited for."""
    for name, make in (("pipe", os.mkfifo), ("folder", os.mkdir)):
        (tmp_path / name).mkdir()
        make(tmp_path / name / "manifest.json")
    assert [] == frozen_sets(tmp_path)


def test_frozen_sets_are_listed_with_their_digest(tmp_path: Path) -> None:
    """So that an experiment can be written without looking for it; with what supersedes each."""
    workspace = judged(tmp_path)
    one = made(workspace, "one")
    shutil.copytree(one.path, one.path.with_name(".one.left"))  # of a freeze that was killed
    two = made(workspace, "two", supersedes=one.path)
    found = status(workspace)
    assert [("one", one.sha256, ["two"]), ("two", two.sha256, [])] == [
        (each["name"], each["sha256"], each["superseded_by"]) for each in found["label_sets"]
    ]
    lines = status_text(found).splitlines()
    assert f"Label set   one {one.sha256}, superseded by two" in lines
    assert f"Label set   two {two.sha256}" in lines
    assert found["since_freeze"]["judgements"] == 0
    later = Event("later", "leave.md#0", 1, "grade")
    workspace.judgements.record("ada", "q1", [later], now="2026-03-01T00:00:00.000Z")
    assert "Since then  1 judgement after" in status_text(status(workspace))


def test_half_a_label_set_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a freeze leaves it that was killed; whoever looks knows whether one is running."""
    workspace = judged(tmp_path)

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("evaluator.labelset.writing.os.rename", killed)
        patch.setattr("evaluator.labelset.writing.shutil.rmtree", lambda *_, **__: None)
        with pytest.raises(KeyboardInterrupt):
            made(workspace, "one")
    (workspace.path / "labels/.git").mkdir()
    [left] = status(workspace)["left_behind"]
    assert left.startswith(".one.")
    assert f"Left behind {left} in labels: half a label set; delete" in status_text(
        status(workspace)
    )


def test_it_is_json_and_it_reads_like_text(tmp_path: Path) -> None:
    """Both forms of the same numbers."""
    found = status(judged(tmp_path))
    assert found == json.loads(json.dumps(found))
    lines = status_text(found).splitlines()
    assert "Queries     2 (1 authored, 1 log), 1 skipped" in lines
    assert "Sample      none" in lines
    assert "  ada: 2 pairs, 0 queries finished, 1 skipped" in lines
