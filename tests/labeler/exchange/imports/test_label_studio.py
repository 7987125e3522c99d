"""Label Studio's JSON: choices or a rating, by whom, when and how long."""

import json
from pathlib import Path
from typing import Any

import pytest

from evaluator import InputError
from labeler.exchange.imports.judgements import Graded, read_judgements

SCALE = (0, 1, 2)
WORDS = {0: "Not relevant", 1: "Partly", 2: "Relevant"}


def choice(*choices: str, name: str = "relevance") -> dict[str, Any]:
    return {"type": "choices", "from_name": name, "value": {"choices": list(choices)}}


def rating(stars: int, name: str = "stars") -> dict[str, Any]:
    return {"type": "rating", "from_name": name, "value": {"rating": stars}}


def annotation(*result: dict[str, Any], by: Any = 7, **more: Any) -> dict[str, Any]:
    return {
        "completed_by": by,
        "was_cancelled": False,
        "lead_time": 12.5,
        "created_at": "2025-05-06T07:08:09.123456Z",
        "result": list(result),
        **more,
    }


def task(*annotations: dict[str, Any], **data: Any) -> dict[str, Any]:
    return {
        "id": 1,
        "data": {"query_id": "q1", "chunk_id": "a", "text": "x", **data},
        "annotations": list(annotations),
        "predictions": [],
    }


def read(directory: Path, *tasks: dict[str, Any]) -> tuple[Graded, ...]:
    path = directory / "export.json"
    path.write_text(json.dumps(tasks))
    return read_judgements(path, scale=SCALE, meanings=WORDS).pairs


@pytest.mark.parametrize("answer", [choice("Relevant"), choice("relevant"), choice("2"), rating(2)])
def test_choices_go_by_the_words_of_the_scale_and_ratings_by_number(
    tmp_path: Path, answer: dict[str, Any]
) -> None:
    """With the annotator, the time and the seconds."""
    (pair,) = read(tmp_path, task(annotation(answer)))
    assert ("q1", "a", 2, "7") == (pair.query, pair.chunk_id, pair.grade, pair.assessor)
    assert ("2025-05-06T07:08:09.123Z", 12.5) == (pair.judged_at, pair.active_seconds)


def test_an_update_is_when_it_was_judged(tmp_path: Path) -> None:
    """The answer that stands is the last one."""
    updated = annotation(rating(1), updated_at="2025-06-01T00:00:00Z")
    assert "2025-06-01T00:00:00.000Z" == read(tmp_path, task(updated))[0].judged_at


def test_annotators_may_be_objects(tmp_path: Path) -> None:
    """By e-mail, or by number."""
    by = [{"email": "ada@example.org", "id": 3}, {"id": 4}]
    pairs = read(tmp_path, task(*(annotation(rating(1), by=each) for each in by)))
    assert ["ada@example.org", "4"] == [pair.assessor for pair in pairs]


@pytest.mark.parametrize(
    ("each", "verdict"),
    [
        (task(annotation(rating(1), was_cancelled=True)), "unjudged"),
        (task(annotation()), "unjudged"),
        (task(annotation(choice())), "unjudged"),
        (task(), "unjudged"),
        (task(annotation(choice("Can't tell"))), "unsure"),
    ],
)
def test_what_is_no_answer_is_no_grade(tmp_path: Path, each: dict[str, Any], verdict: str) -> None:
    """A skipped task says nothing of relevance, and "can't tell" is kept as such."""
    assert [verdict] == [pair.verdict for pair in read(tmp_path, each)]


def test_one_answer_counts_where_a_task_asks_several_things(tmp_path: Path) -> None:
    """The one under a name for relevance; text beside it is the note."""
    text = {"type": "textarea", "from_name": "why", "value": {"text": ["one", "two"]}}
    answers = annotation(choice("spam", name="quality"), choice("Partly"), text)
    (pair,) = read(tmp_path, task(answers))
    assert (1, "one\ntwo") == (pair.grade, pair.note)


@pytest.mark.parametrize(
    ("each", "message"),
    [
        (annotation(choice("Relevant", "Partly")), "several answers"),
        (annotation(choice("Relevant", name="one"), rating(1, name="two")), "several answers"),
        (annotation(rating(5)), "grade 5 is not on the scale"),
    ],
)
def test_several_answers_are_refused(tmp_path: Path, each: dict[str, Any], message: str) -> None:
    """Which of them is the grade is nobody's guess; nor is one that the scale does not have."""
    with pytest.raises(InputError, match=f"task 1: {message}"):
        read(tmp_path, task(each))


def test_queries_may_go_by_their_text(tmp_path: Path) -> None:
    """All tasks or none: a task without the id that others have is named."""
    named = {"id": 1, "data": {"query": "notice", "chunk_id": "a"}, "annotations": []}
    assert "notice" == read(tmp_path, named)[0].query
    with pytest.raises(InputError, match="task 2: no query"):
        read(tmp_path, task(), named)


def test_predictions_are_not_judgements(tmp_path: Path) -> None:
    """They are a model's; how many there were is said."""
    path = tmp_path / "export.json"
    predicted = {**task(annotation(rating(1))), "predictions": [{"result": [rating(0)]}]}
    path.write_text(json.dumps([predicted]))
    found = read_judgements(path, scale=SCALE)
    assert [1] == [pair.grade for pair in found.pairs]
    assert ("1 predictions by models were not read",) == found.reading.notes
