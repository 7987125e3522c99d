"""
Runs of lines to columns, by Arrow's reader of CSV.

Only for lines whose quotes are known to be well formed; there it reads what the careful
reader reads. Rows with another number of cells than the header are handed back.
"""

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
from numpy.typing import NDArray

from labeler.logs.arrows import one_array
from labeler.logs.bulk import Batch, Cells, Sieve
from labeler.logs.lines import Run

_NO_DELIMITER = "\x01"  # where lines are not split; a line with it is handed back
_SAFE = frozenset(map(chr, range(1, 0x7F))) - frozenset('"\n\r')


def can_split(delimiter: str | None) -> bool:
    """Whether runs can be split by a delimiter."""
    return delimiter is None or delimiter in _SAFE


class RunReader:
    """Reads runs of a table with `width` columns, of which those at given places are wanted."""

    def __init__(
        self,
        sieve: Sieve,
        *,
        delimiter: str | None,
        width: int,
        query: int,
        count: int | None = None,
        time: int | None = None,
        action: int | None = None,
    ) -> None:
        self.sieve = sieve
        self._delimiter = delimiter
        self._names = [str(place) for place in range(width)]
        self._wanted = {"query": query, "count": count, "time": time, "action": action}

    def read(self, run: Run) -> tuple[Batch, NDArray[np.int64]]:
        """The plain searches of a run, and the rows of the lines that need a second look."""
        uneven: list[int] = []

        def set_aside(row: pacsv.InvalidRow) -> str:
            uneven.append(row.number - 1)
            return "skip"

        table = self._parsed(run, set_aside)
        cells = {
            name: one_array(table.column(str(place)))
            for name, place in self._wanted.items()
            if place is not None
        }
        run.rows = table.num_rows + len(uneven)
        batch, odd = self.sieve.sift(Cells(**cells))
        if uneven:
            even = np.delete(np.arange(table.num_rows + len(uneven)), uneven)
            odd = np.union1d(even[odd], np.array(uneven))
        return batch, odd

    def _parsed(self, run: Run, set_aside: object) -> pa.Table:
        wanted = sorted({str(place) for place in self._wanted.values() if place is not None})
        return pacsv.read_csv(
            pa.BufferReader(run.text),
            read_options=pacsv.ReadOptions(
                use_threads=False, block_size=len(run.text) + 1, column_names=self._names
            ),
            parse_options=pacsv.ParseOptions(
                delimiter=_NO_DELIMITER if self._delimiter is None else self._delimiter,
                quote_char='"' if run.quoted else False,
                double_quote=run.quoted,
                newlines_in_values=False,
                ignore_empty_lines=False,
                invalid_row_handler=set_aside,
            ),
            convert_options=pacsv.ConvertOptions(
                include_columns=wanted,
                column_types=dict.fromkeys(wanted, pa.string()),
                strings_can_be_null=False,
                check_utf8=False,
            ),
        )
