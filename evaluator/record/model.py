"""
The record of a run: all that a report says, as frozen dataclasses in the shape of `record.json`.

It owns the format's number and how a record is read from JSON and written to it;
`contrasts/model` has the contrasts. Fields that are None by default are missing from records of
runs that were made elsewhere, or where there is nothing to say. It computes nothing.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evaluator import InputError
from evaluator.contrasts.model import AnswerSource, ArmCosts, Contrast, WordOverlap
from evaluator.experiment.protocol import Protocol, Usage
from evaluator.order.evidence import LabelOrder
from evaluator.record.typed_json import from_json, schema_of, to_json

RECORD_FORMAT = "onecause-record/4"
SAMPLED = "SAMPLED CORPUS: NO LEVEL IS QUOTABLE"


@dataclass(frozen=True, slots=True)
class ExperimentSummary:
    """The experiment as it was resolved; of runs made elsewhere only a name."""

    name: str
    note: str | None = None
    references: tuple[str, ...] | None = None
    file: str | None = None
    sha256: str | None = None
    protocol: Protocol | None = None
    usage: Usage | None = None


@dataclass(frozen=True, slots=True)
class Versions:
    """Python and the packages that can change a figure."""

    python: str
    packages: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Machine:
    """The kind of machine, without its name."""

    system: str
    architecture: str
    processors: int


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


@dataclass(frozen=True, slots=True)
class HeadlineQueries:
    """Which queries the figures speak of: n of them, `n_gold` with gold."""

    split: str
    stamp: str | None
    origin: str
    n: int
    n_gold: int
    query_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MeanLevel:
    """A mean over the queries with gold, and over all, one without gold counting 0."""

    gold: float
    all: float


@dataclass(frozen=True, slots=True)
class ArmModel:
    """
    The model of an arm, as far as it could be pinned.

    `prescribed` is the query and document prefix that its makers prescribe, by the experiment or
    the model's own configuration; None where neither says.
    """

    source: str
    identity: str
    weights_sha256: str | None
    max_tokens: int | None
    dimension: int
    precision: str
    engine: str
    prompts: Mapping[str, str]
    prescribed: tuple[str, str] | None


@dataclass(frozen=True, slots=True)
class ArmRankings:
    """
    Which ranking is primary, and the levels by the other one.

    `graph_recall` is the share of the first k by exact search that the graph has in its first k,
    mean over the asked queries, and `near_ties` how many of those where they differ do so only
    in chunks whose scores lie as near to the k-th as a near tie does.
    """

    primary: str
    other: str
    graph_recall: float
    lists_that_differ: int
    near_ties: int
    hits_that_differ: int
    other_measures: Mapping[str, MeanLevel]


@dataclass(frozen=True, slots=True)
class ArmFiles:
    """The files of an arm beside the record, by name; a run made elsewhere has the first two."""

    run: str
    per_query: str
    other_run: str | None = None
    inputs: str | None = None


@dataclass(frozen=True, slots=True)
class RecordedArm:
    """
    One arm: its strings, costs and levels.

    Of an arm that was made elsewhere only its levels are known. `header_sha256` is of the rule
    or file, `header_strings_sha256` of what it renders on this snapshot. `header_options` are
    those that were chosen, `header_file` is what a file of headers says of itself.
    """

    name: str
    measures: Mapping[str, MeanLevel]
    judged: Mapping[str, float]
    unanswered: tuple[str, ...]
    query_prefix: str | None = None
    doc_prefix: str | None = None
    header: str | None = None
    header_sha256: str | None = None
    header_strings_sha256: str | None = None
    header_options: Mapping[str, Any] | None = None
    header_file: Mapping[str, Any] | None = None
    model: ArmModel | None = None
    notices: tuple[str, ...] | None = None
    costs: ArmCosts | None = None
    rankings: ArmRankings | None = None
    files: ArmFiles | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """
    All that is known of a run, or of two runs made elsewhere.

    `files` are the digests of the files beside the record, and `sha256` is its own, of its
    text without this field; runs made elsewhere have both only where they were written.
    """

    format: str
    experiment: ExperimentSummary
    labels: Labels
    headline: HeadlineQueries
    arms: tuple[RecordedArm, ...]
    contrasts: tuple[Contrast, ...]
    overlap: WordOverlap | None
    notes: tuple[str, ...]
    snapshot: ChunkSet | None = None
    started_at: str | None = None
    versions: Versions | None = None
    machine: Machine | None = None
    answers: AnswerSource | None = None
    files: Mapping[str, str] | None = None
    sha256: str | None = None


def record_of(value: Mapping[str, Any]) -> Record:
    """
    The record that this JSON object is.

    Raises InputError for a record of another format, and one message with every key that is
    missing, unknown or wrong.
    """
    found = value.get("format")
    if found != RECORD_FORMAT:
        raise InputError(
            f"This is not a record that can be reported: expected format '{RECORD_FORMAT}', found "
            f"{found!r}. Give the directory that `evaluator run` wrote, or run again."
        )
    record, problems = from_json(Record, value, where="record")
    if record is None:
        listed = "\n".join(f"- {problem}" for problem in problems)
        raise InputError(f"The record was changed after it was written. Run again.\n{listed}")
    return record


def record_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of `record.json`, as `record.schema.json` holds it."""
    shapes: dict[str, Any] = {}
    top = schema_of(Record, shapes)
    shapes["Record"]["properties"]["format"] = {"const": RECORD_FORMAT}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **top, "$defs": shapes}


def in_file_order(record: Record) -> Record:
    """
    The same record with its tables in the order of its file.

    So that its reports are those of whoever reads it back.
    """
    return record_of(json.loads(json_text(record_json(record))))


def record_json(record: Record) -> dict[str, Any]:
    """The record as plain values, as it is written."""
    found: dict[str, Any] = to_json(record)
    return found


def json_text(value: Mapping[str, Any]) -> str:
    """Plain values as they are written: sorted, and every number in its shortest form."""
    text = json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True, allow_nan=False)
    return text + "\n"
