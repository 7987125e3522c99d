"""
Logs as Parquet: typed columns to the same texts that other logs hold.

Numbers are written with their digits and times in ISO form; what has no value is blank. Rows
are numbered from 1, since there are no lines.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from evaluator import InputError
from labeler.logs.bulk import Batch, Cells, Sieve
from labeler.logs.columns import Columns, Row, choose_columns
from labeler.logs.delimited import ACTION
from labeler.logs.file import Findings, LogFile, Progress

_ROWS = 65_536


@dataclass(frozen=True, slots=True)
class ParquetLog:
    """A log in which every row is a search, or a query with its count."""

    file: LogFile
    names: tuple[str, ...]
    columns: Columns

    @property
    def notes(self) -> tuple[str, ...]:
        """What to say about how the file is read."""
        return ("The file is Parquet; rows are numbered instead of lines.",)

    def rows(self, findings: Findings, progress: Progress | None = None) -> Iterator[Row]:
        """The rows that may be searches, one by one."""
        for first, cells in self._cells(findings, progress):
            for place in range(len(cells.query)):
                if (row := _row(cells, place, first, findings)) is not None:
                    yield row

    def bulk(self, findings: Findings, progress: Progress | None = None) -> Iterator[Row | Batch]:
        """The same searches and findings, with most of the searches many at once."""
        sieve = Sieve()
        for first, cells in self._cells(findings, progress):
            batch, odd = sieve.sift(cells)
            yield batch
            for place in odd.tolist():
                if (row := _row(cells, place, first, findings)) is not None:
                    yield row
        yield sieve.rest()

    def described(self) -> dict[str, Any]:
        """What the record of a log says about Parquet."""
        return {
            "layout": "Parquet",
            "encoding": None,
            "header": list(self.names),
            "columns": asdict(self.columns),
        }

    def _cells(self, findings: Findings, progress: Progress | None) -> Iterator[tuple[int, Cells]]:
        """Some rows at a time, with the number of the first of them."""
        wanted = {
            "query": self.columns.query,
            "count": self.columns.count,
            "time": self.columns.time,
            "action": ACTION if ACTION in self.names else None,
        }
        read = sorted({name for name in wanted.values() if name is not None})
        with _parquet(self.file) as file:
            total = max(file.metadata.num_rows, 1)
            for batch in file.iter_batches(batch_size=_ROWS, columns=read, use_threads=False):
                columns = {
                    kind: _as_text(batch.column(name), name, self.file)
                    for kind, name in wanted.items()
                    if name is not None
                }
                yield findings.lines + 1, Cells(**columns)
                findings.lines += batch.num_rows
                if progress is not None:
                    size = self.file.size
                    progress(size + size * findings.lines // total, 2 * size)


def open_parquet(
    file: LogFile, *, query_column: str | None = None, count_column: str | None = None
) -> ParquetLog:
    """The log that a Parquet file holds, by the names of its columns."""
    with _parquet(file) as opened:
        names = tuple(opened.schema_arrow.names)
    columns = choose_columns(
        names, query_column=query_column, count_column=count_column, where=file.path.name
    )
    return ParquetLog(file, names, columns)


def first_rows(file: LogFile, rows: int) -> tuple[tuple[str, ...], list[list[str]]]:
    """The names of the columns, and the cells of the first rows as texts."""
    with _parquet(file) as opened:
        names = tuple(opened.schema_arrow.names)
        table = next(opened.iter_batches(batch_size=rows), None)
    cells = [] if table is None else [map(_shown, column.to_pylist()) for column in table.columns]
    return names, [list(row) for row in zip(*cells, strict=True)]


def _shown(value: object) -> str:
    return "" if value is None else str(value)


def _parquet(file: LogFile) -> pq.ParquetFile:
    try:
        return pq.ParquetFile(file.path)
    except (pa.ArrowException, OSError) as error:
        raise InputError(
            f"{file.path} cannot be read as Parquet ({error}). Write it again."
        ) from None


def _row(cells: Cells, place: int, first: int, findings: Findings) -> Row | None:
    if cells.action is not None and cells.action[place].as_py().strip():
        findings.counts["events"] += 1
        return None
    return (
        first + place,
        cells.query[place].as_py(),
        None if cells.count is None else cells.count[place].as_py(),
        None if cells.time is None else cells.time[place].as_py(),
    )


def _as_text(column: pa.Array, name: str, file: LogFile) -> pa.StringArray:
    """A column as texts, with "" for what is missing."""
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    try:
        if pa.types.is_floating(column.type) and _is_whole(column):
            column = column.cast(pa.int64())
        texts = column.cast(pa.string())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise InputError(
            f"{file.path.name}: the column {name!r} holds {column.type}, which is not text. "
            "Name another one with --query-column or --count-column."
        ) from None
    filled = texts.fill_null("")
    return filled if filled.offset == 0 else pa.concat_arrays([filled])


def _is_whole(column: pa.Array) -> bool:
    """Whether a column of floating numbers holds counts, as pandas writes those with gaps."""
    present = column.drop_null()
    whole = pc.all(pc.equal(pc.floor(present), present))
    return bool(whole.as_py()) and bool(np.isfinite(pc.sum(pc.abs(present)).as_py() or 0))
