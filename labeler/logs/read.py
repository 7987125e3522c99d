"""
Log files to distinct queries with their counts.

It owns what counts as a search, and when two searches are the same query. How files and
formats are read is the business of the modules beside it. No line is kept in memory: raw texts
are counted first, and only the distinct ones are normalised.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from evaluator import InputError
from evaluator.files.records import shown
from evaluator.text.messages import counted
from evaluator.text.words import is_blank
from labeler.logs.columns import UNKNOWN, LogRow, Shape, Window, read_count, thousands_mark
from labeler.logs.file import (
    LEFT_OUT,
    PROBLEMS_LISTED,
    ByteProgress,
    Findings,
    LogFile,
    SkippedLine,
    open_log,
)
from labeler.logs.formats import Log, log_in
from labeler.logs.group import DistinctQueries, Keys, group
from labeler.logs.private import Guard
from labeler.logs.queries import LogQuery, merged, without_content

_TOTALS = re.compile(
    r"\s*(?:grand )?(?:totals?|sums?|overall|all|gesamt|summe|insgesamt|totaal|totalt|total général"
    r"|totale|suma)\s*:?\s*",
    re.IGNORECASE,
)
_FIRST_ROWS = 100
_NOT_TYPED = re.compile(  # request lines, addresses with parameters, objects in JSON
    r"\s*(?:[A-Z]{3,7} (?:https?://|/)\S* HTTP/|(?:https?:/)?/[^\s?]*\?[\w.-]+=|[\[{]\s*\\?\")"
)
MOST_BROKEN = 0.01  # of the lines that are not blank, unless a person accepts more


@dataclass(frozen=True, slots=True)
class LogReading:
    """
    The distinct queries of a log, the record of how it was read, and the lines left out.

    Queries are in the order of their keys, so the order of the lines does not show. Those
    of a long log stay in a temporary file and are read from it each time they are gone
    through. `private` gives the lines that hold private data, masked; it reads the log again.
    """

    queries: DistinctQueries
    record: Mapping[str, Any]
    problems: tuple[SkippedLine, ...]
    private: Callable[[], tuple[SkippedLine, ...]]


def read_log(
    path: Path,
    shape: Shape = UNKNOWN,
    *,
    normalise: bool = True,
    private: str | None = None,
    identifiers: Sequence[str] = (),
    regions: Sequence[str] = (),
    progress: ByteProgress | None = None,
) -> LogReading:
    """
    The distinct queries of a query log, each with the number of its searches.

    Reads tables with a header (.csv, .tsv), JSON lines, search answers and UBI logs (.json,
    .jsonl, .ndjson) and plain lines (.txt, .log), also packed (.gz, .zst); Parquet; and with
    a `query_parameter` the logs of web servers. What the `shape` does not say is judged by
    the first lines and stated in the record. Cells are text whatever they look like.

    Without a choice what to do about `private` data, it is counted and left where it is;
    see `private`.

    Raises InputError if the file cannot be understood, or holds no query. A line that
    cannot be understood is left out, counted and listed, and stops nothing.
    """
    keys = Keys(Guard(private, identifiers, regions), normalise)
    file = open_log(path, encoding=shape.encoding, progress=progress)
    reading = _read(file, log_in(file, shape), keys, progress)
    file.check_unchanged()
    if progress is not None:
        progress(2 * file.size, 2 * file.size)
    return reading


def require_few_broken(reading: LogReading) -> None:
    """
    Refuse a log of which more than one line in a hundred would be left out as broken.

    Few lines can be most of the searches. Raises InputError with the first of them.
    """
    record = reading.record
    broken, lines = record["broken"], record["lines"] - record["blank"]
    if broken <= MOST_BROKEN * lines:
        return
    listed = [f"line {each.line}: {each.reason}" for each in reading.problems]
    raise InputError(
        "\n".join(
            [
                f"{record['file']}: {broken:,} of {counted(lines, 'line')} are broken, more than "
                f"{MOST_BROKEN:.0%}. Nothing was stored.",
                *shown([each for each in listed if "blank" not in each]),
                "Mend them, name another column, or leave these lines out with --accept-broken.",
            ]
        )
    )


def merged_queries(readings: Iterable[LogReading]) -> list[LogQuery]:
    """The distinct queries of several logs, counts of equal ones added up."""
    found: dict[str, LogQuery] = {}
    for reading in readings:
        for query in reading.queries:
            found[query.query] = merged(query, found.get(query.query))
    return [found[key] for key in sorted(found)]


def _read(file: LogFile, log: Log, keys: Keys, progress: ByteProgress | None) -> LogReading:
    findings, window = Findings(), Window()
    searches = _searches(log.rows(findings, progress), findings, window)
    grouped = group(searches, keys)
    if not grouped.raw:
        raise InputError(_no_queries(file, log, findings))
    record = _record(file, log, findings, window)
    record["notes"] += _on_spreadsheets(grouped.rounded)
    record |= {
        "normalising": keys.rule,
        "searches": grouped.searches,
        "distinct": len(grouped.queries),
        "distinct_raw": grouped.raw,
        "private": keys.guard.report(),
    }
    listed = _listed(findings, keys.guard)
    return LogReading(grouped.queries, record, listed, partial(_private_lines, log, keys.guard))


def _private_lines(log: Log, guard: Guard) -> tuple[SkippedLine, ...]:
    """The first lines with private data, masked, each with the kinds that it holds."""
    if not guard.texts:
        return ()
    rows = (row for row in log.rows(Findings()) if row.query in guard.texts)
    return tuple(
        SkippedLine(row.line, ", ".join(guard.kinds_in(row.query)), guard.masked(row.query))
        for row in islice(rows, PROBLEMS_LISTED)
    )


def _searches(
    rows: Iterable[LogRow], findings: Findings, window: Window
) -> Iterator[tuple[str, int]]:
    """Raw texts with their numbers of searches; what is no search goes to the findings."""
    marks: dict[str, str] = {}
    totals: list[tuple[int, str, int]] = []  # rows that may be sums of all the others
    kept = _Kept()
    for line, query, cell, at, _ in rows:
        searches = 1 if cell is None else read_count(cell)
        if cell and (mark := thousands_mark(cell)):
            marks.setdefault(mark, cell.strip())
            findings.remark(line, "a count written for people, such as 1,234, is read as a number")
            if len(marks) > 1:
                ways = " and ".join(map(repr, marks.values()))
                raise InputError(
                    f"Counts are written in several ways, as {ways}. Write them without marks "
                    "between thousands."
                )
        if is_blank(query):
            findings.counts["blank searches"] += searches or 0
            said = "" if cell is None else f" (count {cell.strip()!r})"
            findings.report(line, f"the query is blank{said}", query, kind="blank")
        elif "\0" in query:
            findings.report(line, "the query holds a NUL character, which no text may hold", query)
        elif searches is None:
            reason = f"the count {cell!r} is not a whole number of 0 or more"
            findings.report(line, reason, query)
        elif cell and _TOTALS.fullmatch(query):
            totals.append((line, query, searches))
        else:
            if why := without_content(query):
                findings.remark(line, f"{why}; kept, and not drawn unless `sample --keep-symbols`")
            kept.see(query, searches)
            if at:
                window.see(at, line)
            yield query, searches
    kept.require_queries()
    yield from _no_totals(totals, kept, findings)
    findings.counts["kept"] = kept.rows


def _no_totals(
    totals: Sequence[tuple[int, str, int]], kept: "_Kept", findings: Findings
) -> Iterator[tuple[str, int]]:
    """Of rows that are called so, those that are not the sum of all the others."""
    others = kept.searches
    for line, query, searches in totals:
        if searches == others:
            said = f"a row of totals: {query.strip()!r} has as many searches as all others together"
            findings.report(line, said, query, kind="total")
        else:
            kept.see(query, searches)
            yield query, searches


@dataclass(slots=True)
class _Kept:
    """The rows that are searches so far, and how many of the first are no text that is typed."""

    rows: int = 0
    searches: int = 0
    _odd: int = 0
    _example: str = ""

    def see(self, query: str, searches: int) -> None:
        """Count a row. Raises InputError once the first rows have been no queries."""
        self.rows += 1
        self.searches += searches
        if self.rows <= _FIRST_ROWS:
            if _NOT_TYPED.match(query):
                self._odd += 1
                self._example = self._example or query
            if self.rows == _FIRST_ROWS:
                self.require_queries()

    def require_queries(self) -> None:
        """Raise InputError if most of the first rows are requests or objects of programs."""
        if 2 * self._odd > min(self.rows, _FIRST_ROWS):
            raise InputError(
                f"What would be read as queries is what programs send, such as "
                f"{self._example[:120]!r}. Name the column of what people typed with "
                "--query-column NAME, or the parameter of the addresses with "
                "--query-parameter NAME."
            )


def _listed(findings: Findings, guard: Guard) -> tuple[SkippedLine, ...]:
    """The lines that were left out, without private data unless it is to be kept."""
    if guard.choice == "keep":
        return tuple(findings.problems)
    return tuple(
        SkippedLine(problem.line, guard.masked(problem.reason), guard.masked(problem.text))
        for problem in findings.problems
    )


def _record(file: LogFile, log: Log, findings: Findings, window: Window) -> dict[str, Any]:
    """How the file was read, as it is kept with the sample and frozen with the labels."""
    first_at, last_at = window.bounds()
    notes = [*file.notes, *log.notes, *findings.remarks(), *window.notes()]
    left_out = sum(findings.counts[kind] for kind in LEFT_OUT)
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
        "kept_lines": findings.counts["kept"],
        "totals": findings.counts["total"],
        "events": findings.counts["events"],
        "action_lines": findings.counts["action lines"],
        "first_at": first_at,
        "last_at": last_at,
        "notes": notes,
    }


def _on_spreadsheets(damaged: Sequence[LogQuery]) -> list[str]:
    """A note if long numbers were rounded by a spreadsheet before they came here."""
    if not damaged:
        return []
    searches = sum(query.count for query in damaged)
    example = max(damaged, key=lambda query: query.count).text
    return [
        f"{len(damaged)} queries ({searches:,} searches) are numbers that a spreadsheet has "
        f"rounded, such as {example!r}. They are kept as they stand."
    ]


def _no_queries(file: LogFile, log: Log, findings: Findings) -> str:
    """What to say of a log of which no line was a search."""
    described = log.described()
    columns = described.get("columns") or {}
    is_access = described["layout"] == "web server log"
    met = ", ".join(f"{n:,} {kind}" for kind, n in sorted(findings.counts.items()) if n)
    met = met or ("other requests only" if is_access else "a header only")
    text = f"{file.path} holds no query in {counted(findings.lines, 'line')} ({met})."
    if findings.problems:
        first = findings.problems[0]
        text += f" Line {first.line}: {first.reason}."
    if is_access:
        text += (
            f" {' '.join(log.notes)} --query-parameter names another parameter, and --preview "
            "shows which there are."
        )
    elif columns and findings.problems:
        text += f" Queries were looked for in {columns['query']!r}; --query-column names another."
        if columns["count"] is not None:
            text += (
                f" Counts were looked for in {columns['count']!r}; --count-column names another, "
                'and --count-column "" makes every line one search.'
            )
    return text
