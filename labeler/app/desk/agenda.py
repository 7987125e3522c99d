"""
Which query comes next for an assessor, and how much is left for them.

Pure: progress and judgements come in, an order and numbers go out.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from evaluator.labelset.format import Judgement
from labeler.judging.pace import JudgingProgress, measure_progress
from labeler.workspace.records import QueryProgress

State = Literal["started", "grown", "open", "finished", "skipped", "empty"]
_ORDER: dict[State, int] = {
    "started": 0,
    "grown": 0,
    "open": 1,
    "empty": 2,
    "finished": 3,
    "skipped": 3,
}


@dataclass(frozen=True, slots=True)
class Task:
    """
    One query as one assessor sees it in the queue. `judged` counts their own chunks.

    `mine` is false for a query that was assigned to others only; one has `grown` when chunks
    were added, or grades undone, since the assessor finished it.
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

    @property
    def waits(self) -> bool:
        """Whether there is something for the assessor to do now."""
        return self.mine and not self.ended and self.state != "empty"


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
        Task(
            row.query_id,
            row.text,
            row.pool,
            judged=row.judged_by.get(assessor, 0),
            others=len(row.judged_by.keys() - {assessor}),
            state=_state(row, assessor),
            mine=assigned is None or row.query_id in assigned,
        )
        for row in progress
    ]
    return sorted(tasks, key=lambda task: (_ORDER[task.state], task.others))


def next_task(tasks: Sequence[Task], *, after: str | None = None) -> Task | None:
    """The first query of one's own that is still to judge, other than the one just left."""
    return next((task for task in tasks if task.waits and task.query_id != after), None)


def own_progress(
    judgements: Iterable[Judgement], tasks: Iterable[Task], *, assessor: str
) -> JudgingProgress:
    """What is left of an assessor's own queries, and their pace; what they skipped is done."""
    own = [task for task in tasks if task.mine]
    return measure_progress(
        (each for each in judgements if each.assessor == assessor),
        chunks_by_query={task.query_id: task.pool for task in own},
        assessors_by_query={task.query_id: () if task.ended else (assessor,) for task in own},
    )


def whole_progress(
    judgements: Iterable[Judgement],
    rows: Sequence[QueryProgress],
    *,
    assigned: Mapping[str, Sequence[str]],
) -> JudgingProgress:
    """What is left of all queries, for all; `assigned` is assessors by query id."""
    asked = {row.query_id: _still_asked(row, assigned) for row in rows}
    return measure_progress(
        judgements,
        chunks_by_query={row.query_id: row.pool for row in rows},
        assessors_by_query={each: names for each, names in asked.items() if names is not None},
    )


def length(seconds: float) -> str:
    """A length of time as people say it; nobody needs it more exact."""
    minutes = round(seconds / 60)
    if seconds and not minutes:
        return "under 1 min"
    return f"{minutes} min" if minutes < 90 else f"{seconds / 3600:.1f} h"


def _still_asked(row: QueryProgress, assigned: Mapping[str, Sequence[str]]) -> list[str] | None:
    """Who is to judge a query, None for anybody; of these, one who skipped it speaks for all."""
    if row.query_id in assigned:
        return [name for name in assigned[row.query_id] if row.ended_by.get(name) != "skipped"]
    ways = row.ended_by.values()
    return [] if "skipped" in ways and "finished" not in ways else None


def _state(row: QueryProgress, assessor: str) -> State:
    judged, ended = row.judged_by.get(assessor, 0), row.ended_by.get(assessor)
    if ended:
        return "skipped" if ended == "skipped" else "finished" if judged >= row.pool else "grown"
    if not row.pool:
        return "empty"
    return "started" if judged else "open"
