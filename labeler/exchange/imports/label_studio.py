"""
Label Studio's JSON export: tasks with annotations by people.

A task holds the ids of query and chunk in its data. Predictions are a model's and are not
read. An annotation that was cancelled says that its annotator skipped the task.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from evaluator.files.records import Row
from labeler.exchange.imports.cells import (
    CHUNK_ID,
    GRADE,
    QUERY_ID,
    QUERY_TEXT,
    JudgedCell,
    ShapedFile,
)
from labeler.exchange.imports.json_files import objects, read_each

_IDS = tuple(name for name in QUERY_ID if name.strip("_") != "id")  # a task has one of its own
_ANSWERS = ("choices", "rating")
_RELEVANCE = (*GRADE, "judgement", "judgment", "label")


def is_export(document: Any) -> bool:
    """Whether a JSON document is a list of tasks with their data and annotations."""
    return (
        isinstance(document, list)
        and bool(document)
        and all(isinstance(task, dict) and isinstance(task.get("data"), dict) for task in document)
        and any("annotations" in task for task in document)
    )


def export(path: Path, tasks: Sequence[Mapping[str, Any]]) -> ShapedFile:
    """
    The judgements of the tasks: one choice or one rating of each annotation.

    Where a task asks several things, the answer under a name like `relevance` or `grade`
    counts. Raises InputError listing the tasks where that is not one answer.
    """
    by_text = not any(set(_IDS) & set(task["data"]) for task in tasks)
    cells = read_each(
        path,
        tasks,
        partial(_of_task, query_names=QUERY_TEXT if by_text else _IDS),
        unit="task",
        todo="Every annotation must answer once how relevant the chunk is.",
    )
    predictions = [each for task in tasks if isinstance(each := task.get("predictions"), list)]
    unread = sum(map(len, predictions))
    return ShapedFile(
        shape="Label Studio",
        cells=cells,
        by_text=by_text,
        unit="task",
        unjudged="cancelled, or no answer",
        notes=(f"{unread} predictions by models were not read",) if unread else (),
    )


def _of_task(
    number: int, task: Mapping[str, Any], query_names: Sequence[str]
) -> Iterator[JudgedCell]:
    data = Row(number, task["data"])
    query, chunk_id = data.first(*query_names), data.first(*CHUNK_ID)
    annotations = objects(task.get("annotations"), "annotations")
    if not annotations:
        yield JudgedCell(number, query, chunk_id, None)
    for part, annotation in enumerate(annotations, start=1):
        results = objects(annotation.get("result"), "result")
        cancelled = bool(annotation.get("was_cancelled"))
        who = annotation.get("completed_by")  # a number, or an object with the e-mail address
        if isinstance(who, dict):
            who = who.get("email") or who.get("id")
        yield JudgedCell(
            number,
            query,
            chunk_id,
            None if cancelled else _answer(results),
            part=part,
            assessor=None if who in (None, "") else str(who),
            note=_note(results),
            judged_at=annotation.get("updated_at") or annotation.get("created_at"),
            active_seconds=annotation.get("lead_time"),
        )


def _answer(results: Sequence[Mapping[str, Any]]) -> Any:
    """The one choice or rating among the results; None if there is none."""
    answers = [each for each in results if each.get("type") in _ANSWERS]
    if len(answers) > 1:
        named = [each for each in answers if str(each.get("from_name")).lower() in _RELEVANCE]
        answers = named if len(named) == 1 else answers
    given = [_values(each) for each in answers]
    if len(given) > 1 or any(len(values) > 1 for values in given):
        names = ", ".join(sorted({str(each.get("from_name")) for each in answers}))
        raise ValueError(f"several answers ({names})")
    return next((value for values in given for value in values), None)


def _values(result: Mapping[str, Any]) -> list[Any]:
    value = result.get("value")
    if not isinstance(value, dict):
        return []
    if result["type"] == "rating":
        return [value["rating"]] if value.get("rating") is not None else []
    return _listed(value.get("choices"), "choices")


def _note(results: Sequence[Mapping[str, Any]]) -> str | None:
    """What the annotator wrote beside the answer."""
    texts: list[str] = []
    for each in results:
        value = each.get("value")
        if each.get("type") == "textarea" and isinstance(value, dict):
            text = value.get("text")
            texts += [text] if isinstance(text, str) else map(str, _listed(text, "text"))
    return "\n".join(texts) or None


def _listed(value: Any, name: str) -> list[Any]:
    if value is None or isinstance(value, list):
        return value or []
    raise ValueError(f"{name} is no list")
