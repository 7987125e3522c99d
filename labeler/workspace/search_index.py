"""
The file of a full-text index over the plain texts of one snapshot: SQLite's FTS5 with BM25.

It holds words and chunk ids, and no text. What is looked for comes in as an expression of
FTS5; how one is made of what somebody typed is the business of `pool/full_text.py`.
"""

import os
import sqlite3
import unicodedata
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from evaluator import InputError
from evaluator.console import Progress
from evaluator.files.whole import made_aside
from evaluator.snapshot.snapshot import Snapshot

SEARCH_FILE = "search.sqlite"
# Marks count as parts of words, or Hindi and pointed Hebrew fall apart into single letters.
_TOKENIZER = "unicode61 remove_diacritics 2 categories 'L* N* Co M*'"
WORD_RULES = f"NFKD, casefold, {_TOKENIZER}"  # a file that was built by others is built again
MOST_CHARACTERS = 8_000  # FTS5 cuts a word at 32,768 bytes, which may be inside a character


def make_index(path: Path, snapshot: Snapshot, *, progress: Progress | None = None) -> None:
    """
    Build the index of a snapshot, unless the file holds it already.

    The file is known by the snapshot's digest. It is built beside its place and renamed,
    so nobody meets half of it, and a file that is damaged or of another snapshot is
    replaced: nothing in it is worth keeping. 100,000 chunks of 120 words take about ten
    seconds and 40 MB.
    """
    if _built_for(path) == (snapshot.digest, WORD_RULES):
        return
    with made_aside(path) as aside:
        with closing(sqlite3.connect(aside)) as db:
            _fill(db, snapshot, progress)
        with aside.open("rb+") as file:
            os.fsync(file.fileno())
        aside.replace(path)


def best_chunks(path: Path, expression: str, limit: int) -> list[tuple[str, float]]:
    """The ids of the chunks that an expression finds, best first, with their BM25 scores."""
    if not expression or limit < 1:
        return []
    with closing(_connect(path)) as db:
        rows = db.execute(
            "SELECT chunk_id, -score FROM (SELECT rowid AS number, bm25(texts) AS score "
            "FROM texts WHERE texts MATCH ? ORDER BY score, rowid LIMIT ?) "
            "JOIN chunks USING (number) ORDER BY score, number",
            [expression, limit],
        )
        return [(chunk_id, score) for chunk_id, score in rows]


def words_of(text: str) -> list[str]:
    """The words of a text in order, cut and folded by the very tokenizer of the index."""
    stored = _folded(text[:MOST_CHARACTERS])[:MOST_CHARACTERS]
    stored = stored.encode("utf-8", "replace").decode("utf-8")  # half a surrogate pair is no text
    with closing(sqlite3.connect(":memory:")) as db:
        _create_texts(db)
        db.execute("CREATE VIRTUAL TABLE words USING fts5vocab(texts, instance)")
        db.execute("INSERT INTO texts (rowid, text) VALUES (1, ?)", [stored])
        return [term for (term,) in db.execute("SELECT term FROM words ORDER BY offset") if term]


def _folded(text: str) -> str:
    """
    The text with its letters and marks apart and its ligatures undone, in lower case.

    SQLite itself folds Latin letters only, and would keep "ß", "ﬁ" and "ή" from meeting
    "ss", "fi" and "η".
    """
    return unicodedata.normalize("NFKD", text).casefold()


def _connect(path: Path) -> sqlite3.Connection:
    """The file as it is: it is never written to again, so no locks are needed."""
    return sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)


def _built_for(path: Path) -> tuple[str, str] | None:
    """The digest and the rules that a file was built with, or None if it cannot be used."""
    try:
        with closing(_connect(path)) as db:
            digest, rules = db.execute("SELECT digest, rules FROM about").fetchone()
            return str(digest), str(rules)
    except (sqlite3.DatabaseError, TypeError):
        return None


def _fill(db: sqlite3.Connection, snapshot: Snapshot, progress: Progress | None) -> None:
    """Every chunk under a number in the order of the ids, so that a tie needs no look-up."""
    db.execute("PRAGMA journal_mode=OFF")  # the file is thrown away if this stops halfway
    db.execute("PRAGMA synchronous=OFF")
    _create_texts(db)
    db.execute("CREATE TABLE chunks (number INTEGER PRIMARY KEY, chunk_id TEXT NOT NULL)")
    db.execute("CREATE TABLE about (digest TEXT NOT NULL, rules TEXT NOT NULL)")
    chunks: Iterable[tuple[str, str]] = ((c.chunk_id, c.text) for c in snapshot.chunks())
    if progress is not None:
        chunks = progress(chunks, label="Indexing texts", total=len(snapshot))
    for number, (chunk_id, text) in enumerate(chunks, start=1):
        db.execute("INSERT INTO texts (rowid, text) VALUES (?, ?)", [number, _folded(text)])
        db.execute("INSERT INTO chunks VALUES (?, ?)", [number, chunk_id])
    db.execute("INSERT INTO texts (texts) VALUES ('optimize')")
    db.execute("INSERT INTO about VALUES (?, ?)", [snapshot.digest, WORD_RULES])
    db.commit()


def _create_texts(db: sqlite3.Connection) -> None:
    """An index without a copy of the texts, which the snapshot has."""
    try:
        db.execute(
            f"CREATE VIRTUAL TABLE texts USING fts5(text, content='', tokenize=\"{_TOKENIZER}\")"
        )
    except sqlite3.OperationalError as error:
        raise InputError(
            f"Full-text search needs SQLite with FTS5, which this Python lacks ({error}). "
            "Use a Python from python.org or from your distribution."
        ) from None
