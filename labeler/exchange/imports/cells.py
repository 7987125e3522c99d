"""
What a file of judgements says, cell by cell, before any grade is read.

Readers of one tool's files make these, by the names under which files made elsewhere give the
same things; our own names come first. `imports/judgements.py` makes judgements of them.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from evaluator.files.records import COLUMN, Row, stored_text
from evaluator.text.messages import some_ids

QUERY_ID = ("query_id", "query-id", "qid", "_id", "id")
QUERY_TEXT = ("query", "query_text")  # where a file names queries by what was asked
TEXT = ("text", *QUERY_TEXT, "title")
NEED = ("need", "info_need", "information_need", "description", "narrative")
CHUNK_ID = ("chunk_id", "corpus-id", "corpus_id", "docid", "doc_id", "docno")
GRADE = ("grade", "score", "rating", "relevance", "rel")
ASSESSOR = ("assessor", "judge", "user", "annotator", "labeller", "labeler")
NOTE = ("note", "notes", "comment")
JUDGED_AT = ("judged_at", "timestamp", "at")
SECONDS = ("active_seconds", "lead_time")
SHOWN = ("shown_text", "text_sha256", "shown_sha256")
MODEL = ("model", "made_by")
CHECKED = ("checked_by",)

# Only our own tables have these
DECISION = ("decided", "decided_by", "decided_at", "decided_note")
RULE = "rule"

QUERY_FIELDS = ("origin", "filter", "group")
QUERY = (*QUERY_ID, *TEXT, *NEED, *QUERY_FIELDS)
OF_JUDGING = (ASSESSOR, NOTE, JUDGED_AT, SECONDS, SHOWN, MODEL, CHECKED)
JUDGEMENT = (*CHUNK_ID, *GRADE, *chain(*OF_JUDGING), *DECISION, RULE)
_NOTHING: tuple[Any, ...] = (None, "", [], {})
_DERIVED = ("document", "adjudicated", COLUMN)  # in our own table, and known without it
UNSURE = ("unsure", "can't tell", "cannot tell")


@dataclass(frozen=True, slots=True)
class JudgedCell:
    """
    One pair as it stands: `part` counts the judgements of one line from 1, if it has several.

    `query` is an id or a text, as the whole file has it. `active_seconds` is what the other
    tool measured. `shown` is the text that the assessor read, or its SHA-256; `model` proposed
    the grade, and `checked_by` looked at it.
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
    shown: Any = None
    model: Any = None
    checked_by: Any = None
    method: str | None = None


@dataclass(frozen=True, slots=True)
class ShapedFile:
    """
    The cells of a file, which shape it has, and how that shape says what it says.

    `by_text`: queries are named by their text. `encoded`: ids may be percent-encoded, since
    blanks part the columns. `mapped`: a map beside an export of ours says which ids are.
    `unit` is what places are counted by; `unjudged` and `unsure` say how the file writes these.
    """

    shape: str
    cells: Sequence[JudgedCell]
    by_text: bool = False
    encoded: bool = False
    mapped: bool = False
    unit: str = "line"
    unjudged: str = "an empty grade, or -1"
    unsure: str = UNSURE[0]
    notes: tuple[str, ...] = ()


def columns_of(row: Row) -> str:
    """The names of its columns, for a message."""
    return some_ids(list(row.cells), most=20)


def names_in(rows: Iterable[Row]) -> set[str]:
    """The names of all columns; those of JSON lines may differ from row to row."""
    return set().union(*{frozenset(row.cells) for row in rows})


def one_name(there: Collection[str], names: Sequence[str]) -> str:
    """
    The first of the names that a file has, for all its rows.

    Row by row, a score would be taken for the grade wherever the grade is empty.
    """
    return next((name for name in names if name in there), names[0])


def unread(rows: Sequence[Row], known: Iterable[str] = (*QUERY, *JUDGEMENT)) -> list[str]:
    """A note on columns that no reader takes up, with the rows in which they say something."""
    count_by_name = {
        name: sum(row.cells.get(name) not in _NOTHING for row in rows)
        for name in sorted(names_in(rows) - {*known, *_DERIVED})
    }
    named = [f"{name} ({count:,})" for name, count in count_by_name.items() if count]
    return [f"not read: {some_ids(named, most=20)}"] if named else []


def id_text(value: Any, what: str) -> str:
    """An id as text; JSON may hold whole numbers. Raises ValueError if there is none."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if value is None or value == "":
        raise ValueError(f"no {what}")
    return stored_text(value)
