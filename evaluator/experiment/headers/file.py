"""
A file of generated headers: JSON lines with `chunk_id` and `text`, optionally what each took.

It owns the fields of that file and what makes a line unusable. `cost` is money in a unit of the
user's, one for the whole file; `seconds` and `tokens` are those of the model that wrote. The first
line may speak of the file instead of a chunk: `labels_sha256`, the digest of a label set that
was there before it, and `generated_at`, which other lines may have too.
"""

import hashlib
import math
import re
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluator import InputError
from evaluator.files.records import Twice, parsed_json
from evaluator.text.messages import first_few
from evaluator.text.moments import instant, moment_of

_SPENT = ("cost", "seconds", "tokens")
_EXPECTED = "is not an object with the texts chunk_id and text"


@dataclass(frozen=True, slots=True)
class HeaderFile:
    """
    The headers of one file by chunk, as written, and what making them took.

    `spent` holds the sums of `cost`, `seconds` and `tokens` over the lines that state them,
    empty headers included, since they were paid for too, and `stating` how many lines those
    are; `models` counts the lines that each named model wrote.
    `generated_at` is the earliest date that a line gives of itself.
    """

    path: Path
    sha256: str
    text_by_chunk: Mapping[str, str]
    spent: Mapping[str, float]
    stating: Mapping[str, int]
    models: Mapping[str, int]
    labels_sha256: str | None = None
    generated_at: str | None = None

    def record(self) -> dict[str, Any]:
        """What `record.json` keeps of it."""
        return {
            "file": self.path.name,
            "sha256": self.sha256,
            "lines": len(self.text_by_chunk),
            **{what: self.spent.get(what) for what in _SPENT},
            **{f"lines_with_{what}": self.stating[what] for what in _SPENT},
            "models": dict(self.models),
            "labels_sha256": self.labels_sha256,
            "generated_at": self.generated_at,
        }


def read_header_file(path: Path) -> HeaderFile:
    """The headers of a file. Raises InputError listing the lines that cannot be used."""
    try:
        raw = path.read_bytes()
    except (FileNotFoundError, IsADirectoryError):
        raise InputError(f"There is no header file {path}.") from None
    if raw.startswith(b"version https://git-lfs"):
        raise InputError(f"{path} is a pointer of Git LFS, not the headers: run `git lfs pull`.")
    about: Mapping[str, Any] = {}
    rows: dict[str, Mapping[str, Any]] = {}
    problems: list[str] = []
    for number, line in enumerate(raw.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        try:
            if line.strip():
                row = _object(line)
                if number == 1 and not {"chunk_id", "text"} & row.keys():
                    _check_the_file(row)
                    about = row
                else:
                    _check_header(row, rows)
                    rows[row["chunk_id"]] = row
        except ValueError as error:
            problems.append(f"line {number} {error}")
    if problems:
        raise InputError(f"{path}: {first_few(problems)}.")
    spent = {
        what: [row[what] for row in rows.values() if row.get(what) is not None] for what in _SPENT
    }
    models = Counter(row["model"] for row in rows.values() if row.get("model") is not None)
    dates = [row["generated_at"] for row in (about, *rows.values()) if row.get("generated_at")]
    return HeaderFile(
        path=path,
        sha256=hashlib.sha256(raw).hexdigest(),
        text_by_chunk={chunk_id: row["text"] for chunk_id, row in rows.items()},
        spent={what: math.fsum(each) for what, each in spent.items() if each},
        stating={what: len(each) for what, each in spent.items()},
        models=dict(sorted(models.items())),
        labels_sha256=about.get("labels_sha256"),
        generated_at=min(dates, key=instant, default=None),
    )


def _object(line: bytes) -> dict[str, Any]:
    try:
        row = parsed_json(line.decode("utf-8"))
    except UnicodeDecodeError:
        raise ValueError("is not UTF-8") from None
    except Twice as error:
        raise ValueError(f"has an object in which {error}") from None
    except ValueError:
        row = None
    if not isinstance(row, dict):
        raise ValueError(_EXPECTED)
    return row


def _check_the_file(row: Mapping[str, Any]) -> None:
    named = row.get("labels_sha256")
    if named is None and "generated_at" not in row:
        raise ValueError(
            "has neither the texts chunk_id and text nor labels_sha256 or generated_at"
        )
    if named is not None and not re.fullmatch("[0-9a-f]{64}", str(named)):
        raise ValueError(f"has the labels_sha256 {named!r}, not 64 hex digits")
    _check_date(row)


def _check_header(row: Mapping[str, Any], others: Collection[str]) -> None:
    chunk_id, text, model = (row.get(key) for key in ("chunk_id", "text", "model"))
    if not isinstance(chunk_id, str) or not isinstance(text, str):
        raise ValueError(_EXPECTED)
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise ValueError("holds half of a surrogate pair")
    if chunk_id in others:
        raise ValueError(f"names chunk {chunk_id!r} a second time")
    for what in _SPENT:
        value = row.get(what)
        if value is not None and not (type(value) in (int, float) and 0 <= value < math.inf):
            raise ValueError(f"has the {what} {value!r}, not a number of 0 or more")
    if model is not None and not isinstance(model, str):
        raise ValueError(f"has the model {model!r}, not a text")
    _check_date(row)


def _check_date(row: Mapping[str, Any]) -> None:
    date = row.get("generated_at")
    if date is not None and not (isinstance(date, str) and moment_of(date)):
        raise ValueError(f"has the generated_at {date!r}, not a date")
