"""
How often each raw text of a log comes, counted by duckdb while the log is read.

Rows that stand for one search each are only counted, which is a quarter cheaper than adding
up; the few texts that come with counts of their own are added afterwards.
"""

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from labeler.logs.arrows import flags_of, numbers, numbers_of, strings
from labeler.logs.bulk import Batch

if TYPE_CHECKING:
    import duckdb

ROWS = 20_000
_ONE_EACH = pa.schema([("text", pa.string())])
_COUNTED = pa.schema([("text", pa.string()), ("n", pa.int64())])


class Source:
    """A stream for duckdb out of a generator, whose errors it keeps as they are."""

    def __init__(self, schema: pa.Schema, batches: Iterator[pa.RecordBatch]) -> None:
        self.reader = pa.RecordBatchReader.from_batches(schema, self._guarded(batches))
        self._error: BaseException | None = None

    def _guarded(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        try:
            yield from batches
        except BaseException as error:
            self._error = error
            raise

    def raise_error(self) -> None:
        """Raise what the generator raised, which duckdb would report as an error of its own."""
        if self._error is not None:
            raise self._error


class Counter:
    """
    Goes through all batches and then yields each raw text once, with its count.

    `texts` is the number of raw texts so far.
    """

    def __init__(self, db: "duckdb.DuckDBPyConnection", batches: Iterator[Batch]) -> None:
        self._db = db
        self._aside: dict[str, int] = {}
        first = next(batches)
        batches = chain([first], batches)
        self._one_each = first.counts is None
        self.source = (
            Source(_ONE_EACH, self._single(batches))
            if self._one_each
            else Source(_COUNTED, _with_counts(batches))
        )
        self.texts = 0

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        self._db.register("texts", self.source.reader)
        count = "count(*)" if self._one_each else "sum(n)::BIGINT"
        found = self._db.sql(f"SELECT text, {count} AS n FROM texts GROUP BY text")
        batches = found.to_arrow_reader(ROWS)
        for batch in self._added(batches) if self._aside else batches:
            self.texts += batch.num_rows
            yield batch

    def _single(self, batches: Iterator[Batch]) -> Iterator[pa.RecordBatch]:
        """One row for each search, but for texts of which there are many searches."""
        for batch in batches:
            texts = batch.texts
            if batch.counts is not None:
                counts = numbers_of(batch.counts)
                if counts.sum() > 2 * len(counts):
                    for text, count in zip(texts.to_pylist(), counts.tolist(), strict=True):
                        self._aside[text] = self._aside.get(text, 0) + count
                    continue
                texts = texts.take(numbers(np.repeat(np.arange(len(counts)), counts)))
            yield pa.RecordBatch.from_arrays([texts], schema=_ONE_EACH)

    def _added(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The counts with those that were put aside."""
        texts = strings(self._aside)
        more = np.array(list(self._aside.values()), np.int64)
        met = np.zeros(len(more), bool)
        for batch in batches:
            at = pc.index_in(batch.column(0), value_set=texts)
            rows, places = np.flatnonzero(flags_of(at.is_valid())), at.drop_null()
            counts = numbers_of(batch.column(1)).copy()
            counts[rows] += more[numbers_of(places, np.int32)]
            met[numbers_of(places, np.int32)] = True
            yield _counted(batch.column(0), numbers(counts))
        left = numbers(np.flatnonzero(~met))
        yield _counted(texts.take(left), numbers(more).take(left))


def _counted(texts: pa.StringArray, counts: pa.Int64Array) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([texts, counts], schema=_COUNTED)


def _with_counts(batches: Iterator[Batch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        counts = batch.counts
        if counts is None:
            counts = numbers(np.ones(len(batch.texts), np.int64))
        yield _counted(batch.texts, counts)
