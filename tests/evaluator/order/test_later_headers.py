"""Headers that are first seen after a look at held-out results."""

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from evaluator.order.evidence import DatedFile, Trace, Treatment
from evaluator.order.header_dates import Traces
from evaluator.order.later_headers import after_look_text, headers_after_looks
from evaluator.record.model import record_json, record_of
from evaluator.report.report import markdown_report
from evaluator.run import run_experiment
from tests.small_world import RUN_AT, World, arm, load_stand_in, small_world

NOW = datetime(2026, 12, 9, tzinfo=UTC)


def _found(*looks: dict[str, Any], traces: tuple[Trace, ...] = (), changed: str = "") -> list[int]:
    treatment = Treatment("h1", "title", ("headed",), traces)
    dated = DatedFile("experiment", "e.toml", "e1", changed or None, *[None] * 5)
    rows = [{"who": "ann", "experiment": "old", **look} for look in looks]
    found = headers_after_looks(Traces((treatment,), (dated,), ()), rows, sha256="e1", now=NOW)
    return [one.looks_before for one in found]


@pytest.mark.parametrize(
    ("expected", "how"),
    [
        ([1], {}),
        ([1], {"changed": "2026-12-03"}),
        ([], {"changed": "2026-12-01"}),
        ([], {"traces": (Trace("2026-12-01", "committed", ""),)}),
        ([], {"traces": (Trace("2026-12-02T08:30:00Z", "run", ""),)}),
        ([1], {"traces": (Trace("2026-12-01", "arm", ""), Trace("2026-12-01", "generated", ""))}),
        ([1], {"traces": (Trace("no date", "changed", ""),)}),
    ],
)
def test_a_header_is_marked_unless_something_shows_it_before_the_look(
    expected: list[int], how: dict[str, Any]
) -> None:
    """Its file, a commit or a run; when work on it began is no sign of what it was then."""
    assert expected == _found({"at": "2026-12-02T08:30:00.000Z", "sha256": "e0"}, **how)


def test_a_look_shows_the_headers_that_it_looked_at() -> None:
    """By their digests, or by that of the very experiment; it is no look before itself."""
    assert [] == _found({"at": "2026-12-02T08:30:00Z", "sha256": "e1"})
    assert [] == _found({"at": "2026-12-02T08:30:00Z", "sha256": "e0", "headers": ["h1"]})
    earlier = {"at": "2026-12-01T08:30:00Z", "sha256": "e0", "headers": ["h0"]}
    assert [1] == _found(earlier, {"at": "2026-12-02T08:30:00Z", "sha256": "e1"})
    assert [] == _found({"at": "some day", "sha256": "e0"})


@pytest.mark.usefixtures("cache")
def test_the_report_names_a_header_that_came_after_a_look(tmp_path: Path) -> None:
    """A second rule, written when results of the first were known, is marked; the first is not."""
    world = small_world(tmp_path)
    first = _run(world, RUN_AT)
    assert [] == first["labels"]["order"]["after_looks"]
    world.write_experiment(arms=arm("plain") + arm("renamed", header="title+path"))
    _date(world.experiment, RUN_AT + timedelta(days=1))
    assert [] == _run(world, RUN_AT + timedelta(days=1))["labels"]["order"]["after_looks"]
    world.write_experiment(arms=arm("plain") + arm("headed", header="title"))
    _date(world.experiment, RUN_AT + timedelta(days=2))
    record = _run(world, RUN_AT + timedelta(days=2))
    [marked] = record["labels"]["order"]["after_looks"]
    assert (["headed"], "2026-12-04T08:30:00.000Z", 2) == tuple(
        marked[key] for key in ("arms", "first_seen_at", "looks_before")
    )
    assert "2026-12-02T08:30:00.000Z" == marked["first_look"]["at"]
    order = record_of(record).labels.order
    assert order is not None
    assert after_look_text(order.after_looks[0]) == record["notes"][0]
    assert "HEADER WRITTEN AFTER A LOOK" in markdown_report(record_of(record))
    rows = world.labels.with_name("small-1.ledger.jsonl").read_text().splitlines()
    assert 3 == len(rows)
    digests = [record["arms"][1][key] for key in ("header_sha256", "header_strings_sha256")]
    assert sorted(digests) == json.loads(rows[-1])["headers"]


def _run(world: World, at: datetime) -> dict[str, Any]:
    how: dict[str, Any] = {"load_model": load_stand_in, "clock": lambda: at}
    out = world.folder / f"out-{at:%d}"
    return record_json(run_experiment(world.experiment, out=out, **how).record)


def _date(path: Path, at: datetime) -> None:
    os.utime(path, (at.timestamp(), at.timestamp()))
