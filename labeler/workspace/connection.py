"""
The workspace file: one connection a thread, one writer at a time, settings and snapshot.

What all parts of the store share. A part holds the statements of one subject and gets at
the file through this. Threads are short, one a judgement, so a connection outlives its
thread: to open one costs more than what is stored through it, and to close the last one
makes SQLite write its log back into the file.
"""

import json
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from evaluator.labelset.format import HeldOutRule
from evaluator.snapshot.snapshot import Snapshot, read_snapshot
from labeler.workspace.records import Settings
from labeler.workspace.schema import Database, connect, migrations

__all__ = ["FILE", "SNAPSHOT", "Database", "Tables", "keep_setting"]

FILE = "work.sqlite"
SNAPSHOT = "snapshot"
_WRITING = threading.Lock()  # SQLite's own waiting is not fair: a thread can starve for seconds


class _Lent:
    """A connection that a thread has for itself; when the thread is over, it is free again."""

    def __init__(self, free: deque[Database], db: Database) -> None:
        self.free, self.db = free, db

    def __del__(self) -> None:
        self.free.append(self.db)


class Tables:
    """An open workspace file. Safe to share between threads; each gets its own connection."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._local = threading.local()
        self._free: deque[Database] = deque()

    def close(self) -> None:
        """Close this thread's connection and those that are free; the next use opens another."""
        self._local.__dict__.clear()
        while self._free:
            self._free.pop().close()

    @property
    def _db(self) -> Database:
        lent: _Lent | None = getattr(self._local, "lent", None)
        if lent is None:
            lent = self._local.lent = _Lent(self._free, self._connection())
        return lent.db

    def _connection(self) -> Database:
        try:
            return self._free.pop()
        except IndexError:
            with _WRITING:
                db = connect(self.path / FILE)
                migrations.apply(db)
            return db

    @contextmanager
    def write(self) -> Iterator[Database]:
        """One transaction that has the file to itself from its first statement on."""
        db = self._db
        with _WRITING:
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
                db.execute("COMMIT")
            except BaseException:
                if db.conn.in_transaction:  # on a full disk SQLite has rolled back itself
                    db.execute("ROLLBACK")
                raise

    @contextmanager
    def reading(self) -> Iterator[None]:
        """All that is read in the block is of one moment, whatever others store meanwhile."""
        db = self._db
        try:
            db.execute("BEGIN")
            db.execute("SELECT 1 FROM settings LIMIT 1").fetchall()
            yield
        finally:
            if db.conn.in_transaction:  # SQLite ends it itself where it cannot read on
                db.execute("ROLLBACK")

    def _rows(self, sql: str, *values: Any) -> list[dict[str, Any]]:
        return list(self._db.query(sql, values))

    def _setting(self, key: str) -> Any:
        """What a later decision stored under a key, or None."""
        found = self._rows("SELECT value FROM settings WHERE key = ?", key)
        return json.loads(found[0]["value"]) if found else None

    @cached_property
    def settings(self) -> Settings:
        stored = {r["key"]: json.loads(r["value"]) for r in self._rows("SELECT * FROM settings")}
        rule = stored.pop("held_out_rule")
        return Settings(
            held_out_rule=HeldOutRule(rule["salt"], rule["buckets"], tuple(rule["held_out"])),
            grades=tuple((grade, meaning) for grade, meaning in stored.pop("grades")),
            **{key: stored[key] for key in stored if key in Settings.__dataclass_fields__},
        )

    @cached_property
    def snapshot(self) -> Snapshot:
        return read_snapshot(self.path / SNAPSHOT, digest=self.settings.snapshot_digest)


def keep_setting(db: Database, key: str, value: Any) -> None:
    """Store a decision that can be made again, within the caller's transaction."""
    db.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", [key, json.dumps(value)])
