"""
Full-text search over the plain texts of one snapshot: SQLite's FTS5 with BM25.

It serves as a second source for the pool and as the search box in which an assessor looks
for what the pool missed. Titles and headings are not indexed, since nobody who judges may
see them. Whatever a person types is taken as words: no text is query syntax here, except
double quotes in the search box.
"""

import os
import sqlite3
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluator import InputError
from evaluator.console import Progress
from evaluator.files.whole import made_aside
from evaluator.labelset.format import Query
from evaluator.snapshot.snapshot import Snapshot
from evaluator.trec import Run

FILE = "search.sqlite"
# Marks count as parts of words, or Hindi and pointed Hebrew fall apart into single letters.
_TOKENIZER = "unicode61 remove_diacritics 2 categories 'L* N* Co M*'"
_RULES = f"NFKD, casefold, {_TOKENIZER}"  # a file that was built by others is built again
_MOST_CHARACTERS = 8_000  # FTS5 cuts a word at 32,768 bytes, which may be inside a character
_MOST_WORDS = 64  # BM25's cost grows with words times hits: 500 words take a minute
_ALL = 2**62
_SHORTEST_PREFIX = 3  # bytes: three Latin letters or one Chinese character
_QUOTES = str.maketrans(dict.fromkeys("“”„‟«»＂", '"'))


@dataclass(frozen=True, slots=True)
class LexicalIndex:
    """
    The search index in a file that `open_index` made.

    Safe to share between threads: every search opens the file anew, which takes a fraction
    of a millisecond and lets a newer file take its place at any time.
    """

    path: Path

    def search(self, text: str, limit: int) -> list[tuple[str, float]]:
        """
        The chunks that share any word with the text, best first, with their BM25 scores.

        Any word is enough, since a question in full sentences has words that no answer
        repeats; those that are everywhere hardly count. Case and diacritics make no
        difference. Equal scores stand in the order of the chunk ids. A text without a word
        finds nothing; of a very long one the first 64 distinct words are looked for.

        Source: BM25 with k1 = 1.2 and b = 0.75 as in SQLite's FTS5, where a word that more
        than half of the chunks hold weighs 0.000001 rather than less than nothing.
        """
        distinct = list(dict.fromkeys(_words(text)))
        return self._ranked(_any_of([_phrase([word]) for word in distinct[:_MOST_WORDS]]), limit)

    def find(self, text: str, limit: int) -> list[str]:
        """
        The chunk ids for what a person types into the search box, best first.

        Words in double quotes must stand in the chunk in that order; other words need not
        all be there, and with a phrase beside them they only sort what has the phrase. The
        last word may be unfinished (three letters or more), also within an open quote.
        """
        return [chunk_id for chunk_id, _ in self._ranked(_box_expression(text), limit)]

    def _ranked(self, expression: str, limit: int) -> list[tuple[str, float]]:
        if not expression or limit < 1:
            return []
        with closing(_connect(self.path)) as db:
            rows = db.execute(
                "SELECT chunk_id, -score FROM (SELECT rowid AS number, bm25(texts) AS score "
                "FROM texts WHERE texts MATCH ? ORDER BY score, rowid LIMIT ?) "
                "JOIN chunks USING (number) ORDER BY score, number",
                [expression, limit],
            )
            return [(chunk_id, score) for chunk_id, score in rows]


def open_index(path: Path, snapshot: Snapshot, *, progress: Progress | None = None) -> LexicalIndex:
    """
    The search index of a snapshot, built first unless the file holds it already.

    The file is known by the snapshot's digest. It is built beside its place and renamed,
    so nobody meets half of it, and a file that is damaged or of another snapshot is
    replaced: nothing in it is worth keeping. 100,000 chunks of 120 words take about ten
    seconds and 40 MB.
    """
    if _built_for(path) != (snapshot.digest, _RULES):
        _build(path, snapshot, progress)
    return LexicalIndex(path)


def lexical_run(
    index: LexicalIndex,
    queries: Sequence[Query],
    *,
    depth: int,
    allowed_by_query: Mapping[str, Collection[str]] | None = None,
    progress: Progress | None = None,
) -> Run:
    """
    The first `depth` chunks of every query by BM25; a query that finds nothing has none.

    Only the query's text is searched for, not its need, which its asker never typed. A query
    in `allowed_by_query` has only these chunks; how rare a word is, is still counted over all.
    """
    if depth < 1:
        raise InputError(f"A ranking of depth {depth} holds nothing. Give a depth of 1 or more.")
    shown = (
        progress(queries, label="Searching full text", total=len(queries)) if progress else queries
    )
    allowed = allowed_by_query or {}
    run: dict[str, list[tuple[str, float]]] = {}
    for query in shown:
        within = allowed.get(query.query_id)
        found = index.search(query.text, depth if within is None else _ALL)
        run[query.query_id] = [each for each in found if within is None or each[0] in within][
            :depth
        ]
    return run


def describe(*, depth: int) -> dict[str, Any]:
    """How this ranking is named in the pool, and all that is needed to make it again."""
    return {
        "source": "bm25",
        "kind": "bm25",
        "depth": depth,
        "engine": f"SQLite {sqlite3.sqlite_version} FTS5",
        "k1": 1.2,
        "b": 0.75,
        "words": _RULES,
    }


# Words and expressions


def _words(text: str) -> list[str]:
    """The words of a text in order, cut and folded by the very tokenizer of the index."""
    stored = _folded(text[:_MOST_CHARACTERS])[:_MOST_CHARACTERS]
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


def _box_expression(text: str) -> str:
    """What stands in the search box as an FTS5 expression; empty if there is no word in it."""
    parts = text[:_MOST_CHARACTERS].translate(_QUOTES).split('"')
    in_quotes = [part for part in parts[1::2] if not part.isspace()][-_MOST_WORDS:]
    quoted = [words for part in in_quotes if (words := _words(part)[:_MOST_WORDS])]
    bare = _words(" ".join(parts[::2]))[-_MOST_WORDS:]
    phrases = [_phrase(words) for words in quoted]
    loose = [_phrase([word]) for word in bare]
    unfinished = loose if len(parts) % 2 else phrases
    if unfinished and (tail := _words(parts[-1])):  # there is none after a closed quote
        unfinished[-1] += _star(tail[-1])
    if phrases and loose:
        return f"({' AND '.join(phrases)}) AND ({_any_of(phrases + loose)})"
    return " AND ".join(phrases) or _any_of(loose)


def _phrase(words: Sequence[str]) -> str:
    """The words as one FTS5 string, inside which nothing is an operator."""
    return '"' + " ".join(words).replace('"', '""') + '"'


def _star(word: str) -> str:
    """The mark that lets a word stand for all that begin with it, unless it is too short."""
    return " *" if len(word.encode()) >= _SHORTEST_PREFIX else ""


def _any_of(expressions: Sequence[str]) -> str:
    return " OR ".join(expressions)


# The file


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


def _build(path: Path, snapshot: Snapshot, progress: Progress | None) -> None:
    with made_aside(path) as aside:
        with closing(sqlite3.connect(aside)) as db:
            _fill(db, snapshot, progress)
        with aside.open("rb+") as file:
            os.fsync(file.fileno())
        aside.replace(path)


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
    db.execute("INSERT INTO about VALUES (?, ?)", [snapshot.digest, _RULES])
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
