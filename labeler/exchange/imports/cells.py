"""
What a file of judgements says, cell by cell, before any grade is read.

Readers of one tool's files make these; `labeler.imports.judgements` makes judgements of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

UNSURE = ("unsure", "can't tell", "cannot tell")


@dataclass(frozen=True, slots=True)
class Cells:
    """
    One pair as it stands: `part` counts the judgements of one line from 1, if it has several.

    `query` is an id or a text, as the whole file has it. `active_seconds` is what the other
    tool measured.
    """

    line: int
    query: Any
    chunk_id: Any
    grade: Any
    part: int = 0
    assessor: Any = None
    note: Any = None
    judged_at: Any = None
    active_seconds: Any = None
    method: str | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """
    The cells of a file, which shape it has, and how that shape says what it says.

    `by_text`: queries are named by their text. `encoded`: ids may be percent-encoded, since
    blanks part the columns. `mapped`: a map beside an export of ours says which ids are.
    `unit` is what places are counted by; `unjudged` and `unsure` say how the file writes these.
    """

    shape: str
    cells: Sequence[Cells]
    by_text: bool = False
    encoded: bool = False
    mapped: bool = False
    unit: str = "line"
    unjudged: str = "an empty grade, or -1"
    unsure: str = UNSURE[0]
    notes: tuple[str, ...] = ()
