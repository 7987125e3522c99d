"""
Coefficients of agreement over tables of counts, and intervals that respect queries.

A number that is not defined is None and says why, never NaN and never a polite 0 or 1.
Pairs of one query are alike, so intervals come from drawing whole queries; to draw pairs
would promise more than they know. It knows arrays only, and nothing of judgements.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import krippendorff
import numpy as np
from numpy.typing import NDArray

RESAMPLES = 1_000
FEWEST_QUERIES = 20  # a bootstrap over fewer clusters gives intervals that are too narrow
LEVEL = 0.95
_MOST_UNDEFINED = 0.05
_NO_SPREAD = 1e-12

Counts = NDArray[np.int64]
Weights = Literal["none", "linear"]
Metric = Literal["nominal", "ordinal"]
Statistic = Callable[[Counts], float | None]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its 95 % interval; where either is None, the note says why."""

    value: float | None
    interval: tuple[float, float] | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class QueryBootstrap:
    """Intervals from drawing queries with replacement, the same for the same seed."""

    seed: int
    resamples: int = RESAMPLES

    def estimate(self, statistic: Statistic, *, queries: int, undefined: str) -> Estimate:
        """
        The statistic with every query once, and its percentiles over queries drawn anew.

        `statistic` takes how often each query counts, shape (queries,), and gives None where
        it is not defined; `undefined` says when that is. There is no interval below 20
        queries, when more than 5 % of the draws are not defined, or when all are equal.
        """
        value = statistic(np.ones(queries, dtype=np.int64)) if queries else None
        if value is None:
            return Estimate(None, note=undefined)
        if queries < FEWEST_QUERIES:
            return Estimate(
                value, note=f"no interval: {queries} queries, fewer than {FEWEST_QUERIES}"
            )
        drawn = np.random.default_rng(self.seed).multinomial(
            queries, np.full(queries, 1 / queries), size=self.resamples
        )
        defined = [each for times in drawn if (each := statistic(times)) is not None]
        if (missing := self.resamples - len(defined)) > _MOST_UNDEFINED * self.resamples:
            return Estimate(
                value, note=f"no interval: not defined in {missing} of {self.resamples} draws"
            )
        lower, upper = np.quantile(defined, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        if upper - lower < _NO_SPREAD:
            return Estimate(value, note="no interval: every draw of queries gives the same")
        return Estimate(value, (float(lower), float(upper)))


def raw_agreement(table: Counts) -> float | None:
    """The share of pairs that got one grade twice, or None of no pairs; `table` as below."""
    return float(table.trace() / table.sum()) if table.any() else None


def cohens_kappa(table: Counts, *, weights: Weights) -> float | None:
    """
    Agreement of two assessors beyond what their own habits would give by chance.

    `table` counts pairs, shape (grades, grades): rows by the grade of the first, columns by
    that of the second, both in the order of the scale. None when both gave one and the same
    grade throughout, since chance alone would then agree fully.
    """
    if table.sum() == table.diagonal().max():
        return None
    from statsmodels.stats import inter_rater  # type: ignore[import-untyped]  # slow to import

    wt = "linear" if weights == "linear" else None
    return float(inter_rater.cohens_kappa(table, wt=wt, return_results=False))


def krippendorffs_alpha(counts: Counts, *, metric: Metric) -> float | None:
    """
    Agreement of any number of assessors beyond chance, whoever graded which pairs.

    `counts` says how many gave each grade to each pair, shape (pairs, grades) in the order
    of the scale; pairs with one grade say nothing. None when no two grades meet or all that
    meet are one and the same.
    """
    meeting = counts[counts.sum(axis=1) > 1]
    if np.count_nonzero(meeting.sum(axis=0)) < 2:
        return None
    return float(krippendorff.alpha(value_counts=meeting, level_of_measurement=metric))
