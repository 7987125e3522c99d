"""The pairs and events of a workspace file, as a frozen set has them."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from labeler.workspace.frozen_rows import events, pool_entries
from labeler.workspace.schema import Database, migrations
from tests.labeler.small import AT


@pytest.fixture
def database(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """The tables of a workspace file, empty."""
    connection = sqlite3.connect(tmp_path / "work.sqlite", isolation_level=None)
    migrations.apply(Database(connection))
    yield connection
    connection.close()


def test_what_comes_at_one_moment_keeps_its_order(database: sqlite3.Connection) -> None:
    """Judgements as they were stored, then what was decided; and later ones after it."""
    early, late = AT.replace("2026", "2025"), AT.replace("2026", "2027")
    for table, columns in (
        ("judgements", "assessor, verdict, judged_at"),
        ("decisions", "adjudicator, verdict, decided_at"),
    ):
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
    assert expected == [each.event_id for each in events(database)]


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
    assert expected == list(pool_entries(database))
