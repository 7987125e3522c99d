"""
Files of queries made elsewhere -> queries, every text exactly as it stands.

JSON lines, CSV with a header, or lines of id, tab and text. It knows nothing of a
workspace: whether an id is taken is asked by the caller.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from evaluator.labelset import Origin, Query
from labeler.judgement_files import QUERY_ID, id_text
from labeler.tables import (
    JSON_LINES,
    LineProblem,
    Row,
    numbered_lines,
    read_rows,
    refuse,
    stored_text,
)

TEXT = ("text", "query", "query_text", "title")
NEED = ("need", "info_need", "information_need", "description", "narrative")


@dataclass(frozen=True, slots=True)
class QueryFile:
    """The queries of a file, and the lines that hold none that can be used."""

    name: str
    queries: tuple[Query, ...]
    set_aside: tuple[LineProblem, ...]


def read_queries(path: Path, *, origin: Origin) -> QueryFile:
    """
    Queries from JSON lines, CSV with a header, or lines of id, tab and text.

    Ids stand under query_id, _id or id; texts stay exactly as they are. A line without
    any text, or with a character that no text may hold, is set aside with its reason.
    Raises InputError for a line without an id and for an id with two texts.
    """
    problems: list[LineProblem] = []
    set_aside: list[LineProblem] = []
    query_by_id: dict[str, Query] = {}
    for row in _query_rows(path):
        try:
            query_id = id_text(row.first(*QUERY_ID), "query id")
            if reason := unusable(row.first(*TEXT)):
                set_aside.append(LineProblem(row.line, f"query {query_id!r}: {reason}"))
                continue
            query = _query(query_id, row, origin)
            if query_by_id.setdefault(query_id, query) != query:
                raise ValueError(f"query {query_id!r} stands above with another text")
        except ValueError as error:
            problems.append(LineProblem(row.line, str(error)))
    refuse(path, problems, todo="Every query needs one id of its own and its text.")
    return QueryFile(path.name, tuple(query_by_id.values()), tuple(set_aside))


def read_needs(path: Path) -> dict[str, str]:
    """
    What each query asks for, by its text or id, from a file with the columns query and need.

    A line without a need states none. Raises InputError listing the lines without a query,
    and those that give a query another need.
    """
    need_by_query: dict[str, str] = {}
    problems: list[LineProblem] = []
    for row in read_rows(path):
        query, need = row.first("query", "text", *QUERY_ID), row.first(*NEED)
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


def _query_rows(path: Path) -> list[Row]:
    if path.suffix.lower() in (".csv", *JSON_LINES):
        return read_rows(path)
    rows: list[Row] = []
    problems: list[LineProblem] = []
    for number, line in numbered_lines(path):
        query_id, tab, text = line.partition("\t")
        if number == 1 and query_id in QUERY_ID and text in TEXT:
            continue
        if tab:
            rows.append(Row(number, {"query_id": query_id, "text": text}))
        else:
            problems.append(LineProblem(number, "no tab between id and text"))
    refuse(path, problems, todo="Every line must be a query id, a tab and the text.")
    return rows


def unusable(text: object) -> str | None:
    """Why this cannot be the text of a query, or None when it can."""
    if text is None or (isinstance(text, str) and not text.strip()):
        return "no text"
    try:
        stored_text(text)
    except ValueError as error:
        return str(error)
    return None


def _query(query_id: str, row: Row, origin: Origin) -> Query:
    stated, filters = row.first("origin") or origin, row.first("filter")
    if stated not in get_args(Origin):
        raise ValueError(f"origin {stated!r} is none of {', '.join(get_args(Origin))}")
    if filters is not None and not (
        isinstance(filters, dict) and all(isinstance(v, str) for v in filters.values())
    ):
        raise ValueError(f"filter {filters!r} is no map of text to text")
    need, group = row.first(*NEED), row.first("group")
    return Query(
        query_id=query_id,
        text=stored_text(row.first(*TEXT)),
        need=None if need is None else stored_text(need),
        origin=stated,
        filter=filters,
        group=None if group is None else stored_text(group),
    )
