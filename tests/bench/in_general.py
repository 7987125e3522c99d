"""
Does the interval for such queries in general hold, and what would withholding it do?

By simulation where every sample meets values of its own, and by enumeration where all queries
weigh the same. `designs` runs the grid and prints the tables.
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import multinomial

from evaluator.statistics.per_search import FEW_BY_WEIGHT
from evaluator.statistics.weighted import (
    Floats,
    changed_by_weight,
    effective_number,
    hajek_mean,
    over_the_queries,
    score_interval,
)
from tests.bench.populations import (
    GRADES,
    NET,
    Case,
    Design,
    Ints,
    changes,
    domain_chance,
    flip_rates,
    members,
    proportional,
    samples_of,
    zipf,
)

BOUNDS = (0.93, 0.97)
ABOUT = "cells | < 93% | 93 to 97% | > 97% | lowest | highest"
EVEN = ("score", "textbook", "Agresti-Min")
BANDS = ((0, 2), (2, 4), (4, 6), (6, 8), (8, 10), (10, 20), (20, 10_000))


@dataclass(frozen=True, slots=True)
class InGeneral:
    """
    Coverage in one cell, and what it would be if intervals with few changes were withheld.

    `weighed` is how many queries change, times their weight: the effective number times the
    rate. `kept` is the share of samples in which at least six did, `kept_holds` the coverage
    among them, None where there are none.
    """

    holds: float
    weighed: float
    kept: float
    kept_holds: float | None

    @property
    def few(self) -> bool:
        """Whether so few queries change that the interval may be cautious, never too narrow."""
        return self.weighed < FEW_BY_WEIGHT


def in_general(design: Design, counts: Ints, drawn: Ints, case: Case, *, seed: int) -> InGeneral:
    """What comes out when every sample meets values of its own."""
    random = np.random.default_rng(seed)
    rates, chance = flip_rates(counts, case.base, case.tilt), domain_chance(counts, case.domain)
    values = changes(random, rates[drawn], drawn.shape, case.kind)
    weights = (counts / design.probabilities)[drawn]
    inside = members(random, chance[drawn])
    spread = over_the_queries(values, weights=weights, inside=inside)
    step = float(np.mean(GRADES)) if case.kind == "graded" else 1.0
    truth = hajek_mean(rates, counts * chance) * NET * step
    holds = (spread.lower <= truth + 1e-12) & (truth - 1e-12 <= spread.upper)
    kept = changed_by_weight(values, weights * inside) >= FEW_BY_WEIGHT
    return InGeneral(
        holds=float(holds.mean()),
        weighed=float(effective_number(weights * inside).mean()) * case.base,
        kept=float(kept.mean()),
        kept_holds=float(holds[kept].mean()) if kept.any() else None,
    )


def general_table(results: Sequence[tuple[Case, InGeneral]]) -> Iterator[str]:
    """How the cells lie about 93 to 97%, where few queries changed and where not."""
    yield f"| changed, by weight | change most | {ABOUT} |"
    yield "|---|---|---|---|---|---|---|---|"
    for few, tilt in itertools.product((True, False), ("alike", "head", "tail")):
        shares = [f.holds for case, f in results if f.few is few and case.tilt == tilt]
        if shares:
            band = f"fewer than {FEW_BY_WEIGHT}" if few else f"{FEW_BY_WEIGHT} or more"
            yield f"| {band} | {tilt} | {_about_bounds(shares)} |"


def withheld_table(results: Sequence[tuple[Case, InGeneral]]) -> Iterator[str]:
    """
    Coverage of all samples, and of those alone in which six queries or more changed by weight.

    A sample in which more queries changed than usual is off in the same direction, so that
    printing an interval only there would print those that fail.
    """
    yield "| expected to change, by weight | cells | all | kept | coverage of the kept | lowest |"
    yield "|---|---|---|---|---|---|"
    for low, high in BANDS:
        found = [f for _, f in results if low <= f.weighed < high and f.kept_holds is not None]
        if found:
            kept = sum(f.kept for f in found)
            among = sum(f.kept * (f.kept_holds or 0) for f in found) / kept
            # Under 50 samples a share says little.
            lowest = min((f.kept_holds or 0 for f in found if f.kept > 0.02), default=None)
            yield (
                f"| {_band(low, high)} | {len(found)} | {np.mean([f.holds for f in found]):.1%} "
                f"| {kept / len(found):.0%} | {among:.1%} "
                f"| {'' if lowest is None else f'{lowest:.1%}'} |"
            )


def even_table() -> Iterator[str]:
    """
    Coverage by enumeration where all queries weigh the same, so that nothing is approximate.

    Where few queries change, whole queries keep all three away from 95%: the textbook's holds in
    too few samples, and the others are cautious.
    """
    kinds = [f"{name} of {number}" for number in (40, 160) for name in EVEN]
    yield f"| expected to change | {' | '.join(kinds)} |"
    yield "|---|---|---|---|---|---|---|"
    for changed in (1, 2, 3, 4, 5, 6, 8, 10):
        shares = [share for n in (40, 160) for share in even_coverage(n, changed / n)]
        yield f"| {changed} | {' | '.join(f'{share:.1%}' for share in shares)} |"


def even_coverage(number: int, rate: float) -> tuple[float, ...]:
    """
    The exact coverage of the intervals in EVEN among so many queries with this chance to change.

    Source of the third: Agresti and Min, Statistics in Medicine 24:729-740 (2005), half a
    query more in each of the four cells.
    """
    up, down = np.indices((number + 1, number + 1)).reshape(2, -1)
    possible = up + down <= number
    up, down = up[possible], down[possible]
    chances = ((1 + NET) / 2 * rate, (1 - NET) / 2 * rate, 1 - rate)
    outcomes = np.stack([up, down, number - up - down], axis=-1)
    chance = np.asarray(multinomial.pmf(outcomes, number, chances))
    rises, falls = up.astype(np.float64), down.astype(np.float64)
    intervals = (
        score_interval(np.full(len(up), float(number)), rises / number, falls / number),
        _textbook(rises, falls, number),
        _textbook(rises + 0.5, falls + 0.5, number + 2),
    )
    truth = NET * rate
    return tuple(float(chance[(low <= truth) & (truth <= high)].sum()) for low, high in intervals)


def _textbook(up: Floats, down: Floats, number: int) -> tuple[Floats, Floats]:
    """The difference, and 1.96 standard errors to each side."""
    difference = (up - down) / number
    error = np.sqrt(((up + down) / number - difference**2) / number)
    return difference - 1.959964 * error, difference + 1.959964 * error


def shapes_table(*, samples: int, exponents: Sequence[float], asks: Sequence[int]) -> Iterator[str]:
    """Other ways in which head and tail may differ; a step is what a sample cannot tell."""
    yield f"| change most | {ABOUT} |"
    yield "|---|---|---|---|---|---|---|"
    shares: dict[str, list[float]] = {
        f"{end} by {shape}": [] for shape in ("rank", "a step") for end in ("head", "tail")
    }
    for exponent, asked in itertools.product(exponents, asks):
        counts = zipf(5_000, exponent)
        design = proportional(counts, asked)
        drawn = samples_of(design, samples, seed=18)
        for tilt, base, kind, domain in itertools.product(
            shares, (0.1, 0.25), ("hits", "graded"), ("all", "fifth", "rare")
        ):
            case = Case(5_000, exponent, design.name, asked, base, tilt, kind, domain)
            found = in_general(design, counts, drawn, case, seed=19)
            shares[tilt] += [] if found.few else [found.holds]
    for tilt, held in shares.items():
        yield f"| {tilt} | {_about_bounds(held)} |"


def _about_bounds(shares: Sequence[float]) -> str:
    low, high = BOUNDS
    under, over = sum(share < low for share in shares), sum(share > high for share in shares)
    counts = f"{len(shares)} | {under} | {len(shares) - under - over} | {over}"
    return f"{counts} | {min(shares):.1%} | {max(shares):.1%}"


def _band(low: int, high: int) -> str:
    return f"{low} to {high}" if high < BANDS[-1][1] else f"{low} or more"
