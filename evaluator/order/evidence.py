"""
What there is to say about the order of labels and treatment, as values.

What was found comes first, and below it what the verdict says of that, in the shapes of
`record.json`. Dates stay the texts in which they were found, since how a date was written is
part of the evidence. Nothing is weighed here; `verdict` does that.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from evaluator.order.git_commits import Commit

TraceKind = Literal["labels", "arm", "generated", "committed", "changed", "run"]


@dataclass(frozen=True, slots=True)
class Trace:
    """One thing that dates the work on a treatment, and the sentence to print for it."""

    at: str
    kind: TraceKind
    text: str


@dataclass(frozen=True, slots=True)
class Treatment:
    """
    The headers that arms put before their chunks, whatever rules or files make them.

    `sha256` is the digest of these very strings. `rules` are those of the rules and files, with
    their options and bare, under which a declaration or an earlier run may name it.
    `declared_by` is who dates it in the experiment, where anybody does, and `labels_sha256`
    is the label set that the header file names in itself.
    """

    sha256: str
    rule: str
    arms: tuple[str, ...]
    traces: tuple[Trace, ...] = ()
    declared_by: str | None = None
    labels_sha256: str | None = None
    rules: frozenset[str] = frozenset()

    @property
    def digests(self) -> frozenset[str]:
        """Every digest that it goes by."""
        return self.rules | {self.sha256}


@dataclass(frozen=True, slots=True)
class Witness:
    """
    Something other than the manifest that says when the labels existed.

    Only a `checked` one, a time stamp whose signature leads to a known authority, can show
    that they existed earlier than their own date says.
    """

    at: str
    text: str
    checked: bool = False


@dataclass(frozen=True, slots=True)
class Ancestor:
    """A label set that this one supersedes, directly or through others, and where it lies."""

    name: str
    frozen_at: str
    path: Path
    sha256: str


@dataclass(frozen=True, slots=True)
class LabelEvidence:
    """
    What a label set says of its own time, and what others say of it.

    `ancestors` are the superseded sets at hand, newest first; `all_ancestors` says whether
    the first of all is among them. `header_work` is the declaration in the manifest; with
    `treatments`, a list of digests, it speaks of those only.
    """

    sha256: str
    frozen_at: str
    header_work: Mapping[str, Any]
    newest_judgement: str | None = None
    witnesses: tuple[Witness, ...] = ()
    supersedes: str | None = None
    ancestors: tuple[Ancestor, ...] = ()
    all_ancestors: bool = True


@dataclass(frozen=True, slots=True)
class TreatmentOrder:
    """The order of one header rule or file and the labels."""

    verdict: str
    stamp: str | None
    use: str
    rests_on: tuple[str, ...]
    sha256: str
    rule: str
    arms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FirstLook:
    """The first look at held-out results that came before a header."""

    at: str | None
    who: str | None
    experiment: str | None


@dataclass(frozen=True, slots=True)
class LaterHeader:
    """A header that nothing shows before a look at held-out results."""

    sha256: str
    rule: str
    arms: tuple[str, ...]
    first_seen_at: str
    looks_before: int
    first_look: FirstLook


@dataclass(frozen=True, slots=True)
class DatedFile:
    """A file or declaration with its digest and every date of it that is known."""

    what: str
    name: str
    sha256: str
    changed_at: str | None
    generated_at: str | None
    declared_at: str | None
    declared_by: str | None
    git: str | None
    commit: Commit | None


@dataclass(frozen=True, slots=True)
class LabelOrder:
    """
    Whether the labels came before the treatments, with the sentences that this rests on.

    `dated` holds what the files and git say, for whoever checks.
    """

    verdict: str
    stamp: str | None
    use: str
    rests_on: tuple[str, ...]
    treatments: tuple[TreatmentOrder, ...]
    dated: tuple[DatedFile, ...]
    after_looks: tuple[LaterHeader, ...]
