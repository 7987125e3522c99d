"""
Records to rows of the workspace's tables, and back.

Lists and maps become JSON text, which somebody may have edited. Nothing here runs a
statement: the parts of the workspace do.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, TypeVar

from evaluator import InputError
from evaluator.labelset.format import Query
from evaluator.text.messages import brief
from labeler.logs.queries import LogQuery
from labeler.workspace.records import Decision, Event

T = TypeVar("T")


def log_query(row: Mapping[str, Any]) -> LogQuery:
    variants = from_json(row["variants"], _pairs, place="log_queries.variants")
    return LogQuery(**{**row, "variants": variants})


def query(row: Mapping[str, Any]) -> Query:
    values = {key: value for key, value in row.items() if key != "position"}
    if row["filter"] is not None:
        values["filter"] = from_json(row["filter"], dict, place="queries.filter")
    variants = from_json(row["variants"], _pairs, place="queries.variants")
    return Query(**{**values, "variants": variants})


def from_json(text: str, made: Callable[[Any], T], *, place: str) -> T:
    """
    What is `made` of the JSON that stands in a column.

    Raises InputError that names the place for what is no such JSON.
    """
    try:
        return made(json.loads(text))
    except (ValueError, TypeError, RecursionError) as error:
        raise InputError(
            f"The workspace file holds {brief(str(text))} in {place}, which cannot be read "
            f"({error}). It was edited or damaged: restore it from a copy."
        ) from None


def _pairs(found: Any) -> tuple[tuple[str, int], ...]:
    return tuple((word, count) for word, count in found)


def query_row(query: Query) -> dict[str, Any]:
    row = asdict(query)
    row["filter"] = None if query.filter is None else json.dumps(dict(query.filter))
    row["variants"] = json.dumps(query.variants)
    return row


def joined(source: Mapping[str, Any], known: Mapping[str, Any] | None) -> dict[str, Any]:
    """The record of a source that filled the pool more than once: every depth, every file."""
    if known is None:
        return dict(source)
    record = dict(source)
    files = [each for each in known.get("files", ()) if each not in source.get("files", ())]
    if files:
        record["files"] = [*files, *source["files"]]
    depths = {known.get("depth"), source.get("depth"), *known.get("depths", ())} - {None}
    if len(depths) > 1:
        record |= {"depth": max(depths), "depths": sorted(depths)}
    return record


def unfit(event: Event | Decision, scale: Sequence[int]) -> str | None:
    """Why an event can be no row of a label set, or None."""
    if event.verdict == "grade" and event.grade not in scale:
        return f"{event.grade} is not on the scale {scale}"
    if event.verdict != "grade" and event.grade is not None:
        return f"{event.verdict} with a grade"
    if not event.event_id:
        return "an event without an id"
    if not can_be_stored(event.event_id, event.note):
        return "characters that are no text"
    return None


def can_be_stored(*texts: str | None) -> bool:
    """Whether every text is made of characters; half a surrogate pair is none."""
    try:
        for text in texts:
            (text or "").encode()
    except UnicodeEncodeError:
        return False
    return True
