"""
Lists of judgements of OpenSearch's search relevance workbench.

They name queries by their text, and say neither who judged nor when.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from evaluator.files.records import Row
from labeler.exchange.imports.cells import JudgedCell, ShapedFile
from labeler.exchange.imports.json_files import read_each

_RATINGS = "judgmentRatings"
_UNREADABLE = "This is no list of judgements that can be read."


def is_export(document: Any) -> bool:
    """Whether a JSON document is a list of judgements, as imported or as stored."""
    return isinstance(document, dict) and isinstance(document.get(_RATINGS), list)


def judgement_list(path: Path, document: Mapping[str, Any]) -> ShapedFile:
    """The ratings of every query. Raises InputError for entries of another kind."""
    return ShapedFile(
        shape="OpenSearch judgement list",
        cells=read_each(path, document[_RATINGS], _rated, unit="query", todo=_UNREADABLE),
        by_text=True,
        unit="query",
        unjudged="no rating",
    )


def queries(path: Path, document: Mapping[str, Any]) -> list[Row]:
    """The queries that the list has ratings of."""
    return read_each(path, document[_RATINGS], _asked, unit="query", todo=_UNREADABLE)


def _rated(number: int, entry: Mapping[str, Any]) -> Iterator[JudgedCell]:
    for part, each in enumerate(_ratings(entry), start=1):
        yield JudgedCell(
            number, entry.get("query"), each.get("docId"), each.get("rating"), part=part
        )


def _asked(number: int, entry: Mapping[str, Any]) -> Iterator[Row]:
    _ratings(entry)
    yield Row(number, {"query": entry.get("query")})


def _ratings(entry: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    given = entry.get("ratings")
    if isinstance(given, list) and all(isinstance(each, dict) for each in given):
        return given
    raise ValueError("no query with a list of ratings")
