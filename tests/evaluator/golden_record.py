"""
The golden record: a run of the small world with the stand-in encoder, and its three reports.

It has the schema of all records beside it, in `evaluator/record`.

`python -m tests.evaluator.golden_record` writes them anew where a change of the format or of the
words is meant. What a machine decides is set to fixed values, so the record's own digest is not
that of its text.
"""

import json
import os
import tempfile
from pathlib import Path
from typing import Any

from evaluator.record.model import json_text, record_json, record_of, record_schema
from evaluator.report.report import html_report, markdown_report, terminal_report
from evaluator.run import run_experiment
from tests.small_world import RUN_AT, load_stand_in, small_world

FOLDER = Path(__file__).parent.parent / "golden" / "record"
SCHEMA = Path(__file__).parents[2] / "evaluator" / "record" / "record.schema.json"
REPORTS = {
    "report.txt": terminal_report,
    "report.md": markdown_report,
    "report.html": html_report,
}
_CHANCE = ("_seconds", "query_ms_p50", "query_ms_p95")


def write_golden(folder: Path = FOLDER) -> None:
    """Run the small world and write its record with the three reports."""
    with tempfile.TemporaryDirectory() as place:
        os.environ["ONECAUSE_CACHE"] = str(Path(place) / "cache")
        world = small_world(Path(place) / "world")
        for file in world.folder.rglob("*"):
            os.utime(file, (RUN_AT.timestamp(), RUN_AT.timestamp()))
        found = run_experiment(
            world.experiment, load_model=load_stand_in, clock=lambda: RUN_AT
        ).record
        text = json_text(_settled(record_json(found))).replace(str(world.folder), "world")
    (folder / "record.json").write_text(text, encoding="utf-8")
    for name, report in REPORTS.items():
        (folder / name).write_text(report(record_of(json.loads(text))), encoding="utf-8")


def _settled(value: Any) -> Any:
    """The same values with every time, version and machine fixed."""
    if isinstance(value, dict):
        fixed = {
            key: 1.0 if key.endswith(_CHANCE) else _settled(inner) for key, inner in value.items()
        }
        if "query_ms_spread" in fixed:
            fixed["query_ms_spread"] = [1.0, 1.0]
        if fixed.get("what") == "arm declaration":  # its model lies in the folder of the run
            fixed["sha256"] = "0" * 64
        if "packages" in fixed:
            fixed |= {"python": "3.11.0", "packages": {"onecause": "0.1.0"}}
        if "processors" in fixed:
            fixed |= {"system": "Linux", "architecture": "x86_64", "processors": 2}
        return fixed
    return [_settled(each) for each in value] if isinstance(value, list) else value


if __name__ == "__main__":
    SCHEMA.write_text(json_text(record_schema()), encoding="utf-8")
    write_golden()
