"""
Raw texts with counts to distinct queries: in memory, or through duckdb where there are many.

Texts are counted before anything else is done to them, and only the distinct ones are
normalised. What duckdb holds beyond its share of memory goes to temporary files; queries
come out of it one by one in the order of their keys.
"""

import shutil
import tempfile
import weakref
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Protocol

import pyarrow as pa

from evaluator import InputError
from labeler.arrows import strings
from labeler.logbulk import Batch
from labeler.logcounter import Counter, Source
from labeler.logkeys import ROUNDED, Keys
from labeler.records import LogQuery

if TYPE_CHECKING:
    import duckdb

MEMORY = "256MB"  # for duckdb; Python, Arrow and the block that is read come on top
_AT_REST = "64MB"  # for each log that was read and waits to be stored
_ROWS = 100_000
_KEYED = pa.schema([("key", pa.string()), ("text", pa.string()), ("n", pa.int64())])


class Queries(Protocol):
    """Distinct queries in the order of their keys, as often as they are asked for."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[LogQuery]: ...


@dataclass(frozen=True, slots=True)
class Grouped:
    """The distinct queries of a log, their searches, and how many raw texts there were."""

    queries: Queries
    searches: int
    raw: int
    rounded: tuple[LogQuery, ...]


def group_in_memory(counts: Mapping[str, int], keys: Keys) -> Grouped:
    """The queries of a log that has few enough texts."""
    groups: dict[str, dict[str, int]] = defaultdict(dict)
    for text, count in counts.items():
        if (pair := keys.keyed(text, count)) is not None:
            variants = groups[pair[0]]
            variants[pair[1]] = variants.get(pair[1], 0) + count
    queries = tuple(_query(key, _ordered(groups[key].items())) for key in sorted(groups))
    searches = sum(query.count for query in queries)
    return Grouped(queries, searches, len(counts), _rounded(queries))


def group_on_disk(batches: Iterator[Batch], keys: Keys) -> Grouped:
    """
    The queries of a log of any size.

    Raises whatever the batches raise, and InputError where there is no room for temporary
    files.
    """
    import duckdb

    place = tempfile.mkdtemp(prefix="labeler-log-")
    db = duckdb.connect(config={"threads": 1, "memory_limit": MEMORY, "temp_directory": place})
    stored = StoredQueries(db, place)
    counter = Counter(db, batches)
    source = Source(
        _KEYED, (keys.keyed_batch(batch.column(0), batch.column(1)) for batch in counter)
    )
    try:
        stored.fill(source.reader)
    except duckdb.Error as error:
        counter.source.raise_error()
        source.raise_error()
        raise InputError(
            f"The queries could not be counted: {error}. Temporary files are in {place}; "
            "TMPDIR names another place for them."
        ) from error
    return Grouped(stored, stored.searches, counter.texts, _rounded(stored.named(keys.rounded)))


class StoredQueries:
    """Distinct queries that stay in duckdb until they are asked for, and go with this object."""

    def __init__(self, db: "duckdb.DuckDBPyConnection", place: str) -> None:
        self._db = db
        self.searches = 0
        self._distinct = 0
        weakref.finalize(self, _throw_away, db, place)
        _STORED.add(self)

    def fill(self, keyed: pa.RecordBatchReader) -> None:
        """Take the keys, texts and counts of all raw texts."""
        self._take_memory()
        cursor = self._db.cursor()
        cursor.register("source", keyed)
        cursor.execute("CREATE TABLE keyed AS SELECT * FROM source")
        cursor.execute("SELECT count(DISTINCT key), sum(n)::BIGINT FROM keyed")
        self._distinct, searches = cursor.fetchall()[0]
        self.searches = searches or 0

    def __len__(self) -> int:
        return self._distinct

    def __iter__(self) -> Iterator[LogQuery]:
        return self._selected("")

    def named(self, keys: Iterable[str]) -> Iterator[LogQuery]:
        """The queries with these keys."""
        wanted = pa.table({"key": strings(keys)})
        return self._selected("SEMI JOIN wanted USING (key)", wanted=wanted)

    def _selected(self, joined: str, **tables: pa.Table) -> Iterator[LogQuery]:
        self._take_memory()
        cursor = self._db.cursor()
        for name, table in tables.items():
            cursor.register(name, table)
        found = cursor.sql(
            f"SELECT key, text, sum(n)::BIGINT AS n FROM keyed {joined} "
            "GROUP BY key, text ORDER BY key, n DESC, text"
        )
        rows = (
            row
            for batch in found.to_arrow_reader(_ROWS)
            for row in zip(*(column.to_pylist() for column in batch.columns), strict=True)
        )
        for key, variants in groupby(rows, key=itemgetter(0)):
            yield _query(key, tuple((text, count) for _, text, count in variants))

    def _take_memory(self) -> None:
        """Let the other logs that wait to be stored go to their files."""
        for each in list(_STORED):
            limit = MEMORY if each is self else _AT_REST
            each._db.execute(f"SET memory_limit = '{limit}'")


_STORED: "weakref.WeakSet[StoredQueries]" = weakref.WeakSet()


def _query(key: str, variants: tuple[tuple[str, int], ...]) -> LogQuery:
    """A query of its variants, of which the first one is what people see."""
    return LogQuery(key, variants[0][0], sum(count for _, count in variants), variants)


def _ordered(variants: Iterable[tuple[str, int]]) -> tuple[tuple[str, int], ...]:
    """The most frequent variant first, ties by text."""
    return tuple(sorted(variants, key=lambda variant: (-variant[1], variant[0])))


def _rounded(queries: Iterable[LogQuery]) -> tuple[LogQuery, ...]:
    return tuple(query for query in queries if ROUNDED.fullmatch(query.text))


def _throw_away(db: "duckdb.DuckDBPyConnection", place: str) -> None:
    db.close()
    shutil.rmtree(place, ignore_errors=True)
