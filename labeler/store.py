"""
The workspace: WORK/work.sqlite and the snapshot beside it.

The only module that knows SQL. It keeps what was sampled, pooled and judged, and says
that something is stored only after the commit. It knows nothing of how queries are
drawn, of what systems filled the pool, or of pages.
"""

import json
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from sqlite_utils import Database

from evaluator import InputError
from evaluator.labelset import HeldOutRule, Judgement, PoolEntry, Query, Verdict
from evaluator.snapshot import Snapshot, read_snapshot
from labeler.schema import connect, migrations

FILE = "work.sqlite"
_WRITING = threading.Lock()  # SQLite's own waiting is not fair: a thread can starve for seconds


@dataclass(frozen=True, slots=True)
class Settings:
    """What was decided when the workspace was made and never changes after."""

    name: str
    created_at: str
    grades: tuple[tuple[int, str], ...]
    min_grade: int
    held_out_rule: HeldOutRule
    snapshot_name: str
    snapshot_digest: str
    order_seed: str


@dataclass(frozen=True, slots=True)
class LogQuery:
    """A distinct query of the log: its key, the form people see, and how often it came."""

    query: str
    text: str
    count: int
    variants: tuple[tuple[str, int], ...] = ()
    stratum: str | None = None


@dataclass(frozen=True, slots=True)
class Event:
    """What an assessor did to one chunk, with an id made where they did it."""

    event_id: str
    chunk_id: str
    grade: int | None
    verdict: Verdict
    position: int | None = None
    active_seconds: float | None = None
    method: str | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Receipt:
    """The event ids that are on disk now, and those that never will be, with the reason."""

    stored: tuple[str, ...]
    refused: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class QueryProgress:
    """How far the judging of one query has come. Pairs, not events, are counted."""

    query_id: str
    text: str
    origin: str
    pool: int
    judged: int
    judged_by: Mapping[str, int]
    ended_by: Mapping[str, str]


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
        return cls(path)

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
        return read_snapshot(self.path / "snapshot", digest=self.settings.snapshot_digest)

    # The query log and the sample

    def add_log(self, record: Mapping[str, Any], queries: Iterable[LogQuery]) -> None:
        """Add one log's distinct queries; counts of a query that is there already add up."""
        if any(log["sha256"] == record["sha256"] for log in self.logs()):
            raise InputError(f"{record['file']} has been read into this workspace already.")
        known = {query.query: query for query in self.log_queries()}
        with self.write() as db:
            db.execute("INSERT INTO logs (record) VALUES (?)", [json.dumps(record)])
            db.conn.executemany(
                "INSERT OR REPLACE INTO log_queries VALUES (?, ?, ?, ?, ?)",
                (_log_row(_merged(query, known.get(query.query))) for query in queries),
            )

    def logs(self) -> list[dict[str, Any]]:
        return [json.loads(row["record"]) for row in self._rows("SELECT * FROM logs ORDER BY 1")]

    def log_queries(self) -> list[LogQuery]:
        return [
            LogQuery(**{**row, "variants": _pairs(row["variants"])})
            for row in self._rows("SELECT * FROM log_queries ORDER BY query")
        ]

    def save_sample(self, design: Mapping[str, Any], queries: Sequence[Query]) -> None:
        """Keep the sample and its design. A sample that nobody has judged yet is replaced."""
        drawn = "SELECT query_id FROM queries WHERE inclusion_probability IS NOT NULL"
        if self._rows(f"SELECT 1 FROM judgements WHERE query_id IN ({drawn}) LIMIT 1"):
            raise InputError(
                "Judging of the present sample has begun, so it cannot be drawn again. "
                "Draw another sample in a new workspace."
            )
        with self.write() as db:
            for table in ("pool_found", "pool", "queries"):
                db.execute(f"DELETE FROM {table} WHERE query_id IN ({drawn})")
            self._insert_queries(db, queries)
            db.execute(
                "INSERT OR REPLACE INTO settings VALUES ('sample', ?)", [json.dumps(dict(design))]
            )

    def sample(self) -> dict[str, Any] | None:
        """The design of the sample that was drawn, or None."""
        rows = self._rows("SELECT value FROM settings WHERE key = 'sample'")
        return json.loads(rows[0]["value"]) if rows else None

    def add_queries(self, queries: Sequence[Query]) -> None:
        """Add queries that no sampling drew. A query id that is taken is refused."""
        taken = {query.query_id for query in self.queries()} & {q.query_id for q in queries}
        if taken:
            raise InputError(f"Query ids that are there already: {', '.join(sorted(taken)[:5])}.")
        with self.write() as db:
            self._insert_queries(db, queries)

    def _insert_queries(self, db: Database, queries: Sequence[Query]) -> None:
        db.table("queries").insert_all(
            {
                **asdict(query),
                "filter": json.dumps(query.filter) if query.filter is not None else None,
                "variants": json.dumps(query.variants),
            }
            for query in queries
        )

    def queries(self) -> list[Query]:
        return [_query(row) for row in self._rows("SELECT * FROM queries ORDER BY position")]

    def query(self, query_id: str) -> Query:
        rows = self._rows("SELECT * FROM queries WHERE query_id = ?", query_id)
        if not rows:
            raise InputError(f"There is no query {query_id!r} in {self.path}.")
        return _query(rows[0])

    # The pool

    def add_pool(self, entries: Sequence[PoolEntry], *, source: Mapping[str, Any]) -> int:
        """Add pairs and what found them; returns how many pairs were new."""
        with self.write() as db:
            before = db.table("pool").count
            db.conn.executemany(
                "INSERT OR IGNORE INTO pool VALUES (?, ?, ?, ?)",
                ((e.query_id, e.chunk_id, e.doc_id, e.text_sha256) for e in entries),
            )
            db.conn.executemany(
                "INSERT OR IGNORE INTO pool_found VALUES (?, ?, ?)",
                ((e.query_id, e.chunk_id, name) for e in entries for name in e.found_by),
            )
            db.execute(
                "INSERT OR REPLACE INTO pool_sources VALUES (?, ?)",
                [source["source"], json.dumps(dict(source))],
            )
            return int(db.table("pool").count - before)

    def pool(self, query_id: str | None = None) -> list[PoolEntry]:
        """The pairs to judge, of one query or of all, each with all that found it."""
        where = "" if query_id is None else "WHERE p.query_id = ?"
        rows = self._rows(
            "SELECT p.*, (SELECT json_group_array(source) FROM pool_found AS f "
            "WHERE f.query_id = p.query_id AND f.chunk_id = p.chunk_id) AS found_by "
            f"FROM pool AS p {where} ORDER BY p.query_id, p.chunk_id",
            *([] if query_id is None else [query_id]),
        )
        return [PoolEntry(**{**r, "found_by": tuple(json.loads(r["found_by"]))}) for r in rows]

    def pool_sources(self) -> list[dict[str, Any]]:
        return [json.loads(r["record"]) for r in self._rows("SELECT record FROM pool_sources")]

    # Judging

    def add_assessor(self, name: str, *, now: str) -> None:
        with self.write() as db:
            db.execute("INSERT OR IGNORE INTO assessors VALUES (?, ?)", [name, now])

    def assessors(self) -> list[str]:
        rows = self._rows("SELECT assessor FROM assessors ORDER BY added_at, assessor")
        return [row["assessor"] for row in rows]

    def record(self, assessor: str, query_id: str, events: Sequence[Event], *, now: str) -> Receipt:
        """
        Store events and say which are on disk; the same event twice is stored once.

        An event on a pair that is not in the pool, or with a grade outside the scale,
        is refused with a reason and nothing else is held up by it. Times never run
        backwards, even if the clock does, since the last event is the one that stands.
        """
        if not events:
            return Receipt(())
        stored: list[str] = []
        refused: list[tuple[str, str]] = []
        with self.write() as db:
            pool = {
                row["chunk_id"]: row["text_sha256"]
                for row in db.query("SELECT * FROM pool WHERE query_id = ?", [query_id])
            }
            (latest,) = db.execute("SELECT max(judged_at) FROM judgements").fetchone()
            judged_at = max(now, latest or now)
            for event in events:
                if reason := self._objection(event, pool):
                    refused.append((event.event_id, reason))
                    continue
                row = {**asdict(event), "text_sha256": pool[event.chunk_id]}
                row |= {"query_id": query_id, "assessor": assessor, "judged_at": judged_at}
                _insert_judgement(db, row)
                stored.append(event.event_id)
        return Receipt(tuple(stored), tuple(refused))

    def _objection(self, event: Event, pool: Mapping[str, str]) -> str | None:
        scale = [grade for grade, _ in self.settings.grades]
        if event.chunk_id not in pool:
            return "this chunk is not in the query's pool"
        if event.verdict == "grade" and event.grade not in scale:
            return f"{event.grade} is not on the scale {scale}"
        return None

    def import_judgements(self, judgements: Sequence[Judgement]) -> None:
        """Store judgements that were made elsewhere; their pairs must be in the pool."""
        with self.write() as db:
            for judgement in judgements:
                _insert_judgement(db, asdict(judgement))
            db.conn.executemany(
                "INSERT OR IGNORE INTO assessors VALUES (?, ?)",
                {(judgement.assessor, judgement.judged_at) for judgement in judgements},
            )

    def current(self, assessor: str, query_id: str) -> dict[str, Judgement]:
        """What stands, by chunk id, of one assessor on one query."""
        rows = self._rows(
            "SELECT * FROM standing WHERE query_id = ? AND assessor = ?", query_id, assessor
        )
        return {row["chunk_id"]: _judgement(row) for row in rows}

    def judgements(self) -> Iterator[Judgement]:
        """Every event ever, in time order."""
        for row in self._db.query("SELECT * FROM judgements ORDER BY judged_at, seq"):
            yield _judgement(row)

    def standing(self) -> Iterator[Judgement]:
        """What stands of every assessor, by query and chunk."""
        sql = "SELECT * FROM standing ORDER BY query_id, chunk_id, assessor"
        for row in self._db.query(sql):
            yield _judgement(row)

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


def _merged(new: LogQuery, known: LogQuery | None) -> LogQuery:
    if known is None:
        return new
    counts: dict[str, int] = dict(known.variants)
    for text, count in new.variants:
        counts[text] = counts.get(text, 0) + count
    variants = tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
    text = variants[0][0] if variants else known.text
    return LogQuery(new.query, text, known.count + new.count, variants, new.stratum)


def _log_row(query: LogQuery) -> tuple[Any, ...]:
    return (query.query, query.text, query.count, json.dumps(query.variants), query.stratum)


def _pairs(text: str) -> tuple[tuple[str, int], ...]:
    return tuple((word, count) for word, count in json.loads(text))


def _query(row: Mapping[str, Any]) -> Query:
    values = {key: value for key, value in row.items() if key != "position"}
    values["filter"] = json.loads(row["filter"]) if row["filter"] is not None else None
    return Query(**{**values, "variants": _pairs(row["variants"])})


def _judgement(row: Mapping[str, Any]) -> Judgement:
    return Judgement(**{key: value for key, value in row.items() if key != "seq"})


def _insert_judgement(db: Database, row: Mapping[str, Any]) -> None:
    columns = ", ".join(row)
    marks = ", ".join("?" for _ in row)
    db.execute(f"INSERT OR IGNORE INTO judgements ({columns}) VALUES ({marks})", list(row.values()))
