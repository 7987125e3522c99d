"""
Do the intervals of the traffic estimate hold, and what do other designs do? By simulation.

Zipf logs are drawn from over and over, by the designs of `labeler.sampling` and by designs
that people use instead, and the estimates are compared with the truth that only a simulation
knows. Run from the repository root; about six minutes on one core:

    python -m tests.bench.designs [--quick]

A cell that looks out of bounds is run again with four times as many fresh samples, and the
second run counts: among hundreds of cells some look bad by chance. Exits with 1 when a stated
goal is missed.
"""

import argparse
import itertools
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from evaluator.statistics.weighted import (
    Floats,
    Mask,
    Spread,
    effective_number,
    hajek_mean,
    hartley_rao_variance,
    over_the_draw,
)
from tests.bench.alternatives import alternatives_table
from tests.bench.goals import Goal, report
from tests.bench.in_general import (
    BOUNDS,
    InGeneral,
    even_table,
    general_table,
    in_general,
    shapes_table,
    withheld_table,
)
from tests.bench.populations import (
    Case,
    Design,
    Ints,
    changes,
    domain_chance,
    flip_rates,
    members,
    permanent,
    proportional,
    samples_of,
    stratified,
    uniform,
    zipf,
)

WORLDS = 50  # sets of values per cell; the samples are shared out among them
BIAS = 0.1
# Below so many changes among the queries drawn by chance the interval for the window may be
# cautious, never too narrow.
FEW = {"hits": 5, "graded": 10}


@dataclass(frozen=True, slots=True)
class Outcome:
    """
    What came out for one cell; bias is in standard errors, coverage in shares.

    `changed` counts the queries drawn by chance that changed.
    """

    bias: float
    window: float
    changed: float
    effective: float
    general: InGeneral

    def in_bounds(self, kind: str) -> bool:
        """Whether bias and both intervals came out as wanted."""
        return (
            abs(self.bias) < BIAS
            and _as_wanted(self.window, few=self.changed < FEW[kind])
            and _as_wanted(self.general.holds, few=self.general.few)
        )


def _as_wanted(coverage: float, *, few: bool) -> bool:
    low, high = BOUNDS
    return low <= coverage <= (1.0 if few else high)


def outcome(design: Design, counts: Ints, drawn: Ints, case: Case, *, seed: int) -> Outcome:
    """Bias and coverage over the samples in the rows of `drawn`."""
    values, inside, truth = _worlds(counts, drawn, case, np.random.default_rng(seed))
    weights = (counts / design.probabilities)[drawn]
    probabilities = design.probabilities[drawn]
    spread = over_the_draw(
        values,
        weights=weights,
        probabilities=probabilities,
        strata=design.strata[drawn],
        inside=inside,
        independent=design.independent,
    )
    error = hajek_mean(values, weights * inside) - truth
    return Outcome(
        bias=float(error.mean() / error.std()),
        window=float(_holds(spread, truth).mean()),
        changed=float(((values != 0) & inside & (probabilities < 1)).sum(axis=1).mean()),
        effective=float(effective_number(weights * inside).mean()),
        general=in_general(design, counts, drawn, case, seed=seed + 10),
    )


def _worlds(
    counts: Ints, drawn: Ints, case: Case, random: np.random.Generator
) -> tuple[Floats, Mask, Floats]:
    """
    Differences and domain of the drawn queries, and the truth, for each sample.

    The values belong to the log: samples of the same world meet the same ones.
    """
    rates, chance = flip_rates(counts, case.base, case.tilt), domain_chance(counts, case.domain)
    values, inside = np.empty(drawn.shape), np.empty(drawn.shape, bool)
    truth = np.empty(len(drawn))
    for rows in np.array_split(np.arange(len(drawn)), WORLDS):
        world, domain = changes(random, rates, rates.shape, case.kind), members(random, chance)
        values[rows], inside[rows] = world[drawn[rows]], domain[drawn[rows]]
        truth[rows] = hajek_mean(world, np.where(domain, counts, 0.0))
    return values, inside, truth


def grid(*, samples: int, quick: bool) -> Iterator[tuple[Case, Outcome]]:
    """Every cell of the stated grid with what came out, run again where it looked bad."""
    sizes = [5_000] if quick else [1_000, 5_000, 50_000]
    exponents = [0.8] if quick else [0.6, 0.8, 1.0]
    asks = [480] if quick else [200, 480]
    for size, exponent, asked, make in itertools.product(
        sizes, exponents, asks, (proportional, stratified, permanent)
    ):
        if make is not proportional and size != 5_000:
            continue
        counts = zipf(size, exponent)
        if make is permanent:
            counts = np.append(counts, 0)
        design = make(counts, asked)
        drawn = samples_of(design, samples, seed=11)
        again: Ints | None = None
        for base, tilt, kind, domain in itertools.product(
            (0.1, 0.25), ("alike", "head", "tail"), ("hits", "graded"), ("all", "fifth", "rare")
        ):
            case = Case(size, exponent, design.name, asked, base, tilt, kind, domain)
            found = outcome(design, counts, drawn, case, seed=7)
            if not found.in_bounds(kind):
                again = samples_of(design, 4 * samples, seed=12) if again is None else again
                found = outcome(design, counts, again, case, seed=8)
            yield case, found


def window_table(results: Sequence[tuple[Case, Outcome]]) -> Iterator[str]:
    """Lowest, mean and highest coverage for the log window, by how many queries changed."""
    yield "| measure | drawn by chance and changed | cells | lowest | mean | highest | > 97% |"
    yield "|---|---|---|---|---|---|---|"
    for kind in ("hits", "graded"):
        for low, high in ((0, 5), (5, 10), (10, 20), (20, 10_000)):
            shares = [
                found.window
                for case, found in results
                if case.kind == kind and low <= found.changed < high
            ]
            if shares:
                band = f"{low} to {high}" if high < 10_000 else f"{low} or more"
                figures = f"{min(shares):.1%} | {np.mean(shares):.1%} | {max(shares):.1%}"
                above = sum(share > BOUNDS[1] for share in shares)
                yield f"| {kind} | {band} | {len(shares)} | {figures} | {above} |"


def uniform_table(*, samples: int) -> Iterator[str]:
    """The same estimate from a uniform draw, whose weights are as unequal as the searches."""
    yield "| exponent | change most | bias | window | general | effective queries of 480 |"
    yield "|---|---|---|---|---|---|"
    for exponent in (0.6, 0.8, 1.0):
        counts = zipf(5_000, exponent)
        design = uniform(counts, 480)
        drawn = samples_of(design, samples, seed=16)
        for tilt in ("alike", "head", "tail"):
            case = Case(5_000, exponent, "uniform", 480, 0.25, tilt, "hits", "all")
            found = outcome(design, counts, drawn, case, seed=7)
            yield (
                f"| {exponent} | {tilt} | {found.bias:+.2f} | {found.window:.1%} "
                f"| {found.general.holds:.1%} | {found.effective:.0f} |"
            )


def variance_table(*, samples: int) -> Iterator[str]:
    """Mean estimate over true variance, for three approximations."""
    yield "| log | asked | domain | Hartley-Rao | Hajek 1964 | as if with replacement |"
    yield "|---|---|---|---|---|---|"
    for (size, asked), domain in itertools.product(((60, 20), (1_000, 200)), ("all", "fifth")):
        counts = zipf(size, 0.8)
        design = proportional(counts, asked)
        drawn, random = samples_of(design, samples, seed=14), np.random.default_rng(15)
        totals = np.zeros(4)
        for _ in range(WORLDS):
            values = changes(random, np.full(size, 0.25), (size,), "hits")
            inside = members(random, domain_chance(counts, domain))
            inside[0] = True  # a ratio needs a domain that is never empty
            totals += _variances(design, counts, drawn, values, inside)
        ratios = " | ".join(f"{share:.3f}" for share in totals[1:] / totals[0])
        yield f"| {size} | {asked} | {domain} | {ratios} |"


def _variances(design: Design, counts: Ints, drawn: Ints, values: Floats, inside: Mask) -> Floats:
    """The variance over the samples, then the mean of each estimate of it."""
    p, d = design.probabilities[drawn], values[drawn]
    weights = counts[drawn] / p * inside[drawn]
    found = hajek_mean(d, weights)
    residuals = weights / weights.sum(axis=1, keepdims=True) * (d - found[:, None])
    strata = np.zeros_like(drawn)
    left = np.where(p < 1, 1 - p, 0.0)
    m = (p < 1).sum(axis=1)
    middle = (left * residuals).sum(axis=1) / left.sum(axis=1)
    hajek = m / (m - 1) * (left * (residuals - middle[:, None]) ** 2).sum(axis=1)
    replaced = hartley_rao_variance(
        residuals, probabilities=np.where(p < 1, 1e-12, 1.0), strata=strata
    )
    ours = hartley_rao_variance(residuals, probabilities=p, strata=strata)
    truth = np.square(found - hajek_mean(values, np.where(inside, counts, 0.0))).mean()
    return np.array([truth, ours.mean(), hajek.mean(), replaced.mean()])


def _holds(spread: Spread, truth: Floats) -> Mask:
    return np.asarray((spread.lower <= truth + 1e-12) & (truth - 1e-12 <= spread.upper))


def _print(title: str, lines: Iterable[str]) -> None:
    print(f"\n## {title}\n")
    for line in lines:
        print(line, flush=True)


def _missed(results: Sequence[tuple[Case, Outcome]]) -> Iterator[str]:
    for case, found in results:
        if not found.in_bounds(case.kind):
            yield (
                f"MISSED {case}: bias {found.bias:+.3f} standard errors, window "
                f"{found.window:.1%} with {found.changed:.1f} changed, general "
                f"{found.general.holds:.1%} with {found.general.weighed:.1f}"
            )


def _goals(results: Sequence[tuple[Case, Outcome]]) -> Iterator[Goal]:
    """What was wanted of the grid, and what came out."""
    bias = max(abs(found.bias) for _, found in results)
    yield Goal("largest bias", f"under {BIAS} standard errors", f"{bias:.3f}", met=bias < BIAS)
    window = [(found.window, found.changed < FEW[case.kind]) for case, found in results]
    general = [(found.general.holds, found.general.few) for _, found in results]
    for name, cells in (("for this log window", window), ("in general", general)):
        for few in (False, True):
            shares = [coverage for coverage, is_few in cells if is_few is few]
            if shares:
                yield Goal(
                    f"95% interval {name}, {len(shares)} cells where "
                    f"{'few' if few else 'enough'} queries changed",
                    f"{BOUNDS[0]:.0%} or more" if few else f"{BOUNDS[0]:.0%} to {BOUNDS[1]:.0%}",
                    f"{min(shares):.1%} to {max(shares):.1%}",
                    met=all(_as_wanted(coverage, few=few) for coverage in shares),
                )


def main() -> int:
    """Print the tables; 1 when a goal is missed."""
    parser = argparse.ArgumentParser(description="Simulate the traffic estimate and its designs.")
    parser.add_argument("--quick", action="store_true", help="one log size, fewer samples")
    quick = parser.parse_args().quick
    started = time.process_time()
    samples = 1_000 if quick else 2_500
    results = list(grid(samples=samples, quick=quick))
    biases = [abs(found.bias) for _, found in results]
    _print(f"Coverage for the log window, {samples:,} samples a cell", window_table(results))
    general = [(case, found.general) for case, found in results]
    _print("Coverage in general, where few queries changed and not", general_table(general))
    _print("If it were withheld where fewer than 6 changed", withheld_table(general))
    _print("With equal weights, by enumeration", even_table())
    exponents, asks = ([0.8], [480]) if quick else ([0.6, 0.8, 1.0], [200, 480])
    shapes = shapes_table(samples=samples, exponents=exponents, asks=asks)
    _print("Other shapes of head and tail, 6 or more changed", shapes)
    print(f"\nLargest bias of {len(results)} cells: {max(biases):.3f} standard errors.")
    _print("Variance estimate over true variance", variance_table(samples=samples))
    _print("Uniform design, a quarter changed", uniform_table(samples=samples))
    _print("What other designs do, in points", alternatives_table(samples=samples))
    missed = list(_missed(results))
    if missed:
        _print("Out of bounds", missed)
    print(f"\n{time.process_time() - started:.0f} CPU seconds\n")
    return report(_goals(results))


if __name__ == "__main__":
    sys.exit(main())
