"""
What an experiment consists of: protocol, arms and contrasts, as values.

Nothing is read or checked here; `experiment` makes these from a file.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from evaluator import InputError
from evaluator.experiment.headers.options import NO_OPTIONS, HeaderOptions
from evaluator.files.form import meant
from evaluator.measures.names import cutoff_of


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """
    Which model an arm uses, pinned so that it cannot move.

    `prescribed` is the query and document prefix that the model's makers prescribe, where
    the file states it; models whose own configuration names their prompts need no word.
    """

    source: str
    revision: str | None = None
    weights_sha256: str | None = None
    prescribed: tuple[str, str] | None = None
    precision: Literal["fp32", "bf16"] = "fp32"


@dataclass(frozen=True, slots=True)
class IndexSettings:
    """The parameters of the hnswlib graph."""

    m: int = 16
    ef_construction: int = 200
    ef_search: int = 128
    seed: int = 13


@dataclass(frozen=True, slots=True)
class Protocol:
    """Everything that every arm shares."""

    similarity: str
    ranking: str
    depth: int
    measures: tuple[str, ...]
    primary: str
    estimand: str
    split: str
    nothing_tuned: bool
    body: str
    filter: bool
    index: IndexSettings

    @property
    def k(self) -> int:
        """The cutoff of the primary measure."""
        return cutoff_of(self.primary) or self.depth

    @property
    def cutoffs(self) -> tuple[int, int]:
        """k and 2k, for the table of cutoff by treatment."""
        return self.k, 2 * self.k


@dataclass(frozen=True, slots=True)
class Usage:
    """
    What becomes of retrieved chunks, as far as the bill of headers depends on it.

    A conversation asks `queries_per_turn` queries in each turn, and what a query brought is
    given to the generator in `turns_kept` turns, its own among them.
    """

    headers_enter_context: bool = True
    queries_per_turn: float = 1.0
    turns_kept: int = 1
    queries_per_year: int | None = None


@dataclass(frozen=True, slots=True)
class Arm:
    """One choice of prefixes, header and model; the strings are kept byte for byte."""

    name: str
    query_prefix: str
    doc_prefix: str
    header: str
    model: ModelChoice
    header_begun: str | None = None
    header_options: HeaderOptions = NO_OPTIONS
    header_declared_by: str | None = None

    @property
    def prefixes(self) -> tuple[str, str]:
        return self.query_prefix, self.doc_prefix


@dataclass(frozen=True, slots=True)
class ContrastSpec:
    """Treatment against baseline, by the names of their arms; a self-test compares equal ones."""

    baseline: str
    treatment: str
    self_test: bool = False


@dataclass(frozen=True, slots=True)
class Experiment:
    """
    One experiment file, resolved: relative paths are taken from the file's folder.

    `authority` holds the root certificates that vouch for time stamps of the labels.
    """

    path: Path
    sha256: str
    name: str
    note: str
    references: tuple[str, ...]
    labels: Path
    labels_sha256: str
    snapshot: Path
    snapshot_digest: str
    protocol: Protocol
    usage: Usage
    arms: tuple[Arm, ...]
    contrasts: tuple[ContrastSpec, ...]
    answers: Path | None = None
    authority: Path | None = None

    def arm(self, name: str) -> Arm:
        """The arm of that name; InputError with a likely spelling if there is none."""
        for arm in self.arms:
            if arm.name == name:
                return arm
        names = [arm.name for arm in self.arms]
        raise InputError(f"There is no arm {name!r}.{meant(name, names)} Arms: {', '.join(names)}.")
