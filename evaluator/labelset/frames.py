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

    @property
    def queries(self) -> "pd.DataFrame":
        """`queries_frame` of this set."""
        return queries_frame(self.label_set)

    @property
    def pool(self) -> "pd.DataFrame":
        """`pool_frame` of this set."""
        return pool_frame(self.label_set)

    @property
    def judgements(self) -> "pd.DataFrame":
        """`judgements_frame` of this set."""
        return judgements_frame(self.label_set)

    @property
    def qrels(self) -> "pd.DataFrame":
        """`qrels_frame` of this set."""
        return qrels_frame(self.label_set)

    def __repr__(self) -> str:
        labels = self.label_set
        gold = sum(bool(labels.gold(query.query_id)) for query in labels.queries)
        return (
            f"Label set {labels.name}, frozen {labels.manifest['frozen_at']}: "
            f"{len(labels.queries):,} queries, {gold:,} with gold; {len(labels.pool):,} pairs in "
            f"the pool, {sum(map(len, labels.qrels.values())):,} with a grade. "
            f"SHA-256 {labels.sha256}"
        )

    def _repr_html_(self) -> str:
        return f"<p>{escape(repr(self))}</p>"


def open_labels(directory: Path | str, *, sha256: str | None = None) -> LabelTables:
    """
    The frozen label set in a directory, verified, as tables.

    `sha256` is the identity that it must have. Raises LabelSetError listing every problem.
    """
    return LabelTables(read_label_set(Path(directory), sha256=sha256))


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
