"""
The tables of a workspace file and how a connection to it is opened.

Judgements are events that are only ever added; which grade stands is a view over them.
Lists and maps are kept as JSON text. Migrations are recorded in the file, so an older
workspace is brought up to date when it is opened.
"""

import re
import sqlite3
from contextlib import closing
from pathlib import Path

from sqlite_utils import Database, Migrations

migrations = Migrations("onecause")


@migrations()
def first(db: Database) -> None:
    """The tables of the first version."""
    _make(db, _FIRST)


_FIRST = """
CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE logs (log_id INTEGER PRIMARY KEY, record TEXT NOT NULL);
CREATE TABLE log_queries (
    query TEXT PRIMARY KEY, text TEXT NOT NULL, count INTEGER NOT NULL,
    variants TEXT NOT NULL, stratum TEXT
) WITHOUT ROWID;
CREATE TABLE queries (
    position INTEGER PRIMARY KEY, query_id TEXT UNIQUE NOT NULL, text TEXT NOT NULL, need TEXT,
    origin TEXT NOT NULL, stratum TEXT, log_count INTEGER, inclusion_probability REAL,
    weight REAL, filter TEXT, variants TEXT NOT NULL, "group" TEXT, skip_reason TEXT
);
CREATE TABLE pool (
    query_id TEXT NOT NULL REFERENCES queries (query_id), chunk_id TEXT NOT NULL,
    doc_id TEXT NOT NULL, text_sha256 TEXT NOT NULL, PRIMARY KEY (query_id, chunk_id)
) WITHOUT ROWID;
CREATE TABLE pool_found (
    query_id TEXT NOT NULL, chunk_id TEXT NOT NULL, source TEXT NOT NULL,
    PRIMARY KEY (query_id, chunk_id, source)
) WITHOUT ROWID;
CREATE TABLE pool_sources (source TEXT PRIMARY KEY, record TEXT NOT NULL);
CREATE TABLE assessors (assessor TEXT PRIMARY KEY, added_at TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE judgements (
    seq INTEGER PRIMARY KEY, event_id TEXT UNIQUE NOT NULL, query_id TEXT NOT NULL,
    chunk_id TEXT NOT NULL, assessor TEXT NOT NULL, grade INTEGER, verdict TEXT NOT NULL,
    judged_at TEXT NOT NULL, active_seconds REAL, position INTEGER, method TEXT,
    text_sha256 TEXT, note TEXT, imported_from TEXT
);
CREATE INDEX judgements_by_pair ON judgements (query_id, chunk_id, assessor, seq);
CREATE INDEX judgements_by_assessor ON judgements (assessor, query_id);
CREATE INDEX judgements_by_time ON judgements (judged_at, seq);
CREATE TABLE query_ends (
    assessor TEXT NOT NULL, query_id TEXT NOT NULL, outcome TEXT NOT NULL, reason TEXT,
    ended_at TEXT NOT NULL, PRIMARY KEY (assessor, query_id)
) WITHOUT ROWID;
CREATE VIEW standing AS SELECT * FROM judgements AS j
WHERE verdict <> 'undone' AND seq = (
    SELECT max(seq) FROM judgements AS k
    WHERE k.query_id = j.query_id AND k.chunk_id = j.chunk_id AND k.assessor = j.assessor
)
"""


@migrations()
def people_and_decisions(db: Database) -> None:
    """Who may judge and freeze, who judges what, and what was decided on disagreements."""
    _make(db, _PEOPLE)


# "If not exists": two processes may open an older file at one moment.
_PEOPLE = """
CREATE TABLE IF NOT EXISTS roles (
    assessor TEXT PRIMARY KEY, email TEXT UNIQUE, may_judge INTEGER NOT NULL,
    may_freeze INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS assignments (
    query_id TEXT NOT NULL, assessor TEXT NOT NULL, PRIMARY KEY (query_id, assessor)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS assignments_by_assessor ON assignments (assessor, query_id);
CREATE TABLE IF NOT EXISTS decisions (
    seq INTEGER PRIMARY KEY, event_id TEXT UNIQUE NOT NULL, query_id TEXT NOT NULL,
    chunk_id TEXT NOT NULL, adjudicator TEXT NOT NULL, grade INTEGER, verdict TEXT NOT NULL,
    rule TEXT, note TEXT, decided_at TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS decisions_by_pair ON decisions (query_id, chunk_id, seq)
"""


@migrations()
def flips_read(db: Database) -> None:
    """Who has read which flip of which results, and what they made of it."""
    _make(db, _FLIPS)


_FLIPS = """
CREATE TABLE IF NOT EXISTS flip_marks (
    seq INTEGER PRIMARY KEY, event_id TEXT UNIQUE NOT NULL, results_sha256 TEXT NOT NULL,
    baseline TEXT NOT NULL, treatment TEXT NOT NULL, query_id TEXT NOT NULL,
    verdict TEXT NOT NULL, comment TEXT, person TEXT NOT NULL, marked_at TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS flip_marks_by_results ON flip_marks (results_sha256, seq)
"""


@migrations()
def what_stands_from_an_index(db: Database) -> None:
    """What stands is read from the index alone, in a third of the time."""
    db.execute("DROP INDEX IF EXISTS judgements_by_pair")
    db.execute(
        "CREATE INDEX IF NOT EXISTS judgements_standing ON judgements "
        "(query_id, chunk_id, assessor, seq, verdict, grade)"
    )


@migrations()
def who_imported_from_an_index(db: Database) -> None:
    """Most judgements are nobody's import, and need not be looked at to tell whose some are."""
    db.execute(
        "CREATE INDEX IF NOT EXISTS judgements_imported ON judgements (assessor, imported_from) "
        "WHERE imported_from IS NOT NULL"
    )


def _make(db: Database, statements: str) -> None:
    for statement in statements.split(";\n"):
        db.execute(statement)


_TABLE = re.compile(r"CREATE (?:TABLE|VIEW) (?:IF NOT EXISTS )?(\w+)")


def fault_of(path: Path) -> str | None:
    """
    Why a file is no workspace for this version, and what to do; None for one that is.

    The file is only read: nothing is stored in a file that is somebody else's, nor by rules
    that a newer version may have changed.
    """
    with closing(sqlite3.connect(path, timeout=10)) as connection:
        db = Database(connection)
        done = {each.name for each in migrations.applied(db)}
        there = {*db.table_names(), *db.view_names()}
        known = {each.name for each in migrations.pending(Database(memory=True))}
    if not done:
        what = "of another program" if there else "empty"
        return f"holds no workspace: it is {what}. Restore it from a copy."
    if done - known:
        return "was made by a newer version of onecause. Update this one; nothing was changed."
    made = {"first": _FIRST, "people_and_decisions": _PEOPLE, "flips_read": _FLIPS}
    wanted = {name for step in done & made.keys() for name in _TABLE.findall(made[step])}
    if lost := sorted(wanted - there):
        return f"is damaged: it has no {', '.join(lost)}. Restore it from a copy."
    return None


def connect(path: Path) -> sqlite3.Connection:
    """
    A connection that keeps what it commits, through a crash and through a power cut.

    Its tables are brought up to date. Write-ahead logging with synchronous=FULL costs one disk
    flush a commit, which at a grade a second is nothing. The caller orders its own threads; the
    timeout is for other processes.
    """
    connection = sqlite3.connect(path, timeout=10, check_same_thread=False)
    db = Database(connection)
    db.enable_wal()
    db.execute("PRAGMA synchronous=FULL")
    db.execute("PRAGMA foreign_keys=ON")
    migrations.apply(db)
    return connection
