"""
Full-text search over the plain texts of one snapshot.

It serves as a second source for the pool and as the search box in which an assessor looks
for what the pool missed. Titles and headings are not indexed, since nobody who judges may
see them. Whatever a person types is taken as words: no text is query syntax here, except
double quotes in the search box.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from sqlite3 import sqlite_version
from typing import Any

from evaluator.console import Progress
from evaluator.labelset.format import Query
from evaluator.snapshot.snapshot import Snapshot
from evaluator.trec import Run
from labeler.workspace.search_index import (
    MOST_CHARACTERS,
    WORD_RULES,
    best_chunks,
    make_index,
    words_of,
)

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
        distinct = list(dict.fromkeys(words_of(text)))
        wanted = _any_of([_phrase([word]) for word in distinct[:_MOST_WORDS]])
        return best_chunks(self.path, wanted, limit)

    def find(self, text: str, limit: int) -> list[str]:
        """
        The chunk ids for what a person types into the search box, best first.

        Words in double quotes must stand in the chunk in that order; other words need not
        all be there, and with a phrase beside them they only sort what has the phrase. The
        last word may be unfinished (three letters or more), also within an open quote.
        """
        return [chunk_id for chunk_id, _ in best_chunks(self.path, _box_expression(text), limit)]


def open_index(path: Path, snapshot: Snapshot, *, progress: Progress | None = None) -> LexicalIndex:
    """The search index of a snapshot, built first unless the file holds it already."""
    make_index(path, snapshot, progress=progress)
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
    shown = (
        progress(queries, label="Searching full text", total=len(queries)) if progress else queries
    )
    allowed = allowed_by_query or {}
    run: dict[str, list[tuple[str, float]]] = {}
    for query in shown:
        within = allowed.get(query.query_id)
        found = index.search(query.text, depth if within is None else _ALL)
        if within is not None:
            found = [each for each in found if each[0] in within]
        run[query.query_id] = found[:depth]
    return run


def describe(*, depth: int) -> dict[str, Any]:
    """How this ranking is named in the pool, and all that is needed to make it again."""
    return {
        "source": "bm25",
        "kind": "bm25",
        "depth": depth,
        "engine": f"SQLite {sqlite_version} FTS5",
        "k1": 1.2,
        "b": 0.75,
        "words": WORD_RULES,
    }


# Expressions


def _box_expression(text: str) -> str:
    """What stands in the search box as an FTS5 expression; empty if there is no word in it."""
    parts = text[:MOST_CHARACTERS].translate(_QUOTES).split('"')
    in_quotes = [part for part in parts[1::2] if not part.isspace()][-_MOST_WORDS:]
    quoted = [words for part in in_quotes if (words := words_of(part)[:_MOST_WORDS])]
    bare = words_of(" ".join(parts[::2]))[-_MOST_WORDS:]
    phrases = [_phrase(words) for words in quoted]
    loose = [_phrase([word]) for word in bare]
    unfinished = loose if len(parts) % 2 else phrases
    tail = words_of(parts[-1])  # there is none after a closed quote
    if unfinished and tail and len(tail[-1].encode()) >= _SHORTEST_PREFIX:
        unfinished[-1] += " *"
    if phrases and loose:
        return f"({' AND '.join(phrases)}) AND ({_any_of(phrases + loose)})"
    return " AND ".join(phrases) or _any_of(loose)


def _phrase(words: Sequence[str]) -> str:
    """The words as one FTS5 string, inside which nothing is an operator."""
    return '"' + " ".join(words).replace('"', '""') + '"'


def _any_of(expressions: Sequence[str]) -> str:
    return " OR ".join(expressions)
