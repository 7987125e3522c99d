"""
Exports for tools that name queries by their text: Quepid, and OpenSearch's workbench.

Two queries with one text cannot be told apart there, so they are left out, and named.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping

from evaluator.wording import some_ids
from labeler.exports.content import Content
from labeler.exports.spreadsheet import csv_line
from labeler.imports import quepid


class ByText:
    """The queries of a set that a tool can name by their text, and a note on the others."""

    def __init__(self, content: Content, *, as_cells: bool) -> None:
        queries = content.query_by_id.values()
        often = Counter(query.text for query in queries)
        self.cell_by_id: dict[str, str] = {}
        left_out: list[str] = []
        for query in queries:
            cell = quepid.guarded(query.text) if as_cells else query.text
            if often[query.text] > 1 or (as_cells and quepid.unguarded(cell) != query.text):
                left_out.append(query.query_id)
            else:
                self.cell_by_id[query.query_id] = cell
        self.notes = (
            (
                f"{len(left_out)} queries were left out, since their text does not name them "
                f"alone: {some_ids(sorted(left_out))}.",
            )
            if left_out
            else ()
        )


def quepid_ratings(content: Content, names: ByText) -> Iterator[str]:
    """Ratings of a case; a query without any has two empty cells, which keeps it in the case."""
    yield csv_line(quepid.RATINGS)
    for query_id, text in names.cell_by_id.items():
        grades = content.qrels.get(query_id, {})
        for chunk_id, grade in sorted(grades.items()):
            yield csv_line([text, quepid.guarded(chunk_id), str(grade)])
        if not grades:
            yield csv_line([text, "", ""])


def quepid_book(content: Content, names: ByText) -> Iterator[str]:
    """A book of judgements: one column an assessor, empty where they gave no grade."""
    assessors = sorted(content.grades_by_assessor)
    yield csv_line(["query", "docid", *map(quepid.guarded, assessors)])
    for entry in content.pool():
        if entry.query_id in names.cell_by_id:
            given = content.given(entry)
            grades = [given[a].grade if a in given else None for a in assessors]
            cells = ["" if grade is None else str(grade) for grade in grades]
            yield csv_line(
                [names.cell_by_id[entry.query_id], quepid.guarded(entry.chunk_id), *cells]
            )


def opensearch(content: Content, names: ByText) -> Iterator[str]:
    """The body of a request that imports a list of judgements."""
    ratings = [
        {"query": text, "ratings": _ratings(content.qrels[query_id])}
        for query_id, text in names.cell_by_id.items()
        if query_id in content.qrels
    ]
    body = {
        "name": content.labels.name[:50],
        "description": f"label set {content.labels.name}, sha256 {content.labels.sha256}"[:250],
        "type": "IMPORT_JUDGMENT",
        "judgmentRatings": ratings,
    }
    yield json.dumps(body, ensure_ascii=False, indent=1) + "\n"


def _ratings(grade_by_chunk: Mapping[str, int]) -> list[dict[str, str]]:
    return [
        {"docId": chunk_id, "rating": str(grade)}
        for chunk_id, grade in sorted(grade_by_chunk.items())
    ]
