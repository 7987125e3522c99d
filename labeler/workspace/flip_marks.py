"""
Which flips of results somebody has read, and what they made of them.

Marks are only ever added. They are no judgements: nothing of them is frozen with a label set.
"""

from collections.abc import Iterator
from dataclasses import replace

from evaluator import InputError
from labeler.workspace import rows
from labeler.workspace.connection import Connection
from labeler.workspace.records import FlipMark

LONGEST_COMMENT = 2000
_COLUMNS = (
    "event_id, results_sha256, baseline, treatment, query_id, verdict, comment, person, marked_at"
)


class FlipMarks:
    """The marks on flips of a workspace."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def add(self, mark: FlipMark, *, person: str, now: str) -> None:
        """
        Add a mark under a name; the same event twice is stored once.

        Raises InputError for a comment that cannot be stored.
        """
        if not rows.can_be_stored(mark.event_id, mark.query_id, mark.comment):
            raise InputError("The comment holds characters that are no text.")
        if len(mark.comment or "") > LONGEST_COMMENT:
            raise InputError(
                f"A comment has at most {LONGEST_COMMENT:,} characters, this one has "
                f"{len(mark.comment or ''):,}."
            )
        signed = replace(mark, person=person, marked_at=now)
        with self._db.write():
            self._db.execute(
                f"INSERT OR IGNORE INTO flip_marks ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                *(getattr(signed, name) for name in _COLUMNS.split(", ")),
            )

    def of(self, results_sha256: str) -> Iterator[FlipMark]:
        """Every mark ever on the flips of some results, in the order they were stored."""
        found = self._db.rows(
            f"SELECT {_COLUMNS} FROM flip_marks WHERE results_sha256 = ? ORDER BY seq",
            results_sha256,
        )
        return (FlipMark(**row) for row in found)
