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
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import pyarrow as pa

from evaluator import InputError
from labeler.logs.arrows import strings
from labeler.logs.bulk import Batch
from labeler.logs.counter import Counter, Source
from labeler.logs.keys import ROUNDED, Keys
from labeler.workspace.records import LogQuery

if TYPE_CHECKING:
    import duckdb

COUNTING, SORTING = "256MB", "96MB"  # for duckdb; Python, Arrow and a block come on top
_AT_ONCE = 20_000
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

    place = Path(tempfile.mkdtemp(prefix="labeler-log-"))
    stored = StoredQueries(place, made_equal=keys.guard.choice == "mask")
    with stored.database(COUNTING) as db:
        counter = Counter(db, batches)
        source = Source(_KEYED, stored.kept(keys.keyed_batch(*each.columns) for each in counter))
        cursor = db.cursor()
        cursor.register("source", source.reader)
        try:
            cursor.execute("SELECT count(DISTINCT key), sum(n)::BIGINT FROM source")
            stored.distinct, searches = cursor.fetchall()[0]
        except (duckdb.Error, OSError) as error:
            counter.source.raise_error()
            source.raise_error()
            raise InputError(
                f"The queries could not be counted: {error}. Temporary files are in {place}; "
                "TMPDIR names another place for them."
            ) from error
    rounded = _rounded(stored.named(keys.rounded)) if keys.rounded else ()
    return Grouped(stored, searches or 0, counter.texts, rounded)


class StoredQueries:
    """
    Distinct queries that lie in a temporary file until they are asked for.

    The file goes with this object. Putting them in order needs no more memory than counting.
    `made_equal` says that texts may be there more than once, since they were masked.
    """

    def __init__(self, place: Path, *, made_equal: bool) -> None:
        self._place = place
        self._texts = (
            "(SELECT key, text, sum(n)::BIGINT AS n FROM keyed GROUP BY key, text)"
            if made_equal
            else "keyed"
        )
        self.distinct = 0
        weakref.finalize(self, shutil.rmtree, place, ignore_errors=True)

    @contextmanager
    def database(self, memory: str) -> Iterator["duckdb.DuckDBPyConnection"]:
        """A duckdb that goes to temporary files beside the queries when it needs room."""
        import duckdb

        place = str(self._place)
        options: dict[str, str | bool | int | float | list[str]] = {
            "threads": 1,
            "memory_limit": memory,
            "temp_directory": place,
            "preserve_insertion_order": False,
        }
        with duckdb.connect(config=options) as db:
            db.execute("SET enable_progress_bar = false")  # it would write to standard output
            yield db

    def kept(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The same keys, texts and counts, which are written to the file on the way."""
        with pa.ipc.new_stream(self._file, _KEYED) as file:
            for batch in batches:
                file.write_batch(batch)
                yield batch

    def __len__(self) -> int:
        return self.distinct

    def __iter__(self) -> Iterator[LogQuery]:
        return self._selected("")

    def named(self, keys: Iterable[str]) -> Iterator[LogQuery]:
        """The queries with these keys."""
        wanted = pa.table({"key": strings(keys)})
        return self._selected("SEMI JOIN wanted USING (key)", wanted=wanted)

    def _selected(self, joined: str, **tables: pa.Table) -> Iterator[LogQuery]:
        with self.database(SORTING) as db, pa.ipc.open_stream(self._file) as keyed:
            for name, table in {"keyed": keyed, **tables}.items():
                db.register(name, table)
            found = db.sql(
                f"SELECT key, text, n FROM {self._texts} {joined} ORDER BY key, n DESC, text"
            )
            rows = (
                row
                for batch in found.to_arrow_reader(_AT_ONCE)
                for row in zip(*(column.to_pylist() for column in batch.columns), strict=True)
            )
            for key, variants in groupby(rows, key=itemgetter(0)):
                yield _query(key, tuple((text, count) for _, text, count in variants))

    @property
    def _file(self) -> str:
        return str(self._place / "queries.arrows")


def _query(key: str, variants: tuple[tuple[str, int], ...]) -> LogQuery:
    """A query of its variants, of which the first one is what people see."""
    return LogQuery(key, variants[0][0], sum(count for _, count in variants), variants)


def _ordered(variants: Iterable[tuple[str, int]]) -> tuple[tuple[str, int], ...]:
    """The most frequent variant first, ties by text."""
    return tuple(sorted(variants, key=lambda variant: (-variant[1], variant[0])))


def _rounded(queries: Iterable[LogQuery]) -> tuple[LogQuery, ...]:
    return tuple(query for query in queries if ROUNDED.fullmatch(query.text))
