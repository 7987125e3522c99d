"""
The workspace file: one connection a thread, one writer at a time, and the table of settings.

Each part of a workspace holds the statements of one group of tables and runs them through
this. Threads are short, one a judgement, so a connection outlives its thread: to open one
costs more than what is stored through it, and to close the last one makes SQLite write its
log back into the file.
"""

import json
import sqlite3
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from evaluator.labelset.format import HeldOutRule
from labeler.workspace.records import Settings
from labeler.workspace.schema import connect

FILE = "work.sqlite"
_WRITING = threading.Lock()  # SQLite's own waiting is not fair: a thread can starve for seconds


class _Lent:
    """A connection that a thread has for itself; when the thread is over, it is free again."""

    def __init__(self, free: deque[sqlite3.Connection], db: sqlite3.Connection) -> None:
        self.free, self.db = free, db

    def __del__(self) -> None:
        self.free.append(self.db)


class Connection:
    """An open workspace file. Safe to share between threads; each has a connection of its own."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._local = threading.local()
        self._free: deque[sqlite3.Connection] = deque()

    def close(self) -> None:
        """Close this thread's connection and those that are free; the next use opens another."""
        self._local.__dict__.clear()
        while self._free:
            self._free.pop().close()

    @property
    def db(self) -> sqlite3.Connection:
        """This thread's connection."""
        lent: _Lent | None = getattr(self._local, "lent", None)
        if lent is None:
            try:
                db = self._free.pop()
            except IndexError:
                with _WRITING:
                    db = connect(self.path / FILE)
            lent = self._local.lent = _Lent(self._free, db)
        return lent.db

    @contextmanager
    def write(self) -> Iterator[None]:
        """
        One transaction that has the file to itself from its first statement on.

        One within another is part of it, so that what several parts store is stored as one.
        """
        if getattr(self._local, "writes", False):
            yield
            return
        db = self.db
        with _WRITING:
            db.execute("BEGIN IMMEDIATE")
            self._local.writes = True
            try:
                yield
                db.execute("COMMIT")
            except BaseException:
                if db.in_transaction:  # on a full disk SQLite has rolled back itself
                    db.execute("ROLLBACK")
                raise
            finally:
                self._local.writes = False

    @contextmanager
    def reading(self) -> Iterator[None]:
        """All that is read in the block is of one moment, whatever others store meanwhile."""
        db = self.db
        try:
            db.execute("BEGIN")
            db.execute("SELECT 1 FROM settings LIMIT 1").fetchall()
            yield
        finally:
            if db.in_transaction:  # SQLite ends it itself where it cannot read on
                db.execute("ROLLBACK")

    def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
        """Run one statement; its rows are tuples."""
        return self.db.execute(sql, values)

    def execute_many(self, sql: str, rows: Iterable[Any]) -> None:
        """Run a statement for each row of values."""
        self.db.executemany(sql, rows)

    def rows(self, sql: str, *values: Any) -> list[dict[str, Any]]:
        """The rows of a statement by column."""
        found = self.execute(sql, *values)
        names = [column[0] for column in found.description]
        return [dict(zip(names, row, strict=True)) for row in found]

    def count(self, table: str) -> int:
        """How many rows a table has."""
        ((count,),) = self.execute(f"SELECT count(*) FROM {table}")
        return int(count)

    def setting(self, key: str) -> Any:
        """What a later decision stored under a key, or None."""
        found = self.execute("SELECT value FROM settings WHERE key = ?", key).fetchone()
        return json.loads(found[0]) if found else None

    def keep_setting(self, key: str, value: Any) -> None:
        """Store a decision that can be made again."""
        with self.write():
            self.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", key, json.dumps(value))

    @cached_property
    def settings(self) -> Settings:
        """What was decided when the workspace was made."""
        stored = {key: json.loads(value) for key, value in self.execute("SELECT * FROM settings")}
        rule = stored.pop("held_out_rule")
        return Settings(
            held_out_rule=HeldOutRule(rule["salt"], rule["buckets"], tuple(rule["held_out"])),
            grades=tuple((grade, meaning) for grade, meaning in stored.pop("grades")),
            **{key: stored[key] for key in stored if key in Settings.__dataclass_fields__},
        )
