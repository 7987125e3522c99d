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
from labeler.logs.bulk import Batch, Sieve
from labeler.logs.columns import Row, guess_query_columns
from labeler.logs.delimited import DELIMITERS, consistent_delimiter
from labeler.logs.file import Findings, LogFile, Progress
from labeler.logs.lines import Lines, Run
from labeler.logs.runs import RunReader

_TOO_FEW = 10  # lines that may agree by chance in how many commas they have


@dataclass(frozen=True, slots=True)
class PlainLog:
    """A log in which every line is one search and holds nothing but the query."""

    file: LogFile
    notes: tuple[str, ...]

    def rows(self, findings: Findings, progress: Progress | None = None) -> Iterator[Row]:
        """The rows that may be searches: all lines."""
        for number, line in self.file.lines(findings, progress):
            yield number, line, None, None

    def bulk(self, findings: Findings, progress: Progress | None = None) -> Iterator[Row | Batch]:
        """The same searches and findings, with most of the searches many at once."""
        reader = RunReader(Sieve(), delimiter=None, width=1, query=0)
        for item in Lines(self.file, findings, progress, delimiter=None, quotes=False):
            if isinstance(item, Run):
                batch, odd = reader.read(item)
                yield batch
                yield from ((number, line, None, None) for number, line in item.lines(odd))
            else:
                yield (*item, None, None)
        yield reader.sieve.rest()

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
