"""
The workspace: WORK/work.sqlite and the snapshot beside it.

The only module that knows SQL. It keeps what was sampled, pooled and judged, and says
that something is stored only after the commit. It knows nothing of how queries are
drawn, of what systems filled the pool, or of pages.
"""

import json
import math
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, fields
from functools import cached_property
from itertools import starmap
from operator import attrgetter
from pathlib import Path
from typing import Any

from sqlite_utils import Database

from evaluator import InputError
from evaluator.labelset import HeldOutRule, Judgement, PoolEntry, Query
from evaluator.snapshot import Snapshot, read_snapshot
from labeler import rows
from labeler.records import Event, LogQuery, QueryProgress, Receipt, Settings
from labeler.schema import connect, migrations

__all__ = ["FILE", "Event", "LogQuery", "QueryProgress", "Receipt", "Settings", "Workspace"]

FILE = "work.sqlite"
SNAPSHOT = "snapshot"
LABELS = "labels"
EXPERIMENTS = "experiments"
_WRITING = threading.Lock()  # SQLite's own waiting is not fair: a thread can starve for seconds


class Workspace:
    """An open workspace. Safe to share between threads; each gets its own connection."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._local = threading.local()

    @classmethod
    def create(cls, path: Path, *, settings: Settings) -> "Workspace":
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
    def open(cls, path: Path) -> "Workspace":
        """The workspace in a directory, its tables brought up to date."""
        if not (path / FILE).is_file():
            raise InputError(
                f"{path} is no workspace: it has no {FILE}. "
                f"Make one with: labeler init {path} --corpus PATH"
            )
        workspace = cls(path)
        try:
            _ = workspace.settings
        except (sqlite3.DatabaseError, KeyError, TypeError) as error:
            raise InputError(
                f"{path / FILE} cannot be read as a workspace ({error}). Restore it from a copy."
            ) from None
        return workspace

    def close(self) -> None:
        """Close this thread's connection; the next use opens another."""
        if (db := getattr(self._local, "db", None)) is not None:
            db.close()
            del self._local.db

    @property
    def _db(self) -> Database:
        db: Database | None = getattr(self._local, "db", None)
        if db is None:
            with _WRITING:
                db = connect(self.path / FILE)
                migrations.apply(db)
            self._local.db = db
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
                db.execute("ROLLBACK")
                raise

    def _rows(self, sql: str, *values: Any) -> list[dict[str, Any]]:
        return list(self._db.query(sql, values))

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

    # The query log and the sample

    def add_log(self, record: Mapping[str, Any], queries: Iterable[LogQuery]) -> None:
        """Add one log's distinct queries; counts of a query that is there already add up."""
        with self.write() as db:
            if any(log["sha256"] == record["sha256"] for log in self.logs()):
                raise InputError(f"{record['file']} has been read into this workspace already.")
            known = {query.query: query for query in self.log_queries()}
            db.execute("INSERT INTO logs (record) VALUES (?)", [json.dumps(record)])
            db.conn.executemany(
                "INSERT OR REPLACE INTO log_queries VALUES (?, ?, ?, ?, ?)",
                (rows.log_row(rows.merged(query, known.get(query.query))) for query in queries),
            )

    def logs(self) -> list[dict[str, Any]]:
        return [json.loads(row["record"]) for row in self._rows("SELECT * FROM logs ORDER BY 1")]

    def log_queries(self) -> list[LogQuery]:
        return [
            LogQuery(**{**row, "variants": rows.pairs(row["variants"])})
            for row in self._rows("SELECT * FROM log_queries ORDER BY query")
        ]

    def save_sample(self, design: Mapping[str, Any], queries: Sequence[Query]) -> None:
        """
        Keep the sample and its design, with the logs it was drawn from.

        A sample that nobody has judged yet is replaced, with its pool.
        """
        drawn = "SELECT query_id FROM queries WHERE inclusion_probability IS NOT NULL"
        with self.write() as db:
            if self._rows(f"SELECT 1 FROM judgements WHERE query_id IN ({drawn}) LIMIT 1"):
                raise InputError(
                    "Judging of the present sample has begun, so it cannot be drawn again. "
                    "Draw another sample in a new workspace."
                )
            for table in ("query_ends", "pool_found", "pool", "queries"):
                db.execute(f"DELETE FROM {table} WHERE query_id IN ({drawn})")
            db.execute(
                "DELETE FROM pool_sources WHERE source NOT IN (SELECT source FROM pool_found)"
            )
            self._insert_queries(db, queries)
            db.execute(
                "INSERT OR REPLACE INTO settings VALUES ('sample', ?)",
                [json.dumps({**design, "logs": self.logs()})],
            )

    def sample(self) -> dict[str, Any] | None:
        """The design of the sample that was drawn, or None."""
        found = self._rows("SELECT value FROM settings WHERE key = 'sample'")
        return json.loads(found[0]["value"]) if found else None

    def add_queries(self, queries: Sequence[Query]) -> None:
        """Add queries that no sampling drew. A query id that is taken is refused."""
        with self.write() as db:
            self._insert_queries(db, queries)

    def _insert_queries(self, db: Database, queries: Sequence[Query]) -> None:
        there = {row["query_id"] for row in db.query("SELECT query_id FROM queries")}
        taken = sorted(query.query_id for query in queries if query.query_id in there)
        if taken:
            raise InputError(
                f"{len(taken)} of {len(queries)} query ids are in the workspace already: "
                f"{', '.join(taken[:5])}."
            )
        new = [rows.query_row(query) for query in queries]
        if new:
            columns = ", ".join(f'"{column}"' for column in new[0])
            values = ", ".join(f":{column}" for column in new[0])
            db.conn.executemany(f"INSERT INTO queries ({columns}) VALUES ({values})", new)

    def set_needs(self, need_by_id: Mapping[str, str]) -> None:
        """State what queries ask for. Refused where somebody has judged without it."""
        judged = {row["query_id"] for row in self._rows("SELECT DISTINCT query_id FROM standing")}
        late = sorted(
            q.query_id
            for q in self.queries()
            if q.query_id in judged & {*need_by_id} and q.need != need_by_id[q.query_id]
        )
        if late:
            raise InputError(
                f"{len(late)} of these queries are judged already: {', '.join(late[:5])}. "
                "A need that comes later is not what their assessors read."
            )
        with self.write() as db:
            db.conn.executemany(
                "UPDATE queries SET need = ? WHERE query_id = ?",
                [(need, query_id) for query_id, need in need_by_id.items()],
            )

    def queries(self) -> list[Query]:
        return [rows.query(row) for row in self._rows("SELECT * FROM queries ORDER BY position")]

    def query(self, query_id: str) -> Query:
        found = self._rows("SELECT * FROM queries WHERE query_id = ?", query_id)
        if not found:
            raise InputError(f"There is no query {query_id!r} in {self.path}.")
        return rows.query(found[0])

    # The pool

    def add_pool(self, entries: Sequence[PoolEntry], *, source: Mapping[str, Any]) -> int:
        """Add pairs and what found them; returns how many pairs were new."""
        return self.add_pools([(entries, source)])[0]

    def add_pools(
        self, found: Sequence[tuple[Sequence[PoolEntry], Mapping[str, Any]]]
    ) -> list[int]:
        """The same for several sources at once: all of them are stored, or none."""
        with self.write() as db:
            return [self._insert_pool(db, entries, source) for entries, source in found]

    def _insert_pool(
        self, db: Database, entries: Sequence[PoolEntry], source: Mapping[str, Any]
    ) -> int:
        before = db.table("pool").count
        db.conn.executemany(
            "INSERT OR IGNORE INTO pool VALUES (?, ?, ?, ?)",
            ((e.query_id, e.chunk_id, e.doc_id, e.text_sha256) for e in entries),
        )
        db.conn.executemany(
            "INSERT OR IGNORE INTO pool_found VALUES (?, ?, ?)",
            ((e.query_id, e.chunk_id, name) for e in entries for name in e.found_by),
        )
        known = [each for each in self.pool_sources() if each["source"] == source["source"]]
        record = rows.joined(source, known[0] if known else None)
        db.execute(
            "INSERT OR REPLACE INTO pool_sources VALUES (?, ?)",
            [source["source"], json.dumps(record)],
        )
        return int(db.table("pool").count - before)

    def add_judged(
        self,
        *,
        queries: Sequence[Query],
        pool: Sequence[PoolEntry],
        judgements: Sequence[Judgement],
        source: Mapping[str, Any],
    ) -> tuple[int, int]:
        """
        Queries, pairs and judgements from elsewhere: all of them are stored, or none.

        Returns how many pairs and judgements were new.
        """
        with self.write() as db:
            self._insert_queries(db, queries)
            pairs = self._insert_pool(db, pool, source) if pool else 0
            before = db.table("judgements").count
            _insert_judgements(db, judgements)
            return pairs, int(db.table("judgements").count - before)

    def pool(self, query_id: str | None = None) -> list[PoolEntry]:
        """The pairs to judge, of one query or of all, each with all that found it."""
        where = "" if query_id is None else "WHERE p.query_id = ?"
        found = self._rows(
            "SELECT p.*, (SELECT json_group_array(source) FROM pool_found AS f "
            "WHERE f.query_id = p.query_id AND f.chunk_id = p.chunk_id) AS found_by "
            f"FROM pool AS p {where} ORDER BY p.query_id, p.chunk_id",
            *([] if query_id is None else [query_id]),
        )
        names = {text: tuple(json.loads(text)) for text in {row["found_by"] for row in found}}
        return [PoolEntry(**{**row, "found_by": names[row["found_by"]]}) for row in found]

    def pool_sources(self) -> list[dict[str, Any]]:
        return [
            json.loads(row["record"])
            for row in self._rows("SELECT record FROM pool_sources ORDER BY source")
        ]

    # Judging

    def add_assessor(self, name: str, *, now: str) -> None:
        with self.write() as db:
            db.execute("INSERT OR IGNORE INTO assessors VALUES (?, ?)", [name, now])

    def assessors(self) -> list[str]:
        found = self._rows("SELECT assessor FROM assessors ORDER BY added_at, assessor")
        return [row["assessor"] for row in found]

    def record(self, assessor: str, query_id: str, events: Sequence[Event], *, now: str) -> Receipt:
        """
        Store events and say which are on disk; the same event twice is stored once.

        An event on a pair that is not in the pool, or with a grade outside the scale,
        is refused with a reason and nothing else is held up by it. Times never run
        backwards, even if the clock does, since the last event is the one that stands.
        """
        if not events:
            return Receipt(())
        stored: list[Judgement] = []
        refused: list[tuple[str, str]] = []
        with self.write() as db:
            pool = {
                row["chunk_id"]: row["text_sha256"]
                for row in db.query("SELECT * FROM pool WHERE query_id = ?", [query_id])
            }
            (latest,) = db.execute("SELECT max(judged_at) FROM judgements").fetchone()
            made: dict[str, Any] = {"assessor": assessor, "judged_at": max(now, latest or "")}
            for event in events:
                if reason := self._objection(event, pool):
                    refused.append((event.event_id, reason))
                else:
                    made["text_sha256"] = pool[event.chunk_id]
                    stored.append(Judgement(query_id=query_id, **asdict(event), **made))
            _insert_judgements(db, stored)
        return Receipt(tuple(event.event_id for event in stored), tuple(refused))

    def _objection(self, event: Event, pool: Mapping[str, str]) -> str | None:
        scale = [grade for grade, _ in self.settings.grades]
        if event.chunk_id not in pool:
            return "this chunk is not in the query's pool"
        if event.verdict == "grade" and event.grade not in scale:
            return f"{event.grade} is not on the scale {scale}"
        if event.verdict != "grade" and event.grade is not None:
            return f"{event.verdict} with a grade"
        if event.active_seconds is not None and not math.isfinite(event.active_seconds):
            return f"{event.active_seconds} are no seconds"
        if not rows.can_be_stored(event.event_id, event.method, event.note):
            return "characters that are no text"
        return None

    def import_judgements(self, judgements: Sequence[Judgement]) -> None:
        """Store judgements that were made elsewhere; their pairs must be in the pool."""
        with self.write() as db:
            _insert_judgements(db, judgements)

    def current(self, assessor: str, query_id: str) -> dict[str, Judgement]:
        """What stands, by chunk id, of one assessor on one query."""
        where = "standing WHERE query_id = ? AND assessor = ?"
        return {each.chunk_id: each for each in self._judgements(where, query_id, assessor)}

    def judgements(self) -> Iterator[Judgement]:
        """Every event ever, in time order."""
        return self._judgements("judgements ORDER BY judged_at, seq")

    def standing(self) -> Iterator[Judgement]:
        """What stands of every assessor, by query and chunk."""
        return self._judgements("standing ORDER BY query_id, chunk_id, assessor")

    def _judgements(self, source: str, *values: str) -> Iterator[Judgement]:
        columns = ", ".join(_JUDGEMENT_COLUMNS)
        return starmap(Judgement, self._db.execute(f"SELECT {columns} FROM {source}", values))

    def importing_assessors(self) -> set[str]:
        """Those with judgements that came from a file."""
        sql = "SELECT DISTINCT assessor FROM judgements WHERE imported_from IS NOT NULL"
        return {row["assessor"] for row in self._rows(sql)}

    def judged_on_other_text(self) -> int:
        """How many judgements were made on a text that is not the pool's."""
        ((count,),) = self._db.execute(
            "SELECT count(*) FROM judgements AS j JOIN pool AS p USING (query_id, chunk_id) "
            "WHERE j.text_sha256 <> p.text_sha256"
        ).fetchall()
        return int(count)

    def end_query(
        self, assessor: str, query_id: str, *, outcome: str, reason: str | None, now: str
    ) -> None:
        """An assessor is through with a query: `finished`, or `skipped` with a reason."""
        with self.write() as db:
            db.execute(
                "INSERT OR REPLACE INTO query_ends VALUES (?, ?, ?, ?, ?)",
                [assessor, query_id, outcome, reason, now],
            )

    def query_ends(self) -> list[dict[str, Any]]:
        return self._rows("SELECT * FROM query_ends ORDER BY ended_at")

    def progress(self) -> list[QueryProgress]:
        """One row a query, in the order the queries were added."""
        pool = self._counts("SELECT query_id, count(*) AS n FROM pool GROUP BY 1")
        judged = self._counts(
            "SELECT query_id, count(DISTINCT chunk_id) AS n FROM standing GROUP BY 1"
        )
        by_assessor: dict[str, dict[str, int]] = {}
        for row in self._rows(
            "SELECT query_id, assessor, count(*) AS n FROM standing GROUP BY 1, 2"
        ):
            by_assessor.setdefault(row["query_id"], {})[row["assessor"]] = row["n"]
        ended: dict[str, dict[str, str]] = {}
        for row in self.query_ends():
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
            for q in self.queries()
        ]

    def _counts(self, sql: str) -> dict[str, int]:
        return {row["query_id"]: row["n"] for row in self._rows(sql)}


_JUDGEMENT_COLUMNS = tuple(field.name for field in fields(Judgement))


def _insert_judgements(db: Database, judgements: Iterable[Judgement]) -> None:
    columns = ", ".join(_JUDGEMENT_COLUMNS)
    marks = ", ".join("?" for _ in _JUDGEMENT_COLUMNS)
    db.conn.executemany(
        f"INSERT OR IGNORE INTO judgements ({columns}) VALUES ({marks})",
        map(attrgetter(*_JUDGEMENT_COLUMNS), judgements),
    )
