"""Writing a label set: whole, verified and once, or not at all."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evaluator.labelset.format import (
    Judgement,
    LabelSet,
    LabelSetError,
    PoolEntry,
    Query,
    read_label_set,
    verify,
)
from evaluator.labelset.writing import write_label_set
from tests.evaluator.labelset.test_format import AT, GOLDEN, SHA256, golden_copy


def written(directory: Path, labels: LabelSet, **changes: object) -> str:
    """Write what was read, with some parts changed."""
    return write_label_set(directory, **{**parts_of(labels), "qrels": labels.qrels, **changes})


def parts_of(labels: LabelSet) -> dict[str, Any]:
    """What was read, but for the grades."""
    return {
        "queries": labels.queries,
        "pool": labels.pool,
        "judgements": labels.judgements,
        "manifest": {k: v for k, v in labels.manifest.items() if k not in ("format", "members")},
    }


@pytest.mark.parametrize("name", SHA256)
def test_a_golden_set_is_reproduced_byte_for_byte(name: str, tmp_path: Path) -> None:
    """What is read and written again is the same five files."""
    assert SHA256[name] == written(tmp_path / "again", read_label_set(GOLDEN / name))
    for path in (GOLDEN / name).iterdir():
        assert path.read_bytes() == (tmp_path / "again" / path.name).read_bytes()


def test_an_existing_directory_is_never_overwritten(tmp_path: Path) -> None:
    """A correction is a new set."""
    labels = read_label_set(GOLDEN / "binary")
    with pytest.raises(LabelSetError, match="never overwritten"):
        written(golden_copy(tmp_path, "binary"), labels)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"qrels": {"q1": {"leave.md#0": 7}}}, "a grade of the scale"),
        ({"qrels": {}}, "q1 leave.md#0: none and not 3"),
        ({"pool": ()}, "a pair of pool.jsonl"),
        ({"manifest": {"name": "x"}}, "the key 'version'"),
        ({"judgements": [Judgement("e", "q", "c", "a", 9, "grade", AT)]}, "grades of the scale"),
        ({"queries": [Query("q1", "half a pair \ud83d")]}, "surrogates not allowed"),
        ({"queries": [Query("q1", "x", weight=float("nan"))]}, "line 1: .* not JSON compliant"),
        ({"queries": [Query("q1", "x", weight=1j)]}, "complex is not JSON serializable"),  # type: ignore[arg-type]
        ({"queries": [Query("q1", "x", origin="somewhere")]}, r"line 1: origin 'somewhere'"),  # type: ignore[arg-type]
        ({"queries": [Query("q1", "x", filter={"team": 1})]}, r"line 1: filter \{'team': 1\}"),  # type: ignore[dict-item]
    ],
)
def test_a_set_that_would_not_verify_is_not_written(
    changes: dict[str, object], expected: str, tmp_path: Path
) -> None:
    """It is found before anything is there to be used."""
    with pytest.raises(LabelSetError, match=expected):
        written(tmp_path / "bad", read_label_set(GOLDEN / "graded"), **changes)
    assert [] == list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("member", "field", "value"),
    [
        ("judgements", "event_id", ""),
        ("judgements", "grade", True),
        ("judgements", "position", 1.5),
        ("judgements", "judged_at", "2026-01-05"),
        ("pool", "text_sha256", "ff"),
    ],
)
def test_a_row_that_no_reader_would_take_is_not_written(
    member: str, field: str, value: object, tmp_path: Path
) -> None:
    """The message says where it stands and what is wrong with it."""
    labels = read_label_set(GOLDEN / "graded")
    *rows, last = getattr(labels, member)
    changed = {member: [*rows, last._replace(**{field: value})]}
    where = rf"{member}\.jsonl \(structure\): .* line {len(rows) + 1}: {field} {value!r}"
    with pytest.raises(LabelSetError, match=where):
        written(tmp_path / "set", labels, **changed)
    assert [] == list(tmp_path.iterdir())


def test_of_two_that_freeze_one_name_the_second_is_refused(tmp_path: Path) -> None:
    """Also where it began when the name was still free."""
    labels = read_label_set(GOLDEN / "graded")

    def meanwhile() -> Iterator[PoolEntry]:
        written(tmp_path / "set", labels)
        yield from labels.pool

    with pytest.raises(LabelSetError, match="set exists and a frozen set is never overwr"):
        written(tmp_path / "set", labels, pool=meanwhile())
    assert ["set"] == [path.name for path in tmp_path.iterdir()]
    assert () == verify(tmp_path / "set")


def test_what_is_interrupted_leaves_nothing(tmp_path: Path) -> None:
    """Whatever ends it."""

    def interrupted() -> Iterator[Judgement]:
        raise KeyboardInterrupt
        yield

    with pytest.raises(KeyboardInterrupt):
        written(tmp_path / "set", read_label_set(GOLDEN / "graded"), judgements=interrupted())
    assert [] == list(tmp_path.iterdir())


def test_a_scale_can_reach_far(tmp_path: Path) -> None:
    """Where no rule is named, any grade of it between those given will do, without counting up."""
    labels = read_label_set(GOLDEN / "graded")
    assessment = {**labels.manifest["assessment"], "rule": None}
    assessment["grades"] = {**assessment["grades"], "999999999": "beyond all measure"}
    manifest = {**parts_of(labels)["manifest"], "assessment": assessment}
    *_, last = labels.judgements
    ends = [("low", 0), ("high", 999_999_999)]
    given = last._replace(verdict="grade", method=None)
    events = [given._replace(event_id=who, assessor=who, grade=grade) for who, grade in ends]
    pair = (last.query_id, last.chunk_id)
    others = [e for e in labels.judgements if (e.query_id, e.chunk_id) != pair]
    qrels = {q: dict(grades) for q, grades in labels.qrels.items()}
    qrels[last.query_id][last.chunk_id] = 999_999_999
    changes = {"manifest": manifest, "judgements": [*others, *events], "qrels": qrels}
    written(tmp_path / "far", labels, **changes)
    assert () == verify(tmp_path / "far")
