"""Logs in a workspace: a few queries at a time, and nothing that nobody has decided on."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from evaluator import InputError
from labeler.logs.private import Guard
from labeler.logs.queries import LogQuery
from labeler.workspace import queries as asking
from labeler.workspace.workspace import Workspace
from tests.labeler.small import small_workspace


def queries(*counts: tuple[str, int]) -> Iterator[LogQuery]:
    """One at a time, as they come out of a long log."""
    for text, count in counts:
        yield LogQuery(text.lower(), text, count, ((text, count),))


def test_logs_of_any_length_add_up(empty: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where a log is longer than what is taken at once."""
    monkeypatch.setattr(asking, "_AT_ONCE", 2)
    empty.queries.add_log({"file": "a", "sha256": "a"}, queries(("A", 1), ("b", 2), ("c", 3)))
    empty.queries.add_log(
        {"file": "b", "sha256": "b"}, queries(("a", 5), ("b", 1), ("d", 4), ("e", 1))
    )
    found = {query.text: query.count for query in empty.queries.log_queries()}
    assert {"a": 6, "b": 3, "c": 3, "d": 4, "e": 1} == found
    assert (("a", 5), ("A", 1)) == empty.queries.log_queries()[0].variants


def test_an_error_on_the_way_stores_nothing(empty: Workspace) -> None:
    """Half a log is no log."""

    def broken() -> Iterator[LogQuery]:
        yield from queries(("a", 1))
        raise InputError("no room for temporary files")

    with pytest.raises(InputError, match="no room"):
        empty.queries.add_log({"file": "a", "sha256": "a"}, broken())
    assert ([], []) == (empty.queries.logs(), empty.queries.log_queries())


def test_private_data_is_not_stored_undecided(tmp_path: Path) -> None:
    """Whoever reads the log, a page or a command, the workspace refuses."""
    guard = Guard()
    guard.passed("mail a@b.no", 1)
    workspace: Workspace = small_workspace(tmp_path)
    record = {"file": "a.csv", "sha256": "a", "private": guard.report()}
    with pytest.raises(InputError, match=r"(?s)a\.csv: 1 queries .*--private drop"):
        workspace.queries.add_log(record, queries(("mail a@b.no", 1)))
    assert [] == workspace.queries.logs()


def test_logs_are_made_equal_by_one_rule(empty: Workspace) -> None:
    """Else one query would be two, each with a part of its searches."""
    empty.queries.add_log(
        {"file": "a", "sha256": "a", "normalising": "folded"}, queries(("VPN", 2))
    )
    other = {"file": "b", "sha256": "b", "normalising": "none"}
    with pytest.raises(InputError, match="In a queries are equal after: folded; in b after: none"):
        empty.queries.add_log(other, queries(("VPN", 1)))
    assert ["a"] == [log["file"] for log in empty.queries.logs()]


def test_a_full_disk_stores_nothing_and_is_said_as_such(empty: Workspace) -> None:
    """SQLite rolls back by itself then; a second rollback would hide why."""
    db = empty.connection.db
    db.execute(f"PRAGMA max_page_count={db.execute('PRAGMA page_count').fetchone()[0]}")
    many = [(f"query {number} " + "x" * 500, 1) for number in range(2_000)]
    with pytest.raises(sqlite3.OperationalError, match="full"):
        empty.queries.add_log({"file": "a", "sha256": "a"}, queries(*many))
    assert ([], []) == (empty.queries.logs(), empty.queries.log_queries())
