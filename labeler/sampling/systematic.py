"""
The parts of a draw: who is certain, what chance decides, and in which order.

Whole numbers and SHA-256 throughout: nothing depends on the order of the queries, on a
library's random numbers or on rounding. It knows neither designs nor strata.
"""

import hashlib
from collections.abc import Sequence
from itertools import accumulate

from labeler.logs.queries import LogQuery

_BITS = 256


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


PERMANENT_NUMBERS = 1 << _BITS
