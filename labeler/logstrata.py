"""
Strata by what a log says of each search: a column, the month, the file it stands in.

A query is searched for under several values and belongs to the one under which it is
searched for most. Only the distinct queries are kept with a workspace, so the files are read
again, by the columns that were used when they were read first.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from evaluator import InputError
from labeler.logcolumns import Columns, read_count, read_time
from labeler.logfile import Findings, LogFile, open_log
from labeler.logjson import open_json
from labeler.logkeys import NOT_NORMALISED, Keys
from labeler.logtable import Table, open_table
from labeler.private import Guard
from labeler.records import LogQuery
from labeler.strata import TEXT_RULES, Strata, text_strata

FILE, MONTH, COLUMN = "file", "month", "column:"
_JSON_LAYOUTS = ("UBI log", "JSON lines", "JSON document")
EMPTY, UNKNOWN = "(empty)", "(not found)"
_NAMES = {FILE: "log file", MONTH: "month of the search"}


def make_strata(
    queries: Sequence[LogQuery],
    *,
    by: Sequence[str],
    logs: Sequence[Mapping[str, Any]] = (),
    files: Sequence[Path] = (),
) -> Strata:
    """
    Strata by all named rules, crossed: `type`, `length`, `month`, `file`, `column:NAME`.

    `logs` are the records of the logs that the queries came from, `files` the same logs on
    disk; only rules that are about single searches need them.

    Raises InputError for a rule or column that is not there, and for a file that is missing
    or is not the one that was read.
    """
    by_search = [name for name in by if name in _NAMES or name.startswith(COLUMN)]
    unknown = [name for name in by if name not in TEXT_RULES and name not in by_search]
    if unknown:
        raise InputError(
            f"No rule {unknown[0]!r} for strata. There are "
            f"{', '.join([*TEXT_RULES, *_NAMES])} and {COLUMN}NAME."
        )
    strata = _search_strata(queries, by_search, logs, files) if by_search else Strata()
    return strata.crossed_with(text_strata(queries, by=[n for n in by if n in TEXT_RULES]))


def _search_strata(
    queries: Sequence[LogQuery],
    by: Sequence[str],
    logs: Sequence[Mapping[str, Any]],
    files: Sequence[Path],
) -> Strata:
    searches: dict[str, Counter[str]] = {}
    for record, file in _paired(logs, files):
        by_text: dict[str, Counter[str]] = {}
        for text, value, count in _searches(record, file, by):
            by_text.setdefault(text, Counter())[value] += count
        keys = _keys(record)
        for text, values in by_text.items():
            if (pair := keys.keyed(text, values.total())) is not None:
                searches.setdefault(pair[0], Counter()).update(values)
    found = {
        query.query: _most(searches[query.query]) if query.query in searches else UNKNOWN
        for query in queries
    }
    named = " / ".join(_NAMES.get(name, name.replace(":", " ", 1)) for name in by)
    rules = (f"{named}: the one under which a query was searched for most, ties by name",)
    return Strata(tuple(by), rules, found, tuple(_notes(queries, searches, found)))


def _keys(record: Mapping[str, Any]) -> Keys:
    """How the texts of a log were counted when it was read."""
    private = record.get("private") or {}
    guard = Guard(private.get("choice"), private.get("identifiers", ()), private.get("regions", ()))
    return Keys(guard, record.get("normalising") != NOT_NORMALISED)


def _paired(
    logs: Sequence[Mapping[str, Any]], files: Sequence[Path]
) -> list[tuple[Mapping[str, Any], LogFile]]:
    """Each record of a log with its file, known by its digest."""
    opened = {file.sha256: file for file in map(open_log, files)}
    missing = [str(log["file"]) for log in logs if log["sha256"] not in opened]
    if missing or not logs:
        raise InputError(
            f"Strata by month, file or column need the log files again, unchanged: "
            f"{', '.join(missing[:5]) or 'there is no log'}. Name each with --log FILE."
        )
    return [(log, opened[str(log["sha256"])]) for log in logs]


def _searches(
    record: Mapping[str, Any], file: LogFile, by: Sequence[str]
) -> Iterator[tuple[str, str, int]]:
    """Query, value and count of each line, several values joined to one."""
    cells = [_cells(record, file, name) for name in by]
    for (query, count, first), *others in zip(*cells, strict=True):
        searches = 1 if count is None else read_count(count)
        if searches is not None:
            yield query, " / ".join([first, *(value for _, _, value in others)]), searches


def _cells(
    record: Mapping[str, Any], file: LogFile, name: str
) -> Iterator[tuple[str, str | None, str]]:
    """Query, cell of the count and value by one rule, for each line of a log."""
    columns: Mapping[str, Any] = record.get("columns") or {}
    wanted = columns.get("time") if name == MONTH else name.removeprefix(COLUMN)
    if name == MONTH and wanted is None:
        raise InputError(f"{record['file']} has no column with times, so there are no months.")
    if name == FILE or record["layout"] == "plain lines":
        if name != FILE:
            raise InputError(f"{record['file']} has one query a line and no columns.")
        wanted = None
    for query, count, cell in _rows(record, file, wanted):
        if name == FILE:
            yield query, count, str(record["file"])
        elif name == MONTH:
            time = read_time(cell or "")
            yield query, count, EMPTY if time is None else f"{time:%Y-%m}"
        else:
            yield query, count, (cell or "").strip() or EMPTY


def _rows(
    record: Mapping[str, Any], file: LogFile, column: str | None
) -> Iterator[tuple[str, str | None, str | None]]:
    """Query, count and one more cell of each line, read as the log was read."""
    if record["layout"] == "plain lines":
        yield from ((line, None, None) for _, line in file.lines(Findings()))
        return
    query, count = record["columns"]["query"], record["columns"]["count"] or ""
    if record["layout"] not in ("table", *_JSON_LAYOUTS):
        raise InputError(
            f"{record['file']} is read as {record['layout']}, whose columns cannot be looked up "
            "again. Write it as CSV or JSON lines for strata by month or column."
        )
    if record["layout"] != "table":
        log = open_json(file, file.head(), query_column=query, count_column=count)
        log = replace(log, columns=Columns(query, log.columns.count, column))
        yield from ((text, n, value) for _, text, n, value in log.rows(Findings()))
        return

    def table(of: str) -> Table:
        return open_table(
            file,
            file.head(),
            query_column=of,
            count_column=count,
            delimiter=record["delimiter"],
        )

    values = table(column or query).rows(Findings())  # the same lines, so that they fit
    for (_, text, n, _), (_, value, _, _) in zip(
        table(query).rows(Findings()), values, strict=True
    ):
        yield text, n, value


def _most(searches: Mapping[str, int]) -> str:
    return min(searches, key=lambda value: (-searches[value], value))


def _notes(
    queries: Sequence[LogQuery],
    searches: Mapping[str, Mapping[str, int]],
    found: Mapping[str, str],
) -> Iterator[str]:
    total = sum(query.count for query in queries)
    split = sum(
        sum(searches[query.query].values()) - searches[query.query][found[query.query]]
        for query in queries
        if query.query in searches
    )
    if split:
        yield (
            f"{split:,} of {total:,} searches stand under another value than the one their "
            "query belongs to."
        )
    lost = [query for query in queries if found[query.query] == UNKNOWN]
    if lost:
        yield (
            f"{len(lost):,} queries ({sum(query.count for query in lost):,} searches) are not "
            f"in the files as they stand in the workspace; their stratum is {UNKNOWN}."
        )
