"""
Files of queries made elsewhere -> queries, every text exactly as it stands.

JSON lines, CSV with a header, lines of id, tab and text, or the JSON of Quepid and OpenSearch.
It knows nothing of a workspace: whether an id is taken is asked by the caller.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from evaluator import InputError
from evaluator.files.ids import id_map_beside
from evaluator.files.records import (
    JSON_LINES,
    LineProblem,
    Row,
    csv_lines,
    read_rows,
    refuse,
    rows_under,
    stored_text,
    tabbed_lines,
)
from evaluator.labelset.format import Origin, Query
from evaluator.text.words import is_blank
from labeler.exchange.imports import opensearch, quepid
from labeler.exchange.imports.cells import (
    NEED,
    QUERY_ID,
    QUERY_TEXT,
    TEXT,
    columns_of,
    id_text,
    names_in,
    unread,
)
from labeler.exchange.imports.json_files import SUFFIXES, read_json

_NEEDED = ("query", "text", *QUERY_ID)  # what a need is of


@dataclass(frozen=True, slots=True)
class QueryFile:
    """
    The queries of a file, and the lines that hold none that can be used.

    `by_text`: the file has no ids, and these were made from the texts.
    """

    name: str
    queries: tuple[Query, ...]
    set_aside: tuple[LineProblem, ...]
    by_text: bool = False
    notes: tuple[str, ...] = ()


def read_queries(path: Path, *, origin: Origin) -> QueryFile:
    """
    Queries from JSON lines, CSV with a header, lines of id, tab and text, or other tools' JSON.

    Ids stand under query_id, _id or id; texts stay exactly as they are. A file of JSON,
    or a CSV file with a column query and none for an id, gets ids made from the texts, and
    a text may stand there many times. A line without any text, or with a character that no
    text may hold, is set aside with its reason.

    Raises InputError for a line without an id, for an id with two texts, and for a text
    with two needs.
    """
    problems: list[LineProblem] = []
    set_aside: list[LineProblem] = []
    query_by_id: dict[str, Query] = {}
    rows = _query_rows(path)
    if not rows:
        raise InputError(f"{path} holds no queries.")
    by_text = path.suffix.lower() in SUFFIXES or _has_no_ids(path, rows)
    unit = "entry" if path.suffix.lower() in SUFFIXES else "line"
    for row in rows:
        try:
            query_id = "" if by_text else id_text(row.first(*QUERY_ID), "query id")
            if reason := unusable(row.first(*TEXT)):
                what = f"query {query_id!r}: {reason}" if query_id else reason
                set_aside.append(LineProblem(row.line, what, unit))
                continue
            query = _query(query_id or query_id_of(row.first(*TEXT), origin=origin), row, origin)
            there = query_by_id.get(query.query_id)
            query_by_id[query.query_id] = _one_of(there, query, by_text=by_text)
        except ValueError as error:
            problems.append(LineProblem(row.line, str(error), unit))
    refuse(path, problems, todo="Every query needs one id of its own, its text and one need.")
    return QueryFile(
        path.name, tuple(query_by_id.values()), tuple(set_aside), by_text, tuple(unread(rows))
    )


def query_id_of(text: str, *, origin: str) -> str:
    """An id for a query that came without one; the same text always gets the same id."""
    return f"{origin}-{hashlib.sha256(text.encode()).hexdigest()[:10]}"


def read_needs(path: Path) -> dict[str, str]:
    """
    What each query asks for, by its text or id, from a file with the columns query and need.

    A line without a need states none. Raises InputError for a file without lines or without
    one of the two columns, listing the lines without a query, and those that give a query
    another need.
    """
    need_by_query: dict[str, str] = {}
    problems: list[LineProblem] = []
    rows = read_rows(path)
    if not rows:
        raise InputError(f"{path} holds no needs.")
    there = names_in(rows)
    if not (there & set(_NEEDED) and there & set(NEED)):
        raise InputError(
            f"{path} does not state what queries ask for; its columns are {columns_of(rows[0])}. "
            "It must have query (or query_id) and need."
        )
    for row in rows:
        query, need = row.first(*_NEEDED), row.first(*NEED)
        if need is None:
            continue
        if reason := unusable(query) or unusable(need):
            problems.append(LineProblem(row.line, reason))
        elif need_by_query.setdefault(query, need) != need:
            problems.append(LineProblem(row.line, f"query {query!r} has another need above"))
    refuse(path, problems, todo="Every line needs a query and its need.")
    return need_by_query


def needs_by_id(queries: Sequence[Query], need_by_query: Mapping[str, str]) -> dict[str, str]:
    """The needs under the ids of the queries; a query goes by its id or by any spelling."""
    found: dict[str, str] = {}
    for query in queries:
        names = (query.query_id, query.text, *(text for text, _ in query.variants))
        stated = [need_by_query[name] for name in names if name in need_by_query]
        if stated:
            found[query.query_id] = stated[0]
    return found


def _has_no_ids(path: Path, rows: Sequence[Row]) -> bool:
    """Whether a table names queries by their text alone, as Quepid's do."""
    if path.suffix.lower() in JSON_LINES:
        return False
    columns = set(rows[0].cells)
    return bool(columns & set(QUERY_TEXT)) and not columns & set(QUERY_ID)


def _one_of(there: Query | None, query: Query, *, by_text: bool) -> Query:
    """One query of two lines: the same again, or one text of which a line states no need."""
    if there is None or there == query:
        return query
    if not by_text:
        raise ValueError(f"query {query.query_id!r} stands above with another text")
    if None not in (there.need, query.need):
        raise ValueError(f"query {query.text!r} stands above with another need")
    return query if there.need is None else there


def _query_rows(path: Path) -> list[Row]:
    if path.suffix.lower() in SUFFIXES:
        return _of_json(path, read_json(path))
    if path.suffix.lower() == ".csv":
        return _of_csv(path, csv_lines(path))
    if path.suffix.lower() in JSON_LINES:
        return _with_own_ids(path, read_rows(path))
    return _of_lines(path, tabbed_lines(path))


def _of_lines(path: Path, lines: Sequence[tuple[int, list[str]]]) -> list[Row]:
    """Lines of id, tab and text, or a table whose first line names its columns."""
    first = lines[0][1] if lines else []
    if set(first) & set(TEXT) and (set(first) & set(QUERY_ID) or len(first) > 2):
        return rows_under(path, first, lines[1:])
    problems = [
        LineProblem(number, "no tab between id and text" if len(cells) < 2 else "several tabs")
        for number, cells in lines
        if len(cells) != 2
    ]
    refuse(path, problems, todo="Every line must be a query id, a tab and the text.")
    return [Row(number, {"query_id": cells[0], "text": cells[1]}) for number, cells in lines]


def _of_json(path: Path, document: Any) -> list[Row]:
    if quepid.is_export(document):
        return quepid.queries(path, document)
    if opensearch.is_export(document):
        return opensearch.queries(path, document)
    raise InputError(
        f"{path} is JSON, but no book or case of Quepid and no judgements of OpenSearch. Queries "
        "of other tools come as .jsonl or .csv with query_id and text."
    )


def _of_csv(path: Path, lines: Sequence[tuple[int, list[str]]]) -> list[Row]:
    if not lines:
        return []
    if quepid.is_book(lines[0][1]):
        return quepid.book_queries(path, lines)
    rows = quepid.without_guards(rows_under(path, lines[0][1], lines[1:]))
    if rows and not rows[0].cells.keys() & {*QUERY_ID, *TEXT}:
        raise InputError(
            f"{path} has no column of queries; its columns are {columns_of(rows[0])}. The "
            "first line must name query_id and text, or query for texts without ids."
        )
    return _with_own_ids(path, rows)


def _with_own_ids(path: Path, rows: list[Row]) -> list[Row]:
    """The queries of an export, whose `_id` stands as in its judgements, with their own ids."""
    ids = id_map_beside(path) if any("_id" in row.cells for row in rows) else None
    if not ids:
        return rows
    return [
        Row(row.line, {**row.cells, "_id": ids.get(stated, stated)})
        if isinstance(stated := row.cells.get("_id"), str)
        else row
        for row in rows
    ]


def unusable(text: object) -> str | None:
    """Why this cannot be the text of a query, or None when it can."""
    if text is None or (isinstance(text, str) and is_blank(text)):
        return "no text"
    try:
        stored_text(text)
    except ValueError as error:
        return str(error)
    return None


def _query(query_id: str, row: Row, origin: Origin) -> Query:
    stated, filters = row.first("origin") or origin, _filter(row.first("filter"))
    if stated not in get_args(Origin):
        raise ValueError(f"origin {stated!r} is none of {', '.join(get_args(Origin))}")
    need, group = row.first(*NEED), row.first("group")
    return Query(
        query_id=query_id,
        text=stored_text(row.first(*TEXT)),
        need=None if need is None else stored_text(need),
        origin=stated,
        filter=filters,
        group=None if group is None else stored_text(group),
    )


def _filter(stated: Any) -> Mapping[str, str] | None:
    """A map of text to text; in a table it stands as JSON."""
    found: Any = stated
    if isinstance(stated, str):
        try:
            found = json.loads(stated)
        except (ValueError, RecursionError):
            found = None
    if stated is None:
        return None
    if isinstance(found, dict) and all(isinstance(value, str) for value in found.values()):
        return found
    raise ValueError(f"filter {stated!r} is no map of text to text")
