"""
Cells of a table that a spreadsheet may open: no cell is a formula, and each comes back.

A cell that a spreadsheet would take for a formula, a number, a date or a truth value gets
an apostrophe in front, and so does one that begins with an apostrophe. The column `guard`
says that it was done, so taking one apostrophe away gives every cell back exactly.
"""

import csv
import io
import re
from collections.abc import Sequence

COLUMN, MARK = "guard", "apostrophe"
_ANY_END = "\r\n"
_TAKEN = re.compile(
    r"[\s=+\-@|%'＝＋－＠＇]"  # formulas, also as some spreadsheets read wide signs
    r"|[.,($€£]?\d"
    r"|(?:true|false)$"
    r"|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[\s./-]*\d",
    re.IGNORECASE,
)


def guarded(text: str) -> str:
    """The text as it can stand in a cell."""
    return f"'{text}" if _TAKEN.match(text) else text


def unguarded(cell: str) -> str:
    """The text that `guarded` was given."""
    return cell.removeprefix("'")


def csv_line(cells: Sequence[str]) -> str:
    """The cells as one line of CSV, as they are."""
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator=_ANY_END).writerow(cells)  # quotes what holds one of them
    return out.getvalue().removesuffix(_ANY_END) + "\n"
