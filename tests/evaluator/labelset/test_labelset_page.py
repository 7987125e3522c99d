"""The written specification of the label set against the sets, and against the code."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import jsonschema
import pytest

from tests.broken.label_sets import COVERED, FILES, MANIFESTS, UNSEEN, Damage
from tests.evaluator.labelset.test_format import GOLDEN, ROOT, golden_copy

SPECIFICATION = files("evaluator.labelset").joinpath("labelset.md").read_text(encoding="utf-8")
SCHEMA = json.loads(files("evaluator.labelset").joinpath("labelset.schema.json").read_bytes())
SETS = (
    *(GOLDEN / name for name in ("binary", "graded", "unicode")),
    ROOT / "data/demo/labels/demo-1",
)
LOOSE = {  # what a schema of the parsed manifest cannot say
    "manifest with NaN",
    "manifest with a key twice",
    "held-out bucket that does not exist",
    "time of freezing on no day",
    "rows as a number with a point",
}


def errors(manifest: object) -> list[str]:
    """What the schema says against a manifest."""
    checker = jsonschema.Draft202012Validator(SCHEMA)
    return [error.message for error in checker.iter_errors(manifest)]


# The schema


@pytest.mark.parametrize("folder", SETS, ids=lambda folder: folder.name)
def test_the_manifest_of_a_sound_set_is_valid(folder: Path) -> None:
    """The demo's and the golden ones; and the schema is one, of the draft that it names."""
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert [] == errors(json.loads((folder / "manifest.json").read_bytes()))


@pytest.mark.parametrize("kind", MANIFESTS)
def test_a_broken_manifest_is_not_valid(kind: str, tmp_path: Path) -> None:
    """Where it can be parsed at all, and the damage is not in its spelling."""
    folder = golden_copy(tmp_path, MANIFESTS[kind].golden)
    MANIFESTS[kind].damage(folder)
    try:
        manifest = json.loads((folder / "manifest.json").read_bytes().decode(), parse_constant=str)
    except ValueError:
        return
    assert (kind in LOOSE) == (errors(manifest) == [])


@pytest.mark.parametrize("key", sorted(SCHEMA["required"]))
def test_every_key_is_required(key: str) -> None:
    """None of them has a default."""
    manifest = json.loads((GOLDEN / "binary/manifest.json").read_bytes())
    assert errors({k: v for k, v in manifest.items() if k != key})


# The text


def table(rows: Iterable[tuple[str, ...]], head: str) -> str:
    lines = [
        head,
        "|---" * head.count(" | ") + "|---|",
        *(f"| {' | '.join(row)} |" for row in rows),
    ]
    return "\n".join(lines)


@pytest.mark.parametrize(
    "damages", [FILES, MANIFESTS, COVERED], ids=["files", "manifests", "covered"]
)
def test_the_table_of_damages_is_the_one_that_is_tested(damages: Mapping[str, Damage]) -> None:
    """Every kind, with the file that is named and the question that failed."""
    rows = [(kind, f"`{each.member}`", each.question) for kind, each in damages.items()]
    assert table(rows, "| damage | file named | question |") in SPECIFICATION


def test_what_only_the_digest_shows_is_said() -> None:
    """Nobody should think that a set alone proves itself."""
    assert f"edited to match: {', '.join(UNSEEN)}." in SPECIFICATION


def test_the_worked_buckets_are_right() -> None:
    """Salt, id, digits and bucket as anybody can compute them."""
    rows = []
    for doc_id in ("leave.md", "pay.md", "keys.md", "my page.md", "naïve.md"):
        digits = hashlib.sha256(f"2858dcd1057d3eae:{doc_id}".encode()).hexdigest()[:16]
        rows.append((f"`{doc_id}`", f"`{digits}`", str(int(digits, 16) % 5)))
    assert table(rows, "| doc_id | first 16 hex digits | bucket |") in SPECIFICATION


# By the specification alone, without the project's code


def grades_by_the_text(folder: Path) -> dict[tuple[str, str], int]:
    """What `qrels.txt` must say, worked out from the rows of the other files."""
    rule = json.loads((folder / "manifest.json").read_bytes())["assessment"].get("rule")
    queries, pool, events = (
        [json.loads(row) for row in (folder / f"{name}.jsonl").read_bytes().splitlines()]
        for name in ("queries", "pool", "judgements")
    )
    skipped = {query["query_id"] for query in queries if query["skip_reason"] is not None}
    events_by_pair: dict[tuple[str, str], list[dict[str, Any]]] = {
        pair_of(entry): [] for entry in pool if entry["query_id"] not in skipped
    }
    for event in events:
        events_by_pair.get(pair_of(event), []).append(event)
    grade_by_pair = {pair: grade_of(given, rule) for pair, given in events_by_pair.items()}
    return {pair: grade for pair, grade in grade_by_pair.items() if grade is not None}


def pair_of(row: dict[str, Any]) -> tuple[str, str]:
    return row["query_id"], row["chunk_id"]


def grade_of(events: list[dict[str, Any]], rule: str) -> int | None:
    decisions = [e for e in events if e["method"] == "adjudication"][-1:]
    last = {e["assessor"]: e for e in events if e["method"] != "adjudication"}
    standing = [e["grade"] for e in last.values() if e["verdict"] != "undone"]
    if standing and decisions and decisions[0]["verdict"] != "undone":
        return decisions[0]["grade"]
    grades = sorted(grade for grade in standing if grade is not None)
    if not grades:
        return None
    most = max(Counter(grades).values())
    return {
        "majority": min(grade for grade in grades if grades.count(grade) == most),
        "highest": grades[-1],
        "lowest": grades[0],
        "median": grades[(len(grades) - 1) // 2],
    }[rule]


@pytest.mark.parametrize("folder", SETS, ids=lambda folder: folder.name)
def test_the_specification_is_enough_to_work_out_the_grades(folder: Path) -> None:
    """Written from the page alone."""
    rows = [line.split() for line in (folder / "qrels.txt").read_bytes().decode().splitlines()]
    found = {(unquote(query_id), unquote(chunk)): int(grade) for query_id, _, chunk, grade in rows}
    assert grades_by_the_text(folder) == found
