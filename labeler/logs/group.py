"""
Raw texts of a log to distinct queries: when two searches are one query, and what is kept.

Texts are counted before anything else is done to them, and only the distinct ones are
normalised and looked through for private data. Nothing is lost by normalising: every raw
text is kept as a variant under its key; what people see is the most frequent variant. Where
there are too many texts for memory they go through duckdb and temporary files.
"""

import re
import shutil
import tempfile
import unicodedata
import weakref
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from evaluator import InputError
from labeler.logs.private import Guard, composed
from labeler.logs.queries import LogQuery, ordered_variants

if TYPE_CHECKING:
    import duckdb

NORMALISING = "Unicode NFKC, case folded, runs of white space to one blank, trimmed"
NOT_NORMALISED = "none"
TEXTS_IN_MEMORY = 200_000
_MEMORY = "160MB"  # for duckdb; Python, Arrow and a block come on top
_ROWS = 20_000
_ROUNDED = r"[0-9](\.[0-9]+)?E\+[0-9][0-9]"  # how a spreadsheet writes a long number


def normalised(text: str) -> str:
    """
    The key under which searches count as one query; see NORMALISING.

    Composed again after folding, which can take characters apart, so that a key is its
    own key.
    """
    if text.isascii():
        return " ".join(text.lower().split())
    folded = unicodedata.normalize("NFKC", composed(text).casefold())
    return " ".join(folded.split())


@dataclass(slots=True)
class Keys:
    """How the texts of a log are counted, and what of each is kept."""

    guard: Guard = field(default_factory=Guard)
    normalise: bool = True

    @property
    def rule(self) -> str:
        """The rule in words, as it stands in the record of a log."""
        return NORMALISING if self.normalise else NOT_NORMALISED

    def keyed(self, text: str, count: int) -> tuple[str, str] | None:
        """The key of a raw text, and the text as it is kept; None if it is not kept."""
        kept = self.guard.passed(text, count)
        if kept is None:
            return None
        return (normalised(kept) if self.normalise else kept), kept


class DistinctQueries(Protocol):
    """Distinct queries in the order of their keys, as often as they are asked for."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[LogQuery]: ...


@dataclass(frozen=True, slots=True)
class Grouped:
    """
    The distinct queries of a log, their searches, and how many raw texts there were.

    `rounded` are the queries that look like numbers which a spreadsheet has rounded.
    """

    queries: DistinctQueries
    searches: int
    raw: int
    rounded: tuple[LogQuery, ...]


def group(searches: Iterable[tuple[str, int]], keys: Keys) -> Grouped:
    """
    The distinct queries of raw texts, each with its number of searches.

    Raises whatever going through the searches raises, and InputError where there is no room
    for temporary files.
    """
    parts = _parts(searches)
    first = next(parts)
    if len(first) <= TEXTS_IN_MEMORY:
        return _group_in_memory(first, keys)
    return _group_on_disk(chain([first], parts), keys)


def _parts(searches: Iterable[tuple[str, int]]) -> Iterator[dict[str, int]]:
    """Searches by text, in parts that have more texts than may be in memory, but for the last."""
    counts: dict[str, int] = {}
    for text, count in searches:
        counts[text] = counts.get(text, 0) + count
        if len(counts) > TEXTS_IN_MEMORY:
            yield counts
            counts = {}
    yield counts


def _group_in_memory(counts: Mapping[str, int], keys: Keys) -> Grouped:
    variants_by_key: dict[str, Counter[str]] = defaultdict(Counter)
    for text, count in counts.items():
        if (pair := keys.keyed(text, count)) is not None:
            variants_by_key[pair[0]][pair[1]] += count
    queries = tuple(
        _query(key, ordered_variants(variants.items()))
        for key, variants in sorted(variants_by_key.items())
    )
    searches = sum(query.count for query in queries)
    return Grouped(queries, searches, len(counts), _rounded(queries))


def _group_on_disk(parts: Iterable[Mapping[str, int]], keys: Keys) -> Grouped:
    import duckdb

    queries = QueriesOnDisk()
    try:
        with queries.database() as db:
            raw = _write_variants(db, parts, keys)
            found = db.sql("SELECT count(DISTINCT key), sum(n)::BIGINT FROM variants")
            queries.distinct, searches = found.fetchall()[0]
        return Grouped(queries, searches or 0, raw, _rounded(queries.like_rounded()))
    except duckdb.Error as error:
        raise InputError(
            f"The queries could not be counted: {error}. Temporary files are in {queries.place}; "
            "TMPDIR names another place for them."
        ) from error


def _write_variants(
    db: "duckdb.DuckDBPyConnection", parts: Iterable[Mapping[str, int]], keys: Keys
) -> int:
    """Fill the table of variants, in the order in which they are read; the raw texts there were."""
    import pyarrow as pa

    db.execute("CREATE TABLE texts (text VARCHAR, n BIGINT)")
    db.execute("CREATE TABLE keyed (key VARCHAR, text VARCHAR, n BIGINT)")
    for part in parts:
        db.from_arrow(pa.table([list(part), list(part.values())], ["text", "n"])).insert_into(
            "texts"
        )
    raw = 0
    texts = db.cursor().sql("SELECT text, sum(n)::BIGINT AS n FROM texts GROUP BY text")
    for batch in texts.to_arrow_reader(_ROWS):
        raw += batch.num_rows
        rows = [
            (*pair, count)
            for text, count in zip(*(column.to_pylist() for column in batch.columns), strict=True)
            if (pair := keys.keyed(text, count)) is not None
        ]
        if rows:
            columns = list(map(list, zip(*rows, strict=True)))
            db.from_arrow(pa.table(columns, ["key", "text", "n"])).insert_into("keyed")
    db.execute(
        "CREATE TABLE variants AS SELECT key, text, sum(n)::BIGINT AS n FROM keyed "
        "GROUP BY key, text ORDER BY key, n DESC, text"
    )
    return raw


class QueriesOnDisk:
    """Distinct queries that lie in a temporary file until they are asked for; it goes with them."""

    def __init__(self) -> None:
        self.place = Path(tempfile.mkdtemp(prefix="labeler-log-"))
        self.distinct = 0
        weakref.finalize(self, shutil.rmtree, self.place, ignore_errors=True)

    @contextmanager
    def database(self) -> Iterator["duckdb.DuckDBPyConnection"]:
        """The file, opened with little memory, which is made up for by temporary files."""
        import duckdb

        options: dict[str, str | bool | int | float | list[str]] = {
            "threads": 1,
            "memory_limit": _MEMORY,
            "temp_directory": str(self.place),
        }
        with duckdb.connect(self.place / "queries.duckdb", config=options) as db:
            db.execute("SET enable_progress_bar = false")  # it would write to standard output
            yield db

    def __len__(self) -> int:
        return self.distinct

    def __iter__(self) -> Iterator[LogQuery]:
        return self._selected("TRUE")

    def like_rounded(self) -> Iterator[LogQuery]:
        """The queries of which a variant looks like a rounded number."""
        matching = f"SELECT key FROM variants WHERE regexp_full_match(text, '{_ROUNDED}')"
        return self._selected(f"key IN ({matching})")

    def _selected(self, condition: str) -> Iterator[LogQuery]:
        with self.database() as db:
            found = db.sql(f"SELECT key, text, n FROM variants WHERE {condition}")
            rows = (
                row
                for batch in found.to_arrow_reader(_ROWS)
                for row in zip(*(column.to_pylist() for column in batch.columns), strict=True)
            )
            for key, variants in groupby(rows, key=itemgetter(0)):
                yield _query(key, tuple((text, count) for _, text, count in variants))


def _query(key: str, variants: tuple[tuple[str, int], ...]) -> LogQuery:
    """A query of its variants, of which the first one is what people see."""
    return LogQuery(key, variants[0][0], sum(count for _, count in variants), variants)


def _rounded(queries: Iterable[LogQuery]) -> tuple[LogQuery, ...]:
    return tuple(query for query in queries if re.fullmatch(_ROUNDED, query.text))
