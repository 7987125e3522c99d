"""
Logs as Parquet: typed columns to the same texts that other logs hold.

Numbers are written with their digits and times in ISO form; what has no value is blank. Rows
are numbered from 1, since there are no lines.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from evaluator import InputError
from labeler.logs.columns import Columns, LogRow, Shape, choose_columns
from labeler.logs.delimited import ACTION
from labeler.logs.file import ByteProgress, Findings, LogFile

_ROWS = 8_192


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

    def rows(
        self, findings: Findings, progress: ByteProgress | None = None, others: Sequence[str] = ()
    ) -> Iterator[LogRow]:
        """The rows that may be searches; those of events are counted."""
        if absent := [name for name in others if name not in self.names]:
            raise InputError(f"{self.file.path.name} has no column {absent[0]!r}.")
        query, count, time = self.columns.query, self.columns.count, self.columns.time
        wanted = {name for name in (query, count, time, ACTION, *others) if name in self.names}
        with _parquet(self.file) as file:
            total = max(file.metadata.num_rows, 1)
            for batch in file.iter_batches(_ROWS, columns=sorted(wanted), use_threads=False):
                cells = {name: _as_texts(batch.column(name), name, self.file) for name in wanted}
                for at in range(batch.num_rows):
                    findings.lines += 1
                    if ACTION in cells and cells[ACTION][at].strip():
                        findings.counts["events"] += 1
                        continue
                    yield LogRow(
                        findings.lines,
                        cells[query][at],
                        None if count is None else cells[count][at],
                        None if time is None else cells[time][at],
                        tuple(cells[name][at] for name in others),
                    )
                if progress is not None:
                    size = self.file.size
                    progress(size + size * findings.lines // total, 2 * size)

    def described(self) -> dict[str, Any]:
        """What the record of a log says about Parquet."""
        return {
            "layout": "Parquet",
            "encoding": None,
            "header": list(self.names),
            "columns": asdict(self.columns),
        }


def open_parquet(file: LogFile, shape: Shape) -> ParquetLog:
    """The log that a Parquet file holds, by the names of its columns."""
    with _parquet(file) as opened:
        names = tuple(opened.schema_arrow.names)
    return ParquetLog(file, names, choose_columns(names, shape, where=file.path.name))


def first_parquet_rows(file: LogFile, rows: int) -> tuple[tuple[str, ...], list[list[str]]]:
    """The names of the columns, and the cells of the first rows as texts."""
    with _parquet(file) as opened:
        names = tuple(opened.schema_arrow.names)
        batch = next(opened.iter_batches(rows), None)
    columns = [] if batch is None else [column.to_pylist() for column in batch.columns]
    found = zip(*columns, strict=True)
    return names, [["" if cell is None else str(cell) for cell in row] for row in found]


def _parquet(file: LogFile) -> pq.ParquetFile:
    try:
        return pq.ParquetFile(file.path)
    except (pa.ArrowException, OSError) as error:
        raise InputError(
            f"{file.path} cannot be read as Parquet ({error}). Write it again."
        ) from None


def _as_texts(column: pa.Array, name: str, file: LogFile) -> list[str]:
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
    found: list[str] = texts.fill_null("").to_pylist()
    return found


def _is_whole(column: pa.Array) -> bool:
    """Whether a column of floating numbers holds counts, as pandas writes those with gaps."""
    whole = pc.all(pc.equal(pc.floor(column), column)).as_py()
    return whole is not False and bool(pc.all(pc.is_finite(column)).as_py() is not False)
