"""A label set that fits on the screen: two queries, six chunks, and events as a test needs them."""

from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path

from evaluator.labelset.format import (
    Given,
    Judgement,
    LabelSet,
    PoolEntry,
    Query,
    Rule,
    Verdict,
    read_label_set,
    text_sha256,
)
from evaluator.labelset.writing import write_label_set
from labeler.judging.adjudicate import adjudicate
from labeler.sets.frozen import final_events
from tests.labeler.small import AT, BINARY, TEXTS

QUERIES = (
    Query("q1", "notice", log_count=30, inclusion_probability=0.5, weight=60.0),
    Query("q2", "=1+1", need="NA", origin="authored"),
)
_NUMBERS = count()


def event(
    query_id: str,
    chunk_id: str,
    assessor: str,
    grade: int | None,
    *,
    verdict: Verdict | None = None,
    event_id: str | None = None,
    method: str | None = None,
) -> Judgement:
    """One event; without a grade it is a "can't tell"."""
    return Judgement(
        event_id=event_id or f"e{next(_NUMBERS)}",
        query_id=query_id,
        chunk_id=chunk_id,
        assessor=assessor,
        grade=grade,
        verdict=verdict or ("unsure" if grade is None else "grade"),
        judged_at=AT,
        method=method,
    )


def frozen(
    directory: Path,
    events: Sequence[Judgement],
    *,
    queries: Sequence[Query] = QUERIES,
    texts: Mapping[str, str] = TEXTS,
    pool: Sequence[tuple[str, str]] = (),
    rule: Rule = "majority",
    grades: tuple[tuple[int, str], ...] = BINARY,
    min_grade: int = 1,
    supersedes: LabelSet | None = None,
    snapshot: str = "0" * 64,
) -> LabelSet:
    """Freeze the events, on their pairs and those of `pool`, into a new directory."""
    pairs = sorted({(e.query_id, e.chunk_id) for e in events} | set(pool))
    write_label_set(
        directory,
        queries=queries,
        pool=[
            PoolEntry(q, c, c.split("#")[0], text_sha256(texts[c]), ("system",)) for q, c in pairs
        ],
        judgements=events,
        qrels=_qrels(events, queries, rule),
        manifest={
            "name": directory.name,
            "version": 2 if supersedes else 1,
            "frozen_at": AT,
            "snapshot": {"name": "small", "digest": snapshot},
            "sampling": {"design": "proportional", "size": 1, "seed": 13, "logs": []},
            "pooling": {"depth": 3, "sources": []},
            "assessment": {
                "grades": {str(grade): meaning for grade, meaning in grades},
                "min_grade": min_grade,
                "rule": rule,
                "authored": {"seen": {"q2": "none"}, "wording": None},
            },
            "held_out": {"salt": "00", "buckets": 2, "held_out": [0]},
            "header_work": {"begun": False, "at": None, "declared_by": "ada"},
            "supersedes": supersedes and {"name": supersedes.name, "sha256": supersedes.sha256},
            "tool": "onecause test",
        },
    )
    return read_label_set(directory)


def _qrels(
    events: Sequence[Judgement], queries: Sequence[Query], rule: Rule
) -> dict[str, dict[str, int]]:
    stands = final_events(events)
    given: dict[str, dict[str, Given]] = {}
    for (query_id, chunk_id), events_by_assessor in stands.by_pair.items():
        grades = tuple((each.assessor, each.grade) for each in events_by_assessor.values())
        given.setdefault(query_id, {})[chunk_id] = grades
    skipped = {query.query_id for query in queries if query.skip_reason}
    told = [(query_id, by_chunk.items()) for query_id, by_chunk in given.items()]
    qrels = adjudicate(told, rule=rule, decisions=stands.decided).qrels
    return {q: dict(by_chunk) for q, by_chunk in qrels.items() if q not in skipped}
