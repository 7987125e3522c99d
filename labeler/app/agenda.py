"""
Which query comes next for an assessor, and how fast the assessor is.

Pure: progress and judgements come in, an order and numbers go out.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from evaluator.labelset import Judgement
from labeler.store import QueryProgress

State = Literal["started", "open", "finished", "skipped", "empty"]
_ORDER: dict[State, int] = {"started": 0, "open": 1, "empty": 2, "finished": 3, "skipped": 3}


@dataclass(frozen=True, slots=True)
class Task:
    """
    One query as one assessor sees it in the queue. `judged` counts their own chunks.

    `mine` is false for a query that was assigned to others only.
    """

    query_id: str
    text: str
    pool: int
    judged: int
    others: int
    state: State
    mine: bool = True

    @property
    def ended(self) -> bool:
        return self.state in ("finished", "skipped")


@dataclass(frozen=True, slots=True)
class Pace:
    """What an assessor did so far: chunks with a known time, active seconds, the last query."""

    chunks: int
    active_seconds: float
    last_query_id: str | None

    @property
    def seconds_per_chunk(self) -> float | None:
        return self.active_seconds / self.chunks if self.chunks else None


def agenda(
    progress: Iterable[QueryProgress],
    *,
    assessor: str,
    assigned: Collection[str] | None = None,
) -> list[Task]:
    """
    The queries in the order to judge them; `assigned` ones are the assessor's, None means all.

    First what the assessor has begun, then what nobody has judged, then what fewest
    others have; what is done comes last. Queries keep their order otherwise.
    """
    tasks = [
        _task(row, assessor, mine=assigned is None or row.query_id in assigned) for row in progress
    ]
    return sorted(tasks, key=lambda task: (_ORDER[task.state], task.others))


def next_task(tasks: Sequence[Task], *, after: str | None = None) -> Task | None:
    """The first query of one's own that is still to judge, other than the one just left."""
    return next(
        (t for t in tasks if t.mine and t.state in ("started", "open") and t.query_id != after),
        None,
    )


def pace(judgements: Iterable[Judgement], *, assessor: str) -> Pace:
    """
    How long an assessor took, over all their events.

    Seconds are those since the chunk's last event, so regrading adds to the time and not
    to the chunks.
    """
    timed: set[tuple[str, str]] = set()
    seconds, last = 0.0, None
    for judgement in judgements:
        if judgement.assessor != assessor:
            continue
        last = judgement.query_id
        if judgement.active_seconds is not None:
            seconds += judgement.active_seconds
            timed.add((judgement.query_id, judgement.chunk_id))
    return Pace(len(timed), seconds, last)


def length(seconds: float) -> str:
    """A length of time as people say it; nobody needs it more exact."""
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{seconds / 3600:.1f} h"


def _task(row: QueryProgress, assessor: str, *, mine: bool) -> Task:
    judged = row.judged_by.get(assessor, 0)
    others = sum(1 for name in row.judged_by if name != assessor)
    return Task(
        query_id=row.query_id,
        text=row.text,
        pool=row.pool,
        judged=judged,
        others=others,
        state=_state(row, assessor, judged),
        mine=mine,
    )


def _state(row: QueryProgress, assessor: str, judged: int) -> State:
    match row.ended_by.get(assessor):
        case "finished":
            return "finished"
        case "skipped":
            return "skipped"
    if not row.pool:
        return "empty"
    return "started" if judged else "open"
