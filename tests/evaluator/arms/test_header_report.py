"""What a header rule does to the chunks of tuning documents."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from evaluator import InputError
from evaluator.arms import header_report
from evaluator.arms.header_report import HeaderReport, header_json, header_text, report_headers
from evaluator.experiment.pinned import open_experiment
from evaluator.vectors.tokens import load_tokenizer
from tests.small_world import World, arm, small_chunks, small_world


def report(
    world: World, lines: str = "", *, header: str = "title+path", show: int = 5
) -> HeaderReport:
    world.write_experiment(arms=arm("plain") + arm("headed", header=header) + lines)
    opened = open_experiment(world.experiment)
    return report_headers(opened, opened.experiment.arm("headed"), show=show)


def test_only_tuning_documents_are_counted_and_shown(tmp_path: Path) -> None:
    """Five of twelve chunks here; a look at the others would cost held-out queries."""
    found = report(small_world(tmp_path))
    assert (5, 5, 1.0) == (found.chunks, found.with_header, found.share)
    assert ["keys#0", "keys#1", "lease#0", "pay#0", "pay#1"] == [c for c, _, _ in found.examples]
    text = header_text([found])
    assert "5 of 5 chunks of tuning documents have a header (100.0%); 0 have none" in text
    assert "⟦API keys > Rotate⏎\n⟧ before ⟦Create the new one, then" in text


def test_tokens_are_those_of_the_arm_or_words_by_name(tmp_path: Path) -> None:
    """The stand-in's tokenizer is nowhere, so words and marks are counted, and that is said."""
    found = report(small_world(tmp_path))
    assert "words" == found.tokenizer
    assert {"p5": 3, "median": 3, "p95": 4, "max": 4} == found.tokens
    assert ("keys#0", "API keys > Rotate\n", 4) == found.longest
    assert "by words (the arm's own tokenizer is not here): p5 3, median 3" in header_text([found])


def test_a_limit_needs_the_arms_own_tokenizer(tmp_path: Path) -> None:
    """Counting something else would show another rule than the one that is run."""
    with pytest.raises(InputError, match="has a token limit, and its tokenizer is not here"):
        report(small_world(tmp_path), "header_max_tokens = 3\n")


def test_headers_lost_to_a_limit_are_counted_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is over it in its first word is dropped, and is not what the text says already."""
    chunks = [replace(chunk, title="T" * 40, headings=()) for chunk in small_chunks()]
    counter = load_tokenizer("words")
    monkeypatch.setattr(header_report, "load_tokenizer", lambda _name: counter)
    lines = "header_max_tokens = 2\nheader_informative = true\n"
    found = report(small_world(tmp_path, chunks=chunks), lines, header="title")
    assert (0, 0, 5, 0) == (
        found.with_header,
        found.shortened,
        found.over_limit,
        found.already_said,
    )
    assert "5 were left out, since their first word is over the limit" in header_text([found])


def test_repeated_and_outweighing_headers_are_listed(tmp_path: Path) -> None:
    """One title on many chunks, and a header longer than what it stands before."""
    chunks = [replace(chunk, title="Staff handbook", text="Ask. Pay.") for chunk in small_chunks()]
    found = report(small_world(tmp_path, chunks=chunks), header="{title}: {title}")
    assert (("Staff handbook: Staff handbook\n", 5),) == found.most_repeated
    assert (5, 5) == (found.outweighing, len(found.outweighing_chunks))
    assert "5 headers have more tokens than their chunk: keys#0" in header_text([found])


def test_a_text_that_starts_with_its_own_header_is_counted(tmp_path: Path) -> None:
    """There the encoder would read the heading twice, unless the rule leaves it out."""
    chunks = [
        replace(chunk, text=f"{chunk.headings[-1]}. {chunk.text}") if chunk.headings else chunk
        for chunk in small_chunks()
    ]
    world = small_world(tmp_path, chunks=chunks)
    found = report(world, header="path")
    assert 5 == found.repeated
    assert "already start with their header's last step" in header_text([found])
    informative = report(world, "header_informative = true\n", header="{heading}")
    assert (0, 5) == (informative.with_header, informative.already_said)
    assert "5 were left out" in header_text([informative])


def test_a_stop_list_leaves_chunks_without_header(tmp_path: Path) -> None:
    """A chunk under nothing but structural words has nothing to say."""
    chunks = [replace(chunk, title="Overview", headings=("General",)) for chunk in small_chunks()]
    found = report(small_world(tmp_path, chunks=chunks), "header_stop_list = true\n")
    assert (0, 5, {}, None) == (
        found.with_header,
        found.without_header,
        found.tokens,
        found.longest,
    )
    assert "(the standard words)" in header_text([found])


def test_a_header_file_is_shown_with_its_price(tmp_path: Path) -> None:
    """Sums over the lines, and which model wrote them; JSON holds the same."""
    lines = [
        {"chunk_id": "pay#0", "text": "Paid overtime.", "cost": 0.25, "model": "small"},
        {"chunk_id": "leave#0", "text": "Leave.", "cost": 0.5, "model": "small"},
    ]
    world = small_world(tmp_path)
    (tmp_path / "h.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = report(world, header="file:h.jsonl")
    assert (1, 4) == (found.with_header, found.without_header)
    assert "file of 2 headers, made by small 2: cost 0.75 in all" in header_text([found])
    shown = json.loads(json.dumps(header_json(found)))
    assert (0.2, 4, 0.75) == (
        shown["share_with_header"],
        shown["without_header"],
        shown["file"]["cost"],
    )


def test_the_examples_lie_evenly_among_the_chunks(tmp_path: Path) -> None:
    """Not the first few, which mostly come from one page."""
    found: HeaderReport = report(small_world(tmp_path), show=2)
    shown: Sequence[str] = [chunk_id for chunk_id, _, _ in found.examples]
    assert ["keys#1", "pay#0"] == shown
