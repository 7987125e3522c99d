"""
A file of generated headers: JSON lines with `chunk_id` and `text`, optionally their price.

It owns the fields of that file and what makes a line unusable. What a price counts (cents,
tokens) is the user's affair; prices of one file are in one unit and are added up. The first
line may speak of the file instead of a chunk: `labels_sha256`, the digest of a label set that
was there before it, and `generated_at`, which other lines may have too.
"""

import hashlib
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evaluator import InputError
from evaluator.files.records import Twice, parsed_json
from evaluator.text.messages import first_few
from evaluator.text.moments import instant, moment_of


@dataclass(frozen=True, slots=True)
class HeaderFile:
    """
    The headers of one file by chunk, as written, and what making them took.

    `cost` is the sum over the `priced` lines that state one, empty headers included, since
    they were paid for too; `models` counts the lines that each named model wrote.
    `generated_at` is the earliest date that a line gives of itself.
    """

    path: Path
    sha256: str
    text_by_chunk: Mapping[str, str]
    cost: float | None
    priced: int
    models: Mapping[str, int]
    labels_sha256: str | None = None
    generated_at: str | None = None

    def record(self) -> dict[str, Any]:
        """What `record.json` keeps of it."""
        return {
            "file": self.path.name,
            "sha256": self.sha256,
            "lines": len(self.text_by_chunk),
            "cost": self.cost,
            "lines_with_cost": self.priced,
            "models": dict(self.models),
            "labels_sha256": self.labels_sha256,
            "generated_at": self.generated_at,
        }


@dataclass(slots=True)
class _Lines:
    texts: dict[str, str] = field(default_factory=dict)
    costs: list[float] = field(default_factory=list)
    models: dict[str, int] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    labels_sha256: str | None = None
    dates: list[str] = field(default_factory=list)

    def read(self, number: int, line: bytes) -> None:
        row = self._row(number, line)
        self._date(number, row)
        if number == 1 and row is not None and not {"chunk_id", "text"} & row.keys():
            self._about_the_file(row)
            return
        if row is None:
            return
        if not _names_a_text(row):
            self.problems.append(f"line {number} is not an object with the texts chunk_id and text")
            return
        chunk_id, cost, model = row["chunk_id"], row.get("cost"), row.get("model")
        if any("\ud800" <= character <= "\udfff" for character in row["text"]):
            self.problems.append(f"line {number} holds half of a surrogate pair")
        if chunk_id in self.texts:
            self.problems.append(f"line {number} names chunk {chunk_id!r} a second time")
        if cost is not None and not _is_cost(cost):
            self.problems.append(f"line {number} has the cost {cost!r}, not a number of 0 or more")
        elif cost is not None:
            self.costs.append(cost)
        if model is not None and not isinstance(model, str):
            self.problems.append(f"line {number} has the model {model!r}, not a text")
        elif model is not None:
            self.models[model] = self.models.get(model, 0) + 1
        self.texts[chunk_id] = row["text"]

    def _row(self, number: int, line: bytes) -> dict[str, Any] | None:
        problem = "is not an object with the texts chunk_id and text"
        try:
            row = parsed_json(line.decode("utf-8"))
        except UnicodeDecodeError:
            row, problem = None, "is not UTF-8"
        except Twice as error:
            row, problem = None, f"has an object in which {error}"
        except (ValueError, RecursionError):
            row = None
        if isinstance(row, dict):
            return row
        self.problems.append(f"line {number} {problem}")
        return None

    def _about_the_file(self, row: Mapping[str, Any]) -> None:
        named = row.get("labels_sha256")
        if named is None and "generated_at" not in row:
            self.problems.append(
                "line 1 has neither the texts chunk_id and text nor labels_sha256 or generated_at"
            )
        elif named is not None and not (
            isinstance(named, str) and re.fullmatch("[0-9a-f]{64}", named)
        ):
            self.problems.append(f"line 1 has the labels_sha256 {named!r}, not 64 hex digits")
        else:
            self.labels_sha256 = named

    def _date(self, number: int, row: Mapping[str, Any] | None) -> None:
        date = None if row is None else row.get("generated_at")
        if date is None:
            return
        if isinstance(date, str) and moment_of(date):
            self.dates.append(date)
        else:
            self.problems.append(f"line {number} has the generated_at {date!r}, not a date")


def read_header_file(path: Path) -> HeaderFile:
    """The headers of a file. Raises InputError listing the lines that cannot be used."""
    try:
        raw = path.read_bytes()
    except (FileNotFoundError, IsADirectoryError):
        raise InputError(f"There is no header file {path}.") from None
    lines = _Lines()
    for number, line in enumerate(raw.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if line.strip():
            lines.read(number, line)
    if lines.problems:
        raise InputError(f"{path}: {first_few(lines.problems)}.")
    return HeaderFile(
        path=path,
        sha256=hashlib.sha256(raw).hexdigest(),
        text_by_chunk=lines.texts,
        cost=math.fsum(lines.costs) if lines.costs else None,
        priced=len(lines.costs),
        models=dict(sorted(lines.models.items())),
        labels_sha256=lines.labels_sha256,
        generated_at=min(lines.dates, key=instant, default=None),
    )


def _names_a_text(row: Mapping[str, Any]) -> bool:
    return isinstance(row.get("chunk_id"), str) and isinstance(row.get("text"), str)


def _is_cost(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and math.isfinite(value) and value >= 0
