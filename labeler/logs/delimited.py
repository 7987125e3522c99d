"""
Logs as tables: which delimiter, which header, which columns.

Everything is decided from the first lines, before the rows are streamed, so that a file
which cannot be understood is refused before anything of it is counted.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from evaluator import InputError
from labeler.logs.bulk import Batch, Sieve
from labeler.logs.cells import Records, split_cells
from labeler.logs.columns import (
    Columns,
    Row,
    choose_columns,
    guess_count_columns,
    guess_query_columns,
    named_column,
    plain_name,
    read_count,
    read_time,
)
from labeler.logs.file import Findings, LogFile, Progress
from labeler.logs.lines import Line, Lines, Run
from labeler.logs.runs import RunReader, can_split

DELIMITERS = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "vertical bars"}
ACTION = "action_name"  # in UBI logs: what has one is an event and no search
_DATA = re.compile(r"\d+([.,]\d+)?|\d{4}-\d\d-\d\d.*")
_EXCEL = re.compile(r"sep=(.)")  # a first line by which spreadsheets are told the delimiter


@dataclass(frozen=True, slots=True)
class Table:
    """A log with a header line, and one search, or one query with its count, a record."""

    file: LogFile
    header_line: int
    header: tuple[str, ...]
    delimiter: str | None
    columns: Columns
    notes: tuple[str, ...]

    def rows(self, findings: Findings, progress: Progress | None = None) -> Iterator[Row]:
        """The rows that may be searches; every other line goes to the findings."""
        lines = self.file.lines(findings, progress)
        for number, _ in lines:
            if number == self.header_line:
                break
        row_of = self._row_reader(findings)
        for item in self._records(lines, findings):
            if not isinstance(item, Run) and (row := row_of(*item)) is not None:
                yield row

    def bulk(self, findings: Findings, progress: Progress | None = None) -> Iterator[Row | Batch]:
        """The same searches and findings, with most of the searches many at once."""
        if not can_split(self.delimiter):
            yield from self.rows(findings, progress)
            return
        lines = Lines(self.file, findings, progress, delimiter=self.delimiter)
        while (line := lines.one()) is not None and line[0] != self.header_line:
            pass
        records, row_of = self._records(lines, findings), self._row_reader(findings)
        reader = self._run_reader()
        for item in records:
            if not isinstance(item, Run):
                rows = [row_of(*item)]
            else:
                batch, odd = reader.read(item)
                yield batch
                lines_of = ((line[0], records.cells_of(line)) for line in item.lines(odd))
                rows = [row_of(number, cells) for number, cells in lines_of if cells is not None]
            yield from (row for row in rows if row is not None)
        yield reader.sieve.rest()

    def with_query(self, column: str) -> "Table":
        """The same lines with another column in the place of the query."""
        where = _where(self.file, self.header_line)
        named = named_column(self.header, column, option="--by column:NAME", where=where)
        return replace(self, columns=replace(self.columns, query=named))

    def _run_reader(self) -> RunReader:
        query, count, time, action = self._places()
        sieve = Sieve(header_names=_forms(self.header[query]))
        return RunReader(
            sieve,
            delimiter=self.delimiter,
            width=len(self.header),
            query=query,
            count=count,
            time=time,
            action=action,
        )

    def _row_reader(self, findings: Findings) -> Callable[[int, list[str]], Row | None]:
        """A function from the cells of a record to its row, or to None, which is reported."""
        query, count, time, action = self._places()
        name, header = _forms(self.header[query]), [plain_name(h) for h in self.header]
        delimiter = self.delimiter or ""

        def row_of(number: int, cells: list[str]) -> Row | None:
            if cells[query] in name and [plain_name(c) for c in _stripped(cells)] == header:
                text = delimiter.join(cells)
                findings.report(number, "the header again", text, kind="repeated header")
                return None
            if action is not None and cells[action].strip():
                findings.counts["events"] += 1
                return None
            return (
                number,
                cells[query],
                None if count is None else cells[count],
                None if time is None else cells[time],
            )

        return row_of

    def described(self) -> dict[str, Any]:
        """What the record of a log says about a table."""
        return {
            "layout": "table",
            "delimiter": self.delimiter,
            "header": list(self.header),
            "columns": asdict(self.columns),
        }

    def _records(self, lines: Iterator[Line] | Lines, findings: Findings) -> Records:
        _, count, time, _ = self._places()

        def is_row(cells: list[str]) -> bool:
            counts = count is None or read_count(cells[count]) is not None
            return counts and (time is None or read_time(cells[time]) is not None)

        certain = count is not None or time is not None
        return Records(lines, self.delimiter, len(self.header), is_row, certain, findings)

    def _places(self) -> tuple[int, int | None, int | None, int | None]:
        """Where query, count, time and the name of an action stand."""
        query = self.header.index(self.columns.query)
        count, time, action = map(self._index, (self.columns.count, self.columns.time, ACTION))
        return query, count, time, action

    def _index(self, name: str | None) -> int | None:
        return self.header.index(name) if name is not None and name in self.header else None


def open_table(
    file: LogFile,
    head: Sequence[tuple[int, str]],
    *,
    query_column: str | None = None,
    count_column: str | None = None,
    delimiter: str | None = None,
) -> Table:
    """
    The table that a file holds, judged by its first lines.

    Raises InputError if the first line is no header, or if it does not say which column
    holds the queries; the message lists the columns and what to do.
    """
    lines = [(number, text.removeprefix("\ufeff")) for number, text in head if text.strip()]
    lines, comments = without_comments(lines, delimiter, named=query_column is not None)
    said = _EXCEL.fullmatch(lines[0][1].strip())
    if said and len(lines) > 1:
        delimiter = delimiter or said[1]
        lines = lines[1:]
    number, first = lines[0]
    notes = [_on_comments(comments)] if comments else []
    if delimiter is None:
        delimiter = detect_delimiter(first, wanted=(query_column, count_column))
        notes.append(_on_delimiter(delimiter))
    header = _stripped(split_cells(first, delimiter).cells)
    name = file.path.name
    if apart := [cell for cell in header if cell.startswith('"')]:
        raise InputError(_quote_apart(name, number, apart[0]))
    if query_column is None and not is_header(header) and guess_query_columns(header):
        raise InputError(_no_header(name, number, first))
    if delimiter is None and (other := consistent_delimiter([text for _, text in lines[1:]])):
        raise InputError(
            f"{name}: line {number} names one column, {first!r}, but every line after it has "
            f"{DELIMITERS[other]}. Put a header line above it that names every column."
        )
    columns = choose_columns(
        header,
        query_column=query_column,
        count_column=count_column,
        where=_where(file, number),
        advice=" If the file has no header line, put one above it, such as: id,query,count",
    )
    if len(header) > 1 and columns.count is None and columns.time is None:
        notes.append("No column of counts or of times is known: every line is one search.")
    return Table(file, number, tuple(header), delimiter, columns, tuple(notes))


def without_comments(
    lines: Sequence[tuple[int, str]], delimiter: str | None = None, *, named: bool = False
) -> tuple[list[tuple[int, str]], list[str]]:
    """
    First lines without the comments that analytics tools write above a header, and these.

    Lines that begin with # are comments only if a header follows, or columns were named:
    #metoo is a query.
    """
    header = next((at for at, (_, text) in enumerate(lines) if text[:1] != "#"), 0)
    if header and (named or is_header(split_header(lines[header][1], delimiter))):
        return list(lines[header:]), [text for _, text in lines[:header]]
    return list(lines), []


def split_header(line: str, delimiter: str | None) -> list[str]:
    """The names in a header line, split by the given delimiter or by the likeliest."""
    line = line.removeprefix("\ufeff")
    return _stripped(split_cells(line, delimiter or detect_delimiter(line)).cells)


def is_header(cells: Sequence[str]) -> bool:
    """Whether a first line can be a header: it names queries, and no cell looks like data."""
    return bool(guess_query_columns(cells)) and not any(map(_DATA.fullmatch, cells))


def detect_delimiter(header: str, *, wanted: Sequence[str | None] = ()) -> str | None:
    """The delimiter that makes the most of a header: known names first, then most cells."""
    asked = {plain_name(name) for name in wanted if name}

    def merit(delimiter: str) -> tuple[bool, int, int]:
        names = split_cells(header, delimiter).cells
        named = sum(plain_name(name) in asked for name in names)
        queries, counts = guess_query_columns(names), guess_count_columns(names)
        return bool(named or queries), named + len(queries) + len(counts), len(names)

    best = max(DELIMITERS, key=merit)
    return best if merit(best)[2] > 1 else None


def consistent_delimiter(lines: Sequence[str]) -> str | None:
    """A delimiter that each of several lines has equally often, as the lines of a table do."""
    filled = [line for line in lines if line.strip()]
    for delimiter in DELIMITERS:
        counts = {line.count(delimiter) for line in filled}
        if len(filled) > 1 and len(counts) == 1 and counts != {0}:
            return delimiter
    return None


def _where(file: LogFile, header_line: int) -> str:
    return f"{file.path.name} (header: line {header_line})"


def _forms(name: str) -> frozenset[str]:
    """How a column's name may be written where the header comes again."""
    marked = (name, name.lower(), name.upper(), name.title(), name.capitalize())
    return frozenset(mark + form for form in marked for mark in ("", "\ufeff"))


def _stripped(cells: Sequence[str]) -> list[str]:
    return [cell.strip("\ufeff \t") for cell in cells]


def _on_delimiter(delimiter: str | None) -> str:
    if delimiter is None:
        return "The header names one column, so lines are not split."
    return f"Cells are separated by {DELIMITERS[delimiter]}, judged by the header."


def _on_comments(comments: Sequence[str]) -> str:
    texts = [text.strip("# \t-,;") for text in comments]
    said = " / ".join(text for text in texts if text)[:300]
    return f"Comments above the header are not read ({len(comments)} lines): {said}"


def _quote_apart(name: str, number: int, cell: str) -> str:
    return (
        f"{name}: line {number} has blanks before a quote, as in {cell[:40]!r}, so that quotes "
        "would be read as letters and what they enclose be split.\n"
        "Write the file with every quote right behind its delimiter."
    )


def _no_header(name: str, number: int, first: str) -> str:
    return (
        f"{name}: line {number} looks like data and not like a header: {first[:200]!r}.\n"
        "Put a header line above it, such as: id,query,count. If it is the header, name its "
        "column of queries with --query-column NAME."
    )
