"""A workspace of the tables of 2026 as it was dumped then opens, and says all that it said."""

import json
import shutil
import sqlite3
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

from labeler.workspace.workspace import Workspace

GOLDEN = Path(__file__).parents[2] / "golden" / "workspace"


def test_an_old_workspace_says_all_that_it_said(tmp_path: Path) -> None:
    """Every part, by every method that reads one."""
    shutil.copytree(GOLDEN / "snapshot", tmp_path / "snapshot")
    with closing(sqlite3.connect(tmp_path / "work.sqlite")) as db:
        db.executescript((GOLDEN / "work.sql").read_text(encoding="utf-8"))
    expected = json.loads((GOLDEN / "read.json").read_text(encoding="utf-8"))
    found = everything(Workspace.open(tmp_path))
    assert expected.keys() == found.keys()
    for name, value in json.loads(json.dumps(found)).items():
        assert (name, expected[name]) == (name, value)


def everything(workspace: Workspace) -> dict[str, Any]:
    """What a workspace holds, by the names of the golden file."""
    queries, pool, judgements = workspace.queries, workspace.pool, workspace.judgements
    decisions, people, sample = workspace.decisions, workspace.people, queries.sample()
    return {
        "settings": asdict(workspace.settings),
        "snapshot": list(workspace.snapshot.chunk_ids()),
        "logs": queries.logs(),
        "log_queries": [asdict(each) for each in queries.log_queries()],
        "sample": sample and sample.to_json(),
        "queries": [asdict(each) for each in queries.all()],
        "seen": queries.seen(),
        "authors": queries.authors(),
        "wording": queries.wording(),
        "pool": list(pool.entries()),
        "sources": pool.sources(),
        "judgements": list(judgements.all()),
        "standing": [each.event_id for each in judgements.standing()],
        "query_ends": judgements.query_ends(),
        "progress": [asdict(each) for each in workspace.progress()],
        "decisions": list(decisions.all()),
        "decided": [[*pair, each.event_id] for pair, each in decisions.standing().items()],
        "events": [each.event_id for each in workspace.events()],
        "last_moment": decisions.last_moment(),
        "assessors": people.assessors(),
        "roles": [asdict(each) for each in people.roles()],
        "assignment": people.assignment(),
        "assessors_by_query": people.assessors_by_query(),
        "flip_marks": [asdict(each) for each in workspace.flip_marks.of("ef" * 32)],
    }
