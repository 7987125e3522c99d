"""
What a number of queries can detect, and how many a difference needs, before any arm runs.

For hits it answers exactly, for the exact McNemar test at one cutoff, given the share of
queries whose hit is expected to change; graded measures are `graded_power`'s. It knows no
labels and no arms.
"""

import math
from bisect import bisect_left
from collections.abc import Callable
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from evaluator import InputError

POWER = 0.8
LEVEL = 0.05
# A guess, named wherever it is used: before a run nobody knows how many queries flip.
FLIP_SHARE = 0.2
MOST_QUERIES = 10_000_000
_TAIL = 1e-16  # chance of the numbers of flips that are left out, at either end


def power_to_detect(n: int, difference: float, *, flip_share: float, level: float = LEVEL) -> float:
    """
    Chance that the exact McNemar test comes out at `level` or below.

    Each of n queries flips with probability `flip_share`, and the wins outnumber the losses
    so that the expected difference is `difference`. Exact: the number of flips is binomial,
    the wins among them are binomial, and both are summed over, nothing is approximated.

    Raises InputError when the difference is larger than the flips allow.
    """
    _check(n, flip_share)
    if not 0 <= difference <= flip_share:
        raise InputError(_too_large(difference, flip_share))
    flips, chance, critical = _flip_table(n, flip_share, level)
    return _power(flips, chance, critical, win_share=0.5 + difference / flip_share / 2)


def detectable_difference(
    n: int, *, flip_share: float, power: float = POWER, level: float = LEVEL
) -> float | None:
    """
    Smallest difference between two arms that n paired queries show with this power.

    `flip_share` is the share of queries expected to change from hit to miss or back. More
    flips hide a difference, so a guess that is too low promises too much. None when even
    flips all in one direction are too few to be significant that often.
    """
    _check(n, flip_share)
    flips, chance, critical = _flip_table(n, flip_share, level)
    if _power(flips, chance, critical, win_share=1.0) < power:
        return None

    def is_enough(win_share: float) -> bool:
        return _power(flips, chance, critical, win_share=win_share) >= power

    return flip_share * (2 * least_enough(is_enough, 0.5, 1.0, to=1e-9) - 1)


def queries_needed(
    difference: float, *, flip_share: float, power: float = POWER, level: float = LEVEL
) -> int:
    """
    Fewest paired queries that show this difference with this power.

    More queries never have less power here, since the number of flips is random too, so
    the answer is found by halving. Raises InputError where no number below ten million does.
    """
    _check(1, flip_share)
    if difference <= 0:
        raise InputError(f"A difference to detect must be above 0; got {difference}.")
    if difference > flip_share:
        raise InputError(_too_large(difference, flip_share))
    rough = normal_queries(difference, math.sqrt(flip_share), power=power, level=level)

    def is_enough(n: int) -> bool:
        return power_to_detect(n, difference, flip_share=flip_share, level=level) >= power

    least, most = 1, 50 + int(1.5 * rough)
    while not is_enough(most):
        least, most = most + 1, 2 * most
    return bisect_left(range(most), True, lo=least, key=is_enough)


def what_can_be_detected(queries: int, *, flip_share: float, units: int | None = None) -> str:
    """
    The same in one sentence for people, with everything that it rests on.

    Where some queries are paraphrases, `units` is how many are independent: those are tested.
    """
    n = units or queries
    smallest = detectable_difference(n, flip_share=flip_share)
    which, once = f"{n:,} queries", ""
    if n < queries:
        which, once = (
            f"{n:,} independent queries of {queries:,}",
            ", each group of paraphrases once",
        )
    given = f"{which}, if {flip_share:.0%} of them flip between the arms,"
    if n == 1:
        return f"1 query is too few to show any difference (exact McNemar, 5%{once})."
    if smallest is None:
        return (
            f"{given} are too few: even flips all in one direction would rarely be significant "
            f"(exact McNemar, 5%{once})."
        )
    return (
        f"{given} show a difference of {smallest:.3f} or more in 4 of 5 experiments "
        f"(exact McNemar, 5%, power 80%{once})."
    )


def _too_large(difference: float, flip_share: float) -> str:
    return f"A difference of {difference} cannot come from {flip_share} of the queries flipping."


def _check(n: int, flip_share: float) -> None:
    if n < 1 or not 0 < flip_share <= 1:
        raise InputError(
            f"Power needs at least one query and a share of flips above 0 and up to 1; "
            f"got n = {n} and a share of {flip_share}."
        )


def _flip_table(
    n: int, flip_share: float, level: float
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
    """
    Every number of flips with its chance and the largest minority that is significant.

    The minority is -1 where no split of so few flips is significant. Numbers of flips that
    together have a chance below 1e-15 are left out.
    """
    from scipy.special import bdtr, bdtrc, gammaln, xlog1py, xlogy  # much lighter than scipy.stats

    flips = np.arange(n + 1)
    below, above = bdtr(flips, n, flip_share), bdtrc(flips, n, flip_share)
    flips = np.arange(int((below < _TAIL).sum()), int((above > _TAIL).sum()) + 1)
    ways = gammaln(n + 1) - gammaln(flips + 1) - gammaln(n - flips + 1)
    chance = np.exp(ways + xlogy(flips, flip_share) + xlog1py(n - flips, -flip_share))
    z = NormalDist().inv_cdf(1 - level / 2)
    critical = np.floor((flips - 0.9 * z * np.sqrt(flips)) / 2).astype(np.int64) + 2  # or less
    critical = critical.clip(-1, flips)
    while (too_many := bdtr(critical, flips, 0.5) > level / 2).any():
        critical -= too_many
    return flips, chance, np.minimum(critical, (flips - 1) // 2)


def _power(
    flips: NDArray[np.int64],
    chance: NDArray[np.float64],
    critical: NDArray[np.int64],
    *,
    win_share: float,
) -> float:
    """Chance of a minority of losses, or of wins, that is small enough."""
    from scipy.special import bdtr

    some = critical >= 0
    few_losses = bdtr(critical[some], flips[some], 1 - win_share)
    few_wins = bdtr(critical[some], flips[some], win_share)
    return float((chance[some] * (few_losses + few_wins)).sum())


def normal_queries(difference: float, spread: float, *, power: float, level: float) -> float:
    """How many paired queries the normal approximation asks for."""
    if not 0 < level < 1 or not 0 < power < 1:
        raise InputError(f"Power and level must lie between 0 and 1; got {power} and {level}.")
    z = NormalDist().inv_cdf
    rough = ((z(1 - level / 2) + max(0.0, z(power))) * spread / difference) ** 2
    if rough > MOST_QUERIES:
        raise InputError(
            f"A difference of {difference} needs about {rough:,.0f} queries, which is more than "
            "anybody judges. Ask for a larger difference."
        )
    return rough


def least_enough(
    is_enough: Callable[[float], bool], low: float, high: float, *, to: float
) -> float:
    """The least number that is enough, to a precision, where every larger one is."""
    while high - low > to:
        middle = (low + high) / 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high
