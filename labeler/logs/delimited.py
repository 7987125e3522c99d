"""
Logs as tables: delimiter, header and columns, and lines into records of cells.

Everything about the columns is decided from the first lines, so that a file which cannot be
understood is refused before anything of it is counted. Records are read by the rules of RFC
4180 but for one thing: a quote that is never closed costs its own line and not the lines
after it.
"""

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from evaluator import InputError
from labeler.logs.columns import (
    UNKNOWN,
    Columns,
    LogRow,
    Shape,
    choose_columns,
    guess_count_columns,
    guess_query_columns,
    named_column,
    plain_name,
    read_count,
    read_time,
    require_count,
)
from labeler.logs.file import LINE_LIMIT, ByteProgress, Findings, Line, LogFile

DELIMITERS = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "vertical bars"}
ACTION = "action_name"  # in UBI logs: what has one is an event and no search
MOST_LINES_IN_A_CELL = 1000
MOST_ROWS_BY_CHANCE = 3  # lines of one text that happen to have as many delimiters as the header
_OTHER = "--by column:NAME"  # the option that asks for more columns
_DATA = re.compile(r"\d+([.,]\d+)?|\d{4}-\d\d-\d\d.*")
_BACKSLASH = re.compile(r'\\["\\]')
_EXCEL = re.compile(r"sep=(.)")  # a first line by which spreadsheets are told the delimiter

Flaw = Literal["open", "closed early"]


@dataclass(frozen=True, slots=True)
class DelimitedLog:
    """A log with a header line, and one search, or one query with its count, a record."""

    file: LogFile
    header_line: int
    header: tuple[str, ...]
    delimiter: str | None
    escaped: bool
    columns: Columns
    notes: tuple[str, ...]

    def rows(
        self, findings: Findings, progress: ByteProgress | None = None, others: Sequence[str] = ()
    ) -> Iterator[LogRow]:
        """The rows that may be searches; every other line goes to the findings."""
        lines = self.file.lines(findings, progress)
        for number, _ in lines:
            if number == self.header_line:
                break
        query = self.header.index(self.columns.query)
        count, time, action = map(self._index, (self.columns.count, self.columns.time, ACTION))
        calendar = None if time is not None else _year_and_month(self.header)
        where, known = _where(self.file, self.header_line), self.columns.query.casefold()
        more = [
            self.header.index(named_column(self.header, name, option=_OTHER, where=where))
            for name in others
        ]
        header = [plain_name(name) for name in self.header]

        def is_row(cells: list[str]) -> bool:
            counts = count is None or read_count(cells[count]) is not None
            return counts and (time is None or read_time(cells[time]) is not None)

        certain = count is not None or time is not None
        if self.escaped:
            lines = ((number, _rfc(text)) for number, text in lines)
        records = Records(lines, self.delimiter, len(self.header), is_row, certain, findings)
        for number, cells in records:
            text = cells[query]
            if known in text.casefold() and [plain_name(c) for c in _stripped(cells)] == header:
                again = (self.delimiter or "").join(cells)
                findings.report(number, "the header again", again, kind="repeated header")
            elif action is not None and cells[action].strip():
                findings.counts["events"] += 1
            else:
                at = None if time is None else cells[time]
                if calendar is not None:
                    at = "{:0>4}-{:0>2}-01".format(*(cells[place].strip() for place in calendar))
                yield LogRow(
                    number,
                    text,
                    None if count is None else cells[count],
                    at,
                    tuple([cells[at] for at in more]),
                )

    def described(self) -> dict[str, Any]:
        """What the record of a log says about a table."""
        return {
            "layout": "table",
            "delimiter": self.delimiter,
            "header": list(self.header),
            "columns": asdict(self.columns),
        }

    def _index(self, name: str | None) -> int | None:
        return self.header.index(name) if name is not None and name in self.header else None


def open_delimited(file: LogFile, head: Sequence[Line], shape: Shape) -> DelimitedLog:
    """
    The table that a file holds, judged by its first lines.

    Raises InputError if the first line is no header, or if it does not say which column
    holds the queries; the message lists the columns and what to do.
    """
    lines = [(number, text.removeprefix("\ufeff")) for number, text in head if text.strip()]
    delimiter, named = shape.delimiter, shape.query_column is not None
    lines, comments = without_comments(lines, delimiter, named=named)
    said = _EXCEL.fullmatch(lines[0][1].strip())
    if said and len(lines) > 1:
        delimiter = delimiter or said[1]
        lines = lines[1:]
    number, first = lines[0]
    notes = [_on_comments(comments)] if comments else []
    if delimiter is None:
        delimiter = detect_delimiter(first, shape)
        notes.append(
            "The header names one column, so lines are not split."
            if delimiter is None
            else f"Cells are separated by {DELIMITERS[delimiter]}, judged by the header."
        )
    header = _stripped(split_cells(first, delimiter)[0])
    name = file.path.name
    if apart := [cell for cell in header if cell.startswith('"')]:
        raise InputError(_quote_apart(name, number, apart[0]))
    if not named and not is_header(header) and guess_query_columns(header):
        raise InputError(_no_header(name, number, first))
    if delimiter is None and (other := consistent_delimiter([text for _, text in lines[1:]])):
        raise InputError(
            f"{name}: line {number} names one column, {first!r}, but every line after it has "
            f"{DELIMITERS[other]}. Put a header line above it that names every column."
        )
    columns = choose_columns(
        header,
        shape,
        where=_where(file, number),
        advice=" If the file has no header line, put one above it, such as: id,query,count",
    )
    escaped = _is_escaped([text for _, text in lines], delimiter, len(header))
    if escaped:
        notes.append("Quotes are escaped by backslashes, as Spark and MySQL write them.")
    cells = (split_cells(_rfc(text) if escaped else text, delimiter)[0] for _, text in lines[1:])
    require_count(header, cells, columns, shape, _where(file, number))
    if columns.time is None and _year_and_month(header) is not None:
        notes.append("Times are the columns year and month, each as the first of the month.")
    elif len(header) > 1 and columns.count is None and columns.time is None:
        notes.append("No column of counts or of times is known: every line is one search.")
    return DelimitedLog(file, number, tuple(header), delimiter, escaped, columns, tuple(notes))


def _year_and_month(header: Sequence[str]) -> tuple[int, int] | None:
    """Where the columns `year` and `month` stand, if there are both."""
    names = [plain_name(name) for name in header]
    return (names.index("year"), names.index("month")) if {"year", "month"} <= {*names} else None


def without_comments(
    lines: Sequence[Line], delimiter: str | None = None, *, named: bool = False
) -> tuple[list[Line], list[str]]:
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
    return _stripped(split_cells(line, delimiter or detect_delimiter(line))[0])


def is_header(cells: Sequence[str]) -> bool:
    """Whether a first line can be a header: it names queries, and no cell looks like data."""
    return bool(guess_query_columns(cells)) and not any(map(_DATA.fullmatch, cells))


def detect_delimiter(header: str, shape: Shape = UNKNOWN) -> str | None:
    """The delimiter that makes the most of a header: known names first, then most cells."""
    asked = {plain_name(name) for name in (shape.query_column, shape.count_column) if name}

    def merit(delimiter: str) -> tuple[bool, int, int]:
        names = split_cells(header, delimiter)[0]
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


def split_cells(text: str, delimiter: str | None) -> tuple[list[str], Flaw | None]:
    """
    The cells of one record by the rules of RFC 4180, and what is wrong with its quotes if anything.

    Only a quote at the start of a cell opens a quoted cell; any other quote is a letter like
    any other. A cell in which text follows the closing quote is taken as it stands, up to the
    next delimiter; so is everything if a quote is left open. Without a delimiter the record is
    one cell.
    """
    if '"' not in text:
        return _literal(text, delimiter), None
    cells: list[str] = []
    flaw: Flaw | None = None
    at = 0
    while True:
        closing = _closing_quote(text, at + 1) if text.startswith('"', at) else None
        if closing == -1:
            return _literal(text, delimiter), "open"
        if closing is not None and text[closing + 1 : closing + 2] in ("", delimiter):
            cells.append(text[at + 1 : closing].replace('""', '"'))
            end = closing + 1
        else:
            flaw = flaw if closing is None else "closed early"
            end = text.find(delimiter, at) if delimiter is not None else -1
            end = len(text) if end < 0 else end
            cells.append(text[at:end])
        if end == len(text):
            return cells, flaw
        at = end + 1


@dataclass(slots=True)
class Records:
    """
    The records of a table with `width` columns, each with the number of its first line.

    `is_row` says whether a line, its quotes taken as letters, would be a record by itself;
    `certain` whether that rests on more than the number of its cells. If a quoted cell runs
    over several lines of which the first and another are such records, then the quote was
    never meant to open a cell; if that is not certain, the record is kept and remarked on.
    """

    lines: Iterator[Line]
    delimiter: str | None
    width: int
    is_row: Callable[[list[str]], bool]
    certain: bool
    findings: Findings
    _waiting: deque[Line] = field(default_factory=deque)

    def __iter__(self) -> Iterator[tuple[int, list[str]]]:
        while (line := self._next()) is not None:
            if (cells := self._cells_of(line)) is not None:
                yield line[0], cells

    def _next(self) -> Line | None:
        return self._waiting.popleft() if self._waiting else next(self.lines, None)

    def _cells_of(self, line: Line) -> list[str] | None:
        """The cells of the record that begins with a line, or None, reported."""
        number, text = line
        cells, flaw = split_cells(text, self.delimiter)
        if '\\"' in text and (flaw is not None or len(cells) != self.width):
            otherwise, still = split_cells(_rfc(text), self.delimiter)
            if still is None and len(otherwise) == self.width:
                self.findings.remark(number, "quotes escaped by backslashes; read as quotes")
                return otherwise
        if flaw == "open":
            return self._joined(line)
        if len(cells) != self.width:
            self._report_width(number, cells, text)
            return None
        if flaw is not None:
            self.findings.remark(number, "text follows a closing quote; read as it stands")
        return cells

    def _report_width(self, number: int, cells: Sequence[str], text: str) -> None:
        if not text.strip():
            self.findings.report(number, "the line is empty", text, kind="blank")
            return
        has = "1 cell" if len(cells) == 1 else f"{len(cells)} cells"
        self.findings.report(number, f"{has} where the header has {self.width}", text)

    def _joined(self, first: Line) -> list[str] | None:
        """The cells of a record that goes on after its first line, or None, reported."""
        taken = [first]
        cells, closed = self._read_on(taken)
        rows = [self._stands_alone(text) for _, text in taken] if closed else []
        doubtful = bool(rows) and rows[0] and any(rows[1:])
        stray = doubtful and (self.certain or sum(rows) > MOST_ROWS_BY_CHANCE)
        if closed and len(cells) == self.width and not stray:
            if doubtful:
                what = "a quoted cell runs over lines that look like records of their own; kept"
                self.findings.remark(first[0], what)
            return cells
        if closed and len(cells) != self.width and not any(rows[1:]):
            self._report_width(first[0], cells, first[1])
            return None
        self.findings.report(first[0], "a quote is opened and never closed", first[1])
        self._waiting.extendleft(reversed(taken[1:]))
        return None

    def _read_on(self, taken: list[Line]) -> tuple[list[str], bool]:
        """Take further lines until every quote is closed; says whether that came about."""
        size = len(taken[0][1])
        while len(taken) < MOST_LINES_IN_A_CELL and size <= LINE_LIMIT:
            line = self._next()
            if line is None:
                break
            taken.append(line)
            size += len(line[1])
            if _closing_quote(line[1], 0) < 0:
                continue
            cells, flaw = split_cells("\n".join(text for _, text in taken), self.delimiter)
            if flaw != "open":
                return cells, flaw is None
        return [], False

    def _stands_alone(self, text: str) -> bool:
        cells = _literal(text, self.delimiter)
        return len(cells) == self.width > 1 and self.is_row(cells)


def _rfc(text: str) -> str:
    """A line whose quotes are escaped by backslashes as RFC 4180 would have it."""
    return _BACKSLASH.sub(lambda found: '""' if found[0] == '\\"' else "\\", text)


def _is_escaped(lines: Sequence[str], delimiter: str | None, width: int) -> bool:
    """Whether more of the first lines are sound where a backslash escapes quotes."""

    def flaws(lines: Iterable[str]) -> int:
        split = (split_cells(line, delimiter) for line in lines)
        return sum(flaw is not None or len(cells) != width for cells, flaw in split)

    doubtful = [line for line in lines if '\\"' in line]
    return flaws(map(_rfc, doubtful)) < flaws(doubtful)


def _literal(text: str, delimiter: str | None) -> list[str]:
    return [text] if delimiter is None else text.split(delimiter)


def _closing_quote(text: str, start: int) -> int:
    """Where the quoted cell ends whose inside begins at `start`; -1 if it does not."""
    while (end := text.find('"', start)) >= 0:
        if not text.startswith('"', end + 1):
            return end
        start = end + 2
    return -1


def _where(file: LogFile, header_line: int) -> str:
    return f"{file.path.name} (header: line {header_line})"


def _stripped(cells: Sequence[str]) -> list[str]:
    return [cell.strip("\ufeff \t") for cell in cells]


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
