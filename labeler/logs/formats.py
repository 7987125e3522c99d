"""
What kind of log a file is: its name, its first lines, and what the caller says of it.

It decides between the readers of the formats, and never between two that both fit: then it
asks for a name or an option that says. Plain lines are read here; since any file would pass
as such, every line of it one strange query, what looks like more is refused.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Protocol

from evaluator import InputError
from labeler.logs.access import open_access, parameters, reader_of
from labeler.logs.columns import LogRow, Shape, guess_query_columns
from labeler.logs.delimited import (
    DELIMITERS,
    consistent_delimiter,
    is_header,
    open_delimited,
    split_header,
    without_comments,
)
from labeler.logs.file import ByteProgress, Findings, Line, LogFile
from labeler.logs.json_log import looks_like_json, open_json

_TABLES = frozenset({".csv", ".tsv", ".tab", ".psv"})
_JSON = frozenset({".json", ".jsonl", ".ndjson"})
_PLAIN = frozenset({".txt", ".log"})
_PACKED = frozenset({".gz", ".zst"})
_TOO_FEW = 10  # lines that may agree by chance in how many commas they have
_LOOKED_AT = 1000  # lines of what may be plain
# Two of these in most lines, and the lines are records of something and no queries.
_SIGNS = (
    re.compile(r"[,;|\t]"),
    re.compile(r"(?<!\S)[\w.-]+=\S"),
    re.compile(
        r"\d{4}-\d\d-\d\d|\d\d/\w{3}/\d{4}|(?<!\d)\d{1,2}[./]\d{1,2}[./](?:\d\d){1,2}(?!\d)"
    ),
    re.compile(r"(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.])|https?://|(?<!\S)/[\w/.-]+\?"),
    re.compile(r'\{\s*\\?"'),
)
# A line that begins with a moment is a record of something, whatever follows.
_STAMPED = re.compile(
    r"[\[<(]?(?:\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d|\d\d/\w{3}/\d{4}[: ]\d\d:\d\d"
    r"|(?:[A-Z][a-z]{2},? )?[A-Z][a-z]{2} {1,2}\d{1,2},? (?:\d{4} )?\d\d:\d\d|\d{10}(?:\.\d+)?\s"
    r"|\d{13}\s)"
)
_LIKE_A_REQUEST = re.compile(r'"(?:GET|POST|HEAD) [^"]*"')
_SLOW_LOG = re.compile(r"search\.slowlog|search_slowlog|elasticsearch\.slowlog")


class Log(Protocol):
    """A log whose format has been found out; `others` are more columns whose cells are wanted."""

    @property
    def notes(self) -> tuple[str, ...]: ...
    def rows(
        self, findings: Findings, progress: ByteProgress | None = None, others: Sequence[str] = ()
    ) -> Iterator[LogRow]: ...
    def described(self) -> dict[str, Any]: ...


@dataclass(frozen=True, slots=True)
class PlainLog:
    """A log in which every line is one search and holds nothing but the query."""

    file: LogFile
    notes: tuple[str, ...]

    def rows(
        self, findings: Findings, progress: ByteProgress | None = None, others: Sequence[str] = ()
    ) -> Iterator[LogRow]:
        """The rows that may be searches: all lines."""
        if others:
            raise InputError(f"{self.file.path.name} has no columns beside its queries.")
        for number, line in self.file.lines(findings, progress):
            yield LogRow(number, line, None, None)

    def described(self) -> dict[str, Any]:
        """What the record of a log says about plain lines."""
        return {"layout": "plain lines"}


def log_in(file: LogFile, shape: Shape) -> Log:
    """The log that an opened file holds. Raises InputError if it may be of several formats."""
    if not file.is_text:
        from labeler.logs.parquet_log import open_parquet  # loads Arrow's part for Parquet

        return open_parquet(file, shape)
    head = file.head()
    if shape.plain:
        return PlainLog(file, ("Every line is one query, as --plain says.",))
    if shape.query_parameter is not None:
        return open_access(file, head, shape, parameter=shape.query_parameter)
    _refuse_other_logs(file, [line for _, line in head], shape)
    if is_json(file, head):
        return open_json(file, head, shape)
    if is_table(file, head, shape):
        return open_delimited(file, head, shape)
    if _suffix(file) in _PLAIN:
        return _open_plain(file, head)
    raise InputError(
        f"{file.path.name} does not say what it is. Name it .csv or .tsv (with a header line), "
        ".jsonl (one object a line) or .txt (one query a line)."
    )


def is_json(file: LogFile, head: list[Line]) -> bool:
    """Whether a file is JSON by its name or by its first line."""
    return _suffix(file) in _JSON or looks_like_json(head)


def is_table(file: LogFile, head: list[Line], shape: Shape) -> bool:
    """
    Whether a file that is not JSON is a table, by its name, its header or what is said of it.

    Raises InputError if it holds no line.
    """
    filled = [(number, line) for number, line in head if line.strip()]
    if not filled:
        raise InputError(f"{file.path} holds no line of text that can be read.")
    lines, _ = without_comments(filled, shape.delimiter)
    header, suffix = split_header(lines[0][1], shape.delimiter), _suffix(file)
    said = shape.query_column is not None or shape.delimiter is not None or suffix in _TABLES
    return said or (is_header(header) and (len(header) > 1 or suffix not in _PLAIN))


def _open_plain(file: LogFile, head: Sequence[Line]) -> PlainLog:
    """The plain log that a file holds. Raises InputError if its lines look like more."""
    lines = [line for _, line in head if line.strip()]
    name = file.path.name
    delimiter = consistent_delimiter(lines)
    if delimiter is not None and (delimiter == "\t" or len(lines) >= _TOO_FEW):
        raise InputError(
            f"{name} should hold one query a line, but every line has {DELIMITERS[delimiter]}. "
            "If it is a table, put a header line above it, such as: timestamp,query, and name "
            "it .csv or .tsv."
        )
    more = [line for _, line in file.head(_LOOKED_AT) if line.strip()]
    if 2 * sum(map(_is_record, more)) > len(more):
        raise InputError(
            f"{name} should hold one query a line, but most of its first lines look like records "
            f"of something, such as {more[0][:120]!r}. Write them as a table with a header, such "
            "as query,count, or as JSON lines. If every line is a query as it was typed, say so "
            "with --plain."
        )
    first = lines[0].strip() if lines else ""
    if guess_query_columns([first]):
        return PlainLog(file, (f"The first line, {first!r}, is counted as a query.",))
    return PlainLog(file, ())


def _is_record(line: str) -> bool:
    """Whether a line looks like a record, by a moment at its start or two other signs."""
    return bool(_STAMPED.match(line)) or sum(bool(sign.search(line)) for sign in _SIGNS) > 1


def _refuse_other_logs(file: LogFile, lines: Sequence[str], shape: Shape) -> None:
    """Raise InputError for the log of a web server, and for that of a search engine's slow work."""
    name, filled = file.path.name, [line for line in lines if line.strip()]
    if 2 * sum(bool(_SLOW_LOG.search(line)) for line in filled) > len(filled):
        raise InputError(
            f"{name} is a slow log of Elasticsearch or OpenSearch: a line for each shard, of slow "
            "searches only, with no text that anybody typed. Read what the search box logs: the "
            "queries of UBI (ubi_queries) as JSON lines, or a table with a header such as "
            "timestamp,query."
        )
    known = reader_of(filled) is not None
    alike = 2 * sum(bool(_LIKE_A_REQUEST.search(line)) for line in filled) > len(filled)
    if shape.query_column is None and (known or alike):
        found = parameters(filled)
        if not known:
            raise InputError(
                f"{name} looks like the log of a web server, in no format that is known. Write it "
                "as a table with a header, such as timestamp,query, or as JSON lines."
            )
        if not found:
            raise InputError(
                f"{name} looks like the log of a web server, and the addresses of its first lines "
                "have no parameter, so that no query stands in them. Read another log, such as "
                "what the search box sends, as a table with a header: timestamp,query."
            )
        names = ", ".join(f"{parameter} ({n})" for parameter, n in found[:10])
        raise InputError(
            f"{name} looks like the log of a web server. Name the parameter of its addresses "
            f"that holds the queries with --query-parameter NAME. In the first lines: {names}."
        )


def _suffix(file: LogFile) -> str:
    """The end of a file's name, before what says that it is packed."""
    names = [suffix.casefold() for suffix in PurePath(file.path.name).suffixes]
    return next((name for name in reversed(names) if name not in _PACKED), "")
