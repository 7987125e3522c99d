"""
Files of records -> rows with the place where each stands, every cell exactly as it stands.

Owns JSON Lines, JSON, CSV, TSV and Parquet, lines between tabs, and strict JSON: what is a row,
and what is broken. The suffix says the format, and nothing is tried twice. It knows no field
names and turns no text into a number, a date or a missing value: `NA`, `null` and `007` stay.
"""

import codecs
import csv
import io
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from evaluator import InputError
from evaluator.text.messages import at_a_glance, brief

JSON_LINES = (".jsonl", ".ndjson")
SUFFIXES = (*JSON_LINES, ".json", ".csv", ".tsv", ".parquet")
_BATCH_ROWS = 1024
_MARK = codecs.BOM_UTF8
_MEND = "Mend these lines, or take them out; a cell with a comma or a quote needs quotes."
_SIGNS = {";": "semicolons", "\t": "tabs", ",": "commas", "|": "bars"}

_Lines = Iterable[tuple[int, Sequence[str]]]


@dataclass(frozen=True, slots=True)
class Row:
    """
    One record by its cells, or why it is none.

    `line` is its number among the `unit`s of the file: the line that it starts on, or an item
    or a row; `inside` says which part of that it is, where one holds several records.
    """

    line: int
    cells: Mapping[str, Any]
    problem: str = ""
    unit: str = "line"
    inside: str = ""

    @property
    def place(self) -> str:
        """Where a person finds it in the file."""
        return f"{self.unit} {self.line}{self.inside}"

    def first(self, *columns: str) -> Any:
        """The first of the columns that is there and not empty, or None."""
        return next((cell for cell in self.each(columns) if cell is not None), None)

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


class Twice(ValueError):
    """A name stands twice in one object, where most readers keep the later value in silence."""


def stream_rows(path: Path) -> Iterator[Row]:
    """
    The rows of a file with one of the `SUFFIXES`, as they are read.

    A broken line comes back as a row with a problem, so that all of them can be listed;
    a file that is broken as a whole raises InputError. Line ends inside quoted cells and
    strings are kept, and only `\\n` ends a line of JSON Lines.
    """
    match path.suffix.lower():
        case ".parquet":
            return _parquet(path)
        case ".csv":
            return _table(path, ",")
        case ".tsv":
            return _table(path, "\t")
        case ".json":
            return _json(path)
        case ".jsonl" | ".ndjson":
            return _json_lines(path)
    raise InputError(f"{path}: unknown kind of file. Expected one of {', '.join(SUFFIXES)}.")


def read_rows(path: Path) -> list[Row]:
    """
    All rows of a CSV file with a header, or of a file of JSON lines.

    Cells that were guarded against spreadsheets are as they were before. Raises InputError
    listing the lines that are no record, for a column that stands twice in the header, and for
    any other suffix.
    """
    suffix = path.suffix.lower()
    if suffix not in (".csv", *JSON_LINES):
        raise InputError(
            f"{path} is neither CSV with a header (.csv) nor JSON lines (.jsonl). "
            "Save it as one of them."
        )
    with _readable(path):
        rows = list(stream_rows(path))
    todo = _MEND if suffix == ".csv" else "Every line must be one JSON object."
    return _sound(path, rows, todo=todo)


def csv_lines(path: Path) -> list[tuple[int, list[str]]]:
    """
    The cells of every line of a CSV file, a header among them, with the line each begins on.

    Raises InputError for a quote that is not closed or stands alone.
    """
    with _readable(path):
        return list(_csv_lines(path, ","))


def rows_under(path: Path, header: Sequence[str], lines: _Lines) -> list[Row]:
    """Lines as records under a header. Raises InputError as `read_rows` does."""
    return _sound(path, list(_rows_under(path, header, lines)), todo=_MEND)


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
        with _readable(path):
            return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise InputError(f"{path}, line {line}: not UTF-8. Save the file as UTF-8.") from None


def parsed_json(text: str, *, parse_float: Callable[[str], Any] = float) -> Any:
    """
    What a JSON text says.

    Raises ValueError for what is none or is nested too deeply, and Twice for a name that
    stands twice in one object.
    """
    try:
        return json.loads(text, parse_float=parse_float, object_pairs_hook=each_once)
    except RecursionError:
        raise ValueError("nested too deeply to read") from None


def each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON, for its hook. Raises Twice for a name that stands twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise Twice(f"{next(name for name in names if names.count(name) > 1)!r} stands twice")
    return found


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


def require_distinct(path: Path, names: Sequence[str]) -> None:
    """Raise InputError for a column that stands twice."""
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise InputError(f"{path} has the column {brief(twice[0])!r} twice. Rename one of them.")


def require_length(path: Path, expected: int, lines: _Lines) -> None:
    """Raise InputError that lists the lines with more or fewer cells than the header."""
    odd = [(line, cells) for line, cells in lines if len(cells) != expected]
    refuse(path, [LineProblem(line, _length(cells, expected)) for line, cells in odd], todo=_MEND)


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(f"Cannot read {path}: {error.strerror or error}.") from None


def _sound(path: Path, rows: Sequence[Row], *, todo: str) -> list[Row]:
    """The rows without the guards of our own tables, if none of them has a problem."""
    broken = [LineProblem(row.line, row.problem, row.unit) for row in rows if row.problem]
    refuse(path, broken, todo=todo)
    return [
        Row(row.line, {name: unguarded(cell) for name, cell in row.cells.items()})
        if row.cells.get(COLUMN) == MARK
        else row
        for row in rows
    ]


def _table(path: Path, delimiter: str) -> Iterator[Row]:
    lines = _csv_lines(path, delimiter)
    for _, header in lines:
        yield from _rows_under(path, header, lines, delimiter=delimiter)


def _csv_lines(path: Path, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    csv.field_size_limit(sys.maxsize)  # a note may be long
    line = 1
    with path.open(encoding="utf-8-sig", newline="") as text:
        reader = csv.reader(text, delimiter=delimiter, strict=True)
        try:
            for cells in reader:
                if cells:
                    yield line, cells
                line = reader.line_num + 1
        except csv.Error as error:
            reason = f"{error}: a quote is not closed, or stands alone"
            refuse(path, [LineProblem(line, reason)], todo=_MEND)
        except UnicodeDecodeError:
            read_text(path)  # says in which line


def _rows_under(
    path: Path, header: Sequence[str], lines: _Lines, *, delimiter: str = ","
) -> Iterator[Row]:
    names = [cell.strip() for cell in header]
    require_distinct(path, names)
    for sign, name in _SIGNS.items():
        if len(names) == 1 and sign in names[0]:
            wanted = _SIGNS[delimiter]
            raise InputError(f"{path} is separated by {name}. Save it with {wanted}.")
    for line, cells in lines:
        if len(cells) != len(names):
            yield Row(line, {}, _length(cells, len(names)))
        elif cells == list(header):
            yield Row(line, {}, "the header again")
        else:
            yield Row(line, dict(zip(names, cells, strict=True)))


def _length(cells: Sequence[str], expected: int) -> str:
    return f"{len(cells)} cells under a header of {expected}"


def _json_lines(path: Path) -> Iterator[Row]:
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            data = line.removeprefix(_MARK) if number == 1 else line
            if data.strip():
                yield _json_line(number, data)


def _json_line(number: int, data: bytes) -> Row:
    try:
        return _record(number, parsed_json(data.rstrip(b"\r\n").decode("utf-8")))
    except UnicodeDecodeError:
        return Row(number, {}, "not UTF-8")
    except Twice as error:
        return Row(number, {}, str(error))
    except json.JSONDecodeError as error:
        return Row(number, {}, f"not JSON ({error.msg} at character {error.pos + 1})")
    except ValueError:
        return Row(number, {}, "JSON that is nested too deeply or holds a number too long to read")


def _json(path: Path) -> Iterator[Row]:
    """The items of one JSON list; a `.json` file that is JSON Lines inside is read as that."""
    data = path.read_bytes()
    try:
        value = parsed_json(data.decode("utf-8-sig"))
    except Twice as error:
        raise InputError(f"{path}: {error} in one object. Leave one of them.") from None
    except json.JSONDecodeError as error:
        first = next(filter(bytes.strip, data.split(b"\n")), b"")
        if _json_line(1, first.removeprefix(_MARK)).problem and data.strip():
            where = f"line {error.lineno}, character {error.colno}"
            raise InputError(
                f"{path} is not JSON ({error.msg} at {where}). Expected a list of objects, or one "
                "object a line."
            ) from None
        yield from _json_lines(path)
        return
    except ValueError:
        yield from _json_lines(path)
        return
    if isinstance(value, dict):
        value = [value]
    if not isinstance(value, list):
        raise InputError(f"{path} holds one {type(value).__name__}. Expected a list of objects.")
    for number, item in enumerate(value, start=1):
        yield _record(number, item, unit="item")


def _record(number: int, value: Any, *, unit: str = "line") -> Row:
    if isinstance(value, dict):
        return Row(number, value, unit=unit)
    return Row(number, {}, f"a {type(value).__name__}, not an object with named fields", unit)


def _parquet(path: Path) -> Iterator[Row]:
    try:
        with pq.ParquetFile(path) as file:
            number = 0
            for batch in file.iter_batches(batch_size=_BATCH_ROWS):
                for values in batch.to_pylist():
                    number += 1
                    yield Row(number, values, unit="row")
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise InputError(f"{path} cannot be read as Parquet: {error}") from None


COLUMN, MARK = "guard", "apostrophe"
_ANY_END = "\r\n"
_TAKEN = re.compile(
    r"[\s=+\-@|%'＝＋－＠＇]"  # formulas, also as some spreadsheets read wide signs
    r"|[.,($€£]?\d"
    r"|(?:true|false)$"
    r"|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[\s./-]*\d",
    re.IGNORECASE,
)


def guarded(text: str) -> str:
    """The text as it can stand in a cell."""
    return f"'{text}" if _TAKEN.match(text) else text


def unguarded(cell: str) -> str:
    """The text that `guarded` was given."""
    return cell.removeprefix("'")


def csv_line(cells: Sequence[str]) -> str:
    """The cells as one line of CSV, as they are."""
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator=_ANY_END).writerow(cells)  # quotes what holds one of them
    return out.getvalue().removesuffix(_ANY_END) + "\n"
