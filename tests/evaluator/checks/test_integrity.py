"""Records that somebody edited, as the report meets them."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from evaluator import InputError
from evaluator.checks.integrity import require_untouched
from evaluator.cli.main import main
from evaluator.outside.compare import compare_files
from evaluator.record.files import own_sha256, read_record, record_text
from evaluator.run import run_experiment
from tests.small_world import RUN_AT, arm, load_stand_in, small_queries, small_world

Record = dict[str, Any]
THREE = arm("plain") + arm("titled", header="title") + arm("headed", header="title+path")


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of three arms, and so of two contrasts, that names its held-out flips."""
    world = small_world(tmp_path_factory.mktemp("world"))
    world.write_experiment(arms=THREE)
    return run_experiment(
        world.experiment, load_model=load_stand_in, clock=lambda: RUN_AT, open_held_out=True
    ).path


@pytest.fixture
def results(written: Path, tmp_path: Path) -> Path:
    """A copy that a test may spoil."""
    copied = tmp_path / "results"
    copied.mkdir()
    for path in written.iterdir():
        (copied / path.name).write_bytes(path.read_bytes())
    return copied


def edit(results: Path, change: Callable[[Record], object], *, digest: bool = True) -> Record:
    """A changed record on disk; without its digest it is as earlier versions wrote it."""
    record = read_record(results)
    change(record)
    if not digest:
        record.pop("sha256", None)
    (results / "record.json").write_text(record_text(record), encoding="utf-8")
    return record


def test_a_record_as_it_was_written_is_fine(results: Path) -> None:
    """Its digest is of itself, and one that has none is held against the tables alone."""
    record = read_record(results)
    assert own_sha256(record) == record["sha256"]
    assert require_untouched(record, results) is None
    assert require_untouched(edit(results, lambda _: None, digest=False), results) is None


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("headline.n", 900),
        ("headline.n_gold", 900),
        ("arms[2].measures.Success@1.gold", 0.99),
        ("contrasts[0].cells.1.won", 66),
        ("contrasts[1].cells.2.interval[0]", 0.5),
        ("contrasts[1].measures.Success@1.difference", 0.99),
        ("contrasts[1].measures.Success@1.p", 0.001),
        ("contrasts[1].measures.nDCG@5.treatment", 0.99),
        ("contrasts[1].primary.p_holm", 0.001),
    ],
)
@pytest.mark.parametrize("digest", [True, False])
def test_an_edited_figure_is_named_with_what_the_tables_give(
    results: Path, place: str, value: float, digest: bool
) -> None:
    """With the record's digest and without."""

    def change(record: Any) -> None:
        *inner, last = place.replace("[", ".").replace("]", "").split(".")
        for key in inner:
            record = record[int(key) if isinstance(record, list) else key]
        record[int(last) if isinstance(record, list) else last] = value

    record = edit(results, change, digest=digest)
    with pytest.raises(InputError) as refused:
        require_untouched(record, results)
    assert "was edited after the run: " in str(refused.value)
    first, *_ = str(refused.value).split("edited after the run: ")[1].split(" is ")
    # A p that is not its own makes the adjusted ones wrong as well, and they are looked at first.
    assert first == place or (place.endswith(".p") and first.endswith(("p", "p_holm")))


def test_what_no_table_gives_is_told_by_the_digest(results: Path) -> None:
    """A second of encoding, a sentence: anything at all."""
    record = edit(results, lambda record: record["arms"][0]["costs"].update(build_seconds=0))
    with pytest.raises(InputError, match="it is not what its own digest says"):
        require_untouched(record, results)


def test_another_table_than_the_run_wrote_is_refused(results: Path) -> None:
    """Its digest stands in the record."""
    table = results / "headed.tsv"
    table.write_text(table.read_text(encoding="utf-8").replace("1.0", "0.5"), encoding="utf-8")
    with pytest.raises(InputError, match=r"headed\.tsv is not the table that the run wrote"):
        require_untouched(read_record(results), results)


def test_tables_that_are_not_there_are_said_to_be_missing(results: Path) -> None:
    """A record alone can be read, and its own digest is checked all the same."""
    (results / "headed.tsv").unlink()
    said = require_untouched(read_record(results), results)
    assert f"Not checked against the tables by query: headed.tsv missing in {results}." == said
    record = edit(results, lambda record: record["headline"].update(n=900))
    with pytest.raises(InputError, match="its own digest"):
        require_untouched(record, results)


def test_queries_in_groups_are_tested_by_group(tmp_path: Path) -> None:
    """Their p takes the groups; levels and cells are held against the tables all the same."""
    queries = [
        replace(query, group="leave" if query.query_id in ("q1", "q2") else query.query_id)
        for query in small_queries()
    ]
    world = small_world(tmp_path, queries=queries)
    found = run_experiment(world.experiment, load_model=load_stand_in, clock=lambda: RUN_AT).path
    record = read_record(found)
    assert "ignoring_clusters" in record["contrasts"][0]["measures"]["Success@1"]
    assert require_untouched(record, found) is None


def test_runs_made_elsewhere_have_nothing_to_check(results: Path, written: Path) -> None:
    """Their record has no tables and no digest."""
    record = compare_files(
        results / "plain.run",
        results / "headed.run",
        labels=written.parents[1] / "labels/small-1",
        measures=["Success@1"],
    )
    assert require_untouched(record, results) is None


def test_the_report_of_an_edited_record_is_not_printed(results: Path, written: Path) -> None:
    """Nor is it a look at what it names."""
    looks = written.parents[1] / "labels/small-1.ledger.jsonl"
    before = looks.read_text(encoding="utf-8")
    edit(results, lambda record: record["contrasts"][0]["cells"]["1"].update(won=66))
    done = CliRunner().invoke(main, ["report", str(results)])
    assert (1, "") == (done.exit_code, done.stdout)
    assert "contrasts[0].cells.1.won is 66, and the tables by query give" in done.stderr
    assert before == looks.read_text(encoding="utf-8")
