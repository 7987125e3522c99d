"""The typed record: the same bytes back, and one message with all that is wrong."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from evaluator import InputError
from evaluator.outside.compare import compare_files
from evaluator.record.files import read_record, read_results
from evaluator.record.model import json_text, record_json, record_of, record_schema
from evaluator.run import WrittenRun
from tests.evaluator.example_record import example_record
from tests.evaluator.golden_record import SCHEMA
from tests.small_world import run_world, small_world

pytestmark = pytest.mark.usefixtures("cache")


def _plain(value: Any) -> Any:
    return json.loads(json_text(value))


def test_a_record_comes_back_with_the_same_bytes(tmp_path: Path) -> None:
    """One of a run with all that a run knows, one of runs made elsewhere, and the example."""
    world = small_world(tmp_path, assessors=["ann", "bob"])
    made = run_world(world).path
    outside = compare_files(
        made / "plain.run", made / "headed.run", labels=world.labels, measures=["Success@1"]
    )
    for found in (read_record(made), record_json(outside), _plain(example_record())):
        assert json_text(found) == json_text(record_json(record_of(found)))
        assert [] == list(jsonschema.Draft202012Validator(record_schema()).iter_errors(found))
    assert "headed" == read_results(made).contrasts[0].treatment


def test_all_that_is_wrong_with_a_record_is_one_message(finished: WrittenRun) -> None:
    """Missing, unknown and wrong keys, each with its place."""
    found = read_record(finished.path)
    del found["headline"]["n_gold"]
    found["labels"]["colour"] = "red"
    found["contrasts"][0]["primary"]["k"] = "five"
    found["contrasts"][0]["doubts"]["primary_range"]["interval"] = [0.1]
    with pytest.raises(InputError) as caught:
        record_of(found)
    for part in (
        "record.headline lacks n_gold",
        "record.labels has the unknown colour",
        "record.contrasts[0].primary.k is 'five' where a whole number belongs",
        "record.contrasts[0].doubts.primary_range.interval has 1 values where 2 belong",
    ):
        assert part in str(caught.value)


def test_the_schema_is_that_of_the_record(finished: WrittenRun) -> None:
    """Where this fails, `python -m tests.evaluator.golden_record` writes it anew."""
    assert SCHEMA.read_text(encoding="utf-8") == json_text(record_schema())
    schema = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_bytes()))
    jsonschema.Draft202012Validator.check_schema(schema.schema)
    found = read_record(finished.path)
    found["arms"][0]["measures"]["Success@1"] = 1
    del found["headline"]["n_gold"]
    assert 2 == len(list(schema.iter_errors(found)))


def test_a_record_of_an_earlier_format_says_to_run_again() -> None:
    """Its shape is another one, so nothing of it is looked at."""
    with pytest.raises(InputError, match=r"found 'onecause-record/2'.*run again"):
        record_of({"format": "onecause-record/2"})
