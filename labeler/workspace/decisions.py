"""
The store's part on adjudication: what was decided on disagreements, as events of their own.

A decision is no judgement: it stands beside the judgements that it decides between, and is
in no agreement. Only in a frozen set do both stand in one file, told apart by their method.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import attrgetter

from evaluator import InputError
from evaluator.labelset.format import RULES, Judgement, Pair
from labeler.workspace import frozen_rows, rows
from labeler.workspace.connection import Database
from labeler.workspace.judgements import JudgedTables
from labeler.workspace.records import Decision, Event, Receipt


class DecidedTables(JudgedTables):
    """The decisions of a workspace."""

    def decide(
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
        with self.write() as db:
            decided_at = max(now, _last_moment(db))
            for each in decisions:
                if reason := self._against(db, query_id, each):
                    refused.append((each.event_id, reason))
                    continue
                stored.append(each.event_id)
                db.execute(
                    "INSERT OR IGNORE INTO decisions (event_id, query_id, chunk_id, adjudicator, "
                    "grade, verdict, rule, note, decided_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    [
                        *(each.event_id, query_id, each.chunk_id, adjudicator, each.grade),
                        *(each.verdict, each.rule, each.note, decided_at),
                    ],
                )
        return Receipt(tuple(stored), tuple(refused))

    def _objection(self, event: Event, pool: Mapping[str, str]) -> str | None:
        taken = "SELECT 1 FROM decisions WHERE event_id = ?"
        if reason := super()._objection(event, pool):
            return reason
        return "a decision has this event id" if self._rows(taken, event.event_id) else None

    def _against(self, db: Database, query_id: str, decision: Decision) -> str | None:
        if reason := self._malformed(decision):
            return reason
        taken = "SELECT 1 FROM judgements WHERE event_id = ?"
        if db.execute(taken, [decision.event_id]).fetchone():
            return "a judgement has this event id"
        pair = [query_id, decision.chunk_id]
        decided = "SELECT 1 FROM decisions WHERE query_id = ? AND chunk_id = ?"
        differing = "SELECT count(DISTINCT grade) FROM standing WHERE query_id = ? AND chunk_id = ?"
        (grades,) = db.execute(differing, pair).fetchone()
        if grades < 2 and not db.execute(decided, pair).fetchone():
            return "nobody disagrees on this pair"
        return None

    def _malformed(self, decision: Decision) -> str | None:
        scale = [grade for grade, _ in self.settings.grades]
        if decision.verdict == "grade" and decision.grade not in scale:
            return f"{decision.grade} is not on the scale {scale}"
        if decision.verdict != "grade" and decision.grade is not None:
            return f"{decision.verdict} with a grade"
        if decision.rule is not None and decision.rule not in RULES:
            return f"{decision.rule!r} is none of the rules {', '.join(RULES)}"
        if not decision.event_id:
            return "a decision without an id"
        if not rows.can_be_stored(decision.event_id, decision.note):
            return "characters that are no text"
        return None

    def decisions(self) -> Iterator[Judgement]:
        """Every decision ever, in time order, as it goes into a frozen set."""
        return frozen_rows.decisions(self._db.conn)

    def last_moment(self) -> str:
        """When the last event or decision was made, empty before the first."""
        return _last_moment(self._db)

    def standing_decisions(self) -> dict[Pair, Judgement]:
        """What is decided, by query and chunk id: the last decision, unless it was undone."""
        last = {(each.query_id, each.chunk_id): each for each in self.decisions()}
        return {pair: each for pair, each in last.items() if each.verdict != "undone"}

    def events(self) -> Iterator[Judgement]:
        """Judgements and decisions together, every one ever, in time order."""
        return frozen_rows.events(self._db.conn)


_frozen_columns = attrgetter(
    *("event_id", "query_id", "chunk_id", "assessor", "grade", "verdict", "note", "judged_at")
)


def insert_decisions(db: Database, decisions: Iterable[Judgement]) -> None:
    """Add decisions that were frozen, within the caller's transaction; notes name their rule."""
    db.conn.executemany(
        "INSERT INTO decisions (event_id, query_id, chunk_id, adjudicator, grade, verdict, note, "
        "decided_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        map(_frozen_columns, decisions),
    )


def _last_moment(db: Database) -> str:
    """Nothing is decided before what it decides on, even if the clock was set back."""
    (latest,) = db.execute(
        "SELECT max(at) FROM (SELECT max(judged_at) AS at FROM judgements "
        "UNION SELECT max(decided_at) FROM decisions)"
    ).fetchone()
    if not isinstance(latest, str | None):
        raise InputError(
            f"{latest!r} is no moment: the workspace file was edited. Restore it from a copy."
        )
    return latest or ""
