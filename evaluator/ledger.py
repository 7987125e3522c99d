"""
The list of looks at held-out results, beside a label set.

One line of JSON per look, only ever appended. It can count no more than the looks made in
this copy of the label set, and says so wherever it is quoted.
"""

import getpass
import json
import os
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from evaluator import InputError
from evaluator.labelset import LabelSet, canonical_line, utc_text


def ledger_path(labels: LabelSet) -> Path:
    """Where the looks are listed: outside the frozen directory, under its name."""
    directory = labels.path.resolve()
    return directory.with_name(f"{directory.name}.ledger.jsonl")


def record_look(
    labels: LabelSet, *, at: datetime, experiment: str, sha256: str, split: str, what: str
) -> int:
    """
    Append one look at held-out results and return how many are known of this set.

    Raises InputError when the look cannot be written down: then it must not happen.
    """
    path = ledger_path(labels)
    line = canonical_line(
        {
            "at": utc_text(at),
            "who": _who(),
            "experiment": experiment,
            "sha256": sha256,
            "split": split,
            "what": what,
            "labels_sha256": labels.sha256,
        }
    )
    try:
        with path.open("ab") as file:
            file.write(line.encode())
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise InputError(
            f"This look at held-out results cannot be noted in {path}: {error.strerror}. Every "
            "look is counted, so make that file writable, or copy the label set."
        ) from None
    return count_looks(labels)


def count_looks(labels: LabelSet) -> int:
    """How many looks at this label set's held-out results are on record in this copy."""
    path = ledger_path(labels)
    if not path.is_file():
        return 0
    return sum(
        _labels_of(line) == labels.sha256 for line in path.read_bytes().splitlines() if line.strip()
    )


def _labels_of(line: bytes) -> str | None:
    """The label set that a line speaks of; a damaged line still was a look, at some set."""
    try:
        row = json.loads(line)
    except ValueError:
        return None
    return str(row.get("labels_sha256")) if isinstance(row, Mapping) else None


def _who() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):
        return "unknown"
