"""
Weighted differences of a probability sample, as arrays: means, variances and score intervals.

It owns the arithmetic of the ratio (Hajek) mean: what the draw alone leaves open, and what
is open when the queries themselves are seen as a draw. It knows no query, no measure and no
words. Arrays run over the queries along their last axis; leading axes are separate samples,
which is how a simulation runs thousands of them through the code that makes the reports.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

_PRIOR = 1.0
_HALVINGS = 60
_NOTHING = 1e-12  # rounding of sums of shares, which are of the order of 1


@dataclass(frozen=True, slots=True)
class Uncertainty:
    """What is open about a difference: standard error and interval, one value per sample."""

    standard_error: Floats
    lower: Floats
    upper: Floats


def hajek_mean(values: Floats, weights: Floats) -> Floats:
    """
    The ratio mean: weighted values over the weights themselves.

    Dividing by the known total of the population instead (Horvitz and Thompson) is unbiased
    but scatters with the number of queries that happen to fall into a domain.
    """
    return np.asarray((weights * values).sum(axis=-1) / weights.sum(axis=-1))


def effective_number(weights: Floats) -> Floats:
    """
    How many queries of equal weight would be worth as much: (sum w)^2 / sum w^2.

    Source: Kish, Survey Sampling (1965), section 11.7.
    """
    return np.asarray(weights.sum(axis=-1) ** 2 / (weights**2).sum(axis=-1))


def over_the_draw(
    differences: Floats,
    *,
    weights: Floats,
    probabilities: Floats,
    strata: NDArray[np.int64],
    inside: Mask,
    independent: bool = False,
    level: float = 0.95,
) -> Uncertainty:
    """
    What drawing other queries from the same log could have given.

    All arrays run over the whole sample; `inside` marks the domain, and a query outside it
    has the residual 0, so that the chance number of queries in the domain is accounted for.
    Queries with probability 1 are in every sample and add nothing to the variance, but
    belong to the estimate. `independent` says that each query was drawn by itself, so that
    the size of the sample was left to chance as well. Differences lie between -1 and 1; the
    weights need not be scaled.

    The interval is that of the drawn part, scaled by its share of the weight and moved by
    the fixed part: a score interval with the number of queries that gives this variance,
    smoothed as if one more query had changed by a whole hit. The textbook interval, estimate
    -+ 1.96 standard errors, covers 86% instead of 95% where few queries of a domain changed,
    and has no width where none did.
    """
    shares, difference = _shares(differences, weights, inside)
    drawn = probabilities < 1
    residuals = shares * (differences - difference[..., None])
    if independent:
        variance = poisson_variance(residuals, probabilities=probabilities)
    else:
        variance = hartley_rao_variance(residuals, probabilities=probabilities, strata=strata)
    part = (shares * drawn).sum(axis=-1)
    up, down = _ups_and_downs(differences, shares * drawn, total=part)
    binomial = up + down - (up - down) ** 2
    as_if_alike = _over(part**2, (np.where(drawn, 1 - probabilities, 0) * shares**2).sum(axis=-1))
    changed = ((differences != 0) & drawn & inside).sum(axis=-1)
    whole = _over(part**2 * binomial, as_if_alike)
    smoothed = (changed * variance + _PRIOR * whole) / (changed + _PRIOR)
    number = _effective(part**2 * binomial, smoothed, otherwise=as_if_alike)
    lower, upper = _score_intervals(number, up, down, level=level)
    fixed = difference - part * (up - down)
    return Uncertainty(np.sqrt(variance), fixed + part * lower, fixed + part * upper)


def hartley_rao_variance(
    residuals: Floats, *, probabilities: Floats, strata: NDArray[np.int64]
) -> Floats:
    """
    Variance of a sum of expanded residuals under systematic sampling in random order.

    Within a stratum of m randomly drawn queries it is m / (m - 1) times the sum of
    (1 - p) (r - mean r)^2, where r is the residual already divided by its inclusion
    probability p. This is the estimator of Hartley and Rao with the population's sum of p^2
    replaced by the sample's sum of p, which is unbiased for it; with equal probabilities it
    is the textbook variance with the finite population correction. Strata add up. A stratum
    with one random query is measured from 0, the mean of all residuals.

    Source: Hartley and Rao, Annals of Mathematical Statistics 33:350-374 (1962), to O(1/N).
    """
    left_to_chance = np.where(probabilities < 1, 1 - probabilities, 0.0)
    drawn = probabilities < 1
    variance = np.zeros(residuals.shape[:-1])
    for stratum in np.unique(strata):
        members = drawn & (strata == stratum)
        number = members.sum(axis=-1)
        several = number > 1
        mean = np.where(several, _over((residuals * members).sum(axis=-1), number), 0.0)
        squares = left_to_chance * members * (residuals - mean[..., None]) ** 2
        correction = np.where(several, _over(number, number - 1), 1.0)
        variance = variance + correction * squares.sum(axis=-1)
    return np.asarray(variance)


def poisson_variance(residuals: Floats, *, probabilities: Floats) -> Floats:
    """
    Variance of a sum of expanded residuals when each query was drawn by itself.

    The sum of (1 - p) r^2, r being the residual already divided by p. Nothing is centred:
    that more or fewer queries might have been drawn is a part of the variance.

    Source: Hajek, Annals of Mathematical Statistics 35:1491-1523 (1964), for Poisson sampling.
    """
    return np.asarray((np.maximum(0.0, 1 - probabilities) * residuals**2).sum(axis=-1))


def over_the_queries(differences: Floats, *, level: float = 0.95) -> Uncertainty:
    """
    What other queries could have given, each of them counted once.

    The interval is the score interval with the number of queries that gives the variance of the
    mean; for whole hits that is their number. With few changes it is cautious, since whole
    queries keep every interval away from what it states.
    """
    n = differences.shape[-1]
    mean = differences.mean(axis=-1)
    variance = ((differences - mean[..., None]) ** 2).mean(axis=-1) / n
    up, down = (np.maximum(sign * differences, 0).mean(axis=-1) for sign in (1, -1))
    number = _effective(up + down - mean**2, variance, otherwise=np.full(mean.shape, float(n)))
    return Uncertainty(np.sqrt(variance), *_score_intervals(number, up, down, level=level))


def score_interval(
    number: float, up: float, down: float, *, level: float = 0.95
) -> tuple[float, float]:
    """
    Score interval for up - down, two exclusive shares among a number of queries.

    The number may be a fraction, and so may the queries behind a share: a query that rose by
    a half counts as half a win. With whole queries it is Tango's interval. Replacing n by an
    effective number is the device of Korn and Graubard for proportions in surveys. Halving
    takes plain floats: arrays of one value cost thirty times as much.

    Source: Tango, Statistics in Medicine 17:891-908 (1998); Korn and Graubard, Survey
    Methodology 24:193-201 (1998); Franco, Little, Louis and Slud, Journal of Survey
    Statistics and Methodology 7:334-364 (2019), for how it compares with others.
    """
    z = NormalDist().inv_cdf(0.5 + level / 2)
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


def _score_intervals(
    number: Floats, up: Floats, down: Floats, *, level: float
) -> tuple[Floats, Floats]:
    """The interval of each sample."""
    each = np.broadcast(number, up, down)
    ends = [score_interval(*map(float, sample), level=level) for sample in each]
    lower, upper = np.array(ends).reshape(*each.shape, 2).T
    return lower.T, upper.T


def _shares(differences: Floats, weights: Floats, inside: Mask) -> tuple[Floats, Floats]:
    """Each query's share of the domain's weight, 0 outside it, and the weighted mean."""
    weights = np.where(inside, weights, 0.0)
    shares = weights / weights.sum(axis=-1, keepdims=True)
    return shares, np.asarray((shares * differences).sum(axis=-1))


def _ups_and_downs(differences: Floats, shares: Floats, *, total: Floats) -> tuple[Floats, Floats]:
    """The weighted rises and the weighted falls, as shares of a total."""
    up = (shares * np.maximum(differences, 0)).sum(axis=-1)
    down = (shares * np.maximum(-differences, 0)).sum(axis=-1)
    return _over(up, total), _over(down, total)


def _effective(binomial: Floats, variance: Floats, *, otherwise: Floats) -> Floats:
    """How many queries have this variance; without any variance, what the weights alone say."""
    told = (variance > _NOTHING**2) & (binomial > _NOTHING)
    return np.where(told, _over(binomial, variance), np.where(otherwise > 0, otherwise, 1.0))


def _over(numerator: Floats | NDArray[np.int64], denominator: Floats | NDArray[np.int64]) -> Floats:
    """The quotient, 0 where the denominator is 0."""
    out = np.zeros(np.broadcast_shapes(np.shape(numerator), np.shape(denominator)))
    np.divide(numerator, denominator, out=out, where=np.asarray(denominator) != 0)
    return out
