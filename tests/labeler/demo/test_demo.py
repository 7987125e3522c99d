"""The demo: a workspace from a copy, and a label set that is made again to the byte."""

import csv
import io
import json
import tomllib
from pathlib import Path

import pytest

from evaluator import InputError
from evaluator.labelset.format import read_label_set
from evaluator.record.model import record_of
from evaluator.snapshot.snapshot import read_snapshot
from evaluator.vectors import encoder as encode
from labeler.corpus.build import build_snapshot
from labeler.demo.demo import ASSESSORS, demo_source, make_demo
from labeler.demo.rebuild import FROZEN_AT, rebuild, write_unjudged
from labeler.results.results import find_results
from labeler.workspace.workspace import Workspace
from tests.labeler.small import clock
from tests.stand_in import stand_in_model

JUDGEMENTS = """query,doc_id,quotation,grade
notice,leave.md,four weeks before leave,1
notice,parking.md,fourteen euros,0
parking,parking.md,fourteen euros,1
"""
EXPERIMENT = """name = "headers"

[labels]
path = "labels/demo-1"
sha256 = ""

[snapshot]
path = "snapshot"
digest = "old"  # made by make demo-labels

[model]
sha256 = "kept"
"""

SOURCE = {
    "corpus/leave.md": "# Leave\n\nTell your manager four weeks before leave begins.\n",
    "corpus/parking.md": "# Parking\n\nA parking place costs fourteen euros a month.\n",
    "searches.csv": "query\nnotice\nnotice\nparking\n",
    "known-answers.csv": "query,need,doc_id,quotation\nhow much,Cost?,parking.md,fourteen euros\n",
    "needs.csv": "query,need\nnotice,How long before?\nparking,\n",
    "judgements.csv": JUDGEMENTS,
    "experiment.toml": EXPERIMENT,
}


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A demo of two documents and two queries, with the stand-in as its encoder."""
    monkeypatch.setenv("ONECAUSE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(encode, "load_model", lambda *_, **__: stand_in_model())
    source = tmp_path / "source"
    (source / "corpus").mkdir(parents=True)
    for name, text in SOURCE.items():
        (source / name).write_text(text)
    return source


def files(directory: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(directory)): path.read_bytes()
        for path in directory.rglob("*")
        if path.is_file()
    }


def test_a_demo_is_ready_to_judge(source: Path, tmp_path: Path) -> None:
    """Sample, needs, known answers and pool, beside a copy of everything else."""
    before = files(source)
    said = list(make_demo(tmp_path / "copy", clock=clock, source=source))
    workspace = Workspace.open(tmp_path / "copy")
    assert {"notice": "How long before?", "parking": None, "how much": "Cost?"} == {
        query.text: query.need for query in workspace.queries.all()
    }
    assert "3 queries with 6 pairs to judge." == said[-1]
    assert "invented" in said[0]
    assert "made up" in workspace.settings.name
    assert EXPERIMENT == (tmp_path / "copy" / "experiment.toml").read_text()
    assert before == files(source)


def test_a_demo_opens_at_once_and_alive(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the runs that are shipped no model is loaded, and half of it is judged by two people."""
    rebuild(source, clock=lambda: FROZEN_AT)
    monkeypatch.delattr(encode, "load_model")
    (source / "experiments" / "headers").mkdir(parents=True)
    (source / "experiments" / "headers" / "record.json").write_text("{}")
    said = list(make_demo(tmp_path / "copy", clock=clock, source=source))
    assert "Ada (made up) and Bob (made up) have judged 1 of 3 queries." == said[-1]
    workspace = Workspace.open(tmp_path / "copy")
    assert {"run:plain.run", "run:full-text.run"} < {
        each["source"] for each in workspace.pool.sources()
    }
    judged = [each for each in workspace.progress() if each.ended_by]
    assert [set(ASSESSORS)] == [set(each.ended_by) for each in judged]
    grades = {each.assessor: each.grade for each in workspace.judgements.standing()}
    assert set(ASSESSORS) < set(grades)
    assert 1 == len(find_results(tmp_path / "copy"))


def test_a_second_start_finds_the_workspace(source: Path, tmp_path: Path) -> None:
    """Nothing is made again, so nothing that was judged is lost."""
    list(make_demo(tmp_path / "copy", clock=clock, source=source))
    (said,) = make_demo(tmp_path / "copy", clock=clock, source=source)
    assert "is there already" in said


def test_a_failure_leaves_nothing_behind(source: Path, tmp_path: Path) -> None:
    """A broken file of known answers, found late."""
    (source / "known-answers.csv").write_text("query,chunk_id\nx,gone\n")
    with pytest.raises(InputError, match="no chunk 'gone'"):
        list(make_demo(tmp_path / "copy", clock=clock, source=source))
    assert {"source"} == {path.name for path in tmp_path.iterdir()}


def test_a_folder_of_something_else_is_left_alone(source: Path, tmp_path: Path) -> None:
    """Another name is asked for."""
    (tmp_path / "copy").mkdir()
    (tmp_path / "copy" / "mine.txt").write_text("mine")
    with pytest.raises(InputError, match="is no workspace"):
        list(make_demo(tmp_path / "copy", clock=clock, source=source))


def test_the_label_set_is_made_again_to_the_byte(source: Path) -> None:
    """Set, snapshot and pins; a second time changes nothing."""
    rebuilt = rebuild(source, clock=lambda: FROZEN_AT)
    labels = read_label_set(source / "labels" / "demo-1", sha256=rebuilt.sha256)
    assert {("notice", 1), ("parking", 1)} == {
        (query.text, len(labels.gold(query.query_id))) for query in labels.queries
    }
    assert (1, rebuilt.digest) == (rebuilt.unjudged, labels.manifest["snapshot"]["digest"])
    first = files(source)
    rebuild(source, clock=lambda: FROZEN_AT)
    assert first == files(source)


def test_only_the_two_pins_of_the_experiment_change(source: Path) -> None:
    """Comments, other tables and keys of the same name stay as they are."""
    rebuilt = rebuild(source, clock=lambda: FROZEN_AT)
    expected = EXPERIMENT.replace('sha256 = ""', f'sha256 = "{rebuilt.sha256}"')
    expected = expected.replace('"old"', f'"{rebuilt.digest}"')
    assert expected == (source / "experiment.toml").read_text()


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("notice,leave.md,five weeks,1", "line 5: .* stands in 0 of the 1 chunks"),
        ("holiday,leave.md,four weeks,1", "line 5: the query 'holiday' is not in the sample"),
        ("notice,leave.md,four weeks,2", "line 5: grade '2' is not on the scale"),
        ("notice,leave.md,four weeks,0", "line 5: another grade"),
    ],
)
def test_a_judgement_that_no_longer_fits_is_named(source: Path, row: str, message: str) -> None:
    """The line and the reason, with the old label set left as it was."""
    rebuild(source, clock=lambda: FROZEN_AT)
    (source / "judgements.csv").write_text(JUDGEMENTS + row + "\n")
    before = files(source)
    with pytest.raises(InputError, match=message):
        rebuild(source, clock=lambda: FROZEN_AT)
    assert before == files(source)


def test_what_is_not_judged_yet_can_be_listed(source: Path) -> None:
    """Query, document and text, for whoever writes the judgements."""
    out = io.StringIO()
    write_unjudged(source, out, clock=lambda: FROZEN_AT)
    (row,) = csv.DictReader(io.StringIO(out.getvalue()))
    assert ("parking", "leave.md") == (row["query"], row["doc_id"])


def test_the_demo_in_the_clone_fits_together() -> None:
    """Snapshot, label set and experiment pin each other, and the judgements are its own."""
    place = demo_source()
    experiment = tomllib.loads((place / "experiment.toml").read_text(encoding="utf-8"))
    labels = read_label_set(place / "labels" / "demo-1", sha256=experiment["labels"]["sha256"])
    snapshot = read_snapshot(
        place / "snapshot", digest=experiment["snapshot"]["digest"], verify=True
    )
    assert snapshot.digest == labels.manifest["snapshot"]["digest"]
    with (place / "judgements.csv").open(encoding="utf-8", newline="") as lines:
        assert sum(1 for _ in csv.DictReader(lines)) == len(labels.judgements)
    assert len(labels.queries) >= 60
    assert "made up" in snapshot.name
    record = json.loads((place / "experiments" / "headers" / "record.json").read_bytes())
    pinned = labels.sha256, snapshot.digest
    assert pinned == (record["labels"]["sha256"], record["snapshot"]["digest"])
    assert 0.058 == round(record_of(record).contrasts[0].measures["Success@5"].difference or 0, 3)


def test_the_documents_are_still_cut_as_they_were_judged(tmp_path: Path) -> None:
    """When this fails, the splitter has changed: raise its version and run make demo-labels."""
    built = build_snapshot(
        demo_source() / "corpus", tmp_path / "snapshot", name="demo", created_at=clock()
    )
    assert read_snapshot(demo_source() / "snapshot").digest == built.snapshot.digest


def test_the_practice_query_fits_the_snapshot_and_is_nobodys_to_judge() -> None:
    """Its key names chunks that are there, and its query is in no log."""
    practice = json.loads((demo_source() / "practice.json").read_text())
    ids = [chunk_id for chunk_id, _, _ in practice["texts"]]
    assert set(ids) == read_snapshot(demo_source() / "snapshot").fetch(ids).keys()
    assert practice["query"] not in (demo_source() / "searches.csv").read_text()
