"""
Text files of rows -> rows with their line numbers, every cell exactly as it stands.

CSV with a header, JSON lines, and lines split at tabs or blanks. It never guesses a
shape twice: the suffix decides between CSV and JSON, and what does not fit is named with
its line. No cell becomes a number, a date or a missing value here.
"""

import csv
import io
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluator import InputError
from evaluator.files.spreadsheet import COLUMN, MARK, unguarded
from evaluator.text.messages import at_a_glance, brief

JSON_LINES = (".jsonl", ".ndjson")
_MEND = "Mend these lines; a cell with a comma or a quote needs quotes."


@dataclass(frozen=True, slots=True)
class Row:
    """One record of a file: the line it starts on and its cells by column."""

    line: int
    cells: Mapping[str, Any]

    def first(self, *columns: str) -> Any:
        """The first of the columns that is there and not empty, or None."""
        for column in columns:
            if self.cells.get(column) not in (None, ""):
                return self.cells[column]
        return None

    def each(self, columns: Iterable[str]) -> list[Any]:
        """What stands in every one of the columns; None where it is not there or empty."""
        found = map(self.cells.get, columns)
        return [None if cell == "" else cell for cell in found]


@dataclass(frozen=True, slots=True)
class LineProblem:
    """A line, or whatever a file counts by, that was not used, and why."""

    line: int
    reason: str
    unit: str = "line"

    def __str__(self) -> str:
        return f"{self.unit} {self.line}: {self.reason}"


def read_rows(path: Path) -> list[Row]:
    """
    The records of a CSV file with a header, or of a file of JSON lines.

    Raises InputError listing the lines that are no record, for a column that stands twice
    in the header, and for any other suffix.
    """
    suffix = path.suffix.lower()
    if suffix in JSON_LINES:
        return _json_rows(path)
    if suffix == ".csv":
        return _csv_rows(path)
    raise InputError(
        f"{path} is neither CSV with a header (.csv) nor JSON lines (.jsonl). "
        "Save it as one of them."
    )


def numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines that hold something, with their numbers. Only LF and CR LF end a line."""
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if line.strip():
            yield number, line.removesuffix("\r")


def tabbed_lines(path: Path) -> list[tuple[int, list[str]]]:
    """The cells of those lines, parted at tabs. No quote means anything there."""
    return [(number, line.split("\t")) for number, line in numbered_lines(path)]


def read_text(path: Path) -> str:
    """The file as text, without a byte-order mark. Raises InputError where it is not UTF-8."""
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"Cannot read {path}: {error.strerror or error}.") from None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise InputError(f"{path}, line {line}: not UTF-8. Save the file as UTF-8.") from None


def refuse(path: Path, problems: Sequence[LineProblem | str], *, todo: str) -> None:
    """Raise InputError that lists the problems of a file, the first few and a count."""
    if problems:
        raise InputError("\n".join([f"{path} was not read.", *shown(problems), todo]))


def shown(problems: Sequence[LineProblem | str]) -> list[str]:
    """The first few problems, one to a line, and how many more there are."""
    lines = [f"  {problem}" for problem in at_a_glance(problems)]
    if more := len(problems) - len(lines):
        lines.append(f"  and {more} more")
    return lines


def stored_text(value: object) -> str:
    """The value if it is text that can be kept. Raises ValueError with the reason if not."""
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is no text")
    if "\0" in value:
        raise ValueError("a NUL character, which no text may hold")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError("half of a surrogate pair, which is no character") from None
    return value


def parsed_json(text: str) -> Any:
    """
    The JSON document in a text.

    Raises ValueError for what is none, is nested too deeply, or has a name twice in one
    object: most readers keep the last and say nothing.
    """
    try:
        return json.loads(text, object_pairs_hook=_each_once)
    except RecursionError:
        raise ValueError("nested too deeply to read") from None


def _each_once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the name {twice!r} stands twice in one object")
    return found


def _json_rows(path: Path) -> list[Row]:
    rows: list[Row] = []
    problems: list[LineProblem] = []
    for number, line in numbered_lines(path):
        try:
            record = parsed_json(line)
        except ValueError as error:
            problems.append(LineProblem(number, f"no JSON ({error})"))
            continue
        if isinstance(record, dict):
            rows.append(Row(number, record))
        else:
            problems.append(LineProblem(number, "no JSON object"))
    refuse(path, problems, todo="Every line must be one JSON object.")
    return rows


def csv_lines(path: Path) -> list[tuple[int, list[str]]]:
    """
    The cells of every line of a CSV file, a header among them, with the line each begins on.

    Raises InputError for a quote that is not closed or stands alone.
    """
    csv.field_size_limit(sys.maxsize)  # a note may be long
    reader = csv.reader(io.StringIO(read_text(path), newline=""), strict=True)
    lines: list[tuple[int, list[str]]] = []
    line = 1
    try:
        for cells in reader:
            if cells:
                lines.append((line, cells))
            line = reader.line_num + 1
    except csv.Error as error:
        reason = f"{error}: a quote is not closed, or stands alone"
        refuse(path, [LineProblem(line, reason)], todo=_MEND)
    return lines


def rows_under(
    path: Path, header: Sequence[str], lines: Sequence[tuple[int, list[str]]]
) -> list[Row]:
    """
    The lines as records under a header, without the guards of our own tables for spreadsheets.

    Raises InputError for lines of another length.
    """
    names = _header(path, header)
    require_length(path, len(names), lines)
    again = [LineProblem(line, "the header again") for line, cells in lines if cells == header]
    refuse(path, again, todo="Take these lines out.")
    rows = [Row(line, dict(zip(names, cells, strict=True))) for line, cells in lines]
    return [_unguarded(row) if row.cells.get(COLUMN) == MARK else row for row in rows]


def require_distinct(path: Path, names: Sequence[str]) -> None:
    """Raise InputError for a column that stands twice."""
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise InputError(f"{path} has the column {brief(twice[0])!r} twice. Rename one of them.")


def require_length(path: Path, expected: int, lines: Sequence[tuple[int, Sequence[str]]]) -> None:
    """Raise InputError that lists the lines with more or fewer cells than the header."""
    problems = [
        LineProblem(line, f"{len(cells)} cells under a header of {expected}")
        for line, cells in lines
        if len(cells) != expected
    ]
    refuse(path, problems, todo=_MEND)


def _unguarded(row: Row) -> Row:
    return Row(row.line, {name: unguarded(cell) for name, cell in row.cells.items()})


def _csv_rows(path: Path) -> list[Row]:
    lines = csv_lines(path)
    return rows_under(path, lines[0][1], lines[1:]) if lines else []


def _header(path: Path, cells: Sequence[str]) -> list[str]:
    header = [cell.strip() for cell in cells]
    require_distinct(path, header)
    for sign, name in ((";", "semicolons"), ("\t", "tabs")):
        if len(header) == 1 and sign in header[0]:
            raise InputError(f"{path} is separated by {name}. Save it with commas.")
    return header
