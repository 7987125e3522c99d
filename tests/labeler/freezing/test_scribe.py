"""A second process writes what the first one checks, of the same moment, or ends early."""

import json
import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.labelset import format as labelset
from evaluator.labelset.format import Judgement, write_lines, write_pairs
from evaluator.labelset.format import _judgement_line as judgement_line
from evaluator.labelset.format import _sound_texts as sound_texts
from labeler.freezing import scribe
from labeler.freezing.scribe import scribe_for
from labeler.workspace.frozen_rows import event_lines, event_rows, pair_rows
from labeler.workspace.records import Decision, Event
from labeler.workspace.schema import Database, migrations
from labeler.workspace.workspace import FILE, Workspace
from tests.labeler.small import AT, pooled_workspace

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=9)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """Two queries of three pairs; one is judged twice, and decided between."""
    workspace = pooled_workspace(tmp_path)
    for name, grade in (("ada", 1), ("bob", 0)):
        event = Event(f"{name}-1", "vpn.md#1", grade, "grade", active_seconds=0.1 + 0.2)
        assert not workspace.record(name, "q1", [event], now=AT).refused
    decision = Decision("d-1", "vpn.md#1", 1, "grade", rule="highest", note='so "it\\ is')
    assert not workspace.decide("eve", "q1", [decision], now=AT).refused
    return workspace


def members(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_scribe_writes_what_this_process_would(workspace: Workspace, tmp_path: Path) -> None:
    """The same bytes, and the same that is stated of them; pairs have all that found them."""
    (alone := tmp_path / "alone").mkdir()
    lines = map(judgement_line, workspace.event_rows())
    written = {
        "pool.jsonl": write_pairs(alone / "pool.jsonl", workspace.pairs()),
        "judgements.jsonl": write_lines(alone / "judgements.jsonl", lines),
    }
    assert [("system",)] == written["pool.jsonl"]["found_by"]
    written["pool.jsonl"]["found_by"] = [["system"]]  # as JSON has it
    with scribe_for(workspace.path / FILE) as other:
        assert other is not None
        with workspace.reading(lambda: other.begin(tmp_path / "other")):
            assert written == other.written()
    assert members(alone) == members(tmp_path / "other")


def test_rows_to_check_differ_in_what_is_not_checked(workspace: Workspace) -> None:
    """Seconds, places, notes and origins of judgements; sources of pairs."""
    left_out = {"active_seconds": None, "position": None, "note": None, "imported_from": None}
    *judged, decided = workspace.events()
    expected = [*(event._replace(**left_out) for event in judged), decided]  # type: ignore[arg-type]
    assert expected == [Judgement._make(row) for row in workspace.event_rows(to_check=True)]
    assert [(*pair[:4], ()) for pair in workspace.pairs()] == [*workspace.pairs(to_check=True)]


@pytest.fixture(scope="module")
def database() -> Iterator[sqlite3.Connection]:
    """The tables of a workspace file, empty."""
    with tempfile.TemporaryDirectory() as folder:
        connection = sqlite3.connect(Path(folder, FILE), isolation_level=None)
        migrations.apply(Database(connection))
        yield connection
        connection.close()


SECONDS = st.none() | st.floats(allow_nan=False, allow_infinity=False)
PLACES = st.none() | st.integers(0, 2**63 - 1)
EVENTS = st.lists(
    st.builds(
        Judgement,
        *(NAMES, NAMES, NAMES, NAMES, st.none() | st.integers(-5, 5)),
        *(st.sampled_from(["grade", "unsure", "undone"]), st.just(AT), SECONDS, PLACES),
        *(st.none() | TEXTS, st.none() | st.just("0f" * 32), st.none() | TEXTS, st.none() | TEXTS),
    ),
    max_size=4,
    unique_by=lambda event: event.event_id,
)


@given(events=EVENTS)
def test_a_line_that_sqlite_spells_becomes_the_canonical_one(
    database: sqlite3.Connection, events: list[Judgement]
) -> None:
    """Whatever stands in its texts, and to the last digit of its numbers."""
    database.execute("DELETE FROM judgements")
    marks = ", ".join("?" * len(Judgement._fields))
    insert = f"INSERT INTO judgements ({', '.join(Judgement._fields)}) VALUES ({marks})"
    database.executemany(insert, events)
    canonical = "".join(map(judgement_line, event_rows(database)))
    assert canonical == "".join(sound_texts("judgements.jsonl", [list(event_lines(database))]))


def test_what_comes_at_one_moment_keeps_its_order(database: sqlite3.Connection) -> None:
    """Judgements as they were stored, then what was decided; and later ones after it."""
    early, late = AT.replace("2026", "2025"), AT.replace("2026", "2027")
    for table, columns in (
        ("judgements", "assessor, verdict, judged_at"),
        ("decisions", "adjudicator, verdict, decided_at"),
    ):
        database.execute(f"DELETE FROM {table}")
        for at, number in ((late, 1), (AT, 2), (AT, 1), (early, 1)):
            database.execute(
                f"INSERT INTO {table} (event_id, query_id, chunk_id, {columns}) "
                "VALUES (?, 'q', 'c', 'ada', 'unsure', ?)",
                [f"{table[0]}-{at[:4]}-{number}", at],
            )
    expected = [
        *("j-2025-1", "d-2025-1", "j-2026-2", "j-2026-1", "d-2026-2", "d-2026-1"),
        *("j-2027-1", "d-2027-1"),
    ]
    assert expected == [row[0] for row in event_rows(database)]
    assert expected == [json.loads(line)["event_id"] for line in event_lines(database)]


def test_a_pair_has_all_that_found_it(database: sqlite3.Connection) -> None:
    """In order; and none is a pair twice, or has what found another."""
    for chunk_id, found_by in (("b", ("x", "a")), ("a", ()), ("c", ("b",))):
        database.execute("INSERT INTO pool VALUES ('q', ?, 'd', 's')", [chunk_id])
        for source in found_by:
            database.execute("INSERT INTO pool_found VALUES ('q', ?, ?)", [chunk_id, source])
    expected = [
        ("q", "a", "d", "s", ()),
        ("q", "b", "d", "s", ("a", "x")),
        ("q", "c", "d", "s", ("b",)),
    ]
    assert expected == list(pair_rows(database))


# When something comes between


def test_nobody_stores_anything_until_all_have_begun(workspace: Workspace) -> None:
    """So both processes read what stood at one moment; after it, judging goes on."""
    other = sqlite3.connect(workspace.path / FILE, timeout=0, isolation_level=None)

    def meanwhile() -> None:
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            other.execute("DELETE FROM judgements")

    with workspace.reading(meanwhile):
        other.execute("DELETE FROM judgements")
        assert 3 == len(list(workspace.events()))
    assert 1 == len(list(workspace.events()))


def test_where_another_cannot_begin_to_read_nobody_reads_on(workspace: Workspace) -> None:
    """What stands in the file later is seen, and can be changed."""

    def fail() -> None:
        raise ChildProcessError

    with pytest.raises(ChildProcessError), workspace.reading(fail):
        pass
    with sqlite3.connect(workspace.path / FILE) as other:
        other.execute("DELETE FROM judgements")
    with workspace.reading():
        assert 1 == len(list(workspace.events()))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("sys.executable", "/nowhere/python"),
        ("sys.executable", None),
        ("sys.executable", "/bin/true"),
        ("__file__", "/elsewhere/scribe.py"),
        ("labelset.__file__", "/elsewhere/labelset.py"),
    ],
)
def test_where_no_scribe_can_be_started_there_is_none(
    name: str, value: str | None, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without an interpreter, or where it would run other code than this."""
    monkeypatch.setattr(f"labeler.scribe.{name}", value)
    with scribe_for(workspace.path / FILE) as none:
        assert none is None


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE judgements SET grade = 1.5",
        "UPDATE judgements SET note = x'00'",
        "UPDATE judgements SET active_seconds = 9e999",
        "UPDATE pool SET doc_id = ''",
    ],
)
def test_a_scribe_ends_early_at_what_it_cannot_write(
    change: str, workspace: Workspace, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """A row that no reader would take, or that cannot be read; without a word of its own."""
    with sqlite3.connect(workspace.path / FILE) as database:
        database.execute(change)
    with scribe_for(workspace.path / FILE) as other:
        assert other is not None
        other.begin(tmp_path / "set")
        with pytest.raises(ChildProcessError, match="ended early"):
            other.written()
    assert ("", "") == capfd.readouterr()


def test_a_scribe_that_cannot_read_does_not_begin(workspace: Workspace, tmp_path: Path) -> None:
    """So nobody counts on it."""
    with scribe_for(workspace.path / FILE) as other:
        assert other is not None
        with sqlite3.connect(workspace.path / FILE) as database:
            database.execute("DROP TABLE pool")
        with pytest.raises(ChildProcessError, match="ended early"):
            other.begin(tmp_path / "set")


@pytest.mark.parametrize("begun", [False, True])
def test_a_scribe_that_was_killed_is_told(
    begun: bool, workspace: Workspace, tmp_path: Path
) -> None:
    """Before it begins, and while it waits for somebody to take what it writes."""
    os.mkfifo(tmp_path / "pool.jsonl")
    with scribe_for(workspace.path / FILE) as other:
        assert other is not None
        if begun:
            other.begin(tmp_path)
        other._process.kill()
        other._process.wait()
        with pytest.raises(ChildProcessError, match="ended early"):
            other.written() if begun else other.begin(tmp_path)


@pytest.mark.parametrize("begun", [False, True])
def test_a_scribe_ends_with_whoever_started_it(
    begun: bool, workspace: Workspace, tmp_path: Path
) -> None:
    """Without a word: its traceback would come up at somebody's terminal, after the fact."""
    os.mkfifo(tmp_path / "pool.jsonl")
    command = [sys.executable, "-m", "labeler.freezing.scribe", str(workspace.path / FILE)]
    told = json.dumps(str(tmp_path)) + "\n" if begun else ""
    done = subprocess.run(
        command, input=told, capture_output=True, text=True, timeout=60, check=False
    )
    assert (1, "") == (done.returncode, done.stderr)
    assert ascii([scribe.__file__, labelset.__file__]) == done.stdout.split("\n")[0]
