"""
Coefficients of agreement over tables of counts, and intervals that respect queries.

A number that is not defined is None and says why, never a polite 0 or 1; among many at once
it is NaN. Pairs of one query are alike, so intervals come from drawing whole queries; to draw
pairs would promise more than they know. It knows arrays only, and nothing of judgements.

The libraries that have these coefficients take one table at a time, a thousand tables in ten
seconds. So they are written here over any number of tables; the tests hold them to the
libraries' values and to the definitions.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 1_000
FEWEST_QUERIES = 20  # a bootstrap over fewer clusters gives intervals that are too narrow
LEVEL = 0.95
_MOST_UNDEFINED = 0.05
_NO_SPREAD = 1e-12
_BLOCKS = 50  # draws are computed in so many parts, for a fraction of the memory

Counts = NDArray[np.int64]
Numbers = NDArray[np.float64]
Weights = Literal["none", "linear"]
Metric = Literal["nominal", "ordinal"]
Statistic = Callable[[Counts], Numbers]


@dataclass(frozen=True, slots=True)
class AgreementEstimate:
    """A number with its 95% interval; where either is None, the note says why."""

    value: float | None
    interval: tuple[float, float] | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class QueryBootstrap:
    """Intervals from drawing queries with replacement, the same for the same seed."""

    seed: int
    resamples: int = RESAMPLES

    def estimate(self, statistic: Statistic, *, queries: int, undefined: str) -> AgreementEstimate:
        """
        The statistic with every query once, and its percentiles over queries drawn anew.

        `statistic` takes how often each query counts, shape (draws, queries), and gives a
        value a draw, NaN where it is not defined; `undefined` says when that is. There is no
        interval below 20 queries, when more than 5% of the draws are not defined, or when all
        are equal.
        """
        (found,) = self.estimates([statistic], queries=queries, undefined=undefined)
        return found

    def estimates(
        self, statistics: Sequence[Statistic], *, queries: int, undefined: str
    ) -> list[AgreementEstimate]:
        """The same of several statistics, over the same draws."""
        if not queries:
            return [AgreementEstimate(None, note=undefined) for _ in statistics]
        once = np.ones((1, queries), dtype=np.int64)
        values = [float(statistic(once)[0]) for statistic in statistics]
        if queries < FEWEST_QUERIES:
            few = f"{queries} {'query' if queries == 1 else 'queries'}"
            note = f"no interval: {few}, fewer than {FEWEST_QUERIES}"
            found = [AgreementEstimate(value, note=note) for value in values]
        else:
            drawn = [
                [statistic(times) for statistic in statistics] for times in self._draw(queries)
            ]
            found = [
                self._estimate(value, np.concatenate(of_one))
                for value, of_one in zip(values, zip(*drawn, strict=True), strict=True)
            ]
        return [
            AgreementEstimate(None, note=undefined) if np.isnan(value) else each
            for value, each in zip(values, found, strict=True)
        ]

    def _estimate(self, value: float, drawn: Numbers) -> AgreementEstimate:
        defined = drawn[~np.isnan(drawn)]
        if (missing := self.resamples - len(defined)) > _MOST_UNDEFINED * self.resamples:
            return AgreementEstimate(
                value, note=f"no interval: not defined in {missing} of {self.resamples} draws"
            )
        lower, upper = np.quantile(defined, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        if upper - lower < _NO_SPREAD:
            return AgreementEstimate(
                value, note="no interval: every draw of queries gives the same"
            )
        return AgreementEstimate(value, (float(lower), float(upper)))

    def _draw(self, queries: int) -> Iterator[Counts]:
        """How often each query was drawn, in blocks of shape (draws, queries)."""
        random = np.random.default_rng(self.seed)
        for some in np.array_split(np.arange(self.resamples), min(_BLOCKS, self.resamples)):
            draws = len(some)
            taken = random.integers(queries, size=(draws, queries))
            taken += queries * np.arange(draws)[:, None]
            yield np.bincount(taken.ravel(), minlength=draws * queries).reshape(draws, queries)


def raw_agreement(tables: Counts) -> Numbers:
    """The share of pairs that got one grade twice, NaN of no pairs; `tables` as below."""
    return _ratio(np.trace(tables, axis1=-2, axis2=-1), _sum(tables))


def cohens_kappa(tables: Counts, *, weights: Weights) -> Numbers:
    """
    Agreement of two assessors beyond what their own habits would give by chance.

    `tables` count pairs, shape (..., grades, grades): rows by the grade of the first, columns
    by that of the second, both in the order of the scale. NaN where both gave one and the same
    grade throughout, since chance alone would then agree fully.

    One less the steps apart over the steps apart by chance; every step is the same without
    weights. Sources: Cohen (1960, 1968).
    """
    step = np.arange(tables.shape[-1])
    apart = np.abs(step[:, None] - step)
    apart = apart if weights == "linear" else np.minimum(apart, 1)
    by_chance = tables.sum(axis=-1)[..., :, None] * tables.sum(axis=-2)[..., None, :]
    pairs = _sum(tables)
    return 1 - _ratio(pairs * _sum(tables * apart), _sum(by_chance * apart))


def krippendorffs_alpha(tables: Numbers, *, metric: Metric) -> Numbers:
    """
    Agreement of any number of assessors beyond chance, whoever graded which pairs.

    `tables` are sums of `coincidences`, shape (..., grades, grades). NaN where no two grades
    meet or all that meet are one and the same.

    One less the observed disagreement over the one by chance. The ordinal metric takes the
    grades between two as far apart as they are often, so it differs from draw to draw.
    Source: Krippendorff (2011).
    """
    given = tables.sum(axis=-1)
    below = np.cumsum(given, axis=-1) - given / 2  # an end of the way counts half
    squares = (below[..., :, None] - below[..., None, :]) ** 2
    apart = squares if metric == "ordinal" else 1 - np.eye(given.shape[-1])
    by_chance = given[..., :, None] * given[..., None, :]
    observed = (given.sum(axis=-1) - 1) * _sum(tables * apart)
    return 1 - _ratio(observed, _sum(by_chance * apart))


def coincidences(counts: Counts) -> Numbers:
    """
    How often each two grades meet on a pair, each pair weighing as much as it has grades.

    `counts` says how many gave each grade to each pair, shape (pairs, grades) in the order of
    the scale; the answer has shape (pairs, grades, grades). A pair with one grade gives zeros.
    """
    grades = counts.shape[-1]
    met = counts[:, :, None] * (counts[:, None, :] - np.eye(grades, dtype=np.int64))
    others = np.maximum(counts.sum(axis=-1) - 1, 1)
    found: Numbers = met / others[:, None, None]
    return found


def _sum(tables: Numbers | Counts) -> Numbers:
    found: Numbers = tables.sum(axis=(-2, -1))
    return found


def _ratio(part: Numbers | Counts, whole: Numbers | Counts) -> Numbers:
    """NaN where the whole is nothing."""
    nothing = np.full(np.shape(whole), np.nan)
    return np.divide(part, whole, out=nothing, where=whole != 0)
