"""Commands for working on a header: tuning documents and queries, and a word about any other."""

import json
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner

from evaluator.arms.header_report import report_headers
from evaluator.arms.trace import trace_experiment
from evaluator.cli.main import main
from evaluator.experiment.pinned import open_experiment
from evaluator.labelset.ledger import ledger_path
from tests.small_world import RUN_AT, World, load_stand_in, small_qrels, small_world


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """q4 has gold in a tuning document and in a held-out one; traces use the stand-in."""
    quick = partial(trace_experiment, load_model=load_stand_in, clock=lambda: RUN_AT)
    monkeypatch.setattr("evaluator.arms.trace.trace_experiment", quick)
    qrels = {query_id: dict(grades) for query_id, grades in small_qrels().items()}
    qrels["q4"]["leave#0"] = 1
    return small_world(tmp_path, qrels=qrels)


def looks(world: World) -> list[str]:
    path = ledger_path(world.labels)
    lines = path.read_text().splitlines() if path.exists() else []
    return [json.loads(line)["what"] for line in lines]


def test_nothing_held_out_is_read_unless_it_is_named(world: World) -> None:
    """Neither by the report on headers nor by a trace, and the ledger stays empty."""
    opened = open_experiment(world.experiment)
    reports = [report_headers(opened, arm, show=100) for arm in opened.experiment.arms]
    shown = {chunk_id for report in reports for chunk_id, _, _ in report.examples}
    traced = json.loads(CliRunner().invoke(main, ["trace", str(world.experiment), "--json"]).stdout)
    assert {False} == {one["held_out"] for one in traced}
    shown |= {one["id"] for one in traced if one["side"] == "chunk"}
    rule = opened.labels.held_out_rule
    assert {False} == {rule.holds_out(chunk_id.split("#")[0]) for chunk_id in shown}
    assert [] == looks(world)


def test_what_is_held_out_and_named_is_said_and_counted(world: World) -> None:
    """A query with some held-out gold too; a tuning chunk beside it is not mentioned."""
    asked = ["--query", "q1", "--query", "q4", "--chunk", "leave#0", "--chunk", "keys#0"]
    done = CliRunner().invoke(main, ["trace", str(world.experiment), *asked, "--json"])
    said = "Held out, and shown since it was named: q1, q4, leave#0. The look is counted."
    assert said == done.stderr.strip()
    traced = json.loads(done.stdout)
    assert {"q1", "q4", "leave#0"} == {one["id"] for one in traced if one["held_out"]}
    assert ["trace of q1, q4, leave#0"] == looks(world)
