"""JSON logs: one object a line, search answers, bulk files, and UBI in both layouts."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from evaluator import InputError
from labeler.logs.columns import Shape
from labeler.logs.read import LogReading, read_log
from tests.labeler.logs.test_read import counts

QUERY = {"user_query": "vpn", "query_id": "1", "timestamp": "2026-01-02T00:00:00Z"}
OPENSEARCH = QUERY | {"query": '{"match": 1}', "query_response_hit_ids": ["a"], "user_query": "VPN"}
EVENT = {"action_name": "click", "user_query": "vpn", "timestamp": "2020-01-01T00:00:00Z"}
BLANK = QUERY | {"user_query": "  "}


def read(tmp_path: Path, text: str, name: str = "log.ndjson", **options: str) -> LogReading:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return read_log(path, Shape(**options))  # type: ignore[arg-type]


def lines(*values: Any) -> str:
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)


def hits(*sources: Mapping[str, Any]) -> dict[str, Any]:
    return {"took": 3, "hits": {"total": 9, "hits": [{"_id": 1, "_source": s} for s in sources]}}


ROWS = (QUERY, EVENT, OPENSEARCH, BLANK, QUERY)
SHAPES = {
    "documents": lines(*ROWS),
    "bulk": lines(*(x for row in ROWS for x in ({"index": {"_index": "ubi", "_id": "1"}}, row))),
    "bulk without names": lines(*(x for row in ROWS for x in ({"create": {}}, row))),
    "updates": lines(*(x for row in ROWS for x in ({"update": {"_id": "1"}}, {"doc": row}))),
    "answer": json.dumps(hits(*ROWS)),
    "answer, printed": json.dumps(hits(*ROWS), indent=2),
    "answers a page each": lines(hits(*ROWS[:2]), hits(*ROWS[2:])),
    "hits a line each": lines(*hits(*ROWS)["hits"]["hits"]),
    "list": json.dumps(ROWS),
    "list, a row a line": "[\n" + ",\n".join(map(json.dumps, ROWS)) + "\n]\n",
    "documents, printed": "\n".join(json.dumps(row, indent=2) for row in ROWS),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", ["ubi.json", "ubi.ndjson"])
def test_ubi_logs_are_read_in_every_shape(tmp_path: Path, shape: str, name: str) -> None:
    """Query rows of both layouts are counted, events are not, blank ones are reported."""
    reading = read(tmp_path, SHAPES[shape], name)
    assert {"vpn": 3} == counts(reading)
    assert (("vpn", 2), ("VPN", 1)) == reading.queries[0].variants
    assert (1, 1, 0) == tuple(reading.record[key] for key in ("events", "blank", "broken"))
    assert "2026-01-02T00:00:00+00:00" == reading.record["first_at"]


def test_other_json_lines_are_read_by_their_keys(tmp_path: Path) -> None:
    """The column of queries and of counts are found, or named, as in a table."""
    rows = ({"q": "vpn", "searches": 3}, {"q": "leave", "searches": "4"}, {"x": 1}, {"q": "a"})
    reading = read(tmp_path, lines(*rows))
    assert {"vpn": 3, "leave": 4} == counts(reading)
    assert [3, 4] == [problem.line for problem in reading.problems]
    assert {"1": 1} == counts(read(tmp_path, lines({"a": 1, "b": 2}), query_column="a"))
    with pytest.raises(InputError, match="'a', 'b'"):
        read(tmp_path, lines({"a": 1, "b": 2}))


LOGGED = ({"query": "vpn", "hits": [{"id": 1}]}, {"query": "leave", "hits": {"total": 0}})
OBJECTS = ({"user_query": {"query": "vpn"}}, {"user_query": {"match": {}}}, {"user_query": {}})
DIGITS = '{"query": 1e5}\n{"query": 7.0}\n{"query": true}\n{"query": "null"}\n{"query": null}\n'


@pytest.mark.parametrize(
    ("text", "expected", "bad"),
    [
        (lines(*LOGGED), {"vpn": 1, "leave": 1}, []),
        (lines(*OBJECTS), {"vpn": 1}, ["'user_query' is not a text", "the query is blank"]),
        (DIGITS, {"1e5": 1, "7.0": 1, "true": 1, "null": 1}, ["the query is blank"]),
        (lines(*[EVENT] * 300, QUERY), {"vpn": 1}, []),
        (json.dumps(hits(*[QUERY] * 20_000)), {"vpn": 20_000}, []),
    ],
    ids=["logged results", "objects", "digits", "events before queries", "an answer of any length"],
)
def test_a_value_is_the_text_that_was_searched_for(
    tmp_path: Path, text: str, expected: dict[str, int], bad: list[str]
) -> None:
    """A number stays as it was typed; hits are unwrapped only where a search engine wrote them."""
    reading = read(tmp_path, text)
    assert expected == counts(reading)
    assert bad == [problem.reason for problem in reading.problems]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"query": "x', "the line is not JSON"),
        ('{"query": "a", "query": "b"}', "an object has the same key twice"),
        ("[" * 100_000, "the line is not JSON"),
        ('"x"', "not a JSON object"),
        ('{"query": "\\ud800"}', "half a surrogate pair is not text"),
        ('{"query": ["a"]}', "'query' is not a text"),
        ('{"other": 1}', "the row has no 'query'"),
    ],
)
def test_a_broken_line_is_reported(tmp_path: Path, line: str, reason: str) -> None:
    """It is listed with its number, and the others are read, also where the first is cut off."""
    reading = read(tmp_path, f'ery": "x"}}\n{{"query": "one"}}\n{line}\n{{"query": "two"}}\n')
    assert {"one": 1, "two": 1} == counts(reading)
    expected = [(1, "the line is not JSON"), (3, reason)]
    assert expected == [(problem.line, problem.reason) for problem in reading.problems]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[\n{"query": "a"},\n{"query": "b', r"log\.json"),
        ('{\n"query": "a",', r"log\.json"),
        ("[]", r"log\.json"),
        ("x", r"log\.json"),
        (lines(EVENT, EVENT), "holds no query in 2 lines"),
    ],
)
def test_a_document_that_is_not_whole_is_refused(tmp_path: Path, text: str, message: str) -> None:
    """What follows a break in one document cannot be told apart from what it belongs to."""
    with pytest.raises(InputError, match=message):
        read(tmp_path, text, "log.json")


def test_entries_of_a_document_are_numbered_alike(tmp_path: Path) -> None:
    """An entry that is no object has its place among the others, on whatever line it stands."""
    reading = read(tmp_path, '[{"query": "a"},\n\n7,\n{"query": "b"}]\n', "log.json")
    assert {"a": 1, "b": 1} == counts(reading)
    assert [2] == [problem.line for problem in reading.problems]
    assert 3 == reading.record["lines"]
