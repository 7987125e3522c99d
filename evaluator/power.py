"""
What a number of queries can detect, before anybody runs an arm.

It answers for the exact McNemar test at one cutoff, given the share of queries whose hit
is expected to change. It knows no labels and no arms.
"""

import numpy as np
from numpy.typing import NDArray

from evaluator import InputError

POWER = 0.8
LEVEL = 0.05


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
        raise InputError(
            f"A difference of {difference} cannot come from {flip_share} of the queries flipping."
        )
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
    low, high = 0.5, 1.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        if _power(flips, chance, critical, win_share=middle) < power:
            low = middle
        else:
            high = middle
    return flip_share * (2 * high - 1)


def what_can_be_detected(n: int, *, flip_share: float) -> str:
    """The same in one sentence for people, with everything that it rests on."""
    smallest = detectable_difference(n, flip_share=flip_share)
    given = f"{n} queries, if {flip_share:.0%} of them flip between the arms,"
    if smallest is None:
        return (
            f"{given} are too few: even flips all in one direction would rarely be significant "
            "(exact McNemar, 5 %)."
        )
    return (
        f"{given} show a difference of {smallest:.3f} or more in 4 of 5 experiments "
        "(exact McNemar, 5 %, power 80 %)."
    )


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

    The minority is -1 where no split of so few flips is significant.
    """
    from scipy.stats import binom  # slow to import, and only needed here

    flips = np.arange(n + 1)
    chance = binom.pmf(flips, n, flip_share)
    critical = np.asarray(binom.ppf(level / 2, flips, 0.5)).astype(np.int64)
    critical -= binom.cdf(critical, flips, 0.5) > level / 2
    return flips, chance, np.minimum(critical, (flips - 1) // 2)


def _power(
    flips: NDArray[np.int64],
    chance: NDArray[np.float64],
    critical: NDArray[np.int64],
    *,
    win_share: float,
) -> float:
    """Chance of a minority of losses, or of wins, that is small enough."""
    from scipy.stats import binom

    few_losses = binom.cdf(critical, flips, 1 - win_share)
    few_wins = binom.cdf(critical, flips, win_share)
    return float((chance * (few_losses + few_wins)).sum())
