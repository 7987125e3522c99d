"""What went into a ranking: vectors without direction, ties, equal texts, and equal arms."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from evaluator import InputError
from evaluator.cli.main import main
from evaluator.record.model import record_of
from evaluator.report.report import terminal_report, terminal_summary
from evaluator.vectors.model import Model
from tests.small_world import (
    World,
    arm,
    run_record,
    small_chunks,
    small_qrels,
    small_queries,
    small_world,
)
from tests.stand_in import stand_in_model

pytestmark = pytest.mark.usefixtures("cache")


def loading(change: Any) -> Any:
    """A loader of the stand-in whose vectors are `change`d, given texts and vectors."""

    def load(source: str, /, **_: object) -> Model:
        model = stand_in_model(name=source)
        return replace(model, encode=lambda texts: change(texts, model.encode(texts)))

    return load


@pytest.mark.parametrize(
    ("value", "said"),
    [(0.0, "all zeros"), (np.nan, "NaN or infinity"), (np.inf, "NaN or infinity")],
)
def test_a_chunk_without_a_direction_is_refused_by_its_id(
    world: World, value: float, said: str
) -> None:
    def change(texts: list[str], vectors: Any) -> Any:
        vectors[["A note without" in text for text in texts]] = value
        return vectors

    with pytest.raises(InputError, match=f"Arm 'plain'.*1 chunk hold {said}.*plain#0"):
        run_record(world, load_model=loading(change))


def test_a_query_whose_vector_is_zero_has_no_answer(world: World) -> None:
    """It is a miss in both rankings, and listed; otherwise it would hit by the order of ids."""

    def change(texts: list[str], vectors: Any) -> Any:
        vectors[["lease notice" in text for text in texts]] = 0.0
        return vectors

    record = run_record(world, load_model=loading(change))
    [query_id] = record["arms"][0]["unanswered"]
    assert "QUERIES WITHOUT RESULTS" in terminal_summary(record_of(record))
    assert query_id in terminal_report(record_of(record))


def test_chunks_that_the_model_cannot_tell_apart_are_named(world: World) -> None:
    """One vector for all: every list ties at k, and gold could stand anywhere in it."""

    def change(_: list[str], vectors: Any) -> Any:
        return np.full_like(vectors, vectors.shape[1] ** -0.5)

    record = run_record(world, load_model=loading(change))
    [notice] = [one for one in record["arms"][0]["notices"] if "vector" in one]
    assert "12 chunks in 1 group have one vector, though their inputs differ" in notice
    ties = [note for note in record["notes"] if note.startswith("plain: ")]
    assert "the same score at ranks 1 and 2" in ties[0]
    assert "in the order of their chunk ids. Gold in such a tie: " in ties[0]
    assert "at any rank from 1 to 12" in ties[0]


def test_equal_texts_are_counted_and_name_the_flips_between_them(tmp_path: Path) -> None:
    """A copy of a gold chunk that nobody judged, and that gets no header before its words."""
    [gold_id] = [chunk_id for chunk_id, grade in small_qrels()["q4"].items() if grade]
    [text] = [query.text for query in small_queries() if query.query_id == "q4"]
    chunks = [replace(c, text=text) if c.chunk_id == gold_id else c for c in small_chunks()]
    copy = replace(chunks[0], chunk_id="z-copy#0", doc_id="z-copy", text=text, title="")
    world = small_world(tmp_path / "w", chunks=[*chunks, replace(copy, headings=())])
    record = run_record(world)
    assert any(
        "1 query has gold whose very text" in note and "z-copy#0" in note
        for note in record["notes"]
    )
    flips = record["contrasts"][0]["flips"]
    assert any("equal texts" in flip["causes"] for flip in (*flips["won"], *flips["lost"]))
    asked = ["verify", str(world.labels), "--snapshot", str(world.folder / "snapshot")]
    assert "z-copy#0" in CliRunner().invoke(main, asked).stdout


def test_equal_arms_are_compared_when_asked_for(world: World) -> None:
    """No flip and p = 1, under a stamp; arms that differ are no self-test."""
    twins = arm("plain") + arm("twin")
    asked = '[[contrast]]\nbaseline = "plain"\ntreatment = "{}"\nself_test = true\n'
    for treatment in ("twin", "plain"):
        world.write_experiment(arms=twins + asked.format(treatment))
        [contrast] = run_record(world)["contrasts"]
        assert (0, 0) == (contrast["cells"]["1"]["won"], contrast["cells"]["1"]["lost"])
        assert {1.0} == {found["p"] for found in contrast["measures"].values()}
        assert all(row["met"] for row in contrast["closure"])
    world.write_experiment(arms=twins)
    with pytest.raises(InputError, match="or say self_test = true"):
        run_record(world)
    world.write_experiment(arms=arm("plain") + arm("b", header="title") + asked.format("b"))
    with pytest.raises(InputError, match="differ in header: self_test"):
        run_record(world)


def test_a_run_is_compared_with_itself_when_asked_for(world: World) -> None:
    run = world.folder / "a.run"
    ids = [chunk.chunk_id for chunk in small_chunks()]
    rows = [f"q{n} Q0 {c} {at} {-at} x" for n in range(1, 10) for at, c in enumerate(ids, 1)]
    run.write_text("\n".join(rows) + "\n")
    asked = ["compare", str(run), str(run), "--labels", str(world.labels)]
    assert "--self-test" in CliRunner().invoke(main, asked).stderr
    found = CliRunner().invoke(main, [*asked, "--self-test"])
    assert 0 == found.exit_code, found.stderr
    assert "p = 1.000" in found.stdout


def test_a_headline_by_the_graph_says_what_exact_search_says(world: World) -> None:
    """How much of it the graph finds, and whether the verdict is the same."""
    world.write_experiment(protocol='split = "all"\nranking = "hnsw"')
    record = run_record(world)
    assert 1.0 == record["arms"][0]["rankings"]["graph_recall"]
    text = " ".join(terminal_summary(record_of(record)).split())
    assert "the graph finds 100.0% with plain and 100.0% with headed" in text
    assert "which gives the same verdict" in text
    record["contrasts"][0]["other_ranking"]["measures"]["Success@1"]["p"] = 0.5
    assert "gives ANOTHER verdict" in " ".join(terminal_summary(record_of(record)).split())


def test_gold_that_is_in_no_snapshot_is_told(world: World, tmp_path: Path) -> None:
    qrels, run = tmp_path / "qrels.txt", tmp_path / "a.run"
    qrels.write_text("q1 0 leave#0 1\nq2 0 gone#7 1\n")
    run.write_text("q1 Q0 leave#0 1 2 x\nq2 Q0 pay#0 1 2 x\n")
    other = tmp_path / "b.run"
    other.write_text("q1 Q0 leave#0 1 2 x\nq2 Q0 pay#1 1 2 x\n")
    asked = ["compare", str(run), str(other), "--qrels", str(qrels)]
    snapshot = ["--snapshot", str(world.folder / "snapshot"), "--full"]
    text = " ".join(CliRunner().invoke(main, [*asked, *snapshot]).stdout.split())
    assert "1 gold chunk of 1 queries are not in the snapshot" in text
    assert "gone#7" in text
