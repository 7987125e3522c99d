"""
The parts of a draw: how many of each stratum, who is certain, what chance decides, in which order.

Whole numbers and SHA-256 throughout: nothing depends on the order of the queries, on a
library's random numbers or on rounding. It knows neither designs nor what makes a stratum.
"""

import hashlib
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import accumulate

from evaluator import InputError
from labeler.logs.queries import LogQuery

_BITS = 256
PERMANENT_NUMBERS = 1 << _BITS


def allocate(
    size: int, *, searches: Mapping[str, int], queries: Mapping[str, int]
) -> dict[str, int]:
    """
    How many of `size` queries to draw from each stratum.

    Each gets its share of the searches, but at least one query and at most all it has; what
    that adds or takes away is made up by the others in proportion. Fractions go to the
    largest remainders, ties to the stratum with more searches. A size of all queries or
    more takes everything.

    Raises InputError when there are fewer queries to draw than strata.

    Source: the method of the largest remainder (Hamilton), over clamped shares.
    """
    if size < len(searches):
        raise InputError(
            f"{size} queries cannot be shared out over {len(searches)} strata, since each needs "
            f"at least one. Draw {len(searches)} or more, or use fewer strata."
        )
    if size >= sum(queries.values()):
        return dict(queries)
    rate = _rate(size, searches, queries)
    quota = {name: _clamped(rate * searches[name], queries[name]) for name in searches}
    share = {name: int(quota[name]) for name in quota}
    by_remainder = sorted(
        quota, key=lambda name: (share[name] - quota[name], -searches[name], name)
    )
    for name in by_remainder[: size - sum(share.values())]:
        share[name] += 1
    return share


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


def draw_start(seed: int, *, below: int, stratum: str = "") -> int:
    """A whole number from 0 to below - 1 that depends on the seed and the stratum alone."""
    named = f"start:{seed}:{stratum}" if stratum else f"start:{seed}"
    digest = hashlib.sha256(named.encode()).digest()
    return (int.from_bytes(digest) * below) >> _BITS


def permanent_number(query: str, *, salt: str) -> int:
    """
    The number of a query, from 0 to 2^256 - 1, that it keeps in every log and sample.

    Its beginning keeps it apart from the hash that orders a systematic draw: a sample drawn
    with one says nothing about the other.
    """
    return int.from_bytes(hashlib.sha256(f"permanent:{salt}:{query}".encode()).digest())


def _rate(size: int, searches: Mapping[str, int], queries: Mapping[str, int]) -> Fraction:
    """
    The queries per search with which the clamped shares add up to the size.

    Their sum grows with the rate along straight lines between the rates at which a stratum
    leaves its one query or reaches its last, so the rate is found between two of those.
    """

    def total(rate: Fraction) -> Fraction:
        return sum(
            (_clamped(rate * searches[name], queries[name]) for name in searches), Fraction(0)
        )

    bends = sorted({Fraction(n, searches[name]) for name in searches for n in (1, queries[name])})
    before, reached = Fraction(0), Fraction(len(searches))
    for bend in bends:
        there = total(bend)
        if there >= size and there > reached:
            return before + (bend - before) * (size - reached) / (there - reached)
        before, reached = bend, there
    return before


def _clamped(share: Fraction, most: int) -> Fraction:
    return min(max(share, Fraction(1)), Fraction(most))
