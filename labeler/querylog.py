"""
Log files to distinct queries with their counts.

It owns what counts as a search, and when two searches are the same query. How files and
formats are read is the business of the `log...` modules beside it. No line is kept in
memory: raw texts are counted first, and only the distinct ones are normalised.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any, Protocol

from evaluator import InputError
from labeler.logcolumns import Row, Window, read_count
from labeler.logfile import PROBLEMS_LISTED, Findings, LineProblem, LogFile, Progress, open_log
from labeler.logjson import looks_like_json, open_json
from labeler.logplain import open_plain
from labeler.logtable import is_header, open_table, split_header
from labeler.records import LogQuery

__all__ = ["NORMALISING", "LineProblem", "LogReading", "normalised", "read_log"]

NORMALISING = "Unicode NFKC, case folded, runs of white space to one blank, trimmed"
_ROUNDED = re.compile(r"\d(\.\d+)?E\+\d\d")
_TABLES = frozenset({".csv", ".tsv", ".tab", ".psv"})
_JSON = frozenset({".json", ".jsonl", ".ndjson"})
_PLAIN = frozenset({".txt", ".log"})
_PACKED = frozenset({".gz", ".zst"})

# White space, control characters, and what has no width: a query of these shows nothing.
_UNSEEN = frozenset(
    chr(code)
    for code in (
        *range(0x21),
        *range(0x7F, 0xA1),
        *(0xAD, 0x34F, 0x61C, 0x1680, 0x180E, 0x205F, 0x3000, 0xFEFF),
        *range(0x2000, 0x2010),
        *range(0x2028, 0x2030),
        *range(0x2060, 0x2070),
    )
)
_UNSEEN_TEXT = "".join(_UNSEEN)


@dataclass(frozen=True, slots=True)
class LogReading:
    """
    The distinct queries of a log, the record of how it was read, and the lines left out.

    Queries are in the order of their keys, so the order of the lines does not show.
    """

    queries: tuple[LogQuery, ...]
    record: Mapping[str, Any]
    problems: tuple[LineProblem, ...]


class _Log(Protocol):
    """A log whose format has been found out."""

    @property
    def notes(self) -> tuple[str, ...]: ...
    def rows(self, findings: Findings, progress: Progress | None = None) -> Iterator[Row]: ...
    def described(self) -> dict[str, Any]: ...


def read_log(
    path: Path,
    *,
    query_column: str | None = None,
    count_column: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    normalise: bool = True,
    progress: Progress | None = None,
) -> LogReading:
    """
    The distinct queries of a query log, each with the number of its searches.

    Reads tables with a header (.csv, .tsv), JSON lines, search answers and UBI logs (.json,
    .jsonl, .ndjson) and plain lines (.txt, .log), also packed (.gz, .zst). What is not given
    is judged by the first lines and stated in the record. An empty `count_column` says that
    every line is one search. Cells are text whatever they look like.

    Raises InputError if the file cannot be understood, or holds no query. A line that
    cannot be understood is left out, counted and listed, and stops nothing.
    """
    file = open_log(path, encoding=encoding, progress=progress)
    log = _opened(file, query_column, count_column, delimiter)
    findings, window = Findings(), Window()
    counts = _count(log.rows(findings, progress), findings, window)
    file.check_unchanged()
    if progress is not None:
        progress(2 * file.size, 2 * file.size)
    if not counts:
        raise InputError(_no_queries(path, findings))
    queries = _grouped(counts, normalise)
    record = _record(file, log, findings, window)
    record["notes"] += _on_spreadsheets(queries)
    record |= {
        "normalising": NORMALISING if normalise else "none",
        "searches": sum(query.count for query in queries),
        "distinct": len(queries),
        "distinct_raw": len(counts),
    }
    return LogReading(queries, record, tuple(sorted(findings.problems, key=lambda p: p.line)))


def normalised(text: str) -> str:
    """
    The key under which searches count as one query; see NORMALISING.

    Composed again after folding, which can take characters apart, so that a key is its
    own key.
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(unicodedata.normalize("NFKC", folded).split())


def _opened(
    file: LogFile, query_column: str | None, count_column: str | None, delimiter: str | None
) -> _Log:
    """The log in the format that its name and its first lines agree on."""
    names = [suffix.casefold() for suffix in PurePath(file.path.name).suffixes]
    suffix = next((name for name in reversed(names) if name not in _PACKED), "")
    head = file.head()
    if suffix in _JSON or looks_like_json(head):
        return open_json(file, head, query_column=query_column, count_column=count_column)
    first = next((line for _, line in head if line.strip()), None)
    if first is None:
        raise InputError(f"{file.path} holds no line of text that can be read.")
    header = split_header(first, delimiter)
    table = query_column is not None or delimiter is not None or suffix in _TABLES
    if table or (is_header(header) and (len(header) > 1 or suffix not in _PLAIN)):
        return open_table(
            file,
            head,
            query_column=query_column,
            count_column=count_column,
            delimiter=delimiter,
        )
    if suffix in _PLAIN:
        return open_plain(file, head)
    raise InputError(
        f"{file.path.name} does not say what it is. Name it .csv or .tsv (with a header line), "
        ".jsonl (one object a line) or .txt (one query a line)."
    )


def _count(rows: Iterable[Row], findings: Findings, window: Window) -> dict[str, int]:
    """Searches by raw text."""
    counts: dict[str, int] = defaultdict(int)
    low = high = ""
    for line, query, cell, time in rows:
        searches = 1 if cell is None else read_count(cell)
        if not query or (query[0] in _UNSEEN and not query.strip(_UNSEEN_TEXT)):
            findings.counts["blank searches"] += searches or 0
            said = "" if cell is None else f" (count {cell.strip()!r})"
            findings.report(line, f"the query is blank{said}", query, kind="blank")
        elif searches is None:
            reason = f"the count {cell!r} is not a whole number of 0 or more"
            findings.report(line, reason, query)
        else:
            counts[query] += searches
            if time and not (low <= time <= high and len(time) == len(low)):
                low, high = window.see(time)
    return counts


def _grouped(counts: Mapping[str, int], normalise: bool) -> tuple[LogQuery, ...]:
    """Raw texts under their keys; the most frequent one, ties by text, is what people see."""
    groups: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for variant in counts.items():
        groups[normalised(variant[0]) if normalise else variant[0]].append(variant)
    queries = []
    for key in sorted(groups):
        variants = groups[key]
        if len(variants) > 1:
            variants.sort(key=lambda variant: (-variant[1], variant[0]))
        searches = sum(count for _, count in variants)
        queries.append(LogQuery(key, variants[0][0], searches, tuple(variants)))
    return tuple(queries)


def _record(file: LogFile, log: _Log, findings: Findings, window: Window) -> dict[str, Any]:
    """How the file was read, as it is kept with the sample and frozen with the labels."""
    first_at, last_at = window.bounds()
    notes = [*file.notes, *log.notes, *findings.remarks()]
    if unreadable := window.unreadable():
        notes.append(f"Some times are not ISO 8601, such as {unreadable[0][:40]!r}; not used.")
    left_out = sum(findings.counts[kind] for kind in ("blank", "broken", "repeated header"))
    if left_out > PROBLEMS_LISTED:
        notes.append(f"{left_out:,} lines were left out; the first {PROBLEMS_LISTED:,} are listed.")
    return {
        "file": file.path.name,
        "sha256": file.sha256,
        "bytes": file.size,
        "compression": file.compression,
        "encoding": file.encoding.removesuffix("-sig"),
        "delimiter": None,
        "columns": None,
        **log.described(),
        "lines": findings.lines,
        "blank": findings.counts["blank"],
        "blank_searches": findings.counts["blank searches"],
        "broken": findings.counts["broken"],
        "repeated_headers": findings.counts["repeated header"],
        "events": findings.counts["events"],
        "action_lines": findings.counts["action lines"],
        "first_at": first_at,
        "last_at": last_at,
        "notes": notes,
    }


def _on_spreadsheets(queries: Iterable[LogQuery]) -> list[str]:
    """A note if long numbers were rounded by a spreadsheet before they came here."""
    damaged = [query for query in queries if _ROUNDED.fullmatch(query.text)]
    if not damaged:
        return []
    searches = sum(query.count for query in damaged)
    example = max(damaged, key=lambda query: query.count).text
    return [
        f"{len(damaged)} queries ({searches:,} searches) are numbers that a spreadsheet has "
        f"rounded, such as {example!r}. They are kept as they stand."
    ]


def _no_queries(path: Path, findings: Findings) -> str:
    met = ", ".join(f"{n:,} {kind}" for kind, n in sorted(findings.counts.items()) if n)
    first = findings.problems[0] if findings.problems else None
    example = f" Line {first.line}: {first.reason}." if first else ""
    return f"{path} holds no query in {findings.lines:,} lines ({met or 'a header only'}).{example}"
