"""Logs of every kind, read with care and read fast, through the entry that commands use."""

import gzip
import json
import random
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from labeler.cli.main import main
from labeler.logs import read as querylog
from labeler.logs.formats import Shape
from labeler.logs.preview import guess_columns
from labeler.logs.private import Choice
from labeler.logs.read import LogReading, read_log
from labeler.workspace.workspace import Workspace
from tests.labeler.logs.test_bulk import FEW, NEVER, PIECES, both, folder
from tests.labeler.small import small_workspace

__all__ = ["folder"]

words = st.one_of(
    st.sampled_from(PIECES), st.lists(st.sampled_from(PIECES), max_size=3).map("".join)
)
PRIVATE = (
    *("ola@example.no", "ring 22 85 50 50", "4111 1111 1111 1111", "NO93 8601 1117 947"),
    *("192.168.0.1", "K-123456", "\uff14111111111111111", "vpn", "notice 2026", "v1.2.3.4"),
)


@FEW
@given(
    st.lists(
        st.tuples(
            st.none() | words,
            st.none() | st.integers(-1, 40),
            st.none() | st.sampled_from(PIECES),
            st.sampled_from([None, "", "click"]),
        ),
        max_size=12,
    ),
    st.sets(st.sampled_from(["count", "timestamp", "action_name"])),
)
def test_parquet_is_read_alike(
    folder: Path,
    rows: list[tuple[str | None, int | None, str | None, str | None]],
    columns: set[str],
) -> None:
    """With missing values, with and without counts, times and events."""
    path = folder / "log.parquet"
    kinds = {"count": pa.int64(), "timestamp": pa.string(), "action_name": pa.string()}
    every = dict(zip(("query", *kinds), zip(*rows, strict=True), strict=True)) if rows else {}
    table = {"query": pa.array(every.get("query", ()), pa.string())} | {
        name: pa.array(every.get(name, ()), kind) for name, kind in kinds.items() if name in columns
    }
    pq.write_table(pa.table(table), path)
    careful, fast = both(path, block=1 << 20)
    assert careful == fast


@FEW
@given(
    st.lists(
        st.one_of(
            st.builds(
                '::1 - - [1{}/Oct/2026:13:55:36 +0200] "{} /s?{}={} HTTP/1.1" {} 5 "-" "{}"'.format,
                st.integers(0, 9),
                st.sampled_from(["GET", "POST"]),
                st.sampled_from(["q", "lang"]),
                words.map(lambda text: text.replace("\n", "%0A").replace("\r", "%0D")),
                st.sampled_from([200, 302, 404]),
                st.sampled_from(["curl", "a bot"]),
            ),
            words,
        ),
        max_size=12,
    ),
    st.integers(1, 200),
    st.sampled_from([(), ("2xx",)]),
    st.sampled_from([(), ("bot",)]),
)
def test_the_log_of_a_web_server_is_read_alike(
    folder: Path, lines: list[str], block: int, statuses: tuple[str, ...], agents: tuple[str, ...]
) -> None:
    """With lines that are no requests, and with what is left out by status and agent."""
    path = folder / "access.log"
    path.write_text("\n".join(lines), encoding="utf-8")
    careful, fast = both(
        path, block=block, query_parameter="q", statuses=statuses, skip_agents=agents
    )
    assert careful == fast


@FEW
@given(
    st.lists(
        st.one_of(
            st.fixed_dictionaries(
                {"query": st.none() | words | st.integers(0, 9)},
                optional={"timestamp": words, "count": words},
            ).map(json.dumps),
            words,
        ),
        max_size=10,
    ),
    st.integers(1, 200),
)
def test_lines_of_json_are_read_alike(folder: Path, lines: list[str], block: int) -> None:
    """With objects that lack what others have, and lines that are none."""
    path = folder / "log.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    careful, fast = both(path, block=block)
    assert careful == fast


@pytest.mark.parametrize("choice", [None, "drop", "mask", "keep"])
@pytest.mark.parametrize("name", ["log.csv", "log.txt", "log.csv.gz"])
def test_private_data_is_found_alike(tmp_path: Path, name: str, choice: Choice | None) -> None:
    """All kinds, patterns and regions of a site's own too; the same is kept, and reported."""
    order = random.Random(3)
    lines = [order.choice(PRIVATE) + order.choice(["", "", "  x", " X"]) for _ in range(400)]
    text = "\n".join(lines if ".txt" in name else ["query", *lines])
    path = tmp_path / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith("gz") else text.encode())
    options = {"private": choice, "identifiers": [r"\bK-\d{6}\b"], "regions": ["NO"]}
    careful, fast = both(path, block=500, **options)
    assert careful == fast
    assert isinstance(fast, tuple)
    assert 6 == len(fast[1]["private"]["kinds"])


def both_readings(path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[LogReading, LogReading]:
    monkeypatch.setattr(querylog, "BULK_FROM", NEVER)
    careful = read_log(path)
    monkeypatch.setattr(querylog, "BULK_FROM", 0)
    return careful, read_log(path)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("log.csv", "when,query,hits\n2026-01-02,vpn,3\n2026-01-03,pay,2\n"),
        ("log.tsv", 'id\tsearch term\n1\t"vpn"\n2\tpay, day\n'),
        ("log.jsonl", '{"query": "vpn", "count": 3}\n{"query": "pay", "count": 1}\n'),
    ],
)
def test_what_is_previewed_is_what_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str
) -> None:
    """Both ways read the columns that were shown."""
    path = tmp_path / name
    path.write_text(text)
    preview = guess_columns(path, Shape())
    for reading in both_readings(path, monkeypatch):
        columns = reading.record["columns"]
        assert preview.columns is not None
        assert (preview.columns.query, preview.columns.count, preview.columns.time) == (
            columns["query"],
            columns["count"],
            columns["time"],
        )


def test_both_ways_store_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Several logs by one command: queries, variants, counts and records in the workspace."""
    order = random.Random(5)
    logs = [tmp_path / "a.csv", tmp_path / "b.txt"]
    logs[0].write_text(
        "query,count\n" + "".join(f"{order.choice(PRIVATE)},{n % 4}\n" for n in range(200))
    )
    logs[1].write_text("\n".join(order.choice(PRIVATE).upper() for _ in range(200)))
    stored = []
    for place, bulk_from in (("careful", NEVER), ("fast", 0)):
        monkeypatch.setattr(querylog, "BULK_FROM", bulk_from)
        small_workspace(tmp_path / place)
        done = CliRunner().invoke(
            main, ["logs", str(tmp_path / place), *map(str, logs), "--private", "mask"]
        )
        assert 0 == done.exit_code, done.output
        workspace = Workspace.open(tmp_path / place)
        stored.append((workspace.log_queries(), workspace.logs()))
    assert stored[0] == stored[1]
