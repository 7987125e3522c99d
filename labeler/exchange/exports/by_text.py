"""
Exports for tools that name queries by their text: Quepid, and OpenSearch's workbench.

Two queries with one text cannot be told apart there, so they are left out, and named. So is
what a table of Quepid cannot hold: it takes a blank before a sign for its own.
"""

import json
from collections import Counter
from collections.abc import Sequence

from evaluator.files.records import csv_line
from evaluator.text.messages import some_ids
from labeler.exchange.exports.content import Content, Written
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


def _comes_back(text: str) -> bool:
    return bool(quepid.unguarded(quepid.guarded(text)) == text)


def _left_out(names: Sequence[str], what: str) -> tuple[str, ...]:
    return (f"{len(names)} {what}: {some_ids(sorted(set(names)))}.",) if names else ()


def quepid_ratings(content: Content) -> Written:
    """Ratings of a case; a query without any has two empty cells, which keeps it in the case."""
    names = ByText(content, as_cells=True)
    rows = [quepid.RATINGS]
    for query_id, text in names.text_by_id.items():
        grades = content.qrels.get(query_id, {})
        held = sorted(grades.keys() - names.unheld)
        rows += [(text, chunk_id, str(grades[chunk_id])) for chunk_id in held]
        rows += [] if held else [(text, "", "")]
    return {"ratings.csv": map(_quepid_line, rows)}, names.notes


def quepid_book(content: Content) -> Written:
    """A book of judgements: one column an assessor, empty where they gave no grade."""
    names = ByText(content, as_cells=True)
    everybody = sorted(content.grades_by_assessor)
    alone = not quepid.is_book(["query", "docid", *everybody])
    lost = [n for n in everybody if alone or n == quepid.ANONYMOUS or not _comes_back(n)]
    judges = [name for name in everybody if name not in lost]
    rows = [["query", "docid", *judges]]
    for entry in content.pool():
        if entry.query_id in names.text_by_id and entry.chunk_id not in names.unheld:
            given = content.given(entry)
            grades = [given[judge].grade if judge in given else None for judge in judges]
            shown = ["" if grade is None else str(grade) for grade in grades]
            rows.append([names.text_by_id[entry.query_id], entry.chunk_id, *shown])
    why = "assessors were left out with their grades, since no header of a book can name them"
    return {"book.csv": map(_quepid_line, rows)}, (*names.notes, *_left_out(lost, why))


def opensearch(content: Content) -> Written:
    """The body of a request that imports a list of judgements."""
    names = ByText(content, as_cells=False)
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
    text = json.dumps(body, ensure_ascii=False, indent=1) + "\n"
    return {"judgements.json": [text]}, names.notes


def _quepid_line(cells: Sequence[str]) -> str:
    return csv_line([quepid.guarded(cell) for cell in cells])
