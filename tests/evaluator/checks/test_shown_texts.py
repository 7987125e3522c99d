"""Headers of an experiment in the texts that assessors were shown."""

from dataclasses import replace
from pathlib import Path

import pytest

from evaluator.checks.labels import scan_shown, verified_json, verified_text, verify_labels
from evaluator.experiment.headers.rule import read_header_rule
from evaluator.snapshot.chunk import Chunk
from tests.small_world import RUN_AT, World, arm, small_chunks, small_world

BODY = "Ask eight weeks before the first day."


def kinds(text: str, rule: str = "title+path", **changes: object) -> list[str]:
    chunk = Chunk("leave#0", "leave", text, "Leave", ("Leave", "Parental leave"), "handbook", {})
    found = scan_shown([replace(chunk, **changes)], {"headed": read_header_rule(rule)})  # type: ignore[arg-type]
    return [each.kind for each in found.shown]


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("begins with its header", f"Leave > Parental leave\n{BODY}"),
        ("begins with its header", f"\n LEAVE >  Parental leave: {BODY}"),
        ("begins with its header", f"# Leave › Parental leave\n{BODY}"),
        ("holds its header", f"Parental leave, under Leave > Parental leave\n{BODY}"),
        ("holds its header", f"{BODY}\nLeave > Parental leave"),
        ("names its heading", f"Parental leave\n{BODY}"),
        ("names its heading", f"# Leave\n## Parental leave\n{BODY}"),
        (None, BODY),
        (None, f"Whoever takes parental leave: {BODY}"),
    ],
)
def test_a_header_is_told_from_an_honest_heading(kind: str | None, text: str) -> None:
    """A path on one line tells; a heading, or headings below each other, may be the document's."""
    assert ([kind] if kind else []) == kinds(text)


@pytest.mark.parametrize(
    ("expected", "rule", "text"),
    [
        (["names its heading"], "title", f"Leave\n{BODY}"),
        ([], "title", f"Take leave early. {BODY}"),
        (
            ["begins with its header"],
            "{title} ({source}): {heading}",
            f"Leave (handbook): Parental leave\n{BODY}",
        ),
        ([], "none", f"Leave > Parental leave\n{BODY}"),
    ],
)
def test_each_rule_is_looked_for_as_it_makes_headers(
    expected: list[str], rule: str, text: str
) -> None:
    """Titles, templates, and no header at all."""
    assert expected == kinds(text, rule)


def test_a_generated_header_is_looked_for(tmp_path: Path) -> None:
    """Some of its words in a row; a single word of it may be chance."""
    path = tmp_path / "h.jsonl"
    path.write_text('{"chunk_id": "leave#0", "text": "On how to ask for parental leave."}\n')
    rule = f"file:{path}"
    assert ["begins with its header"] == kinds(f"On how to ask for parental leave. {BODY}", rule)
    path.write_text('{"chunk_id": "leave#0", "text": "Leave"}\n')
    assert ["names its heading"] == kinds(f"Leave\n{BODY}", rule)


def test_a_shortened_header_is_found_too() -> None:
    """A rule with a limit may show only the last steps."""
    headings = ("Handbook", "Leave", "Parental leave")
    assert ["begins with its header"] == kinds(
        f"Leave > Parental leave\n{BODY}", headings=headings, title="Handbook"
    )


# In `evaluator verify`


def leaky_world(folder: Path) -> World:
    chunks = [
        replace(chunk, text=f"Leave > Sick leave\n{chunk.text}")
        if chunk.chunk_id == "leave#1"
        else chunk
        for chunk in small_chunks()
    ]
    return small_world(folder, chunks=chunks)


def test_verify_counts_and_lists_what_was_shown(tmp_path: Path) -> None:
    """By arm, with a denominator; the texts themselves are not printed."""
    world = leaky_world(tmp_path)
    found = verify_labels(world.labels, now=RUN_AT, experiment=world.experiment)
    (problem,) = found.problems
    assert "1 begin with it: leave#1" == problem.found
    assert "texts shown, against the header of arm 'headed'" == problem.member
    text = verified_text(found)
    assert "arm 'headed': of 10 texts with a header, 1 begin with it, 0 hold it elsewhere" in text
    assert "Sick leave" not in text
    answer = verified_json(found)["blindness"]
    assert ["leave#1"] == [each["chunk_id"] for each in answer["shown"]]


def test_a_blind_pool_is_called_so(tmp_path: Path) -> None:
    """With the snapshot given or taken from the experiment."""
    world = small_world(tmp_path)
    for snapshot in (None, world.folder / "snapshot"):
        found = verify_labels(
            world.labels, now=RUN_AT, experiment=world.experiment, snapshot=snapshot
        )
        assert () == found.problems
        assert found.blindness is not None
        assert (10, 0, 0) == (
            found.blindness.chunks,
            found.blindness.unknown,
            len(found.blindness.shown),
        )


def test_without_a_header_there_is_nothing_to_look_for(tmp_path: Path) -> None:
    """Which is said."""
    world = leaky_world(tmp_path)
    world.write_experiment(arms=arm("plain"))
    found = verify_labels(world.labels, now=RUN_AT, experiment=world.experiment)
    assert "no arm of the experiment makes a header" in verified_text(found)
    assert () == found.problems


def test_a_text_that_is_not_the_one_shown_is_unknown(tmp_path: Path) -> None:
    """It is named as a problem, and not scanned in the other's stead."""
    world = small_world(tmp_path / "a")
    later = leaky_world(tmp_path / "b")
    found = verify_labels(
        world.labels, now=RUN_AT, experiment=world.experiment, snapshot=later.folder / "snapshot"
    )
    assert found.blindness is not None
    assert (9, 1, 0) == (
        found.blindness.chunks,
        found.blindness.unknown,
        len(found.blindness.shown),
    )
    assert any("leave#1" in problem.member for problem in found.problems)
