"""Pairs for the next label set: which, in what order, and without anything that leads."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from evaluator import InputError
from evaluator.cli.main import main
from evaluator.contrasts.model import SignChange
from evaluator.labelset.format import read_label_set
from evaluator.labelset.ledger import ledger_path
from evaluator.record.files import read_results
from evaluator.record.model import Record, json_text, record_of
from evaluator.record.unjudged import note_look, unjudged_pairs
from tests.evaluator.example_record import example_record
from tests.small_world import World, run_world, small_world

pytestmark = pytest.mark.usefixtures("cache")

UNJUDGED = {"q1": ["a", "b"], "q2": ["c"], "q,3": ['say "x"\n']}


def record(number: int = 1, **doubts: Any) -> Record:
    """The example with these doubts, in so many contrasts."""
    found = record_of(json.loads(json_text(example_record())))
    sign = SignChange("exact", 2, {"q1": ("b",), "q2": ("c",)}, 0.1)
    [contrast] = found.contrasts
    doubted = replace(contrast.doubts, **{"unjudged": UNJUDGED, "sign": sign, **doubts})
    return replace(found, contrasts=(replace(contrast, doubts=doubted),) * number)


def test_the_shortest_list_or_all_of_them() -> None:
    """Each pair once, whatever the number of contrasts."""
    twice = record(2)
    assert {("q1", "b"), ("q2", "c")} == set(unjudged_pairs(twice, everything=False, seed=1))
    every = unjudged_pairs(twice, everything=True, seed=1)
    assert {("q1", "a"), ("q1", "b"), ("q2", "c"), ("q,3", 'say "x"\n')} == set(every)
    assert 4 == len(every)


def test_the_seed_draws_the_order_and_nothing_else_does() -> None:
    """Neither the order of the record nor that of the ids shows in it."""
    many = {"q": [f"c{number:02}" for number in range(30)]}
    turned = {"q": list(reversed(many["q"]))}
    first, again, other = (
        unjudged_pairs(record(unjudged=pairs), everything=True, seed=seed)
        for pairs, seed in ((many, 1), (turned, 1), (many, 2))
    )
    assert first == again
    assert first != other
    assert first != sorted(first)
    assert set(first) == set(other)


@pytest.mark.parametrize(
    ("found", "message"),
    [
        (record(0), "no contrast"),
        (record(unjudged=None, sign=None), "Negatives are not recorded"),
        (record(sign=SignChange(None, None, {})), "--all"),
    ],
)
def test_a_record_that_cannot_say_is_refused(found: Record, message: str) -> None:
    """With what to do instead."""
    with pytest.raises(InputError, match=message):
        unjudged_pairs(found, everything=False, seed=1)


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = small_world(tmp_path)
    run_world(world, out=tmp_path / "results")
    return world


def test_the_file_holds_ids_and_nothing_else(world: World) -> None:
    """Two keys a line, as text; the file is not overwritten, and the look is counted."""
    out = world.folder / "pairs.jsonl"
    before = len(ledger_path(world.labels).read_text().splitlines())
    command = ["unjudged", str(world.folder / "results"), "--all", "-o", str(out)]
    done = CliRunner().invoke(main, command)
    assert 0 == done.exit_code, done.output
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert rows
    assert {("chunk_id", "query_id")} == {tuple(row) for row in rows}
    qrels = read_label_set(world.labels).qrels
    assert all(row["chunk_id"] not in qrels[row["query_id"]] for row in rows)
    looks = ledger_path(world.labels).read_text().splitlines()
    assert before + 1 == len(looks)
    assert "unjudged pairs of held-out queries" in looks[-1]
    again = CliRunner().invoke(main, command)
    assert (1, True) == (again.exit_code, "exists already" in again.stderr)
    assert looks == ledger_path(world.labels).read_text().splitlines()
    printed = CliRunner().invoke(main, command[:3])
    assert out.read_text() == printed.stdout


def test_a_label_set_that_is_elsewhere_can_be_named(world: World) -> None:
    """Without it the look could not be counted."""
    found = read_results(world.folder / "results")
    pairs = unjudged_pairs(found, everything=True, seed=1)
    world.labels.rename(world.folder / "moved")
    with pytest.raises(InputError, match="Name it with --labels"):
        note_look(found, pairs)
    assert 1 == note_look(found, pairs, labels=world.folder / "moved")


def test_a_record_of_runs_made_elsewhere_will_do(world: World) -> None:
    """What `compare --json` wrote has the same doubts."""
    results = world.folder / "results"
    runs = [str(results / f"{name}.run") for name in ("plain", "headed")]
    command = ["compare", *runs, "--labels", str(world.labels), "--measure", "Success@1", "--json"]
    compared = CliRunner().invoke(main, command)
    assert 0 == compared.exit_code, compared.output
    saved = world.folder / "compared.json"
    saved.write_text(compared.stdout)
    done = CliRunner().invoke(main, ["unjudged", str(saved), "--all"])
    assert 0 == done.exit_code, done.output
    assert done.stdout
