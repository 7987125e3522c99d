"""
One score interval for a mean of paired differences: hits, graded measures, groups and weights.

It owns the interval that every report prints, how it agrees with the test, and the design for
which there is none. A unit is what is independent: a query, or a group of paraphrases with its
mean and the sum of its weights. It knows no query, no measure and no words for a reader but the
reason why an interval is missing.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from evaluator.statistics.sign_flip import LEVEL, SignFlipTest, sign_flip_test

Floats = NDArray[np.float64]

METHOD = "score interval, 95%"
COVERAGE = "93.1% of the simulated samples in every world, 98.8% in the mean"
"""How often at least an interval holds the truth, as `coverage.md` has it; a test compares."""
BESIDE_0 = math.ulp(0.0)
"""The least number above 0: the end of an interval that comes up to 0 and does not hold it."""
FEWEST_UNITS = 20
FEWEST_EFFECTIVE = 15
# By simulation: with half a step, measures in which few large changes stand among many small
# ones are covered in 90% of the samples, with one in 93% or more (coverage.md).
_PRIOR_STEPS = 1.0
_HALVINGS = 60


def effective_number(weights: Floats) -> float:
    """
    How many units of equal weight would be worth as much: (sum w)^2 / sum w^2.

    Source: Kish, Survey Sampling (1965), section 11.7.
    """
    return float(weights.sum() ** 2 / (weights**2).sum())


def why_no_interval(weights: Floats) -> str | None:
    """
    Why units with these weights give no interval, or None.

    It looks at the design alone. A guard on how many units changed would keep just the samples
    in which more changed than usual, and the intervals that are kept would then cover less.
    """
    units = int((weights > 0).sum())
    if units < FEWEST_UNITS:
        return f"{units} independent queries or groups are fewer than {FEWEST_UNITS}"
    worth = effective_number(weights)
    if worth < FEWEST_EFFECTIVE:
        return f"the weights are worth {worth:.1f} equal ones, fewer than {FEWEST_EFFECTIVE}"
    return None


def mean_interval(differences: Floats, weights: Floats | None = None) -> tuple[float, float]:
    """
    Interval for the weighted mean of differences between -1 and 1, one per unit.

    The sum is taken for a sum of steps of one size h, up or down, among as many units as the
    weights are worth, h being what makes the second moment right. The interval is h times
    Tango's for the shares up / h and down / h. Hits with equal weights have h = 1, and it *is*
    Tango's interval. Elsewhere the larger of two estimates of h counts: from each unit's own
    weight, and as if changes did not depend on it, since the heaviest units may have stayed as
    they were by luck. One more step of a whole hit enters the estimate of h, and not the mean:
    without it a few small changes would seem to be all that can happen.

    Units are independent and their differences drawn anew; weights are fixed and need no scale.

    Sources: Tango, Statistics in Medicine 17:891-908 (1998); Fay and Feuer, ibid. 16:791-801
    (1997), for a weighted sum of counts matched by one scaled count.
    """
    number, up, down, size = _in_steps(differences, weights)
    lower, upper = score_interval(number, up, down)
    return max(-1.0, size * lower), min(1.0, size * upper)


def score_p(differences: Floats, weights: Floats) -> float:
    """
    Two-sided p of no difference that belongs to the interval: 0 lies outside where it is below 5%.

    For weights, where signs must not be flipped: where frequent queries lose what rare ones gain,
    nothing differs per search, and a sign-flip test rejects in up to 46% of the samples.
    """
    number, up, down, _ = _in_steps(differences, weights)
    return math.erfc(abs(_score(number, up, down, 0.0)) / math.sqrt(2))


def _in_steps(differences: Floats, weights: Floats | None) -> tuple[float, float, float, float]:
    """How many units these are worth, the shares of them up and down, and the size of a step."""
    shares = np.full(len(differences), 1 / len(differences)) if weights is None else weights
    shares = shares / shares.sum()
    up = float((shares * np.maximum(differences, 0)).sum())
    down = float((shares * np.maximum(-differences, 0)).sum())
    unit = float((shares**2).sum())
    own = float((shares**2 * differences**2).sum())
    alike = unit * float((shares * differences**2).sum())
    prior = _PRIOR_STEPS * unit
    step = (max(own, alike) + prior * unit) / (up + down + prior)
    size = max(step / unit, up + down)
    return size / step, up / size, down / size, size


def tango_interval(n: int, won: int, lost: int) -> tuple[float, float]:
    """
    Score interval for the difference of two paired rates, treatment minus baseline.

    It holds the differences that a score test would not reject. Unlike the textbook (Wald)
    interval it does not shrink to a point when no query changed and never leaves [-1, 1].

    Source: Tango, Statistics in Medicine 17:891-908 (1998).
    """
    return score_interval(n, won / n, lost / n)


def agreeing_with_test(
    interval: tuple[float, float], *, difference: float, p: float
) -> tuple[float, float]:
    """
    The interval, ended at 0 where it and an exact test of "no difference" contradict each other.

    The test decides about 0. Where it rejects, the interval ends beside 0 on the side that it
    passed and does not hold it: that end is BESIDE_0, up or down. Where the test does not
    reject, the interval is carried on to 0 and holds it.
    """
    lower, upper = interval
    if p >= LEVEL:
        return min(lower, 0.0), max(upper, 0.0)
    return (max(lower, BESIDE_0), upper) if difference > 0 else (lower, min(upper, -BESIDE_0))


@dataclass(frozen=True, slots=True)
class Inference:
    """
    What chance may do to a mean over units: the test, and the interval that agrees with it on 0.

    `largest_share` is the share of all weight in the largest unit. `interval` is None where
    `reason` says why there is none.
    """

    units: int
    largest_share: float
    test: SignFlipTest
    interval: tuple[float, float] | None
    reason: str | None


def inference(sums: Floats, sizes: Floats, *, seed: int) -> Inference:
    """
    Test and interval for a mean of differences, from each unit's sum and its number of queries.

    If the arms were equally good, the sum of a unit's differences would fall either way like a
    fair coin, all of it at once.
    """
    test, reason = sign_flip_test(sums, seed=seed), why_no_interval(sizes)
    interval = None
    if reason is None:
        difference = float(sums.sum() / sizes.sum())
        interval = agreeing_with_test(
            mean_interval(sums / sizes, sizes), difference=difference, p=test.p
        )
    return Inference(len(sums), float(sizes.max() / sizes.sum()), test, interval, reason)


def cluster_sums(
    differences: Mapping[str, float],
    cluster_by_query: Mapping[str, str],
    *,
    weights: Mapping[str, float] | None = None,
) -> tuple[Floats, Floats]:
    """
    Weighted sum of differences and sum of weights of each cluster, in the order of first queries.

    Without weights every query counts once.
    """
    members: dict[tuple[bool, str], list[tuple[float, float]]] = {}
    for query_id in sorted(differences):
        named = cluster_by_query.get(query_id)
        # A query without a cluster must not fall into one that happens to bear its id.
        key = (False, query_id) if named is None else (True, named)
        weight = 1.0 if weights is None else weights[query_id]
        members.setdefault(key, []).append((weight * differences[query_id], weight))
    totals = np.array([np.sum(pairs, axis=0) for pairs in members.values()], dtype=np.float64)
    return totals[:, 0], totals[:, 1]


def score_interval(number: float, up: float, down: float) -> tuple[float, float]:
    """
    Score interval for up - down, two exclusive shares among a number of queries.

    The number may be a fraction, and so may the queries behind a share: a query that rose by
    a half counts as half a win. With whole queries it is Tango's interval. Replacing n by an
    effective number is the device of Korn and Graubard for proportions in surveys.

    Source: Tango, Statistics in Medicine 17:891-908 (1998); Korn and Graubard, Survey
    Methodology 24:193-201 (1998); Franco, Little, Louis and Slud, Journal of Survey
    Statistics and Methodology 7:334-364 (2019), for how it compares with others.
    """
    z = NormalDist().inv_cdf(1 - LEVEL / 2)
    score = partial(_score, number, up, down)
    return _crossing(score, -1.0, up - down, z), _crossing(score, up - down, 1.0, -z)


def _crossing(score: Callable[[float], float], low: float, high: float, target: float) -> float:
    """Where the score statistic, which falls as the difference grows, passes the target."""
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if score(middle) > target:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _score(number: float, up: float, down: float, difference: float) -> float:
    """Tango's statistic for a supposed difference: standardised by the variance under it."""
    distance = up - down - difference
    b = (2 - up + down) * difference - up - down
    c = -down * difference * (1 - difference)
    root = math.sqrt(max(0.0, b * b - 8 * c))
    # The usual root (root - b) / 4 loses all digits where b is close to the root.
    share_down = (root - b) / 4 if b <= 0 else -2 * c / (root + b)
    variance = 2 * share_down + difference * (1 - difference)
    if variance > 0:
        return distance / math.sqrt(variance / number)
    return math.copysign(math.inf, distance) if distance else 0.0
