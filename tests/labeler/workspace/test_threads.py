"""Twenty threads that read and then write: none is ever told that the file is locked."""

import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

from labeler.workspace.records import Decision, Event
from tests.labeler.small import AT, GRADED, pooled_workspace

THREADS, ROUNDS = 20, 8
CHUNKS = ("leave.md#0", "parking.md#0", "vpn.md#1")


def in_threads(act: Callable[[int], None]) -> list[sqlite3.Error]:
    """Run it in twenty threads at once; what SQLite objected to."""
    objections: list[sqlite3.Error] = []
    together = threading.Barrier(THREADS)

    def run(number: int) -> None:
        together.wait()
        try:
            act(number)
        except sqlite3.Error as error:
            objections.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return objections


def test_all_kinds_of_writing_go_side_by_side(tmp_path: Path) -> None:
    """Grades, finds, decisions and ended queries, each after a read, by twenty at once."""
    workspace = pooled_workspace(tmp_path, grades=GRADED)
    for name, grade in (("Ana", 0), ("Bo", 3)):
        workspace.judgements.record(name, "q2", [Event(name, CHUNKS[0], grade, "grade")], now=AT)

    def act(number: int) -> None:
        name = f"assessor {number}"
        for turn in range(ROUNDS):
            match (number + turn) % 4:
                case 0:
                    workspace.progress()
                    event = Event(f"{number}-{turn}", CHUNKS[0], turn % 4, "grade")
                    workspace.judgements.record(name, "q1", [event], now=AT)
                case 1:
                    list(workspace.pool.entries("q1"))
                    workspace.add_found(name, "q1", "vpn.md#0")
                case 2:
                    workspace.decisions.standing()
                    made = Decision(f"d{number}-{turn}", CHUNKS[0], turn % 4, "grade")
                    workspace.decisions.record(name, "q2", [made], now=AT)
                case 3:
                    workspace.judgements.query_ends()
                    workspace.judgements.end_query(
                        name, "q1", outcome="finished", reason=None, now=AT
                    )

    assert [] == in_threads(act)
    assert THREADS * ROUNDS // 4 == sum(1 for _ in workspace.decisions.all())
    events = [event for event in workspace.judgements.all() if event.query_id == "q1"]
    assert THREADS * ROUNDS // 4 == len(events) == len({event.event_id for event in events})
    for name in {event.assessor for event in events}:
        turns = [int(event.event_id.split("-")[1]) for event in events if event.assessor == name]
        assert sorted(turns) == turns
    (found,) = [entry for entry in workspace.pool.entries("q1") if entry.chunk_id == "vpn.md#0"]
    assert THREADS == len(found.found_by)


def test_a_connection_outlives_its_thread(tmp_path: Path) -> None:
    """Threads that come one after the other use one connection, and find nothing open in it."""
    workspace = pooled_workspace(tmp_path)
    used = []

    def act() -> None:
        used.append(workspace.connection.db)
        half_read = workspace.connection.db.execute("SELECT * FROM pool")
        next(half_read)

    for _ in range(3):
        thread = threading.Thread(target=act)
        thread.start()
        thread.join()
    assert [used[0]] * 3 == used
    assert used[0] is not workspace.connection.db
    workspace.people.add_assessor("Ana", now=AT)
    thread = threading.Thread(target=workspace.people.add_assessor, args=["Bo"], kwargs={"now": AT})
    thread.start()
    thread.join()
    assert ["Ana", "Bo"] == workspace.people.assessors()


def test_closing_closes_what_is_free_too(tmp_path: Path) -> None:
    """After a close no connection holds the file, so SQLite has tidied up its log."""
    workspace = pooled_workspace(tmp_path)
    thread = threading.Thread(target=workspace.people.assessors)
    thread.start()
    thread.join()
    workspace.close()
    assert not (tmp_path / "work.sqlite-wal").exists()
    assert [] == workspace.people.assessors()
