"""
The rows of a label set as pandas tables, one function a member.

`COLUMNS` lists every column with its dtype. Text stays text: `NA` and `007` are ids like any
other, and only what is unknown is missing. pandas is loaded when a table is asked for.
In a notebook, `open_labels` gives all four.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluator.labelset.format import LabelSet, Query, read_label_set

if TYPE_CHECKING:
    import pandas as pd

COLUMNS: Mapping[str, Mapping[str, str]] = {
    "queries": {
        "query_id": "string",
        "text": "string",
        "need": "string",
        "origin": "string",  # log, known-item or authored
        "stratum": "string",
        "log_count": "Int64",
        "inclusion_probability": "Float64",
        "weight": "Float64",
        "filter": "object",  # a dict of texts, or None
        "variants": "object",  # a tuple of spellings, each with its count
        "group": "string",
        "skip_reason": "string",
        "query_class": "string",  # held-out, tuning, mixed or no-gold
    },
    "pool": {
        "query_id": "string",
        "chunk_id": "string",
        "doc_id": "string",
        "text_sha256": "string",
        "found_by": "object",  # a tuple of sources
    },
    "judgements": {
        "event_id": "string",
        "query_id": "string",
        "chunk_id": "string",
        "assessor": "string",
        "grade": "Int64",
        "verdict": "string",  # grade, unsure or undone
        "judged_at": "datetime64[ms, UTC]",
        "active_seconds": "Float64",
        "position": "Int64",
        "method": "string",
        "text_sha256": "string",
        "note": "string",
        "imported_from": "string",
    },
    "qrels": {
        "query_id": "string",
        "chunk_id": "string",
        "doc_id": "string",
        "grade": "Int64",
        "gold": "boolean",  # a grade of at least min_grade
    },
}


@dataclass(frozen=True, slots=True, repr=False)
class LabelTables:
    """A label set whose members are tables; a notebook shows what it is and how much it holds."""

    label_set: LabelSet
    queries: "pd.DataFrame"
    pool: "pd.DataFrame"
    judgements: "pd.DataFrame"
    qrels: "pd.DataFrame"

    def __repr__(self) -> str:
        labels = self.label_set
        gold = self.qrels.query("gold")["query_id"].nunique()
        return (
            f"Label set {labels.name}, frozen {labels.manifest['frozen_at']}: "
            f"{len(self.queries):,} queries, {gold:,} with gold; {len(self.pool):,} pairs in "
            f"the pool, {len(self.qrels):,} with a grade. SHA-256 {labels.sha256}"
        )

    def _repr_html_(self) -> str:
        return f"<p>{escape(repr(self))}</p>"


def open_labels(directory: Path | str, *, sha256: str | None = None) -> LabelTables:
    """
    The frozen label set in a directory, verified, as tables.

    `sha256` is the identity that it must have. Raises LabelSetError listing every problem.
    """
    labels = read_label_set(Path(directory), sha256=sha256)
    frames = queries_frame(labels), pool_frame(labels), judgements_frame(labels)
    return LabelTables(labels, *frames, qrels_frame(labels))


def queries_frame(labels: LabelSet) -> "pd.DataFrame":
    """One row a query, by id, with the class that its gold documents give it."""
    names = [name for name in COLUMNS["queries"] if name in Query.__annotations__]
    rows = (
        (*(getattr(query, name) for name in names), labels.query_class(query.query_id))
        for query in labels.queries
    )
    return frame_of(rows, COLUMNS["queries"])


def pool_frame(labels: LabelSet) -> "pd.DataFrame":
    """One row a pair to judge, by query and chunk."""
    return frame_of(labels.pool, COLUMNS["pool"])


def judgements_frame(labels: LabelSet) -> "pd.DataFrame":
    """One row an event, in time order: what was undone and decided among them."""
    return frame_of(labels.judgements, COLUMNS["judgements"])


def qrels_frame(labels: LabelSet) -> "pd.DataFrame":
    """One row a judged pair, by query and chunk."""
    rows = (
        (query_id, chunk_id, labels.doc_id_by_chunk[chunk_id], grade, grade >= labels.min_grade)
        for query_id, grades in labels.qrels.items()
        for chunk_id, grade in grades.items()
    )
    return frame_of(rows, COLUMNS["qrels"])


def frame_of(rows: Iterable[Sequence[Any]], dtypes: Mapping[str, str]) -> "pd.DataFrame":
    """A table of rows whose cells stand in the order of the columns, each of its dtype."""
    import pandas as pd

    # As objects first: pandas would make floats of integers beside what is missing.
    return pd.DataFrame(list(rows), columns=list(dtypes), dtype=object).astype(dict(dtypes))
