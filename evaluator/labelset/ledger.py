"""
The list of looks at held-out results, beside a label set.

One line of JSON per look, only ever appended. It can count no more than the looks made in
this copy of the label set, and says so wherever it is quoted.
"""

import getpass
import json
import os
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from evaluator import InputError
from evaluator.labelset.format import canonical_line, utc_text


class SeenSet(Protocol):
    """A label set, as far as the ledger knows one: its place and its identity."""

    @property
    def path(self) -> Path: ...
    @property
    def sha256(self) -> str: ...


def ledger_path(labels: SeenSet) -> Path:
    """Where the looks are listed: outside the frozen directory, under its name."""
    directory = labels.path.resolve()
    return directory.with_name(f"{directory.name}.ledger.jsonl")


def record_look(
    labels: SeenSet,
    *,
    at: datetime,
    experiment: str,
    sha256: str,
    split: str,
    what: str,
    headers: Iterable[str] = (),
    who: str | None = None,
) -> int:
    """
    Append one look at held-out results and return how many are known of this set.

    `headers` are the digests of the headers whose results were looked at, `who` is who looked,
    by default the user of this machine. Raises InputError when the look cannot be written
    down: then it must not happen.
    """
    path = ledger_path(labels)
    line = canonical_line(
        {
            "at": utc_text(at),
            "who": who or _who(),
            "experiment": experiment,
            "sha256": sha256,
            "split": split,
            "what": what,
            "labels_sha256": labels.sha256,
            "headers": sorted(headers),
        }
    )
    try:
        with path.open("ab+") as file:
            file.write(_end_of_last(file) + line.encode(errors="backslashreplace"))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise InputError(
            f"This look at held-out results cannot be noted in {path}: {error.strerror}. Every "
            "look is counted, so make that file writable, or copy the label set."
        ) from None
    return len(known_looks(labels))


def _end_of_last(file: BinaryIO) -> bytes:
    """The line end that the last line lacks where a full disk cut it short, or an editor did."""
    if file.seek(0, os.SEEK_END) == 0:
        return b""
    file.seek(-1, os.SEEK_END)
    return b"" if file.read() == b"\n" else b"\n"


def look_dates(labels: SeenSet) -> tuple[str, ...]:
    """When the looks at this label set were, as far as their lines can still be read."""
    return tuple(str(look["at"]) for look in known_looks(labels) if look.get("at"))


def known_looks(labels: SeenSet) -> list[Mapping[str, Any]]:
    """The looks at this label set, as they were written down in this copy."""
    path = ledger_path(labels)
    if not path.is_file():
        return []
    rows = (_row(line) for line in path.read_bytes().splitlines() if line.strip())
    return [row for row in rows if row.get("labels_sha256") == labels.sha256]


def _row(line: bytes) -> Mapping[str, Any]:
    """What a line says; a damaged one says nothing, not even of which set."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return row if isinstance(row, Mapping) else {}


def _who() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):
        return "unknown"
