"""
A file of generated headers: JSON lines with `chunk_id` and `text`, optionally their price.

It owns the fields of that file and what makes a line unusable. What a price counts (cents,
tokens) is the user's affair; prices of one file are in one unit and are added up.
"""

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evaluator import InputError
from evaluator.wording import first_few


@dataclass(frozen=True, slots=True)
class HeaderFile:
    """
    The headers of one file by chunk, as written, and what making them took.

    `cost` is the sum over the `priced` lines that state one, empty headers included, since
    they were paid for too; `models` counts the lines that each named model wrote.
    """

    path: Path
    sha256: str
    text_by_chunk: Mapping[str, str]
    cost: float | None
    priced: int
    models: Mapping[str, int]

    def record(self) -> dict[str, Any]:
        """What `record.json` keeps of it."""
        return {
            "file": self.path.name,
            "sha256": self.sha256,
            "lines": len(self.text_by_chunk),
            "cost": self.cost,
            "lines_with_cost": self.priced,
            "models": dict(self.models),
        }


@dataclass(slots=True)
class _Lines:
    texts: dict[str, str] = field(default_factory=dict)
    costs: list[float] = field(default_factory=list)
    models: dict[str, int] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    def read(self, number: int, line: bytes) -> None:
        row = _row(line)
        if row is None:
            self.problems.append(f"line {number} is not an object with the texts chunk_id and text")
            return
        chunk_id, cost, model = row["chunk_id"], row.get("cost"), row.get("model")
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
    )


def _row(line: bytes) -> dict[str, Any] | None:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(row, dict):
        return None
    texts = isinstance(row.get("chunk_id"), str) and isinstance(row.get("text"), str)
    return row if texts else None


def _is_cost(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and math.isfinite(value) and value >= 0
