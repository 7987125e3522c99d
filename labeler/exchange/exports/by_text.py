"""
Exports for tools that name queries by their text: Quepid, and OpenSearch's workbench.

Two queries with one text cannot be told apart there, so they are left out, and named. So is
what a table of Quepid cannot hold: it takes a blank before a sign for its own.
"""

import json
from collections import Counter
from collections.abc import Iterator, Sequence

from evaluator.files.spreadsheet import csv_line
from evaluator.text.messages import some_ids
from labeler.exchange.exports.content import Content
from labeler.exchange.imports import quepid

_LIKE_A_GUARD = "begins with a blank and a sign, which Quepid takes for its guard"


class ByText:
    """
    The queries and chunks of a set that a tool can name, and notes on all others.

    `as_cells`: in a table of Quepid, which cannot hold every text.
    """

    def __init__(self, content: Content, *, as_cells: bool) -> None:
        queries = content.query_by_id.values()
        often = Counter(query.text for query in queries)
        alike = [query.query_id for query in queries if often[query.text] > 1]
        changed = [q.query_id for q in queries if as_cells and not _comes_back(q.text)]
        left_out = {*alike, *changed}
        self.text_by_id = {q.query_id: q.text for q in queries if q.query_id not in left_out}
        chunk_ids = content.labels.doc_id_by_chunk if as_cells else ()
        self.unheld = frozenset(each for each in chunk_ids if not _comes_back(each))
        pairs = content.pool() if self.unheld else ()
        lost = [entry.chunk_id for entry in pairs if entry.chunk_id in self.unheld]
        self.notes = (
            *_left_out(alike, "queries were left out, since their text does not name them alone"),
            *_left_out(changed, f"queries were left out, since their text {_LIKE_A_GUARD}"),
            *_left_out(lost, f"pairs were left out, since their chunk id {_LIKE_A_GUARD}"),
        )


def book_judges(content: Content) -> tuple[Sequence[str], tuple[str, ...]]:
    """The assessors who can have a column of a book, and a note on those who cannot."""
    names = sorted(content.grades_by_assessor)
    alone = not quepid.is_book(["query", "docid", *names])
    lost = [n for n in names if alone or n == quepid.ANONYMOUS or not _comes_back(n)]
    why = "assessors were left out with their grades, since no header of a book can name them"
    return [name for name in names if name not in lost], _left_out(lost, why)


def _comes_back(text: str) -> bool:
    return bool(quepid.unguarded(quepid.guarded(text)) == text)


def _left_out(names: Sequence[str], what: str) -> tuple[str, ...]:
    return (f"{len(names)} {what}: {some_ids(sorted(set(names)))}.",) if names else ()


def quepid_ratings(content: Content, names: ByText) -> Iterator[str]:
    """Ratings of a case; a query without any has two empty cells, which keeps it in the case."""
    yield csv_line(quepid.RATINGS)
    for query_id, text in names.text_by_id.items():
        grades = content.qrels.get(query_id, {})
        held = sorted(grades.keys() - names.unheld)
        for chunk_id in held:
            cells = [quepid.guarded(text), quepid.guarded(chunk_id), str(grades[chunk_id])]
            yield csv_line(cells)
        if not held:
            yield csv_line([quepid.guarded(text), "", ""])


def quepid_book(content: Content, names: ByText, judges: Sequence[str]) -> Iterator[str]:
    """A book of judgements: one column an assessor, empty where they gave no grade."""
    yield csv_line(["query", "docid", *map(quepid.guarded, judges)])
    for entry in content.pool():
        if entry.query_id in names.text_by_id and entry.chunk_id not in names.unheld:
            given = content.given(entry)
            grades = [given[judge].grade if judge in given else None for judge in judges]
            cells = [names.text_by_id[entry.query_id], entry.chunk_id]
            yield csv_line(
                [*map(quepid.guarded, cells), *("" if g is None else str(g) for g in grades)]
            )


def opensearch(content: Content, names: ByText) -> Iterator[str]:
    """The body of a request that imports a list of judgements."""
    ratings = [
        {
            "query": text,
            "ratings": [
                {"docId": chunk_id, "rating": str(grade)}
                for chunk_id, grade in sorted(content.qrels[query_id].items())
            ],
        }
        for query_id, text in names.text_by_id.items()
        if query_id in content.qrels
    ]
    body = {
        "name": content.labels.name[:50],
        "description": f"label set {content.labels.name}, sha256 {content.labels.sha256}"[:250],
        "type": "IMPORT_JUDGMENT",
        "judgmentRatings": ratings,
    }
    yield json.dumps(body, ensure_ascii=False, indent=1) + "\n"
