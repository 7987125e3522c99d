"""Kinds of queries by their text alone."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evaluator import InputError
from labeler.logs.columns import Shape
from labeler.logs.queries import LogQuery
from labeler.logs.read import LogReading, merged_queries, read_log
from labeler.sampling.strata import Strata, make_strata, query_length, query_type, text_strata


@pytest.mark.parametrize(
    "text",
    [
        *("Can I bring my dog", "vpn token lost?", 'who owns the moulds ?"', "is the office open"),
        *("wie beantrage ich Urlaub", "hvordan søke ferie", "när får jag lön", "où est la cantine"),
        *("¿dónde está la cantina?", "如何申请休假？", "كيف أطلب إجازة؟"),
    ],
)
def test_a_question_is_known_by_its_mark_or_its_first_words(text: str) -> None:
    """In several languages, with or without a mark."""
    assert "question" == query_type(text)


@pytest.mark.parametrize(
    "text",
    [
        *("", "?", "vpn", "museum?", "who guidelines", "what if", "can opener electric"),
        *("will and testament", "leave how to", "is", "howitzer range table"),
    ],
)
def test_other_queries_are_keywords(text: str) -> None:
    """A wildcard, a title and an organisation are no questions."""
    assert "keywords" == query_type(text)


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("", "1 word"),
        ("???", "1 word"),
        ("don't", "1 word"),
        ("curcumin / cancer cure", "2 or 3 words"),
        ("how do i pay", "4 to 7 words"),
        ("one two three four five six seven", "4 to 7 words"),
        ("one two three four five six seven eight", "8 words or more"),
    ],
)
def test_length_is_counted_in_words(text: str, length: str) -> None:
    """Signs between words do not count."""
    assert length == query_length(text)


def test_no_rule_makes_one_stratum_without_a_name() -> None:
    """Which is how a log is drawn from unless asked otherwise."""
    queries = [LogQuery("a", "a", 1), LogQuery("b", "b", 1)]
    assert {"": queries} == Strata().split(queries) == text_strata(queries, by=[]).split(queries)


CSV = """timestamp,source,query
2026-01-03T10:00:00Z,tickets,VPN
2026-01-04T10:00:00Z,handbook,vpn
2026-02-04T10:00:00Z,handbook,vpn
2026-02-05T10:00:00Z,,notice
2026-02-06T10:00:00Z,tickets,"notice, again"
"""


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "searches.csv"
    path.write_text(CSV)
    return path


def strata(path: Path, *by: str, reading: LogReading | None = None) -> Mapping[str, str]:
    reading = reading or read_log(path)
    found = make_strata(list(reading.queries), by=by, logs=[reading.record], files=[path])
    return found.stratum_by_query or {}


UBI: tuple[Any, ...] = (
    {"user_query": "x", "application": "shop", "timestamp": "2026-01-01T00:00:00Z"},
    [{"user_query": "y"}, {"user_query": "z", "application": "help"}],
    {"action_name": "click", "user_query": "x", "application": "never"},
)
JSON_LINES = "".join(json.dumps(row) + "\n" for row in UBI)
WEIGHED = "query,count,source\nx,1,a\nx,1,a\nx,3,b\nx,many,a\ny,1,b\ny,1,a\n"
QUOTED = 'query,source\n"two\nlines",a\n"open,b\nq,c\nonly one cell\nr,"d"\n'


@pytest.mark.parametrize(
    ("text", "by", "expected"),
    [
        (CSV, "source", {"vpn": "handbook", "notice": "(empty)", "notice, again": "tickets"}),
        (WEIGHED, "source", {"x": "b", "y": "a"}),
        (QUOTED, "source", {"two lines": "a", "q": "c", "r": "d"}),
        (JSON_LINES, "application", {"x": "shop", "y": "(empty)", "z": "help"}),
    ],
    ids=["most searches", "counts and ties", "stray quotes", "JSON lines"],
)
def test_a_query_belongs_where_it_was_searched_for_most(
    tmp_path: Path, text: str, by: str, expected: dict[str, str]
) -> None:
    """A line stands for as many searches as it counts, under all its spellings; ties by name."""
    path = tmp_path / ("a.ndjson" if text == JSON_LINES else "a.csv")
    path.write_text(text)
    assert expected.items() <= strata(path, f"column:{by}").items()


def test_a_field_that_no_line_of_json_has_is_refused(tmp_path: Path) -> None:
    """It is known only when all lines are read."""
    path = tmp_path / "ubi.ndjson"
    path.write_text(JSON_LINES)
    with pytest.raises(InputError, match="no column 'aplication' in any row"):
        strata(path, "column:aplication")


def test_rules_for_searches_and_for_texts_are_crossed(log: Path) -> None:
    """Several columns are one value, under which most searches are counted."""
    assert {
        "vpn": "searches.csv / handbook / 1 word",
        "notice": "searches.csv / (empty) / 1 word",
        "notice, again": "searches.csv / tickets / 2 or 3 words",
    } == strata(log, "file", "length", "column:source")


def test_each_file_is_a_stratum(tmp_path: Path) -> None:
    """By the name that stands in the record; a query of two files goes to its larger part."""
    paths = [tmp_path / "help.csv", tmp_path / "shop.txt"]
    for path, text in zip(paths, ("query\nx\nx\ny\n", "x\nz\n"), strict=True):
        path.write_text(text)
    readings = [read_log(path) for path in paths]
    queries = list(merged_queries(readings))
    assert {"x": 3, "y": 1, "z": 1} == {query.query: query.count for query in queries}
    logs = [reading.record for reading in readings]
    found = make_strata(queries, by=["file"], logs=logs, files=paths[::-1])
    assert {"x": "help.csv", "y": "help.csv", "z": "shop.txt"} == found.stratum_by_query


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"normalise": False}, {"VPN": "shop", "vpn": "help", "a@b.no": "help", "c@b.no": "shop"}),
        ({"private": "mask"}, {"vpn": "help", "[e-mail]": "help"}),
        ({"private": "drop"}, {"vpn": "help"}),
    ],
)
def test_queries_are_looked_up_as_the_log_was_read(
    tmp_path: Path, options: dict[str, Any], expected: dict[str, str]
) -> None:
    """Each spelling where it was not normalised, masked ones as masked, dropped ones nowhere."""
    path = tmp_path / "a.csv"
    path.write_text("query,source\nVPN,shop\nvpn,help\nvpn,help\na@b.no,help\nc@b.no,shop\n")
    assert expected == strata(path, "column:source", reading=read_log(path, **options))


def test_queries_that_are_not_in_the_file_are_told(log: Path) -> None:
    """They are a stratum of their own; searches under another value are counted too."""
    reading = read_log(log)
    queries = [LogQuery("other", "other", 4), *reading.queries]
    found = make_strata(queries, by=["column:source"], logs=[reading.record], files=[log])
    assert "(not found)" == (found.stratum_by_query or {})["other"]
    notes = "\n".join(found.notes)
    assert "1 queries (4 searches) are not in the files" in notes
    assert "1 of 9 searches stand under another value" in notes


def test_the_file_must_be_the_one_that_was_read(log: Path, tmp_path: Path) -> None:
    """Known by its digest, whatever its name; without one, it is asked for."""
    reading = read_log(log)
    other = tmp_path / "other.csv"
    other.write_text(CSV + "2026-02-07T10:00:00Z,x,y\n")
    for files in ([], [other]):
        with pytest.raises(InputError, match=r"unchanged: searches.csv. Name each with --log"):
            make_strata(reading.queries, by=["file"], logs=[reading.record], files=files)
    with pytest.raises(InputError, match="There is no file"):
        make_strata([], by=["file"], logs=[reading.record], files=[tmp_path / "gone.csv"])


@pytest.mark.parametrize(
    ("by", "message"),
    [
        ("colour", "No rule 'colour' for strata. There are type, length, file, column:NAME"),
        ("month", "month of the search were removed. There are type, length, file, column:NAME"),
        ("column:colour", r"no column 'colour' \(--by column:NAME\)"),
    ],
)
def test_what_is_not_there_is_refused(log: Path, by: str, message: str) -> None:
    """Rules and columns."""
    with pytest.raises(InputError, match=message):
        strata(log, by)


def test_columns_of_parquet_are_read_too(tmp_path: Path) -> None:
    """Whatever their type; a missing value is an empty one."""
    path = tmp_path / "log.parquet"
    columns = {"query": ["x", "x", "y"], "source": ["a", "a", None], "n": [1, 2, 3]}
    pq.write_table(pa.table(columns), path)
    reading = read_log(path, Shape(count_column="n"))
    assert {"x": "a", "y": "(empty)"} == strata(path, "column:source", reading=reading)
    assert {"x": "log.parquet", "y": "log.parquet"} == strata(path, "file", reading=reading)


def test_requests_are_read_as_they_were_and_have_no_columns(tmp_path: Path) -> None:
    """The same requests are searches as when the log was read first."""
    path = tmp_path / "access.log"
    line = '::1 - - [02/Jan/2026:08:00:00 +0000] "GET /search?q={} HTTP/1.1" {} 5\n'
    path.write_text(line.format("vpn", 200) + line.format("pay", 404))
    reading = read_log(path, Shape(query_parameter="q", statuses=["200"]))
    assert {"vpn": "access.log"} == strata(path, "file", reading=reading)
    with pytest.raises(InputError, match="no columns beside its queries"):
        strata(path, "column:agent", reading=reading)
    (tmp_path / "a.txt").write_text("x\n")
    with pytest.raises(InputError, match="no columns beside its queries"):
        strata(tmp_path / "a.txt", "column:source")
