"""
What a number of queries can detect in a graded measure, and how many a difference needs.

By simulation for the paired t-test, given the share of queries whose value is expected to change
and the standard deviation of the differences. It knows no labels and no arms.
"""

import math
from statistics import NormalDist, linear_regression

import numpy as np
from numpy.typing import NDArray

from evaluator import InputError
from evaluator.statistics.power import LEVEL, POWER, least_enough, normal_queries

_EXPERIMENTS = 10_000
_DRAWS = 2_000_000  # in memory at a time
_TO = 0.0005  # of a difference, in the search for the least
_AROUND = (0.7, 0.85, 1.0, 1.15, 1.3)


def graded_power(
    n: int,
    difference: float,
    *,
    sd: float,
    changed_share: float,
    level: float = LEVEL,
    experiments: int = _EXPERIMENTS,
    seed: int = 13,
) -> float:
    """
    Chance that the paired t-test of a graded measure comes out at `level` or below.

    By simulation: each of n queries keeps its value or, with probability `changed_share`,
    moves up or down by a Beta(c, 1) amount; c and the share of rises are such that the
    differences have this mean and standard deviation. Small changes are then the most
    frequent where sd is small, and with the largest possible sd every change is by one, as
    for hits. The standard error of the answer is at most 1 / (2 sqrt(experiments)).

    The sign-flip test that reports decide by has the same power to a point or two.

    Raises InputError when no differences between -1 and 1 have these three figures.
    """
    exponent, up = _changes(difference, sd, changed_share)
    random = np.random.default_rng([seed, n])
    significant = done = 0
    while done < experiments:
        rows = min(experiments - done, max(1, _DRAWS // n))
        # Beta(c, 1) is a uniform number to the power of 1 / c; above the share no change
        place = random.random((rows, n)) / changed_share
        size = np.where(place < 1, random.random((rows, n)) ** (1 / exponent), 0.0)
        significant += _significant(np.where(place < up, size, -size), level)
        done += rows
    return significant / experiments


def graded_queries_needed(
    difference: float,
    *,
    sd: float,
    changed_share: float,
    power: float = POWER,
    level: float = LEVEL,
    experiments: int = _EXPERIMENTS,
) -> int:
    """
    Paired queries that show this difference of a graded measure with this power.

    Simulated at five numbers around what the normal approximation says, with a straight
    line through the powers on the scale where they grow with the root of the number; one
    simulation alone would be off by the luck of its draws.
    """
    if difference <= 0:
        raise InputError(f"A difference to detect must be above 0; got {difference}.")
    _changes(difference, sd, changed_share)
    rough = normal_queries(difference, sd, power=power, level=level)
    normal = NormalDist()
    roots, scores = [], []
    for factor in _AROUND:
        n = max(2, round(rough * factor))
        found = graded_power(
            n,
            difference,
            sd=sd,
            changed_share=changed_share,
            level=level,
            experiments=experiments,
        )
        inside = min(max(found, 0.5 / experiments), 1 - 0.5 / experiments)
        roots.append(math.sqrt(n))
        scores.append(normal.inv_cdf(inside))
    slope, intercept = linear_regression(roots, scores)
    return max(2, math.ceil(((normal.inv_cdf(power) - intercept) / slope) ** 2))


def graded_detectable(
    n: int, *, sd: float, changed_share: float, power: float = POWER, level: float = LEVEL
) -> float | None:
    """Smallest difference of a graded measure that n queries show, by simulation."""
    if n < 2:
        return None

    def is_enough(difference: float) -> bool:
        found = graded_power(n, difference, sd=sd, changed_share=changed_share, level=level)
        return found >= power

    def is_impossible(difference: float) -> bool:
        try:
            _changes(difference, sd, changed_share)
        except InputError:
            return True
        return False

    _changes(0.0, sd, changed_share)
    largest = least_enough(is_impossible, 0.0, 1.0, to=_TO) - _TO
    return least_enough(is_enough, 0.0, largest, to=_TO) if is_enough(largest) else None


def _changes(difference: float, sd: float, changed_share: float) -> tuple[float, float]:
    """The c of the Beta(c, 1) sizes of change, and the share of rises among the changes."""
    if not 0 < changed_share <= 1 or not sd > 0:
        raise InputError(
            f"Power needs a share of changed queries above 0 and up to 1 and a standard "
            f"deviation above 0; got {changed_share} and {sd}."
        )
    square = (sd * sd + difference * difference) / changed_share  # mean square of a change
    if square >= 1:
        raise InputError(
            f"If {changed_share} of the queries change by at most 1, the standard deviation is "
            f"below {math.sqrt(max(0.0, changed_share - difference**2)):.3f}; got {sd}. Say that "
            "more queries change."
        )
    exponent = 2 * square / (1 - square)
    tilt = difference / (changed_share * exponent / (1 + exponent))
    if abs(tilt) > 1:
        raise InputError(
            f"A difference of {difference} cannot come from {changed_share} of the queries "
            f"changing with a standard deviation of {sd}: all would have to rise, and by more."
        )
    return exponent, (1 + tilt) / 2


def _significant(differences: NDArray[np.float64], level: float) -> int:
    """How many rows of differences the two-sided paired t-test calls significant."""
    from scipy.stats import t

    n = differences.shape[1]
    mean, sd = differences.mean(axis=1), differences.std(axis=1, ddof=1)
    critical = t.isf(level / 2, n - 1)
    return int((np.abs(mean) * math.sqrt(n) > critical * sd).sum())
