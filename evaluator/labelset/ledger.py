"""
The list of runs on a label set and of looks at its held-out results, beside the set.

One line of JSON for each, only ever appended. It can count no more than what was done in this
copy of the label set, and says so wherever it is quoted.
"""

import getpass
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
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


@dataclass(frozen=True, slots=True)
class EarlierChoice:
    """
    What decided in a run of two arms, and what came out.

    `arms` are the digests of baseline and treatment, whatever their names were.
    """

    at: str
    arms: tuple[str, str]
    measure: str
    k: int | None
    split: str
    n: int
    difference: float
    p: float


def ledger_path(directory: Path) -> Path:
    """Where the ledger of a label set is: outside its frozen directory, under its name."""
    directory = directory.resolve()
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
    choices: Sequence[EarlierChoice] = (),
    held_out: bool = True,
    who: str | None = None,
) -> int:
    """
    Append a run or a look at held-out results and return how many such looks are known.

    `headers` are the digests of the headers whose results these are, of their rules and as
    rendered. `choices` are what a run decided by and what came out, for each pair of arms.
    `held_out` is false for a run that asked no held-out query, and `who` is who looked, by
    default the user of this machine. Raises InputError when this cannot be written down: then
    it must not happen.
    """
    path = ledger_path(labels.path)
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
            "choices": [asdict(choice) for choice in choices],
            "held_out": held_out,
        }
    )
    try:
        with path.open("ab+") as file:
            file.write(_end_of_last(file) + line.encode(errors="backslashreplace"))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise InputError(
            f"This look at results cannot be noted in {path}: {error.strerror}. Every run and "
            "look is counted, so make that file writable, or copy the label set."
        ) from None
    return len(known_looks(labels))


def _end_of_last(file: BinaryIO) -> bytes:
    """The line end that the last line lacks where a full disk cut it short, or an editor did."""
    if file.seek(0, os.SEEK_END) == 0:
        return b""
    file.seek(-1, os.SEEK_END)
    return b"" if file.read() == b"\n" else b"\n"


def known_looks(labels: SeenSet) -> list[Mapping[str, Any]]:
    """The looks at held-out results of this label set, as they were written down here."""
    return [row for row in known_rows(labels) if row.get("held_out") is not False]


def known_rows(labels: SeenSet) -> list[Mapping[str, Any]]:
    """The same with the runs that asked no held-out query."""
    path = ledger_path(labels.path)
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
