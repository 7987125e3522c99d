"""Smaller chunk sets drawn from a whole one, and an experiment run on them."""

import json
import re
import shutil
from dataclasses import asdict
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator import InputError
from evaluator.labelset.format import read_label_set
from evaluator.record.model import SAMPLED, record_json, record_of
from evaluator.run import run_experiment
from evaluator.small_sets.make import draw_distractors, read_seeds, sample_experiment
from evaluator.small_sets.run import (
    SampleResults,
    WholeRun,
    run_samples,
    summarise,
    summary_text,
    whole_run,
)
from evaluator.snapshot.snapshot import Snapshot, read_snapshot
from evaluator.trec import write_run
from tests.small_world import RUN_AT, World, load_stand_in

NOW = datetime(2026, 12, 2, tzinfo=UTC)

pytestmark = pytest.mark.usefixtures("cache")


def sample(world: World, **how: Any) -> list[Snapshot]:
    how = {"distractors": 1, "seeds": (1, 2, 3), "hard": None, "hard_depth": 10, **how}
    return sample_experiment(world.experiment, how.pop("out", None), now=NOW, **how)


def run(world: World, **how: Any) -> SampleResults:
    how = {"load_model": load_stand_in, "clock": lambda: RUN_AT, **how}
    return run_samples(world.experiment, world.folder / "experiment.samples/n1", **how)


def pool_of(world: World) -> set[str]:
    return {entry.chunk_id for entry in read_label_set(world.labels).pool}


def _cells(text: str, start: str) -> list[str]:
    line = next(line for line in text.splitlines() if line.lstrip().startswith(start.lstrip()))
    return re.split(r" {2,}", line.strip())


# What a sample holds


def test_a_sample_holds_the_whole_pool_and_some_distractors(world: World) -> None:
    """Every judged chunk with its text, and as many others as were asked for."""
    [first, *_] = sample(world)
    parent = read_snapshot(world.folder / "snapshot")
    pool = pool_of(world)
    assert len(pool) + 1 == len(first)
    assert parent.fetch(sorted(pool)) == first.fetch(sorted(pool))
    assert set(first.chunk_ids()) <= set(parent.chunk_ids())
    assert world.folder / "experiment.samples/n1/seed-1" == first.path


def test_a_sample_says_where_it_comes_from(world: World) -> None:
    """Parent and labels by digest, rule, seed and N; the chunker is the parent's."""
    [found] = sample(world, seeds=(7,))
    derived = found.derived
    assert derived is not None
    assert (world.digest, 12) == (derived["parent"]["digest"], derived["parent"]["chunks"])
    assert world.labels_sha256 == derived["labels"]["sha256"]
    assert (7, 1, len(pool_of(world))) == tuple(
        derived[key] for key in ("seed", "distractors", "pool")
    )
    assert "SHA-256" in derived["rule"]
    assert {"name": "given"} == found.manifest["chunker"]


@given(st.sets(st.text(max_size=5), max_size=30), st.integers(0, 9))
def test_a_larger_draw_holds_a_smaller_one(ids: set[str], seed: int) -> None:
    """And no draw depends on the order of the ids."""
    draws = [draw_distractors(sorted(ids), n=n, seed=seed) for n in range(len(ids) + 1)]
    assert all(a < b for a, b in pairwise(draws))
    assert draws == [
        draw_distractors(sorted(ids, reverse=True), n=n, seed=seed) for n in range(len(ids) + 1)
    ]


def test_hard_distractors_come_from_a_run_that_is_no_arm(world: World) -> None:
    """The first of each query that nobody judged, beside the random ones."""
    others = sorted(set(read_snapshot(world.folder / "snapshot").chunk_ids()) - pool_of(world))
    path = world.folder / "bm25.run"
    write_run(path, {"q1": [(others[0], 2.0), (others[1], 1.0)]}, tag="bm25")
    [found] = sample(world, seeds=(1,), hard=path, hard_depth=1, distractors=0)
    assert pool_of(world) | {others[0]} == set(found.chunk_ids())
    assert found.derived is not None
    assert (1, 1, "bm25.run") == tuple(found.derived["hard"][k] for k in ("chunks", "depth", "run"))


def test_what_is_no_sample_is_refused(world: World) -> None:
    """Before anything is written."""
    with pytest.raises(InputError, match="99 distractors are not a sample"):
        sample(world, distractors=99)
    with pytest.raises(InputError, match="The seeds 1, 1 repeat"):
        sample(world, seeds=(1, 1))
    assert not (world.folder / "experiment.samples").exists()


def test_the_run_of_an_arm_and_strange_chunks_are_no_hard_distractors(world: World) -> None:
    """They would be hard for that arm alone."""
    results = run_experiment(world.experiment, load_model=load_stand_in, clock=lambda: RUN_AT)
    with pytest.raises(InputError, match="is the run of an arm"):
        sample(world, hard=results.path / "plain.run")
    write_run(world.folder / "x.run", {"q1": [("nowhere", 1.0)]}, tag="x")
    with pytest.raises(InputError, match="names 1 chunks that"):
        sample(world, hard=world.folder / "x.run")


def test_seeds_are_whole_numbers_that_draw_differently() -> None:
    """As they are written in a command; else their spread would say nothing."""
    ids = [f"c{n}" for n in range(100)]
    assert draw_distractors(ids, n=10, seed=1) != draw_distractors(ids, n=10, seed=2)
    assert (1, 22, 3) == read_seeds("1, 22,3")
    with pytest.raises(InputError, match="whole numbers"):
        read_seeds("1;2")


# An experiment on samples


def test_every_level_of_a_sample_is_marked(world: World) -> None:
    """By a stamp, a note, and the parent in the record."""
    [first, *_] = sample(world)
    record = run_experiment(
        world.experiment, load_model=load_stand_in, clock=lambda: RUN_AT, sample=first.path
    ).record
    assert f"INCLUDES TUNING DOCUMENTS; {SAMPLED}" == record.headline.stamp
    assert "no level is quotable" in record.notes[0]
    assert record.snapshot
    assert record.snapshot.derived
    assert world.digest == record.snapshot.derived["parent"]["digest"]
    held = {row.field: row.value for row in record.contrasts[0].held_still}
    assert held["chunk set"].startswith(first.digest[:12])
    text = next((world.folder / "experiment.results").glob("*/report.md")).read_text()
    assert f"**{SAMPLED}**" in text
    assert ("No level is quotable" in text, "optimistic" in text) == (True, False)


def test_three_seeds_are_run_and_their_spread_printed(world: World) -> None:
    """One results directory for each, and the levels and differences side by side."""
    sample(world)
    done = run(world)
    assert ["sampled.json", "seed-1", "seed-2", "seed-3"] == sorted(
        path.name for path in done.path.iterdir()
    )
    contrast = done.summary.contrasts[0]
    assert (3, None, None) == (len(contrast.values), contrast.whole, contrast.compression)
    text = summary_text(done.summary)
    assert "Success@1 (primary), levels not quotable" in text
    assert ["seed 1", "seed 2", "seed 3", "mean", "spread"] == _cells(text, "seed 1  ")
    assert ["headed - plain", *["+0.857"] * 4, "0.000"] == _cells(text, "  headed - plain")
    assert "No run of this experiment over the whole chunk set" in text


def test_the_whole_stands_beside_with_the_compression(world: World) -> None:
    """Of every measure, the mean difference on the samples over that on the whole, as measured."""
    run_experiment(world.experiment, load_model=load_stand_in, clock=lambda: RUN_AT)
    sample(world)
    done = run(world)
    contrast = done.summary.contrasts[0]
    assert contrast.whole is not None
    assert sum(contrast.values) / 3 / contrast.whole == contrast.compression
    text = summary_text(done.summary)
    row = ["headed - plain", *["+0.857"] * 5, "0.000", f"{contrast.compression:.2f}"]
    assert row == _cells(text, "  headed - plain")
    written = json.loads((done.path / "sampled.json").read_text())
    assert json.loads(json.dumps(asdict(done.summary))) == written
    measures = [row.measure for row in done.summary.contrasts]
    assert "Success@1" == measures[0]
    assert len(measures) == len(set(measures)) > 1
    assert [m for m in measures for _ in "ab"] == sorted(
        (row.measure for row in done.summary.arms), key=measures.index
    )


def test_a_whole_without_a_gap_has_no_compression(world: World) -> None:
    """What only rounding leaves of a difference is no gap to be a share of, and has no sign."""
    whole = record_json(
        run_experiment(world.experiment, load_model=load_stand_in, clock=lambda: RUN_AT).record
    )
    sample(world)
    done = run(world)
    sampled = json.loads((done.path / "seed-1/record.json").read_text())
    whole["contrasts"][0]["measures"]["Success@1"]["difference"] = -1e-17
    found = summarise(
        {"seed-1": record_of(sampled)}, whole=(WholeRun("whole", 12), record_of(whole)), at=RUN_AT
    )
    assert found.contrasts[0].compression is None
    row = _cells(summary_text(found), "  headed - plain")
    assert ["headed - plain", "0.000", "+0.857", "+0.857", "0.000"] == row


def test_another_experiment_is_no_whole(world: World) -> None:
    """Only the same file over the parent is put beside a sample."""
    run_experiment(world.experiment, load_model=load_stand_in, clock=lambda: RUN_AT)
    world.write_experiment(protocol='split = "all"\nnothing_tuned = true')
    sample(world)
    done = run(world)
    assert done.summary.whole is None
    record = json.loads((done.path / "seed-1/record.json").read_text())
    assert whole_run(world.experiment, record_of(record)) is None


def test_a_sample_may_be_pinned_by_an_experiment(world: World) -> None:
    """Its labels are those of the parent."""
    [found] = sample(world, seeds=(1,))
    text = world.experiment.read_text().replace(world.digest, found.digest)
    world.experiment.write_text(text.replace('"snapshot"', f'"{found.path}"'))
    record = run_experiment(world.experiment, load_model=load_stand_in, clock=lambda: RUN_AT).record
    assert SAMPLED in str(record.headline.stamp)
    with pytest.raises(InputError, match="is a sample itself"):
        sample(world)


def test_what_is_no_sample_of_this_chunk_set_is_refused(world: World, tmp_path: Path) -> None:
    """A whole snapshot, an empty folder, and a sample of another parent."""
    with pytest.raises(InputError, match="holds no sample"):
        run_samples(world.experiment, world.folder / "snapshot", load_model=load_stand_in)
    [found] = sample(world, seeds=(1,))
    manifest = json.loads((found.path / "manifest.json").read_text())
    manifest["derived"]["parent"]["digest"] = "0" * 64
    (found.path / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(InputError, match="a sample of another chunk set"):
        run_samples(world.experiment, found.path, load_model=load_stand_in)
    shutil.rmtree(tmp_path / "experiment.samples")


def test_a_header_file_for_the_whole_serves_a_sample(world: World) -> None:
    """It speaks of chunks that the sample left out, which is no mistake."""
    lines = [
        {"chunk_id": c, "text": "H"} for c in read_snapshot(world.folder / "snapshot").chunk_ids()
    ]
    (world.folder / "h.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    text = world.experiment.read_text().replace('"title+path"', '"file:h.jsonl"')
    world.experiment.write_text(text)
    sample(world)
    assert 3 == len(run(world).summary.samples)
