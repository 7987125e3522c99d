"""
Lines into records of cells, where cells may hold quotes, delimiters and line breaks.

It differs from the standard library's reader in one thing: a quote that is never closed
costs its own line and not the lines after it. It knows nothing of what the cells mean.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from labeler.logs.file import LINE_LIMIT, Findings
from labeler.logs.lines import Line, Lines, Run

MOST_LINES_IN_A_CELL = 1000
MOST_ROWS_BY_CHANCE = 3  # lines of one text that happen to have as many delimiters as the header
Flaw = Literal["open", "closed early"]


class Cells(NamedTuple):
    """The cells of a record, and what is wrong with its quotes, if anything."""

    cells: list[str]
    flaw: Flaw | None = None


def split_cells(text: str, delimiter: str | None) -> Cells:
    """
    The cells of one record by the rules of RFC 4180.

    Only a quote at the start of a cell opens a quoted cell; any other quote is a letter like
    any other. A cell in which text follows the closing quote is taken as it stands, up to the
    next delimiter; so is everything if a quote is left open. Without a delimiter the record is
    one cell.
    """
    if '"' not in text:
        return Cells(_literal(text, delimiter))
    cells: list[str] = []
    flaw: Flaw | None = None
    at = 0
    while True:
        closing = _closing_quote(text, at + 1) if text.startswith('"', at) else None
        if closing == -1:
            return Cells(_literal(text, delimiter), "open")
        if closing is not None and text[closing + 1 : closing + 2] in ("", delimiter):
            cells.append(text[at + 1 : closing].replace('""', '"'))
            end = closing + 1
        else:
            flaw = flaw if closing is None else "closed early"
            end = text.find(delimiter, at) if delimiter is not None else -1
            end = len(text) if end < 0 else end
            cells.append(text[at:end])
        if end == len(text):
            return Cells(cells, flaw)
        at = end + 1


def _literal(text: str, delimiter: str | None) -> list[str]:
    return [text] if delimiter is None else text.split(delimiter)


def _closing_quote(text: str, start: int) -> int:
    """Where the quoted cell ends whose inside begins at `start`; -1 if it does not."""
    while (end := text.find('"', start)) >= 0:
        if not text.startswith('"', end + 1):
            return end
        start = end + 2
    return -1


@dataclass(slots=True)
class Records:
    """
    The records of a table with `width` columns, each with the number of its first line.

    Where the lines come in runs, a run is handed on as it is, since none of its lines can
    change how another is read; `cells_of` reads single lines of it.

    `is_row` says whether a line, its quotes taken as letters, would be a record by itself;
    `certain` whether that rests on more than the number of its cells. If a quoted cell runs
    over several lines of which the first and another are such records, then the quote was
    never meant to open a cell; if that is not certain, the record is kept and remarked on.
    """

    lines: Iterator[Line] | Lines
    delimiter: str | None
    width: int
    is_row: Callable[[list[str]], bool]
    certain: bool
    findings: Findings
    _waiting: deque[Line] = field(default_factory=deque)

    def __iter__(self) -> Iterator[tuple[int, list[str]] | Run]:
        waiting, lines = self._waiting, self.lines
        while (item := waiting.popleft() if waiting else next(lines, None)) is not None:
            if isinstance(item, Run):
                yield item
            elif (cells := self.cells_of(item)) is not None:
                yield item[0], cells

    def cells_of(self, line: Line) -> list[str] | None:
        """The cells of the record that begins with a line, or None if there is none."""
        number, text = line
        delimiter, width = self.delimiter, self.width
        if '"' not in text and delimiter is not None:
            cells = text.split(delimiter)
        else:
            cells, flaw = split_cells(text, delimiter)
            if flaw == "open":
                return self._joined(line)
            if flaw is not None and len(cells) == width:
                self.findings.remark(number, "text follows a closing quote; read as it stands")
        if len(cells) == width:
            return cells
        self._report_width(number, cells, text)
        return None

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
            line = self._waiting.popleft() if self._waiting else self._very_next()
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

    def _very_next(self) -> Line | None:
        return self.lines.one() if isinstance(self.lines, Lines) else next(self.lines, None)

    def _stands_alone(self, text: str) -> bool:
        cells = _literal(text, self.delimiter)
        return len(cells) == self.width > 1 and self.is_row(cells)
