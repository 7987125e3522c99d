"""
The lines of a log, one by one or as many at once as hold nothing that needs care.

Lines that cannot be understood by themselves (a quote that is open, bytes that are no text)
come one by one and in their order; all others may come in runs, which a faster reader takes.
It knows what makes a line safe, and nothing of columns.
"""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from evaluator.files.encodings import is_utf8
from labeler.logs.arrows import encoded_strings, flags_of
from labeler.logs.file import LINE_LIMIT, Findings, LogFile, Progress

Line = tuple[int, str]
_QUOTE, _LINE_FEED = b'"', b"\n"
_SPARSE = 1024  # bytes for each quote where they are few
_MARK = "\ufeff".encode()  # left out by Arrow where a run begins with it
_REPLACED = "\ufffd".encode()
Places = NDArray[np.int64]


@dataclass(slots=True)
class Run:
    """
    Whole lines as UTF-8 that can be read without regard to each other.

    `pieces` holds the row at which each part of it begins, and that row's line number.
    Who reads the run states the number of its lines in `rows`, and saves counting them.
    """

    text: bytes
    quoted: bool
    pieces: tuple[tuple[int, int], ...]
    rows: int | None = None

    def lines(self, rows: NDArray[np.int64]) -> Iterator[Line]:
        """The lines of some rows, with their numbers."""
        if not rows.size:
            return
        starts, ends = line_bounds(self.text)
        firsts = [row for row, _ in self.pieces]
        for row in rows.tolist():
            first, number = self.pieces[bisect_right(firsts, row) - 1]
            yield number + row - first, self.text[starts[row] : ends[row]].decode()


class Lines:
    """
    An iterator over lines, and over runs of them, that can also be asked for the very next.

    A run may come after lines that stand behind it in the file. `delimiter` and `quotes`
    say which lines are safe to read in a run; without quotes all of them are.
    """

    def __init__(
        self,
        file: LogFile,
        findings: Findings,
        progress: Progress | None = None,
        *,
        delimiter: str | None,
        quotes: bool = True,
    ) -> None:
        self._file = file
        self._findings = findings
        self._blocks = file.blocks(progress)
        self._delimiter = delimiter
        self._quotes = quotes
        self._block = b""
        self._at = 0
        self._unsafe: list[int] = []
        self._aside: list[bytes] = []
        self._pieces: list[tuple[int, int]] = []
        self._rows = 0
        self._uncounted: Run | None = None

    def __iter__(self) -> Iterator[Line | Run]:
        return self

    def __next__(self) -> Line | Run:
        while True:
            if self._at == len(self._block):
                if self._aside:
                    return self._run()
                if not self._load():
                    raise StopIteration
            unsafe = self._next_unsafe()
            if unsafe > self._at and not self._block.startswith(_MARK, self._at):
                self._set_aside(unsafe)
            elif (line := self._take()) is not None:
                return line

    def one(self) -> Line | None:
        """The very next line that can be read, or None at the end."""
        while self._at < len(self._block) or self._load():
            if (line := self._take()) is not None:
                return line
        return None

    def _load(self) -> bool:
        self._settle()
        self._block, self._at = next(self._blocks, b""), 0
        self._unsafe = self._find_unsafe()[::-1]
        return bool(self._block)

    def _next_unsafe(self) -> int:
        """Where the next line begins that must be read by itself; the end if there is none."""
        while self._unsafe and self._unsafe[-1] < self._at:
            self._unsafe.pop()
        return self._unsafe[-1] if self._unsafe else len(self._block)

    def _take(self) -> Line | None:
        end = self._block.find(_LINE_FEED, self._at)
        end = len(self._block) if end < 0 else end
        text = self._block[self._at : end].decode(errors="surrogateescape")
        self._at = min(end + 1, len(self._block))
        self._findings.lines += 1
        number = self._findings.lines
        return (number, text) if self._file.is_sound(number, text, self._findings) else None

    def _set_aside(self, end: int) -> None:
        part = self._block[self._at : end]
        self._at = end
        self._pieces.append((self._rows, self._findings.lines + 1))
        self._aside.append(part)
        if len(part) < len(self._block) or self._rows:
            rows = count_lines(part)
            self._rows += rows
            self._findings.lines += rows

    def _run(self) -> Run:
        text = self._aside[0] if len(self._aside) == 1 else b"".join(self._aside)
        quoted = self._quotes and _QUOTE in text
        run = Run(text, quoted, tuple(self._pieces))
        if not self._rows:
            self._uncounted = run
        self._aside, self._pieces, self._rows = [], [], 0
        return run

    def _settle(self) -> None:
        """Go on counting behind a run that was handed on before its lines were counted."""
        if (run := self._uncounted) is not None:
            self._findings.lines += count_lines(run.text) if run.rows is None else run.rows
            self._uncounted = None

    def _find_unsafe(self) -> list[int]:
        """Where the lines begin that are not safe to read in a run."""
        block = self._block
        unsafe: set[int] = set()
        if _has_long_line(block):
            unsafe.update(_long_lines(block))
        if self._file.damaged and (_REPLACED in block or not is_utf8(block)):
            unsafe.update(_damaged_lines(block))
        if self._quotes:
            unsafe.update(badly_quoted_lines(block, self._delimiter))
        return sorted(unsafe)


def badly_quoted_lines(block: bytes, delimiter: str | None) -> list[int]:
    """Where the lines begin that are not whole by themselves; few blocks have any."""
    places = _quote_places(block)
    if _quotes_enclose_cells(block, places, delimiter):
        return []
    starts, ends = _lines_with(block, places)
    bounds = zip(starts.tolist(), ends.tolist(), strict=True)
    lines = encoded_strings([block[start:end] for start, end in bounds])
    whole = pc.match_substring_regex(lines, _whole_line(delimiter))
    found: list[int] = starts[~flags_of(whole)].tolist()
    return found


def count_lines(text: bytes) -> int:
    """How many lines there are, the last of which need not end in a line feed."""
    ends = int(np.count_nonzero(np.frombuffer(text, np.uint8) == _LINE_FEED[0]))
    return ends + (not text.endswith(_LINE_FEED))


def line_bounds(text: bytes) -> tuple[Places, Places]:
    """Where each line begins and ends, be it by a line feed or by the end of the text."""
    ends = _places(text, _LINE_FEED)
    ends = ends if text.endswith(_LINE_FEED) else np.append(ends, len(text))
    return np.append(0, ends[:-1] + 1), ends


def _whole_line(delimiter: str | None) -> str:
    """
    A pattern of lines whose quotes open and close cells as RFC 4180 says, and do nothing else.

    Quotes within a cell that does not begin with one are letters.
    """
    if delimiter is None:
        return r'\A(?:"(?:[^"]|"")*"|[^"].*)?\z'
    by = f"\\x{ord(delimiter):02x}"
    cell = rf'(?:"(?:[^"]|"")*"|[^"{by}][^{by}]*)?'
    return rf"\A{cell}(?:{by}{cell})*\z"


def _quotes_enclose_cells(block: bytes, places: Places, delimiter: str | None) -> bool:
    """
    Whether all quotes come in pairs within a line that enclose a cell, or are doubled.

    Since no pair goes over the end of a line, the first quote of each line opens a pair. A
    doubled quote within a cell closes one and opens the next.
    """
    if not len(places) or len(places) % 2:
        return not len(places)
    data = np.frombuffer(block, np.uint8)
    bounds = np.zeros(256, bool)
    bounds[[_LINE_FEED[0], ord(delimiter or "\n")]] = True
    opening, closing = places[::2], places[1::2]
    begins = bounds[data[opening - 1]] | (opening == 0)
    last = len(block) - 1
    ends = bounds[data[np.minimum(closing + 1, last)]] | (closing == last)
    doubled = opening[1:] == closing[:-1] + 1
    begins[1:] |= doubled
    ends[:-1] |= doubled
    if not (begins.all() and ends.all()):
        return False
    pairs = zip(opening.tolist(), closing.tolist(), strict=True)
    return all(block.find(_LINE_FEED, start, end) < 0 for start, end in pairs)


def _places(block: bytes, wanted: bytes) -> Places:
    """Where the first of some bytes is."""
    return np.flatnonzero(np.frombuffer(block, np.uint8) == wanted[0])


def _quote_places(block: bytes) -> Places:
    """Where the quotes are, found one by one as long as they are few."""
    found: list[int] = []
    at = block.find(_QUOTE)
    while at >= 0:
        if len(found) * _SPARSE > len(block):
            return _places(block, _QUOTE)
        found.append(at)
        at = block.find(_QUOTE, at + 1)
    return np.array(found, np.int64)


def _lines_with(block: bytes, places: Places) -> tuple[Places, Places]:
    """Where the lines begin and end that hold some places."""
    starts, ends = line_bounds(block)
    rows = np.unique(np.searchsorted(ends, places))
    return starts[rows], ends[rows]


def _long_lines(block: bytes) -> list[int]:
    starts, ends = line_bounds(block)
    found: list[int] = starts[ends - starts > LINE_LIMIT].tolist()
    return found


def _damaged_lines(block: bytes) -> list[int]:
    starts, ends = (places.tolist() for places in line_bounds(block))
    lines = ((start, block[start:end]) for start, end in zip(starts, ends, strict=True))
    return [start for start, line in lines if _REPLACED in line or not is_utf8(line)]


def _has_long_line(block: bytes) -> bool:
    at = 0
    while len(block) - at > LINE_LIMIT:
        end = block.rfind(_LINE_FEED, at, at + LINE_LIMIT + 1)
        if end < 0:
            return True
        at = end + 1
    return False
