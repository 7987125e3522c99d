"""A label set as tables: every column of its dtype, every text as it was."""

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from evaluator.labelset.format import Judgement, LabelSet, PoolEntry, Query, read_label_set
from evaluator.labelset.frames import (
    COLUMNS,
    judgements_frame,
    open_labels,
    pool_frame,
    qrels_frame,
    queries_frame,
)
from tests.evaluator.labelset.test_format import GOLDEN

FRAMES: dict[str, Callable[[LabelSet], Any]] = {
    "queries": queries_frame,
    "pool": pool_frame,
    "judgements": judgements_frame,
    "qrels": qrels_frame,
}


@pytest.mark.parametrize("member", FRAMES)
@pytest.mark.parametrize("name", ["binary", "graded", "unicode"])
def test_a_table_has_the_columns_that_are_listed(name: str, member: str) -> None:
    """Of their dtypes, in any set, and a row for every row of the file."""
    frame = FRAMES[member](read_label_set(GOLDEN / name))
    assert dict(COLUMNS[member]) == {column: str(kind) for column, kind in frame.dtypes.items()}
    suffix = "txt" if member == "qrels" else "jsonl"
    assert len((GOLDEN / name / f"{member}.{suffix}").read_bytes().splitlines()) == len(frame)


def test_a_notebook_shows_what_a_set_holds() -> None:
    """Its name, counts and identity, and hands out the same tables."""
    labels = open_labels(GOLDEN / "unicode")
    for member, frame in FRAMES.items():
        assert frame(labels.label_set).equals(getattr(labels, member))
    assert "SHA-256 " + labels.label_set.sha256 in labels._repr_html_()
    assert f"{len(labels.queries)} queries" in repr(labels)


def test_the_columns_are_the_fields_of_the_rows() -> None:
    """A field that comes to the format comes to its table."""
    assert [*Query.__annotations__, "query_class"] == list(COLUMNS["queries"])
    assert list(PoolEntry._fields) == list(COLUMNS["pool"])
    assert list(Judgement._fields) == list(COLUMNS["judgements"])


def test_text_stays_text() -> None:
    """`NA`, `null` and `007` are ids, and nothing but what is unknown is missing."""
    labels = read_label_set(GOLDEN / "unicode")
    for frame in (queries_frame(labels), qrels_frame(labels)):
        assert {"NA", "null", "007", "=1+1"} < set(frame["query_id"])
        assert not frame["query_id"].isna().any()
    queries = queries_frame(labels)
    assert [query.need is None for query in labels.queries] == list(queries["need"].isna())


def test_numbers_are_exact_beside_missing_ones() -> None:
    """A grade that nobody gave is missing and makes no float of the others."""
    frame = judgements_frame(read_label_set(GOLDEN / "graded"))
    assert [3, 0, 1] == [int(frame["grade"].max()), int(frame["grade"].min()), frame["grade"][4]]
    assert frame["grade"].isna().any()
    assert "2026-03-02 09:00:01+00:00" == str(frame["judged_at"][0])


def test_gold_is_what_the_set_says() -> None:
    """And a query without any is in the class `no-gold`."""
    labels = read_label_set(GOLDEN / "graded")
    qrels = qrels_frame(labels)
    gold = {(row.query_id, row.chunk_id) for row in qrels[qrels["gold"]].itertuples()}
    assert gold == {(q.query_id, c) for q in labels.queries for c in labels.gold(q.query_id)}
    assert [labels.query_class(q.query_id) for q in labels.queries] == list(
        queries_frame(labels)["query_class"]
    )


def test_the_module_loads_no_pandas() -> None:
    """It is there for whoever asks for a table."""
    code = "import evaluator.labelset.frames, sys; sys.exit('pandas' in sys.modules)"
    assert 0 == subprocess.run([sys.executable, "-c", code], check=False).returncode
