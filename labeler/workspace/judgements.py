"""Judging: events, what stands of them, and the queries that assessors are through with."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from itertools import groupby
from operator import attrgetter, itemgetter
from typing import Any

from evaluator import InputError
from evaluator.labelset.format import ADJUDICATION, Given, Judgement
from labeler.workspace import rows
from labeler.workspace.connection import Connection
from labeler.workspace.records import CARRIED, KNOWN_ANSWER, Event, Receipt

_COLUMNS = Judgement._fields
_TOO_LARGE = 1 << 63  # an integer that SQLite has no room for


class Judgements:
    """The judgements of a workspace."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def record(self, assessor: str, query_id: str, events: Sequence[Event], *, now: str) -> Receipt:
        """
        Store events and say which are on disk; the same event twice is stored once.

        An event on a pair that is not in the pool, or with a grade outside the scale,
        is refused with a reason and nothing else is held up by it. Times never run
        backwards, even if the clock does, since the last event is the one that stands.
        """
        if not events:
            return Receipt(())
        stored: list[Judgement] = []
        refused: list[tuple[str, str]] = []
        with self._db.write():
            of_query = "SELECT chunk_id, text_sha256 FROM pool WHERE query_id = ?"
            pool = dict(self._db.execute(of_query, query_id))
            (latest,) = self._db.execute("SELECT max(judged_at) FROM judgements").fetchone()
            made: dict[str, Any] = {"assessor": assessor, "judged_at": max(now, latest or "")}
            for event in events:
                if reason := self._objection(event, pool):
                    refused.append((event.event_id, reason))
                else:
                    made["text_sha256"] = pool[event.chunk_id]
                    stored.append(Judgement(query_id=query_id, **asdict(event), **made))
            self.add(stored)
        return Receipt(tuple(event.event_id for event in stored), tuple(refused))

    def _objection(self, event: Event, pool: Mapping[str, str]) -> str | None:
        scale = [grade for grade, _ in self._db.settings.grades]
        if event.chunk_id not in pool:
            return "this chunk is not in the query's pool"
        if reason := rows.unfit(event, scale) or _malformed(event):
            return reason
        taken = self._db.execute("SELECT 1 FROM decisions WHERE event_id = ?", event.event_id)
        return "a decision has this event id" if taken.fetchone() else None

    def add(self, judgements: Iterable[Judgement]) -> None:
        """Store events whose pairs are in the pool; those that are there already stay."""
        columns, marks = ", ".join(_COLUMNS), ", ".join("?" for _ in _COLUMNS)
        with self._db.write():
            self._db.execute_many(
                f"INSERT OR IGNORE INTO judgements ({columns}) VALUES ({marks})",
                map(attrgetter(*_COLUMNS), judgements),
            )

    def current(self, assessor: str, query_id: str) -> dict[str, Judgement]:
        """What stands, by chunk id, of one assessor on one query."""
        where = "standing WHERE query_id = ? AND assessor = ?"
        return {each.chunk_id: each for each in self._judgements(where, query_id, assessor)}

    def all(self) -> Iterator[Judgement]:
        """Every event ever, in time order."""
        return self._judgements("judgements ORDER BY judged_at, seq")

    def standing(self) -> Iterator[Judgement]:
        """What stands of every assessor, by query and chunk."""
        return self._judgements("standing ORDER BY query_id, chunk_id, assessor")

    def given(self) -> Iterator[tuple[str, Iterator[tuple[str, Given]]]]:
        """What stands of all assessors on the pairs of each query, by chunk; only grades."""
        events = self._db.execute(
            "SELECT query_id, chunk_id, assessor, grade, verdict FROM judgements "
            "ORDER BY query_id, chunk_id, assessor, seq"
        )
        last_of_each = cache(_last_of_each)  # of a million pairs, few saw unlike events
        for query_id, of_query in groupby(events, key=itemgetter(0)):
            by_chunk = groupby(of_query, key=itemgetter(1))
            found = ((c, last_of_each(tuple([row[2:] for row in some]))) for c, some in by_chunk)
            yield query_id, (each for each in found if each[1])

    def latest(self) -> Iterator[Judgement]:
        """The last event of every assessor on every pair, also where it took one back."""
        return self._judgements(
            "judgements AS j WHERE seq = (SELECT max(seq) FROM judgements AS k WHERE "
            "k.query_id = j.query_id AND k.chunk_id = j.chunk_id AND k.assessor = j.assessor)"
        )

    def count(self, *, after: str = "") -> int:
        """How many judgements there ever were, or were made after a moment."""
        sql = "SELECT count(*) FROM judgements WHERE judged_at > ?"
        return int(self._db.execute(sql, after).fetchone()[0])

    def count_by_people(self) -> int:
        """How many there ever were, without known answers."""
        sql = "SELECT count(*) FROM judgements WHERE assessor <> ?"
        return int(self._db.execute(sql, KNOWN_ANSWER).fetchone()[0])

    def by_key(self) -> list[tuple[str, int, int, int]]:
        """Of each person the pairs with a known answer: how many, the same grade, within one."""
        sql = (
            "SELECT mine.assessor, count(*), sum(mine.grade = known.grade), "
            "sum(abs(mine.grade - known.grade) <= 1) FROM standing AS known JOIN standing AS mine "
            "USING (query_id, chunk_id) WHERE known.assessor = ? AND mine.assessor <> ? "
            "AND mine.grade IS NOT NULL AND known.grade IS NOT NULL GROUP BY 1 ORDER BY 1"
        )
        found = self._db.execute(sql, KNOWN_ANSWER, KNOWN_ANSWER)
        return [(name, n, same, near) for name, n, same, near in found]

    def differing(self, assessor: str) -> set[str]:
        """The queries in which another person gave a chunk another grade than the assessor did."""
        sql = (
            "SELECT DISTINCT query_id FROM standing AS mine JOIN standing AS other "
            "USING (query_id, chunk_id) WHERE mine.assessor = ? AND mine.grade <> other.grade "
            "AND other.assessor <> ?"
        )
        return {query_id for (query_id,) in self._db.execute(sql, assessor, KNOWN_ANSWER)}

    def event_ids(self, prefix: str) -> set[str]:
        """The ids of all events that begin so."""
        found = self._db.execute(
            "SELECT event_id FROM judgements WHERE substr(event_id, 1, ?) = ?", len(prefix), prefix
        )
        return {event_id for (event_id,) in found}

    def _judgements(self, source: str, *values: str) -> Iterator[Judgement]:
        found = self._db.execute(f"SELECT {', '.join(_COLUMNS)} FROM {source}", *values)
        return map(Judgement._make, found)

    def importing_assessors(self) -> set[str]:
        """Those with judgements that came from a file; carried ones were made by people."""
        sql = (
            "SELECT DISTINCT assessor FROM judgements "
            "WHERE imported_from IS NOT NULL AND imported_from NOT LIKE ? || '%'"
        )
        return {assessor for (assessor,) in self._db.execute(sql, CARRIED)}

    def by_method(self) -> dict[str, int]:
        """How many judgements stand that were given in each way that has a name."""
        sql = "SELECT method, count(*) FROM standing WHERE method IS NOT NULL GROUP BY 1 ORDER BY 1"
        return dict(self._db.execute(sql))

    def on_other_text(self) -> int:
        """How many judgements were made on a text that is not the pool's."""
        ((count,),) = self._db.execute(
            "SELECT count(*) FROM judgements AS j JOIN pool AS p USING (query_id, chunk_id) "
            "WHERE j.text_sha256 <> p.text_sha256"
        ).fetchall()
        return int(count)

    def end_query(
        self, assessor: str, query_id: str, *, outcome: str, reason: str | None, now: str
    ) -> None:
        """An assessor is through with a query: `finished`, or `skipped` with a reason."""
        with self._db.write():
            self._db.execute(
                "INSERT OR REPLACE INTO query_ends VALUES (?, ?, ?, ?, ?)",
                *(assessor, query_id, outcome, reason, now),
            )

    def query_ends(self) -> list[dict[str, Any]]:
        return self._db.rows("SELECT * FROM query_ends ORDER BY ended_at")

    def sizes(self) -> dict[str, int]:
        """On how many pairs of each query somebody's judgement stands."""
        return dict(
            self._db.execute("SELECT query_id, count(DISTINCT chunk_id) FROM standing GROUP BY 1")
        )


def _malformed(event: Event) -> str | None:
    """Why what only a judgement has can be no row of a label set."""
    position, seconds = event.position, event.active_seconds
    if seconds is not None and not math.isfinite(seconds):
        return f"{seconds} are no seconds"
    if position is not None and not (type(position) is int and abs(position) < _TOO_LARGE):
        return "its position is no place in an order"
    if not rows.can_be_stored(event.method):
        return "characters that are no text"
    return "a decision is no judgement" if event.method == ADJUDICATION else None


def _last_of_each(events: Sequence[tuple[str, int | None, str]]) -> Given:
    """What stands after the events on a pair, of which each says who, the grade and verdict."""
    last = {assessor: (grade, verdict) for assessor, grade, verdict in events}
    for assessor, (grade, _) in last.items():
        if grade is not None and type(grade) is not int:
            raise InputError(
                f"{grade!r}, given by {assessor!r}, is no grade: the workspace file was edited. "
                "Restore it from a copy."
            )
    return tuple((who, grade) for who, (grade, verdict) in last.items() if verdict != "undone")
