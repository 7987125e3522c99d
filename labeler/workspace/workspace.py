"""
The workspace: WORK/work.sqlite and the snapshot beside it.

Each group of tables is a part with statements of its own; what takes several parts is here.
A workspace keeps what was sampled, pooled and judged, and says that something is stored only
after the commit. It knows nothing of how queries are drawn, of what systems filled the pool,
or of pages.
"""

import errno
import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, astuple
from functools import cached_property
from heapq import merge
from operator import attrgetter
from pathlib import Path
from typing import Any, Self

from evaluator import InputError
from evaluator.labelset.format import Judgement, PoolEntry, Query
from evaluator.snapshot.snapshot import Snapshot, read_snapshot
from labeler.workspace.connection import FILE, Connection
from labeler.workspace.decisions import Decisions, FlipMarks
from labeler.workspace.judgements import Judgements
from labeler.workspace.pairs import entries, lets_through
from labeler.workspace.people import People
from labeler.workspace.pool import Pool
from labeler.workspace.queries import Queries
from labeler.workspace.records import GUIDELINES, Guidelines, Practice, QueryProgress, Settings
from labeler.workspace.rows import can_be_stored
from labeler.workspace.schema import fault_of

SNAPSHOT = "snapshot"
LABELS = "labels"
EXPERIMENTS = "experiments"
_GUIDELINES = "guidelines"  # the setting that keeps them
_PRACTICE = "practice"
_MOST_PRACTICE = 12
_MOST_GUIDELINES = 10_000
_DAMAGED = (sqlite3.DatabaseError, KeyError, TypeError, json.JSONDecodeError, UnicodeDecodeError)
_MACHINE = (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL)  # no fault of the file
_CLOSED = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM)
_USED = ("queries", "pool", "judgements")


class Workspace:
    """An open workspace. Safe to share between threads; each gets its own connection."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.connection = Connection(path)
        self.queries = Queries(self.connection)
        self.pool = Pool(self.connection)
        self.judgements = Judgements(self.connection)
        self.decisions = Decisions(self.connection)
        self.people = People(self.connection)
        self.flip_marks = FlipMarks(self.connection)

    @classmethod
    def create(cls, path: Path, *, settings: Settings) -> Self:
        """A new, empty workspace in a directory that has none yet."""
        if (path / FILE).exists():
            raise InputError(f"{path} is a workspace already. Choose another directory.")
        path.mkdir(parents=True, exist_ok=True)
        workspace = cls(path)
        with workspace.connection.write():
            for key, value in asdict(settings).items():
                workspace.connection.keep_setting(key, value)
            workspace.connection.keep_setting(_GUIDELINES, [(GUIDELINES, settings.created_at, 0)])
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

    def close(self) -> None:
        """Close what is open of the file; the next use opens it again."""
        self.connection.close()

    @property
    def settings(self) -> Settings:
        """What was decided when the workspace was made."""
        return self.connection.settings

    @cached_property
    def snapshot(self) -> Snapshot:
        """The chunks that are judged. Raises InputError if they are not those of the start."""
        return read_snapshot(self.path / SNAPSHOT, digest=self.settings.snapshot_digest)

    def guidelines(self) -> list[Guidelines]:
        """What assessors are told "relevant" means: each version since judging began, the last."""
        kept = self.connection.setting(_GUIDELINES)
        return [Guidelines(*each) for each in kept or [(GUIDELINES, self.settings.created_at, 0)]]

    def set_guidelines(self, text: str, *, now: str) -> bool:
        """
        Tell assessors something else from now on. Returns whether it is another text.

        Before anybody judged it takes the place of the last one; afterwards both are kept.
        Raises InputError for a text that is empty, too long or no text.
        """
        text = "\n".join(text.strip().splitlines()) + "\n"
        if not text.strip() or len(text) > _MOST_GUIDELINES or not can_be_stored(text):
            raise InputError(
                f"Guidelines are a text of 1 to {_MOST_GUIDELINES:,} characters; this one has "
                f"{len(text.strip()):,}, or holds characters that are no text."
            )
        with self.connection.write():
            before, judged = self.guidelines(), self.judgements.count_by_people()
            if text == before[-1].text:
                return False
            kept = [*(before if judged else ()), Guidelines(text, now, judged)]
            self.connection.keep_setting(_GUIDELINES, [astuple(each) for each in kept])
        return True

    def practice(self) -> Practice | None:
        """The practice query, None where there is none."""
        kept = self.connection.setting(_PRACTICE)
        return kept and Practice(kept[0], tuple((c, grade, why) for c, grade, why in kept[1]))

    def set_practice(self, practice: Practice | None) -> None:
        """
        Keep a practice query in place of the last one, or none.

        Raises InputError for one without a query or two texts, and for chunks or grades that
        are not of this workspace.
        """
        if practice is None:
            self.connection.keep_setting(_PRACTICE, None)
            return
        ids = [chunk_id for chunk_id, _, _ in practice.texts]
        scale = [grade for grade, _ in self.settings.grades]
        if not practice.query.strip() or not 2 <= len(set(ids)) == len(ids) <= _MOST_PRACTICE:
            raise InputError(
                f"A practice query has words and 2 to {_MOST_PRACTICE} texts, each once; this "
                f"one has {len(ids)}."
            )
        if missing := set(ids) - self.snapshot.fetch(ids).keys():
            raise InputError(f"There is no chunk {min(missing)!r} in the snapshot of {self.path}.")
        if other := {grade for _, grade, _ in practice.texts} - set(scale):
            raise InputError(f"Grade {min(other)} is not on the scale {scale}.")
        if not can_be_stored(practice.query, *(why for _, _, why in practice.texts)):
            raise InputError("The practice query holds characters that are no text.")
        self.connection.keep_setting(_PRACTICE, [practice.query.strip(), practice.texts])

    def events(self) -> Iterator[Judgement]:
        """
        Judgements and decisions together, every one ever, in time order.

        Judgements come before what was decided at the same moment.
        """
        return merge(self.judgements.all(), self.decisions.all(), key=attrgetter("judged_at"))

    def progress(self) -> list[QueryProgress]:
        """One row a query, in the order the queries were added."""
        pool, judged = self.pool.sizes(), self.judgements.sizes()
        by_assessor: dict[str, dict[str, int]] = {}
        for row in self.connection.rows(
            "SELECT query_id, assessor, count(*) AS n FROM standing GROUP BY 1, 2"
        ):
            by_assessor.setdefault(row["query_id"], {})[row["assessor"]] = row["n"]
        ended: dict[str, dict[str, str]] = {}
        for row in self.judgements.query_ends():
            ended.setdefault(row["query_id"], {})[row["assessor"]] = row["outcome"]
        return [
            QueryProgress(
                query_id=q.query_id,
                text=q.text,
                origin=q.origin,
                pool=pool.get(q.query_id, 0),
                judged=judged.get(q.query_id, 0),
                judged_by=by_assessor.get(q.query_id, {}),
                ended_by=ended.get(q.query_id, {}),
            )
            for q in self.queries.all()
        ]

    def add_found(self, assessor: str, query_id: str, chunk_id: str) -> bool:
        """
        Put a chunk that an assessor's own search found into the query's pool.

        It is found by `assessor:NAME` and by what else found it, and everybody who judges the
        query gets it among the others. Returns whether it is new there. Raises InputError
        for a query or chunk that is not there, and for a chunk that the query's filter hides
        from its asker.
        """
        query = self.queries.get(query_id)
        chunk_by_id = self.snapshot.fetch([chunk_id])
        if chunk_id not in chunk_by_id:
            raise InputError(f"There is no chunk {chunk_id!r} in the snapshot of {self.path}.")
        if query.filter and not lets_through(query.filter, chunk_by_id[chunk_id]):
            raise InputError(
                f"The chunk {chunk_id!r} is outside what the asker of {query_id!r} could search."
            )
        source = f"assessor:{assessor}"
        found = entries([(query_id, chunk_id)], source=source, chunk_by_id=chunk_by_id)
        record = {"source": source, "kind": "assessor", "depth": None}
        return self.pool.add(found, source=record) > 0

    def add_judged(
        self,
        *,
        queries: Sequence[Query],
        pool: Sequence[PoolEntry],
        judgements: Iterable[Judgement],
        decisions: Iterable[Judgement] = (),
        source: Mapping[str, Any],
    ) -> tuple[int, int]:
        """
        Queries, pairs, judgements and decisions from elsewhere: all are stored, or none.

        Returns how many pairs and judgements were new.
        """
        with self.connection.write():
            self.queries.add(queries)
            pairs = self.pool.add(pool, source=source) if pool else 0
            before = self.judgements.count()
            self.judgements.add(judgements)
            self.decisions.add(decisions)
            return pairs, self.judgements.count() - before

    def require_unused(self) -> None:
        """Raise InputError unless there is nothing yet but the snapshot."""
        if used := [name for name in _USED if self.connection.count(name)]:
            raise InputError(
                f"{self.path} holds {' and '.join(used)} already. A label set is carried into a "
                "workspace that holds nothing but its snapshot; make one with labeler init."
            )
