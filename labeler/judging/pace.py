"""
How far the judging is, how fast it goes, and how many hours are left.

A chunk is still to judge while somebody who is to judge it has given neither a grade nor
"can't tell". A known answer is no judgement here: whoever judges the query reads that chunk too.
What is left takes the mean time of a chunk, since the few that take much longer go on coming.

Seconds are active ones, as the page measured them: the tab in view and somebody there.
Every event carries the seconds since the chunk's last one, so a chunk that was judged
twice took the sum of both; that is why all events are read here and not only what stands.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from statistics import fmean, median

from evaluator.labelset.format import ADJUDICATION, Judgement, Verdict
from labeler.workspace.records import KNOWN_ANSWER

# What is often promised for a query with fifty chunks; a measured pace stands beside it.
CLAIMED_SECONDS_PER_QUERY = (120.0, 240.0)
CLAIMED_CHUNKS = 50
_HOUR = 3600.0


@dataclass(frozen=True, slots=True)
class Pace:
    """
    Active seconds for a chunk and for a query; None, with a note, if none were measured.

    Chunks count where a judgement stands and was timed here. `seconds_per_query` is the
    median over the `queries` that one assessor judged whole, and `chunks_per_query` how
    many chunks these had: only at fifty does it compare with what is claimed.
    """

    chunks: int
    seconds_per_chunk: float | None
    seconds_per_chunk_mean: float | None
    queries: int
    seconds_per_query: float | None
    chunks_per_query: float | None
    active_hours: float
    note: str | None = None


@dataclass(frozen=True, slots=True)
class AssessorProgress:
    """One assessor's judgements, pace, and what is left of the queries assigned to them."""

    assessor: str
    judged: int
    unsure: int
    left: int
    pace: Pace
    hours_left: float | None


@dataclass(frozen=True, slots=True)
class JudgingProgress:
    """Judgements wanted, there and left, with the hours that are left at the measured mean."""

    wanted: int
    judged: int
    left: int
    pace: Pace
    hours_left: float | None
    by_assessor: tuple[AssessorProgress, ...]


def measure_progress(
    events: Iterable[Judgement],
    *,
    chunks_by_query: Mapping[str, int],
    assessors_by_query: Mapping[str, Sequence[str]] | None = None,
) -> JudgingProgress:
    """
    Progress and pace from every event ever, in time order.

    `chunks_by_query` has the queries that are to be judged with their number of pooled
    chunks: leave skipped queries out. A query in `assessors_by_query` wants every chunk
    judged by each of them, and any other one by anybody. "Can't tell" is a judgement here:
    the work was done. Imported judgements are work done elsewhere, in no known time.
    """
    done = _Done(events)
    wanted, left, left_by_assessor = _left(done, chunks_by_query, assessors_by_query or {})
    pace = _pace(done, chunks_by_query, done.assessors)
    return JudgingProgress(
        wanted=wanted,
        judged=wanted - left,
        left=left,
        pace=pace,
        hours_left=_hours(left, pace.seconds_per_chunk_mean),
        by_assessor=tuple(
            _assessor_progress(done, chunks_by_query, assessor, left_by_assessor.get(assessor, 0))
            for assessor in sorted(done.assessors | left_by_assessor.keys())
        ),
    )


class _Done:
    """
    What stands, by assessor and query, and the seconds that each chunk took.

    `verdicts` is verdict by chunk id by (assessor, query id); `seconds` is active seconds by
    (assessor, query id, chunk id), of all that was timed here.
    """

    def __init__(self, events: Iterable[Judgement]) -> None:
        self.verdicts: dict[tuple[str, str], dict[str, Verdict]] = {}
        self.seconds: dict[tuple[str, str, str], float] = {}
        for event in events:
            if event.method == ADJUDICATION or event.assessor == KNOWN_ANSWER:
                continue
            sitting = self.verdicts.setdefault((event.assessor, event.query_id), {})
            sitting[event.chunk_id] = event.verdict
            if event.verdict == "undone":
                del sitting[event.chunk_id]
            if event.active_seconds is not None and event.imported_from is None:
                key = (event.assessor, event.query_id, event.chunk_id)
                self.seconds[key] = self.seconds.get(key, 0.0) + event.active_seconds
        self.assessors = {assessor for assessor, _ in self.verdicts}


def _left(
    done: _Done, chunks_by_query: Mapping[str, int], assessors_by_query: Mapping[str, Sequence[str]]
) -> tuple[int, int, dict[str, int]]:
    """Judgements wanted, those not there yet, and the latter by assessor where assigned."""
    anybody: dict[str, set[str]] = {}
    for (_, query_id), sitting in done.verdicts.items():
        anybody.setdefault(query_id, set()).update(sitting)
    wanted = left = 0
    left_by_assessor: dict[str, int] = {}
    for query_id, chunks in chunks_by_query.items():
        if query_id not in assessors_by_query:
            wanted += chunks
            left += max(0, chunks - len(anybody.get(query_id, ())))
        for assessor in assessors_by_query.get(query_id, ()):
            missing = max(0, chunks - len(done.verdicts.get((assessor, query_id), ())))
            wanted += chunks
            left += missing
            left_by_assessor[assessor] = left_by_assessor.get(assessor, 0) + missing
    return wanted, left, left_by_assessor


def _assessor_progress(
    done: _Done, chunks_by_query: Mapping[str, int], assessor: str, left: int
) -> AssessorProgress:
    verdicts = [
        verdict
        for (name, _), sitting in done.verdicts.items()
        if name == assessor
        for verdict in sitting.values()
    ]
    pace = _pace(done, chunks_by_query, {assessor})
    return AssessorProgress(
        assessor=assessor,
        judged=len(verdicts),
        unsure=verdicts.count("unsure"),
        left=left,
        pace=pace,
        hours_left=_hours(left, pace.seconds_per_chunk_mean),
    )


def _pace(done: _Done, chunks_by_query: Mapping[str, int], assessors: Collection[str]) -> Pace:
    chunks: list[float] = []
    whole: list[list[float]] = []
    for (assessor, query_id), sitting in done.verdicts.items():
        if assessor not in assessors:
            continue
        keys = [(assessor, query_id, chunk_id) for chunk_id in sitting]
        timed = [done.seconds[key] for key in keys if key in done.seconds]
        chunks += timed
        if timed and len(timed) == len(sitting) == chunks_by_query.get(query_id):
            whole.append(timed)
    spent = [s for (assessor, _, _), s in done.seconds.items() if assessor in assessors]
    missing = None if whole else "no query was judged whole" if chunks else "nothing was timed"
    return Pace(
        chunks=len(chunks),
        seconds_per_chunk=median(chunks) if chunks else None,
        seconds_per_chunk_mean=fmean(chunks) if chunks else None,
        queries=len(whole),
        seconds_per_query=median(map(fsum, whole)) if whole else None,
        chunks_per_query=median(map(len, whole)) if whole else None,
        active_hours=fsum(spent) / _HOUR,
        note=missing,
    )


def _hours(left: int, seconds: float | None) -> float | None:
    """Hours for what is left: none for nothing, unknown without a pace."""
    if not left:
        return 0.0
    return None if seconds is None else left * seconds / _HOUR
