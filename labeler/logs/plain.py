"""
Logs as plain lines, one query a line.

A file of another kind would pass as plain lines too, every line of it one strange query, so
what looks like a table or like a web server's log is refused.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from evaluator import InputError
from labeler.logs.access import is_access_log, parameters
from labeler.logs.columns import LogRow, guess_query_columns
from labeler.logs.delimited import DELIMITERS, consistent_delimiter
from labeler.logs.file import ByteProgress, Findings, LogFile

_TOO_FEW = 10  # lines that may agree by chance in how many commas they have


@dataclass(frozen=True, slots=True)
class PlainLog:
    """A log in which every line is one search and holds nothing but the query."""

    file: LogFile
    notes: tuple[str, ...]

    def rows(
        self,
        findings: Findings,
        progress: ByteProgress | None = None,
        *,
        others: Sequence[str] = (),
    ) -> Iterator[LogRow]:
        """The rows that may be searches: all lines."""
        if others:
            raise InputError(f"{self.file.path.name} has no columns beside its queries.")
        for number, line in self.file.lines(findings, progress):
            yield LogRow(number, line, None, None)

    def described(self) -> dict[str, Any]:
        """What the record of a log says about plain lines."""
        return {"layout": "plain lines"}


def open_plain(file: LogFile, head: Sequence[tuple[int, str]]) -> PlainLog:
    """The plain log that a file holds. Raises InputError if its lines look like more."""
    lines = [line for _, line in head if line.strip()]
    name = file.path.name
    if is_access_log(lines):
        names = ", ".join(f"{found} ({n})" for found, n in parameters(lines)[:10]) or "none"
        raise InputError(
            f"{name} looks like the log of a web server. Name the parameter of its addresses "
            f"that holds the queries with --query-parameter NAME. In the first lines: {names}."
        )
    delimiter = consistent_delimiter(lines)
    if delimiter is not None and (delimiter == "\t" or len(lines) >= _TOO_FEW):
        raise InputError(
            f"{name} should hold one query a line, but every line has {DELIMITERS[delimiter]}. "
            "If it is a table, put a header line above it, such as: timestamp,query, and name "
            "it .csv or .tsv."
        )
    first = lines[0].strip() if lines else ""
    if guess_query_columns([first]):
        return PlainLog(file, (f"The first line, {first!r}, is counted as a query.",))
    return PlainLog(file, ())
