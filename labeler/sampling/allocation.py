"""
How many queries each stratum of a log gets: in proportion to its searches, at least one.

Whole numbers from whole numbers, so that the same log always gives the same allocation.
It knows nothing of what makes a stratum.
"""

from collections.abc import Mapping
from fractions import Fraction

from evaluator import InputError


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
