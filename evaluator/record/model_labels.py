"""
What a record says of labels and chunks: the label set, its place in time, the chunk set.

The shapes alone, as `record.json` has them; fields that are None by default are missing from
records of runs that were made elsewhere, or where there is nothing to say.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evaluator.order.evidence import LabelOrder


@dataclass(frozen=True, slots=True)
class QueryClassSize:
    """One class of judged queries, and in a sentence what so many can show."""

    queries: int
    gold_documents_mean: float | None
    detects: str | None


@dataclass(frozen=True, slots=True)
class PoolDescription:
    """How deep the pool is, and which systems filled it."""

    depth: int | None
    found_by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Labels:
    """
    The label set: which one, how it came about, and what its classes can detect.

    `assessment` is what its manifest says of the judging: open, since whoever freezes may add
    words of his own, which are shown by their names. `looks` counts the known looks at held-out
    results. `traffic_without_gold` is a share of searches, None without weights.
    """

    path: str
    name: str
    sha256: str | None
    frozen_at: str | None
    min_grade: int
    queries: int
    with_gold: int
    grades: Mapping[str, str] | None = None
    assessment: Mapping[str, Any] | None = None
    origins: Mapping[str, int] | None = None
    classes: Mapping[str, QueryClassSize] | None = None
    traffic_without_gold: float | None = None
    pool: PoolDescription | None = None
    order: LabelOrder | None = None
    looks: int | None = None


@dataclass(frozen=True, slots=True)
class ChunkSet:
    """The chunk set of all arms; `derived` is what the manifest of a sample says of itself."""

    path: str
    name: str
    digest: str
    chunks: int
    documents: int
    derived: Mapping[str, Any] | None = None
