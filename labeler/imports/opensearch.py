"""
Lists of judgements of OpenSearch's search relevance workbench.

They name queries by their text, and say neither who judged nor when.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from labeler.imports.cells import Cells, Reading
from labeler.imports.tables import LineProblem, Row, refuse

_RATINGS = "judgmentRatings"


def is_export(document: Any) -> bool:
    """Whether a JSON document is a list of judgements, as imported or as stored."""
    return isinstance(document, dict) and isinstance(document.get(_RATINGS), list)


def judgement_list(path: Path, document: Mapping[str, Any]) -> Reading:
    """The ratings of every query. Raises InputError for entries of another kind."""
    entries = _entries(path, document)
    return Reading(
        shape="OpenSearch judgement list",
        cells=[
            Cells(number, entry.get("query"), each.get("docId"), each.get("rating"), part=part)
            for number, entry in entries
            for part, each in enumerate(entry["ratings"], start=1)
        ],
        by_text=True,
        unit="query",
        unjudged="no rating",
    )


def queries(path: Path, document: Mapping[str, Any]) -> list[Row]:
    """The queries that the list has ratings of."""
    return [Row(number, {"query": each.get("query")}) for number, each in _entries(path, document)]


def _entries(path: Path, document: Mapping[str, Any]) -> list[tuple[int, Mapping[str, Any]]]:
    entries = list(enumerate(document[_RATINGS], start=1))
    problems = [
        LineProblem(number, "no query with a list of ratings", "query")
        for number, entry in entries
        if not isinstance(entry, dict)
        or not isinstance(entry.get("ratings"), list)
        or not all(isinstance(rating, dict) for rating in entry["ratings"])
    ]
    refuse(path, problems, todo="This is no list of judgements that can be read.")
    return entries
