"""
Quepid's exports: ratings of a case, and books of judgements, as CSV and as JSON.

They name queries by their text. A judgement that says `unrateable` is one of somebody who
could not tell; one that says `judge_later`, or has no rating, was not made yet.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from evaluator.files.records import Row, require_distinct, require_length
from labeler.exchange.imports.cells import (
    GRADE,
    JUDGEMENT,
    NEED,
    QUERY,
    UNSURE,
    JudgedCell,
    ShapedFile,
)
from labeler.exchange.imports.json_files import objects, read_each

T = TypeVar("T")

RATINGS = ("query", "docid", "rating")
_DOCID = ("docid", "doc_id")
ANONYMOUS = "Anonymous"
_PAIRS, _QUERIES = ("query_doc_pairs", "pair"), ("queries", "query")  # lists and their units
_UNREADABLE = "This is no export that can be read."
_LATER = "judge later, or no rating"


def is_ratings(header: Sequence[str]) -> bool:
    """Whether a CSV header is that of a case's ratings, by the server or by the browser."""
    return _names_pairs(header) and list(header[2:]) == ["rating"]


def is_book(header: Sequence[str]) -> bool:
    """
    Whether a CSV header is that of a book: query and docid, then one column a judge.

    Where all that follows are names of columns, a grade or a need among them, it is a table.
    """
    rest = {name.strip() for name in header[2:]}
    named = bool(rest & {*GRADE, *NEED}) and rest <= {*JUDGEMENT, *QUERY}
    return _names_pairs(header) and not named


def _names_pairs(header: Sequence[str]) -> bool:
    return len(header) > 1 and header[0] == "query" and header[1] in _DOCID


def is_bare(first: Sequence[str]) -> bool:
    """Whether a first line can be a rating already: three cells, the last a number or empty."""
    return len(first) == 3 and bool(re.fullmatch(r"[+-]?[0-9]+(\.[0-9]*)?|", first[2]))


def guarded(text: str) -> str:
    """The text as Quepid writes it where a spreadsheet would take it for a formula."""
    return f" {text}" if re.match(r"[=+@-]", text) else text


def unguarded(text: Any) -> Any:
    """The cell without the blank that keeps a spreadsheet from taking it for a formula."""
    return text[1:] if isinstance(text, str) and re.match(r" [=+@-]", text) else text


def ratings(rows: Sequence[Row], *, bare: bool = False) -> ShapedFile:
    """The ratings of a case. A query that has none stands there with two empty cells."""
    rated = [row for row in rows if row.first("docid") or row.first("rating")]
    notes = ["the first line is a rating: there is no header"] if bare else []
    if unrated := len(rows) - len(rated):
        notes.append(f"{unrated} queries have no rating")
    return ShapedFile(
        shape="Quepid ratings",
        cells=[
            JudgedCell(
                row.line,
                unguarded(row.first("query")),
                unguarded(row.first("docid")),
                row.first("rating"),
            )
            for row in rated
        ],
        by_text=True,
        notes=tuple(notes),
    )


def book_table(path: Path, lines: Sequence[tuple[int, Sequence[str]]]) -> ShapedFile:
    """
    A book as CSV. An empty cell says that this judge did not judge the pair.

    Its places count, and not its names: a judge may be called like another column. Raises
    InputError for lines of another length than the first, and for a judge with two columns.
    """
    (_, header), *pairs = lines
    require_length(path, len(header), pairs)
    judges = [unguarded(name) for name in header[2:]]
    require_distinct(path, judges)
    return ShapedFile(
        shape="Quepid book",
        cells=[each for line, cells in pairs for each in _judged_by(line, cells, judges)],
        by_text=True,
        unjudged="no rating by any judge",
    )


def _judged_by(line: int, cells: Sequence[str], judges: Sequence[str]) -> Iterator[JudgedCell]:
    query, chunk_id = map(unguarded, cells[:2])
    given = [(part, grade) for part, grade in enumerate(cells[2:], start=1) if grade]
    if not given:
        yield JudgedCell(line, query, chunk_id, None)
    for part, grade in given:
        name = judges[part - 1]
        assessor = None if name == ANONYMOUS else name
        yield JudgedCell(line, query, chunk_id, grade, part=part, assessor=assessor)


def book_queries(path: Path, lines: Sequence[tuple[int, Sequence[str]]]) -> list[Row]:
    """The queries of a book as CSV, each as often as it has pairs."""
    (_, header), *pairs = lines
    require_length(path, len(header), pairs)
    return [Row(line, {"query": unguarded(cells[0])}) for line, cells in pairs]


def without_guards(rows: Sequence[Row]) -> list[Row]:
    """The rows of a table with the queries as they were, if it is Quepid's; else the same rows."""
    columns = set(rows[0].cells) if rows else set()
    if "query" not in columns or not columns & {*_DOCID, "information_need"}:
        return list(rows)
    return [Row(row.line, {**row.cells, "query": unguarded(row.first("query"))}) for row in rows]


# JSON


def is_export(document: Any) -> bool:
    """Whether a JSON document is a book, a case, or the ratings of one."""
    if not isinstance(document, dict):
        return False
    pairs, queries = document.get("query_doc_pairs"), document.get("queries")
    return isinstance(pairs, list) or (isinstance(queries, list) and bool(queries))


def export(path: Path, document: Mapping[str, Any]) -> ShapedFile:
    """The judgements of a book, or of a case. Raises InputError for entries of another kind."""
    if _PAIRS[0] in document:
        return ShapedFile(
            shape="Quepid book",
            cells=_each(path, document, _of_pair),
            by_text=True,
            unit="pair",
            unjudged=_LATER,
            unsure="unrateable",
        )
    return ShapedFile(
        shape="Quepid case",
        cells=_each(path, document, _of_query),
        by_text=True,
        unit="query",
        unjudged="no rating",
    )


def queries(path: Path, document: Mapping[str, Any]) -> list[Row]:
    """The queries that a book or a case speaks of, each as often as it does."""
    return _each(path, document, _asked)


def _each(
    path: Path,
    document: Mapping[str, Any],
    read: Callable[[int, Mapping[str, Any]], Iterable[T]],
) -> list[T]:
    name, unit = _PAIRS if _PAIRS[0] in document else _QUERIES
    return read_each(path, document[name], read, unit=unit, todo=_UNREADABLE)


def _asked(number: int, entry: Mapping[str, Any]) -> Iterator[Row]:
    text, need = entry.get("query_text", entry.get("query")), entry.get("information_need")
    yield Row(number, {"query": text, "information_need": need})


def _of_pair(number: int, pair: Mapping[str, Any]) -> Iterator[JudgedCell]:
    query, chunk_id = pair.get("query_text"), pair.get("doc_id")
    judgements = objects(pair.get("judgements"), "judgements")
    if not judgements:
        yield JudgedCell(number, query, chunk_id, None)
    for part, judgement in enumerate(judgements, start=1):
        yield JudgedCell(
            number,
            query,
            chunk_id,
            _rating(judgement),
            part=part,
            assessor=judgement.get("user_email"),
            note=judgement.get("explanation"),
        )


def _rating(judgement: Mapping[str, Any]) -> Any:
    if judgement.get("unrateable"):
        return UNSURE[0]
    return None if judgement.get("judge_later") else judgement.get("rating")


def _of_query(number: int, query: Mapping[str, Any]) -> Iterator[JudgedCell]:
    """Ratings are a list of objects, or in older exports a map from document to rating."""
    text, given = query.get("query_text", query.get("query")), query.get("ratings")
    if isinstance(given, dict):
        given = [{"doc_id": doc_id, "rating": rating} for doc_id, rating in given.items()]
    for part, rating in enumerate(objects(given, "ratings"), start=1):
        yield JudgedCell(
            number,
            text,
            rating.get("doc_id"),
            rating.get("rating"),
            part=part,
            assessor=rating.get("user_email"),
        )
