"""Soundness of labels, and chunks as they were judged."""

from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from evaluator.checks.labels import verified_text, verify_labels
from evaluator.cli.main import main
from evaluator.experiment.pinned import check_retrievable
from evaluator.labelset.format import LabelSetError, read_label_set
from evaluator.snapshot.chunk import Chunk
from evaluator.snapshot.snapshot import Snapshot, read_snapshot
from tests.small_world import RUN_AT, World, small_chunks, small_world


def test_only_a_digest_from_elsewhere_makes_a_set_untouched(world: World) -> None:
    """Files and manifest can be changed together, so its own manifest is no witness."""
    alone = verified_text(verify_labels(world.labels, now=RUN_AT))
    assert "is consistent with its own manifest." in alone
    assert "untouched" not in alone
    assert f"sha256 {world.labels_sha256}\nWhether it is the set that was pinned" in alone
    found = verify_labels(
        world.labels, now=RUN_AT, digest=world.labels_sha256, snapshot=world.folder / "snapshot"
    )
    pinned = verified_text(found)
    assert () == found.problems
    assert "is whole and untouched.\n9 queries, 8 with gold, 26 pairs in the pool" in pinned
    assert "--digest" not in pinned


def test_a_digest_in_capitals_is_the_same_and_half_a_digest_is_none(world: World) -> None:
    """Neither is a sign that somebody touched the set."""
    verify = ["verify", str(world.labels), "--digest"]
    same = CliRunner().invoke(main, [*verify, world.labels_sha256.upper()])
    assert (0, True) == (same.exit_code, "is whole and untouched." in same.output)
    half = CliRunner().invoke(main, [*verify, world.labels_sha256[:32]])
    assert (2, True) == (half.exit_code, "expected the 64 hex digits" in half.output)


def test_every_problem_is_listed(world: World) -> None:
    """With member, expected and found."""
    (world.labels / "pool.jsonl").chmod(0o644)
    (world.labels / "pool.jsonl").write_text("")
    (world.labels / "notes.txt").write_text("mine")
    text = verified_text(verify_labels(world.labels, now=RUN_AT, digest="0" * 64))
    for part in ("pool.jsonl (bytes)", "notes.txt", f"expected sha256 {'0' * 64}"):
        assert part in text


def test_a_folder_without_a_manifest_is_told_where_label_sets_lie(tmp_path: Path) -> None:
    """A workspace is easily named instead of a set in it."""
    found = verify_labels(tmp_path, now=RUN_AT)
    assert verified_text(found).endswith("\nA workspace keeps its label sets in labels/.")
    with pytest.raises(LabelSetError, match=r"is no label set: it has no manifest\.json\. Name"):
        read_label_set(tmp_path)
    with pytest.raises(LabelSetError, match="is no label set: there is no such directory"):
        read_label_set(tmp_path / "first")


def held(snapshot: Snapshot) -> dict[str, Chunk]:
    return {chunk.chunk_id: chunk for chunk in snapshot.chunks()}


def test_chunks_that_are_not_as_judged_are_named(world: World) -> None:
    """A missing gold chunk and a changed text, each on its own line."""
    chunks = [
        replace(chunk, text="Something else.") if chunk.chunk_id == "pay#0" else chunk
        for chunk in small_chunks()
        if chunk.chunk_id != "leave#0"
    ]
    small_world(world.folder / "later", chunks=chunks, qrels={"q5": {"keys#0": 1}})
    later = read_snapshot(world.folder / "later/snapshot")
    problems = check_retrievable(read_label_set(world.labels), held(later), where="later")
    assert ["gold chunk leave#0", "gold chunk pay#0"] == [
        problem.member.split(": ")[1] for problem in problems
    ]
    found = verify_labels(world.labels, now=RUN_AT, snapshot=world.folder / "later/snapshot")
    assert 3 == len(found.problems)
    assert "as the snapshot of small-1" in str(found.problems[0])


def test_a_judged_chunk_of_another_document_is_named(world: World) -> None:
    """The document's id decides what is held out, so the same text elsewhere is not the same."""
    chunks = [
        replace(chunk, doc_id="moved.md") if chunk.chunk_id == "pay#0" else chunk
        for chunk in small_chunks()
    ]
    small_world(world.folder / "later", chunks=chunks)
    later = read_snapshot(world.folder / "later/snapshot")
    (problem,) = check_retrievable(read_label_set(world.labels), held(later), where="later")
    assert "gold chunk pay#0" in problem.member
    assert ("document 'moved.md'", True) == (problem.found, problem.expected.startswith("document"))
