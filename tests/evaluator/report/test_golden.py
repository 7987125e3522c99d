"""A record of a small run and its three reports, byte for byte."""

import json

import pytest

from evaluator.record.model import json_text, record_json, record_of
from tests.evaluator.golden_record import FOLDER, REPORTS

TEXT = (FOLDER / "record.json").read_text(encoding="utf-8")


def test_the_golden_record_comes_back_with_the_same_bytes() -> None:
    """Read by the annotations of its dataclasses and written again."""
    assert TEXT == json_text(record_json(record_of(json.loads(TEXT))))


@pytest.mark.parametrize("name", REPORTS)
def test_the_reports_of_the_golden_record_are_those_that_were_pinned(name: str) -> None:
    """Where a change is meant, `python -m tests.evaluator.golden_record` writes them anew."""
    pinned = (FOLDER / name).read_bytes()
    assert pinned.decode("utf-8") == REPORTS[name](record_of(json.loads(TEXT)))
