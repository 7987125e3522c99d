"""
What people made of disagreements and of flips, as events of their own.

A decision is no judgement: it stands beside the judgements that it decides between, and is
in no agreement. Only in a frozen set do both stand in one file, told apart by their method.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from operator import attrgetter

from evaluator import InputError
from evaluator.labelset.format import ADJUDICATION, RULES, Judgement, Pair
from labeler.workspace import rows
from labeler.workspace.connection import Connection
from labeler.workspace.records import Decision, FlipMark, Receipt

LONGEST_COMMENT = 2000
_MARKED = (
    "event_id, results_sha256, baseline, treatment, query_id, verdict, comment, person, marked_at"
)


class Decisions:
    """The decisions of a workspace."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def record(
        self, adjudicator: str, query_id: str, decisions: Sequence[Decision], *, now: str
    ) -> Receipt:
        """
        Store decisions and say which are on disk; the same event twice is stored once.

        The last decision on a pair stands, whoever made it, until it is undone; judging on
        does not undo it. A decision on a pair without a disagreement, or with a grade outside
        the scale, is refused with a reason.
        """
        stored: list[str] = []
        refused: list[tuple[str, str]] = []
        with self._db.write():
            decided_at = max(now, self.last_moment())
            for each in decisions:
                if reason := self._against(query_id, each):
                    refused.append((each.event_id, reason))
                    continue
                stored.append(each.event_id)
                self._db.execute(
                    "INSERT OR IGNORE INTO decisions (event_id, query_id, chunk_id, adjudicator, "
                    "grade, verdict, rule, note, decided_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    *(each.event_id, query_id, each.chunk_id, adjudicator, each.grade),
                    *(each.verdict, each.rule, each.note, decided_at),
                )
        return Receipt(tuple(stored), tuple(refused))

    def _against(self, query_id: str, decision: Decision) -> str | None:
        if reason := rows.unfit(decision, [grade for grade, _ in self._db.settings.grades]):
            return reason
        if decision.rule is not None and decision.rule not in RULES:
            return f"{decision.rule!r} is none of the rules {', '.join(RULES)}"
        taken = "SELECT 1 FROM judgements WHERE event_id = ?"
        if self._db.execute(taken, decision.event_id).fetchone():
            return "a judgement has this event id"
        pair = (query_id, decision.chunk_id)
        decided = "SELECT 1 FROM decisions WHERE query_id = ? AND chunk_id = ?"
        differing = "SELECT count(DISTINCT grade) FROM standing WHERE query_id = ? AND chunk_id = ?"
        (grades,) = self._db.execute(differing, *pair).fetchone()
        if grades < 2 and not self._db.execute(decided, *pair).fetchone():
            return "nobody disagrees on this pair"
        return None

    def add(self, decisions: Iterable[Judgement]) -> None:
        """Add decisions that were frozen; their notes name the rule."""
        with self._db.write():
            self._db.execute_many(
                "INSERT INTO decisions (event_id, query_id, chunk_id, adjudicator, grade, verdict, "
                "note, decided_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                map(_frozen_columns, decisions),
            )

    def all(self) -> Iterator[Judgement]:
        """
        Every decision ever, in time order, as it goes into a frozen set.

        Raises InputError for one with a note that is no text, as only another program writes it.
        """
        found = self._db.execute(
            "SELECT event_id, d.query_id, d.chunk_id, adjudicator, grade, verdict, decided_at, "
            "text_sha256, rule, note FROM decisions AS d LEFT JOIN pool USING (query_id, chunk_id) "
            "ORDER BY decided_at, seq"
        )
        for *judged, sha256, rule, note in found:
            if note is not None and not isinstance(note, str):
                raise InputError(
                    f"The note of the decision {judged[0]!r} on query {judged[1]!r}, chunk "
                    f"{judged[2]!r}, is no text: the workspace file was edited. Restore it from "
                    "a copy."
                )
            words = [f"rule: {rule}"] if rule else []
            said = "; ".join([*words, *([note] if note else [])]) or None
            yield Judgement._make([*judged, None, None, ADJUDICATION, sha256, said, None])

    def standing(self) -> dict[Pair, Judgement]:
        """What is decided, by query and chunk id: the last decision, unless it was undone."""
        last = {(each.query_id, each.chunk_id): each for each in self.all()}
        return {pair: each for pair, each in last.items() if each.verdict != "undone"}

    def last_moment(self) -> str:
        """
        When the last judgement or decision was made, empty before the first.

        Nothing is decided before what it decides on, even if the clock was set back.
        """
        (latest,) = self._db.execute(
            "SELECT max(at) FROM (SELECT max(judged_at) AS at FROM judgements "
            "UNION SELECT max(decided_at) FROM decisions)"
        ).fetchone()
        if not isinstance(latest, str | None):
            raise InputError(
                f"{latest!r} is no moment: the workspace file was edited. Restore it from a copy."
            )
        return latest or ""


class FlipMarks:
    """
    The marks on flips of a workspace: who has read which, and what they made of it.

    Marks are only ever added. Nothing of them is frozen with a label set.
    """

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
                f"INSERT OR IGNORE INTO flip_marks ({_MARKED}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                *(getattr(signed, name) for name in _MARKED.split(", ")),
            )

    def of(self, results_sha256: str) -> Iterator[FlipMark]:
        """Every mark ever on the flips of some results, in the order they were stored."""
        found = self._db.rows(
            f"SELECT {_MARKED} FROM flip_marks WHERE results_sha256 = ? ORDER BY seq",
            results_sha256,
        )
        return (FlipMark(**row) for row in found)


_frozen_columns = attrgetter(
    *("event_id", "query_id", "chunk_id", "assessor", "grade", "verdict", "note", "judged_at")
)
