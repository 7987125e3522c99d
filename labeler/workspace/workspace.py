"""
The workspace: WORK/work.sqlite and the snapshot beside it.

The only package with statements on that file, but for its tables (`labeler.schema`) and the
rows of a frozen set (`labeler.frozen_rows`). It keeps what was sampled, pooled and judged, and
says that something is stored only after the commit. It knows nothing of how queries are drawn,
of what systems filled the pool, or of pages.
"""

import errno
import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Self

from evaluator import InputError
from evaluator.labelset.format import Judgement, PoolEntry, Query
from labeler.workspace.carried import CarriedTables
from labeler.workspace.connection import FILE, SNAPSHOT
from labeler.workspace.decisions import insert_decisions
from labeler.workspace.flip_marks import MarkedTables
from labeler.workspace.judgements import insert_judgements
from labeler.workspace.people import PeopleTables
from labeler.workspace.pool import insert_pool
from labeler.workspace.queries import insert_queries
from labeler.workspace.records import (
    Decision,
    Event,
    FlipMark,
    QueryProgress,
    Receipt,
    Role,
    Settings,
)
from labeler.workspace.schema import fault_of

__all__ = [
    "EXPERIMENTS",
    "FILE",
    "LABELS",
    "SNAPSHOT",
    "Decision",
    "Event",
    "FlipMark",
    "QueryProgress",
    "Receipt",
    "Role",
    "Settings",
    "Workspace",
]

_DAMAGED = (sqlite3.DatabaseError, KeyError, TypeError, json.JSONDecodeError, UnicodeDecodeError)
_MACHINE = (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL)  # no fault of the file
_CLOSED = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM)
LABELS = "labels"
EXPERIMENTS = "experiments"


class Workspace(CarriedTables, PeopleTables, MarkedTables):
    """An open workspace. Safe to share between threads; each gets its own connection."""

    @classmethod
    def create(cls, path: Path, *, settings: Settings) -> Self:
        """A new, empty workspace in a directory that has none yet."""
        if (path / FILE).exists():
            raise InputError(f"{path} is a workspace already. Choose another directory.")
        path.mkdir(parents=True, exist_ok=True)
        workspace = cls(path)
        with workspace.write() as db:
            for key, value in asdict(settings).items():
                db.execute("INSERT INTO settings VALUES (?, ?)", [key, json.dumps(value)])
        return workspace

    @classmethod
    def open(cls, path: Path) -> Self:
        """The workspace in a directory, its tables brought up to date."""
        if not (path / FILE).is_file():
            raise InputError(
                f"{path} is no workspace: it has no {FILE}. "
                f"Make one with: labeler init {path} --corpus PATH"
            )
        workspace = cls(path)
        try:
            if fault := fault_of(path / FILE):
                raise InputError(f"{path / FILE} {fault}")
            _ = workspace.settings
        except _DAMAGED as error:
            code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_OK) & 0xFF
            if code == sqlite3.SQLITE_BUSY:
                raise InputError(
                    f"{path / FILE} is locked by another program. Try again when that is done."
                ) from None
            if code in _CLOSED:
                raise InputError(
                    f"{path / FILE} cannot be used: {error}. You must be allowed to read it and to "
                    f"write to it and to {path}, also to look at it: allow it, or copy the folder."
                ) from None
            if code in _MACHINE:
                raise OSError(errno.EIO, str(error), str(path / FILE)) from None
            raise InputError(
                f"{path / FILE} cannot be read as a workspace ({error}). Restore it from a copy."
            ) from None
        return workspace

    def add_judged(
        self,
        *,
        queries: Sequence[Query],
        pool: Sequence[PoolEntry],
        judgements: Sequence[Judgement],
        decisions: Sequence[Judgement] = (),
        source: Mapping[str, Any],
    ) -> tuple[int, int]:
        """
        Queries, pairs, judgements and decisions from elsewhere: all are stored, or none.

        Returns how many pairs and judgements were new.
        """
        with self.write() as db:
            insert_queries(db, queries)
            pairs = insert_pool(db, pool, source) if pool else 0
            before = db.table("judgements").count
            insert_judgements(db, judgements)
            insert_decisions(db, decisions)
            return pairs, int(db.table("judgements").count - before)
