"""
What there is to say about the order of labels and treatment, as values.

Dates stay the texts in which they were found, since how a date was written is part of the
evidence. Nothing is weighed here; `verdict` does that.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

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
    One header rule or file, whichever arms use it; `sha256` is that of the rule or file.

    `declared_by` is who dates it in the experiment, where anybody does. `labels_sha256` is
    the label set that the header file names in itself, `without_options` the digest of the
    bare rule or file, under which a declaration may name it.
    """

    sha256: str
    rule: str
    arms: tuple[str, ...]
    traces: tuple[Trace, ...] = ()
    declared_by: str | None = None
    labels_sha256: str | None = None
    without_options: str | None = None


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
