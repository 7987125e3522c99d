"""Logs of many tools: each is read as what it is, or refused by a message that can be followed."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook

from evaluator import InputError
from labeler.logs.columns import Shape
from labeler.logs.read import LogReading, read_log
from tests.labeler.logs.test_read import counts

IIS = """#Software: Microsoft Internet Information Services 10.0
#Fields: date time cs-method cs-uri-stem cs-uri-query c-ip cs(User-Agent) sc-status
2026-05-04 08:00:00 GET /find q=lost+key 192.0.2.1 Mozilla/5.0+(X11) 200
2026-05-04 08:00:01 GET /find q=parking 192.0.2.2 Mozilla/5.0+(X11) 200
2026-05-04 08:00:02 GET /style.css - 192.0.2.2 Mozilla/5.0+(X11) 200
#Fields: date time cs-uri-query cs-method cs-uri-stem sc-status
2026-05-04 08:00:03 q=lost+key GET /find 404
"""
EDGE = """#Version: 1.0
#Fields: date time x-edge-location c-ip cs-method cs-uri-stem sc-status cs(User-Agent) cs-uri-query
2026-05-04\t08:00:00\tOSL5\t192.0.2.1\tGET\t/find\t200\tMozilla%20(X11)\tq=lost%2520key
2026-05-04\t08:00:01\tOSL5\t192.0.2.1\tGET\t/find\t200\tMozilla%20(X11)\tq=parking
"""
NGINX = r"""{"time":"2026-05-04T08:00:01","request":"GET /find?q=lost%20key HTTP/1.1"}
{"time":"2026-05-04T08:00:02","request":"GET /find?q=\x22parking\x22 HTTP/1.1"}
"""
CADDY = """{"ts":1777881601.1,"request":{"method":"GET","uri":"/find?q=lost+key"},"status":200}
{"ts":1777881602.1,"request":{"method":"GET","uri":"/find?q=parking"},"status":200}
"""
CLOUD = """{"httpRequest":{"requestMethod":"GET","requestUrl":"https://a.no/find?q=lost+key"}}
{"httpRequest":{"requestMethod":"GET","requestUrl":"https://a.no/find?q=parking"}}
"""
BALANCER = (
    "https 2026-05-04T08:00:01.186641Z app/lb/50d 192.0.2.1:2817 10.0.0.1:80 0.086 0.048 0.037 200 "
    '200 0 57 "GET https://shop.example.com:443/find?q={} HTTP/1.1" "curl/7.46.0" ECDHE TLSv1.2\n'
)
HAPROXY = (
    "May  4 08:00:00 lb haproxy[1]: 192.0.2.0:33317 [04/May/2026:08:00:00.655] web static/srv1 "
    '10/0/30/69/109 200 2750 - - ---- 1/1/1/1/0 0/0 {{a}} {{}} "GET /find?q={} HTTP/1.1"\n'
)
SOLR = (
    "2026-05-04 08:00:01.123 INFO  (qtp1) [c:docs s:shard1] o.a.s.c.S.Request webapp=/solr "
    "path=/select params={{q={}&start=0}} hits=12 status=0 QTime=5\n"
)
BOTH = {"lost key": 1, "parking": 1}


def read(tmp_path: Path, name: str, text: str, **shape: Any) -> LogReading:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return read_log(path, Shape(**shape))


def of(line: str) -> str:
    return line.format("lost+key") + line.format("parking")


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("iis.log", IIS, {"lost key": 2, "parking": 1}),
        ("edge.log", EDGE, BOTH),
        ("nginx.jsonl", NGINX, {"lost key": 1, '"parking"': 1}),
        ("caddy.jsonl", CADDY, BOTH),
        ("cloud.jsonl", CLOUD, BOTH),
        ("alb.log", of(BALANCER), BOTH),
        ("haproxy.log", of(HAPROXY), BOTH),
        ("solr.log", of(SOLR) + SOLR.format("parking&isShard=true"), BOTH),
    ],
)
def test_a_server_s_log_is_read_by_its_parameter(
    tmp_path: Path, name: str, text: str, expected: dict[str, int]
) -> None:
    """And refused without one, by a message whose option then works."""
    with pytest.raises(InputError, match=r"--query-parameter NAME. In the first lines: q \("):
        read(tmp_path, name, text)
    reading = read(tmp_path, name, text, query_parameter="q")
    assert expected == counts(reading)
    assert 0 == reading.record["broken"]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("app.log", "time=2026-05-04T08:00 level=info query=parking\n" * 3, "--plain"),
        ("app.txt", "2026-05-04 08:00:00, parking\n2026-05-04 08:00:02, a, b\n", "--plain"),
        ("mail.txt", '192.0.2.1 {"query": "parking"}\n192.0.2.2 {"query": "key"}\n', "--plain"),
        ("slow.log", "[2026-05-04][WARN ][i.search.slowlog.query] [n] source[{}]\n", "slow log"),
        ("posts.log", '192.0.2.1 - - [x] "POST /find HTTP/1.1" 200 5\n', "no format that is known"),
        (
            "posts.log",
            '192.0.2.1 - - [10/Oct/2026:13:55:36 +0200] "POST /find HTTP/1.1" 200 5\n',
            "no parameter",
        ),
        ("ga.csv", "Search term,Event value count\nparking,120\nkey,14\n", "--count-column"),
        ("request.csv", "query\nGET /find?q=key HTTP/1.1\n", "what programs send"),
        ("body.jsonl", json.dumps({"query": '{"match": {"title": "key"}}'}), "what programs send"),
        ("web.csv", "query\n/find?q=key\n/find?q=vpn\n", "what programs send"),
        ("sys.log", "May  4 08:00:01 web1 gate code\nMay  4 08:00:02 web1 vpn\n", "--plain"),
        ("epoch.txt", "1777881601 gate code\n1777881602 vpn\n", "--plain"),
        ("users.jsonl", '{"query": "parking", "users": 12}\n', "--count-column"),
    ],
)
def test_what_is_not_recognised_is_refused(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    """No line of it becomes a query, and no count is passed over."""
    with pytest.raises(InputError, match=message):
        read(tmp_path, name, text)


def test_plain_lines_that_look_like_records_are_read_when_it_is_said(tmp_path: Path) -> None:
    """People type addresses and dates, too."""
    text = "192.0.2.1, 192.0.2.2 route\n2026-05-04, a=b\n"
    assert 2 == len(counts(read(tmp_path, "typed.txt", text, plain=True)))
    assert {"flights, hotels": 1, "vpn": 2} == counts(
        read(tmp_path, "few.txt", "flights, hotels\nvpn\nvpn\n")
    )


@pytest.mark.parametrize(
    ("name", "text", "shape", "expected"),
    [
        ("algolia.json", '{"searches":[{"search":"key","count":3}]}', {}, {"key": 3}),
        ("ga4.csv", "# made\nSearch term,Event count\n,9\nkey,3\n", {}, {"key": 3}),
        (
            "mongo.jsonl",
            '{"_id":{"$oid":"1"},"query":"key","count":{"$numberLong":"3"}}',
            {},
            {"key": 3},
        ),
        ("nested.jsonl", '{"attributes":{"user_query":"key"}}', {}, {"key": 1}),
        (
            "named.jsonl",
            '{"a":{"q":"key"},"b":{"q":"x"}}',
            {"query_column": "a.q"},
            {"key": 1},
        ),
        ("sheet.csv", "sep=;\nquery;count\nkey;3\n", {}, {"key": 3}),
        ("sum.csv", "query,count\nkey,3\nvpn,4\nGrand total,7\n", {}, {"key": 3, "vpn": 4}),
        ("first.csv", "query,count\nTotal,7\nkey,3\nvpn,4\n", {}, {"key": 3, "vpn": 4}),
        ("total.csv", "query,count\nkey,3\ntotal,4\n", {}, {"key": 3, "total": 4}),
        (
            "spark.csv",
            'query,count\n"5\\" pipe, long",3\n"a\\\\b, c",2\nkey,1\n',
            {},
            {'5" pipe, long': 3, "a\\b, c": 2, "key": 1},
        ),
        (
            "late.csv",
            "query,count\n" + "key,1\n" * 200 + '"say \\"hi\\"",2\n',
            {},
            {"key": 200, 'say "hi"': 2},
        ),
    ],
)
def test_exports_are_read_as_they_are_written(
    tmp_path: Path, name: str, text: str, shape: dict[str, Any], expected: dict[str, int]
) -> None:
    """Lists inside of objects, typed values, paths, dialects, and rows of totals left out."""
    reading = read(tmp_path, name, text, **shape)
    assert expected == counts(reading)
    assert 0 == reading.record["broken"]


def test_a_workbook_is_read_by_its_first_sheet(tmp_path: Path) -> None:
    """Numbers are counts, and texts that look like missing values are queries."""
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (
        ["query", "count", "date"],
        ["NA", 3, datetime(2026, 5, 4, tzinfo=None)],
        ["007", 2],
    ):
        sheet.append(row)
    book.save(tmp_path / "log.xlsx")
    reading = read_log(tmp_path / "log.xlsx")
    assert {"NA": 3, "007": 2} == counts(reading)
    assert "workbook" == reading.record["layout"]
    assert str(datetime(2026, 5, 4, tzinfo=UTC).date()) == str(reading.record["first_at"])[:10]
    json.dumps(reading.record)


@pytest.mark.parametrize(
    ("days", "bounds", "note"),
    [
        (["3/4/2026", "25/4/2026"], ("2026-04-03", "2026-04-25"), "the day first"),
        (
            ["3/4/2026 1:05 PM", "4/25/2026 9:00 AM"],
            ("2026-03-04", "2026-04-25"),
            "the month first",
        ),
        (["3.4.2026", "2026-05-01"], ("2026-04-03", "2026-05-01"), None),
        (["4 May 2026", "May 6, 2026"], ("2026-05-04", "2026-05-06"), None),
        (["3/4/2026", "5/4/2026"], None, "2 times may begin with the day or the month (line 2"),
        (["25/4/2026", "4/25/2026"], None, "2 times may begin with the day or the month (line 2"),
        (["2026-05-04", "soon"], ("2026-05-04", "2026-05-04"), "line 3: 'soon'); not used"),
    ],
)
def test_times_are_read_where_the_column_says_what_they_begin_with(
    tmp_path: Path, days: list[str], bounds: tuple[str, str] | None, note: str | None
) -> None:
    """Else they are listed with their lines, and make no window."""
    text = "query;date\n" + "".join(f"q{at};{day}\n" for at, day in enumerate(days))
    record = read(tmp_path, "days.csv", text).record
    found = record["first_at"] and (record["first_at"][:10], record["last_at"][:10])
    assert bounds == found
    assert note is None or note in " ".join(record["notes"])


def test_year_and_month_make_a_window(tmp_path: Path) -> None:
    """As exports by month have them."""
    record = read(
        tmp_path, "months.csv", "query,year,month,count\na,2026,3,5\nb,2026,11,2\n"
    ).record
    assert ("2026-03-01T00:00:00", "2026-11-01T00:00:00") == (record["first_at"], record["last_at"])


def test_the_lines_of_a_log_add_up(tmp_path: Path) -> None:
    """Read, blank, broken, and the rest."""
    text = 'query,count\nkey,1\n,2\n"a\nb",3\nx,y\nquery,count\ntotal,4\n'
    record = read(tmp_path, "sum.csv", text).record
    parts = ("kept_lines", "blank", "broken", "repeated_headers", "totals")
    assert [2, 1, 1, 1, 1] == [record[part] for part in parts]
    assert 8 == record["lines"]


KEYS = (
    "AKIA" + "IOSFODNN7EXAMPLE",
    "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6",
    "eyJhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxIn0.c2ln",
    "-----BEGIN RSA PRIVATE KEY-----",
    "ssh-rsa " + "AAAAB3NzaC1yc2EAAAADAQABAAABAQ",
    "kJ8vQ2mZx7Lw4RtY9pNs6BhC3dFg",
)


@pytest.mark.parametrize("key", KEYS)
def test_keys_and_tokens_are_private(tmp_path: Path, key: str) -> None:
    """They are listed by line, masked, and decided about by kind."""
    text = f"query,count\nvpn,9\nreset {key} now,1\n"
    reading = read(tmp_path, "keys.csv", text)
    assert ["key or token"] == reading.record["private"]["undecided"]
    assert [(3, "key or token", "reset [key or token] now")] == [
        (each.line, each.reason, each.text) for each in reading.private()
    ]
    dropped = read_log(tmp_path / "keys.csv", private="keep; key=drop")
    assert {"vpn": 9} == counts(dropped)
    assert 1 == dropped.record["private"]["dropped_searches"]


@pytest.mark.parametrize(
    "text",
    [
        "donaudampfschifffahrtsgesellschaft",
        "0000000000000000000000000000",
        "a-b-c-d-e-f-g-h-i-j-k-l-m",
    ],
)
def test_long_words_and_numbers_are_no_keys(tmp_path: Path, text: str) -> None:
    assert 0 == read(tmp_path, "words.csv", f"query\n{text}\n").record["private"]["queries"]
