"""
Log files to distinct queries with their counts.

It owns what counts as a search, and when two searches are the same query. How files and
formats are read is the business of the modules beside it. No line is kept in memory: raw texts
are counted first, and only the distinct ones are normalised.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from evaluator import InputError
from evaluator.text.messages import counted
from labeler.logs.arrows import numbers, strings
from labeler.logs.bulk import Batch
from labeler.logs.columns import Row, Window, is_blank, read_count
from labeler.logs.file import PROBLEMS_LISTED, Findings, LineProblem, LogFile, Progress
from labeler.logs.formats import Log, Shape, open_any
from labeler.logs.group import Grouped, Queries, group_in_memory, group_on_disk
from labeler.logs.keys import NORMALISING, Keys, normalised
from labeler.logs.private import Choice, Guard
from labeler.workspace.records import LogQuery

__all__ = ["NORMALISING", "LineProblem", "LogReading", "normalised", "read_log"]

BULK_FROM = 1 << 20  # bytes; a smaller log is read before duckdb is loaded
TEXTS_IN_MEMORY = 200_000


@dataclass(frozen=True, slots=True)
class LogReading:
    """
    The distinct queries of a log, the record of how it was read, and the lines left out.

    Queries are in the order of their keys, so the order of the lines does not show. Those
    of a long log stay in a temporary file and are read from it each time they are gone
    through.
    """

    queries: Queries
    record: Mapping[str, Any]
    problems: tuple[LineProblem, ...]


def read_log(
    path: Path,
    *,
    query_column: str | None = None,
    count_column: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    query_parameter: str | None = None,
    statuses: Sequence[str] = (),
    skip_agents: Sequence[str] = (),
    normalise: bool = True,
    private: Choice | None = None,
    identifiers: Sequence[str] = (),
    regions: Sequence[str] = (),
    progress: Progress | None = None,
) -> LogReading:
    """
    The distinct queries of a query log, each with the number of its searches.

    Reads tables with a header (.csv, .tsv), JSON lines, search answers and UBI logs (.json,
    .jsonl, .ndjson) and plain lines (.txt, .log), also packed (.gz, .zst); Parquet; and with
    a `query_parameter` the logs of web servers. What is not given is judged by the first
    lines and stated in the record. An empty `count_column` says that every line is one
    search. Cells are text whatever they look like.

    Without a choice what to do about `private` data, it is counted and left where it is;
    see `labeler.private`.

    Raises InputError if the file cannot be understood, or holds no query. A line that
    cannot be understood is left out, counted and listed, and stops nothing.
    """
    keys = Keys(Guard(private, identifiers, regions), normalise)
    shape = Shape(
        query_column=query_column,
        count_column=count_column,
        delimiter=delimiter,
        encoding=encoding,
        query_parameter=query_parameter,
        statuses=tuple(statuses),
        skip_agents=tuple(skip_agents),
    )
    file, log = open_any(path, shape, progress)
    reading = _read(file, log, keys, progress)
    file.check_unchanged()
    if progress is not None:
        progress(2 * file.size, 2 * file.size)
    return reading


def _read(file: LogFile, log: Log, keys: Keys, progress: Progress | None) -> LogReading:
    findings, window = Findings(), Window()
    many = file.size >= BULK_FROM
    rows = log.bulk(findings, progress) if many else log.rows(findings, progress)
    grouped = _grouped(rows, findings, window, keys)
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
    return LogReading(grouped.queries, record, _listed(findings, keys.guard))


def _grouped(
    rows: Iterable[Row | Batch], findings: Findings, window: Window, keys: Keys
) -> Grouped:
    """The distinct queries: in memory as long as they are few and come one by one."""
    counts: dict[str, int] = {}
    batches = _batches(rows, findings, window, counts)
    first = next(batches, None)
    if first is None:
        return group_in_memory(counts, keys)
    return group_on_disk(chain([first], batches, _emptied(counts)), keys)


def _batches(
    rows: Iterable[Row | Batch], findings: Findings, window: Window, counts: dict[str, int]
) -> Iterator[Batch]:
    """
    Searches by raw text, many at once.

    Those of single rows are added to `counts`, which is emptied when it has grown long and
    else left to the caller.
    """
    for row in rows:
        if isinstance(row, Batch):
            findings.counts["events"] += row.events
            for time in row.times:
                window.see(time)
            yield row
            continue
        line, query, cell, at = row
        searches = 1 if cell is None else read_count(cell)
        if is_blank(query):
            findings.counts["blank searches"] += searches or 0
            said = "" if cell is None else f" (count {cell.strip()!r})"
            findings.report(line, f"the query is blank{said}", query, kind="blank")
        elif "\0" in query:
            findings.report(line, "the query holds a NUL character, which no text may hold", query)
        elif searches is None:
            reason = f"the count {cell!r} is not a whole number of 0 or more"
            findings.report(line, reason, query)
        else:
            counts[query] = counts.get(query, 0) + searches
            if at:
                window.see(at)
            if len(counts) > TEXTS_IN_MEMORY:
                yield from _emptied(counts)


def _emptied(counts: dict[str, int]) -> Iterator[Batch]:
    yield Batch(strings(counts), numbers(np.array(list(counts.values()), np.int64)))
    counts.clear()


def _listed(findings: Findings, guard: Guard) -> tuple[LineProblem, ...]:
    """The lines that were left out, without private data unless it is to be kept."""
    if guard.choice == "keep":
        return tuple(findings.problems)
    return tuple(
        LineProblem(problem.line, guard.masked(problem.reason), guard.masked(problem.text))
        for problem in findings.problems
    )


def _record(file: LogFile, log: Log, findings: Findings, window: Window) -> dict[str, Any]:
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
