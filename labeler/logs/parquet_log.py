"""
Logs as Parquet or as a workbook (.xlsx): typed cells to the same texts that other logs hold.

Of a workbook the first sheet is read, with its first row as the header. Numbers are written with
their digits and times in ISO form; what has no value is blank. Rows are numbered from 1, since
there are no lines.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import lru_cache
from importlib.util import find_spec
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from evaluator import InputError
from labeler.logs.columns import Columns, LogRow, Shape, choose_columns, require_count
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
        kind = "a workbook, of which the first sheet is read" if _is_sheet(self.file) else "Parquet"
        return (f"The file is {kind}; rows are numbered instead of lines.",)

    def rows(
        self, findings: Findings, progress: ByteProgress | None = None, others: Sequence[str] = ()
    ) -> Iterator[LogRow]:
        """The rows that may be searches; those of events are counted."""
        if absent := [name for name in others if name not in self.names]:
            raise InputError(f"{self.file.path.name} has no column {absent[0]!r}.")
        query, count, time = self.columns.query, self.columns.count, self.columns.time
        wanted = {name for name in (query, count, time, ACTION, *others) if name in self.names}
        with _opened(self.file) as (_, total, batches):
            for batch in batches(sorted(wanted)):
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
                    progress(size + size * findings.lines // max(total, 1), 2 * size)

    def described(self) -> dict[str, Any]:
        """What the record of a log says about Parquet."""
        return {
            "layout": "workbook" if _is_sheet(self.file) else "Parquet",
            "encoding": None,
            "header": list(self.names),
            "columns": asdict(self.columns),
        }


def open_parquet(file: LogFile, shape: Shape) -> ParquetLog:
    """The log that a Parquet file or a workbook holds, by the names of its columns."""
    names, rows = first_parquet_rows(file, 100)
    columns = choose_columns(names, shape, where=file.path.name)
    require_count(names, rows, columns, shape, file.path.name)
    return ParquetLog(file, names, columns)


def first_parquet_rows(file: LogFile, rows: int) -> tuple[tuple[str, ...], list[list[str]]]:
    """The names of the columns, and the cells of the first rows as texts."""
    with _opened(file) as (names, _, batches):
        batch = next(batches(list(names)), None)
    columns = [] if batch is None else [each.to_pylist() for each in batch.slice(0, rows).columns]
    found = zip(*columns, strict=True)
    return names, [["" if cell is None else str(cell) for cell in row] for row in found]


@contextmanager
def _opened(
    file: LogFile,
) -> Iterator[tuple[tuple[str, ...], int, Callable[[list[str]], Iterator[pa.RecordBatch]]]]:
    """The names of the columns, how many rows there are, and what gives some columns of them."""
    if _is_sheet(file):
        table = _first_sheet(file)
        names = tuple(table.column_names)
        yield names, len(table), lambda wanted: iter(table.select(wanted).to_batches(_ROWS))
        return
    try:
        with pq.ParquetFile(file.path) as opened:
            names = tuple(opened.schema_arrow.names)
            yield (
                names,
                opened.metadata.num_rows,
                lambda wanted: opened.iter_batches(_ROWS, columns=wanted, use_threads=False),
            )
    except (pa.ArrowException, OSError) as error:
        raise InputError(
            f"{file.path} cannot be read as Parquet ({error}). Write it again."
        ) from None


def _is_sheet(file: LogFile) -> bool:
    return file.path.suffix.lower() == ".xlsx"


@lru_cache(maxsize=1)  # looked at for its columns, then read
def _first_sheet(file: LogFile) -> pa.Table:
    """The first sheet of a workbook, its cells as texts."""
    if find_spec("openpyxl") is None:
        raise InputError(
            f"{file.path.name} is a workbook. Install what reads those (pip install openpyxl), or "
            "save the sheet as CSV."
        )
    import pandas as pd

    try:
        sheet = pd.read_excel(file.path, dtype=str, keep_default_na=False, engine="openpyxl")
    except Exception as error:  # whatever a broken archive brings openpyxl to
        raise InputError(f"{file.path.name} cannot be read as a workbook ({error}).") from None
    return pa.Table.from_pandas(sheet.fillna(""), preserve_index=False)


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
