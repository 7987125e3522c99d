"""
Distinct queries with counts to a sample that speaks for the traffic, and the design that drew it.

Pure: the sample depends on the seed and the counts, never on the order of the queries, on a
library's random numbers or on its version. All decisions are made in whole numbers, so that
inclusion probabilities are exact. It knows nothing of log files or of judging.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from evaluator import InputError
from evaluator.labelset import Query
from labeler.records import LogQuery

CERTAINTY = "certainty"
REST = "rest"
METHOD = (
    "probability proportional to the number of searches, without replacement: queries that "
    "would be drawn once or more on average are taken with certainty, repeated over the rest "
    "until none is left; the rest by systematic sampling in the order of sha256(seed:query), "
    "with a start drawn from the seed"
)
CENSUS = "every query that was searched for, since no more were there than were asked for"
VARIANCE = (
    "systematic sampling has no unbiased estimator of variance, because some pairs of queries "
    "can never be drawn together; in an order as good as random, use the approximation of "
    "Hartley and Rao (1962) over the rest; queries taken with certainty add no variance"
)
_ID_DIGITS = 12


@dataclass(frozen=True, slots=True)
class Sample:
    """The queries drawn, in the order of their hash, and the design they were drawn by."""

    queries: tuple[Query, ...]
    design: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many queries a part of the log has, how many were drawn, and their searches."""

    queries: int
    searches: int
    drawn: int
    drawn_searches: int


@dataclass(frozen=True, slots=True)
class Preview:
    """What a sample covers: the head is what is drawn with certainty, the tail is the rest."""

    head: Coverage
    tail: Coverage
    top: tuple[Query, ...]


def draw_sample(
    queries: Sequence[LogQuery], *, size: int, seed: int, logs: Sequence[Mapping[str, Any]] = ()
) -> Sample:
    """
    Draw `size` queries so that each stands for its share of the searches.

    The inclusion probability of a query outside the certainty stratum is n x / X, where x is
    its count, X the count of all the rest and n what is left to draw. Drawing with
    replacement and dropping what comes twice would give fewer queries and unknown
    probabilities. `logs` are the records of the log files, which become part of the design.

    Raises InputError for a size below 1 and for a log without searches.

    Source: Madow (1949) for systematic sampling proportional to size.
    """
    _check(queries, size)
    population = [query for query in queries if query.count > 0]
    certain, rest = split_certainty(population, size=size)
    left = size - len(certain)
    ordered = sorted(rest, key=lambda query: order_key(query.query, seed=seed))
    total = sum(query.count for query in ordered)
    chosen = systematic(
        [query.count for query in ordered], size=left, start=draw_start(seed, below=total)
    )
    drawn = [(query, CERTAINTY, 1.0) for query in certain] + [
        (ordered[at], REST, left * ordered[at].count / total) for at in chosen
    ]
    drawn.sort(key=lambda item: order_key(item[0].query, seed=seed))
    ids = query_ids([query.query for query, _, _ in drawn])
    sample = tuple(
        _drawn(query, ids[query.query], stratum=stratum, probability=probability)
        for query, stratum, probability in drawn
    )
    design = _design(queries, certain, rest, sample, size=size, seed=seed)
    return Sample(sample, design | {"logs": [dict(log) for log in logs]})


def preview(queries: Sequence[LogQuery], sample: Sample) -> Preview:
    """What the sample covers of the head and of the tail, and its ten most frequent queries."""
    head = [query for query in sample.queries if query.stratum == CERTAINTY]
    tail = [query for query in sample.queries if query.stratum != CERTAINTY]
    head_searches, tail_searches = _searches(head), _searches(tail)
    population = [query.count for query in queries if query.count > 0]
    return Preview(
        head=Coverage(len(head), head_searches, len(head), head_searches),
        tail=Coverage(
            len(population) - len(head),
            sum(population) - head_searches,
            len(tail),
            tail_searches,
        ),
        top=tuple(
            sorted(sample.queries, key=lambda query: (-(query.log_count or 0), query.text))[:10]
        ),
    )


def split_certainty(
    queries: Sequence[LogQuery], *, size: int
) -> tuple[list[LogQuery], list[LogQuery]]:
    """
    The queries that are drawn whatever happens, and the rest.

    One at a time from the most frequent down: taking one with n x >= X leaves every other
    that had n x >= X in that state, so the order of taking does not matter, and in the end
    nothing is left that would be drawn once or more on average.
    """
    by_count = sorted(queries, key=lambda query: (-query.count, query.query))
    total = sum(query.count for query in by_count)
    taken = 0
    for query in by_count:
        if taken == size or (size - taken) * query.count < total:
            break
        taken += 1
        total -= query.count
    return by_count[:taken], by_count[taken:]


def systematic(sizes: Sequence[int], *, size: int, start: int) -> list[int]:
    """
    The positions that `size` equal steps along the summed sizes fall on.

    `start` is one of the whole numbers from 0 to sum(sizes) - 1. Scaled by the sample size,
    everything is a whole number, and over all starts a position is hit exactly
    size * sizes[position] times, which is what makes the probabilities exact.
    """
    total = sum(sizes)
    chosen: list[int] = []
    point = start
    for position, end in enumerate(accumulate(sizes)):
        while len(chosen) < size and point < size * end:
            chosen.append(position)
            point += total
    return chosen


def order_key(query: str, *, seed: int) -> str:
    """What the queries are ordered by before systematic sampling; no two are equal."""
    return hashlib.sha256(f"{seed}:{query}".encode()).hexdigest()


def draw_start(seed: int, *, below: int) -> int:
    """A whole number from 0 to below - 1 that depends on the seed alone."""
    digest = hashlib.sha256(f"start:{seed}".encode()).digest()
    return (int.from_bytes(digest) * below) >> (8 * len(digest))


def query_ids(queries: Iterable[str]) -> dict[str, str]:
    """
    An id for each query that the same query has in every sample.

    It is the beginning of the query's hash, made longer if two of these queries share it.
    """
    digests = {query: hashlib.sha256(query.encode()).hexdigest() for query in queries}
    digits = _ID_DIGITS
    while len({digest[:digits] for digest in digests.values()}) < len(digests):
        digits += 1
    return {query: f"q-{digest[:digits]}" for query, digest in digests.items()}


def _check(queries: Sequence[LogQuery], size: int) -> None:
    if size < 1:
        raise InputError(f"A sample of {size} queries cannot be drawn. Ask for 1 or more.")
    if not queries:
        raise InputError("There are no log queries to draw from. Read a query log first.")
    twice = [query for query, n in Counter(q.query for q in queries).items() if n > 1]
    if twice:
        raise InputError(f"Queries that are there more than once: {', '.join(twice[:5])!r}.")
    below = [query.query for query in queries if query.count < 0]
    if below:
        raise InputError(f"Queries with a count below 0: {', '.join(below[:5])!r}.")
    if not any(query.count for query in queries):
        raise InputError(
            f"All {len(queries):,} log queries have the count 0, so none was searched for. "
            "Name the column that holds the counts with --count-column when reading the log."
        )


def _drawn(query: LogQuery, query_id: str, *, stratum: str, probability: float) -> Query:
    return Query(
        query_id=query_id,
        text=query.text,
        origin="log",
        stratum=stratum,
        log_count=query.count,
        inclusion_probability=probability,
        weight=query.count / probability,
        variants=query.variants,
    )


def _design(
    queries: Sequence[LogQuery],
    certain: Sequence[LogQuery],
    rest: Sequence[LogQuery],
    sample: Sequence[Query],
    *,
    size: int,
    seed: int,
) -> dict[str, Any]:
    population = len(certain) + len(rest)
    in_head = sum(query.count for query in certain)
    searches = in_head + sum(query.count for query in rest)
    return {
        "method": METHOD if rest else CENSUS,
        "variance": VARIANCE if rest else "none: nothing was left to chance",
        "seed": seed,
        "size": size,
        "population": population,
        "never_searched": len(queries) - population,
        "searches": searches,
        "certainty": len(certain),
        "drawn": len(sample),
        "share_of_traffic": _searches(sample) / searches,
        "share_of_queries": len(sample) / population,
        "strata": {
            CERTAINTY: {
                "population": len(certain),
                "searches": in_head,
                "sampled": len(certain),
            },
            REST: {
                "population": len(rest),
                "searches": searches - in_head,
                "sampled": len(sample) - len(certain),
            },
        },
    }


def _searches(queries: Iterable[Query]) -> int:
    return sum(query.log_count or 0 for query in queries)
