"""Logs of web servers: queries out of addresses, and what is said to be left out."""

from pathlib import Path

import pytest

from evaluator import InputError
from labeler.logs.columns import Shape
from labeler.logs.read import LogReading, read_log
from tests.labeler.logs.test_read import counts


def line(address: str, *, status: int = 200, agent: str | None = None, method: str = "GET") -> str:
    end = "" if agent is None else f' "https://example.org/" "{agent}"'
    return (
        "192.0.2.7 - frank [10/Oct/2026:13:55:36 +0200] "
        f'"{method} {address} HTTP/1.1" {status} 2326{end}'
    )


def read(tmp_path: Path, *lines: str, **options: object) -> LogReading:
    path = tmp_path / "access.log"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return read_log(path, Shape(**({"query_parameter": "q"} | options)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("address", "query"),
    [
        ("/search?page=2&q=sick+leave&lang=en", "sick leave"),
        ("/search?q=p%C3%A5ske%202026", "påske 2026"),
        ("/search?q=1%2B1%3D2%26more", "1+1=2&more"),
        ("/search?q=a=b", "a=b"),
        ("/search?q=caf%E9", "café"),
        (r"/search?q=\x22vpn\x22", '"vpn"'),
        (r"/search?q=say \"hi\"", 'say "hi"'),
        ("/search?q=first&q=second", "first"),
        ("https://example.org/s?q=NA#top", "NA"),
        ("/search?%71=encoded", "encoded"),
    ],
)
def test_the_parameter_is_decoded(tmp_path: Path, address: str, query: str) -> None:
    """Plus is a blank, bytes are UTF-8 or else cp1252, and what servers escape is undone."""
    assert {query: 1} == counts(read(tmp_path, line(address)))


def test_a_parameter_that_comes_twice_is_noted(tmp_path: Path) -> None:
    """The first is read, and so that nobody need guess, it is said where they differ."""
    reading = read(tmp_path, line("/?q=a&q=a"), line("/?q=a&q=b"))
    assert {"a": 2} == counts(reading)
    assert (
        "1 line (first: line 2): q= more than once; the first is read." in reading.record["notes"]
    )


def test_both_formats_and_what_stands_before_are_read(tmp_path: Path) -> None:
    """With agent or without, with the name of the host before, with more behind."""
    reading = read(
        tmp_path,
        line("/?q=vpn"),
        line("/?q=vpn", agent="Mozilla/5.0"),
        "example.org:443 " + line("/?q=vpn"),
        line("/?q=vpn", agent="curl") + ' "-" 0.012',
    )
    assert {"vpn": 4} == counts(reading)
    assert "web server log" == reading.record["layout"]
    assert "2026-10-10T13:55:36+02:00" == reading.record["first_at"]


def test_what_is_no_search_is_counted(tmp_path: Path) -> None:
    """Other requests, other methods, blank queries and broken lines are told apart."""
    addresses = ("/?q=vpn", "/favicon.ico", "/?page=1", "/?q=", "/?q=+")
    posted = line("/?q=no", method="POST")
    reading = read(tmp_path, *map(line, addresses), posted, "garbage", "")
    assert {"vpn": 1} == counts(reading)
    assert 3 == reading.record["other_requests"]
    assert [4, 5, 7, 8] == [problem.line for problem in reading.problems]
    assert (3, 1) == (reading.record["blank"], reading.record["broken"])


def test_nothing_is_left_out_unless_it_is_said(tmp_path: Path) -> None:
    """Robots and failed requests count, and the notes say how many there are."""
    lines = [
        line("/?q=vpn", agent="Mozilla/5.0"),
        line("/?q=vpn", agent="Googlebot/2.1"),
        line("/?q=leave", status=404, agent="curl"),
    ]
    reading = read(tmp_path, *lines)
    assert {"vpn": 2, "leave": 1} == counts(reading)
    notes = " ".join(reading.record["notes"])
    assert "200: 2, 404: 1" in notes
    assert "1 of the searches are by agents that call themselves bot" in notes
    wanted = read(tmp_path, *lines, statuses=["2xx"], skip_agents=["bot|crawler"])
    assert {"vpn": 1} == counts(wanted)
    assert "Left out by status: 1 (only 2xx wanted); by agent: 1." in wanted.record["notes"]


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (line("/?query=a"), {}, r"in 1 line .*with q= in .* 1 requests are none.*--preview"),
        (line("/?q=a"), {"statuses": ["404"]}, r"Left out by status: 1 \(only 404 wanted\)"),
        (line("/?q=a"), {"statuses": ["20x"]}, "no status"),
        (line("/?q=a"), {"skip_agents": ["("]}, "cannot be read"),
        ("query,count\nvpn,3", {}, "in no format of theirs that is known"),
        (
            line("/?q=vpn&page=1") + "\n" + line("/?q=leave"),
            {"query_parameter": None},
            r"--query-parameter NAME.*q \(2\), page \(1\)",
        ),
    ],
    ids=["parameter", "left out", "status", "agent", "no requests", "no parameter named"],
)
def test_a_log_without_searches_and_impossible_filters_are_refused(
    tmp_path: Path, text: str, options: dict[str, object], message: str
) -> None:
    """With what to write instead, what was left out, or the parameters that there are."""
    with pytest.raises(InputError, match=message):
        read(tmp_path, text, **options)
