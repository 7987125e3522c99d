"""
Does the interval per search hold? By simulation, with the designs of `labeler.sampling`.

Zipf logs are drawn from over and over, and the estimates are compared with the truth that only
a simulation knows; the whole grid takes about four minutes on one core. A cell that looks out
of bounds is run again with four times as many fresh samples, and the second run counts: among
hundreds of cells some look bad by chance.
"""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluator.statistics.weighted import Floats, Mask, hajek_mean, over_the_draw
from labeler.logs.queries import LogQuery
from labeler.sampling.systematic import split_certainty
from tests.bench.goals import Goal, at_most

Ints = NDArray[np.int64]
Draw = Callable[[np.random.Generator], Ints]

BOUNDS = (0.93, 0.97)
NET = 0.3  # wins minus losses, as a share of all changes
GRADES = (1.0, 0.5, 0.5, 2 / 3, 0.25, 0.1, 0.1)  # by how much a reciprocal rank may move
WORLDS = 50  # sets of values per cell; the samples are shared out among them
BIAS, LITTLE = 0.1, 1e-12
# Below so many changes among the queries drawn by chance the interval for the window may be
# cautious, never too narrow.
FEW = {"hits": 5, "graded": 10}
BASES, DOMAINS = (0.1, 0.25), ("all", "fifth", "rare")
TILTS = {"alike": 0.0, "head": 0.5, "tail": -0.5}


@dataclass(frozen=True, slots=True)
class Case:
    """One cell of the grid: how often queries change, where, by how much, in which domain."""

    base: float
    tilt: str
    kind: str
    domain: str


@dataclass(frozen=True, slots=True)
class Design:
    """How one sample is drawn from a log, and the probabilities that go with it."""

    probabilities: Floats
    strata: Ints
    draw: Draw
    independent: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """
    What came out for one cell; bias is in standard errors, coverage in shares.

    `changed` counts the queries drawn by chance that changed.
    """

    bias: float
    window: float
    changed: float

    def in_bounds(self, kind: str) -> bool:
        """Whether bias and interval came out as wanted."""
        return abs(self.bias) <= BIAS and _as_wanted(self.window, few=self.few(kind))

    def few(self, kind: str) -> bool:
        """Whether so few queries changed that the interval may be cautious."""
        return self.changed < FEW[kind]


def goals(quick: bool) -> Iterator[Goal]:
    """The bias of the estimates, and the coverage where few and where enough queries changed."""
    results = list(grid(samples=1_000 if quick else 2_500, quick=quick))
    bias = max(abs(found.bias) for _, found in results)
    yield at_most(f"bias of {len(results)} cells, standard errors", BIAS, bias)
    for few in (False, True):
        shares = [found.window for case, found in results if found.few(case.kind) is few]
        if shares:
            yield Goal(
                f"95% interval, {len(shares)} cells where {'few' if few else 'enough'} changed",
                f"{BOUNDS[0]:.0%} or more" if few else f"{BOUNDS[0]:.0%} to {BOUNDS[1]:.0%}",
                f"{min(shares):.1%} to {max(shares):.1%}",
                met=all(_as_wanted(coverage, few=few) for coverage in shares),
            )


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
        for case in itertools.starmap(Case, itertools.product(BASES, TILTS, FEW, DOMAINS)):
            found = outcome(design, counts, drawn, case, seed=7)
            if not found.in_bounds(case.kind):
                again = samples_of(design, 4 * samples, seed=12) if again is None else again
                found = outcome(design, counts, again, case, seed=8)
                if not found.in_bounds(case.kind):
                    print(f"MISSED {make.__name__} {asked} of {size}, {exponent}, {case}: {found}")
            yield case, found


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
        window=float(((spread.lower - LITTLE <= truth) & (truth <= spread.upper + LITTLE)).mean()),
        changed=float(((values != 0) & inside & (probabilities < 1)).sum(axis=1).mean()),
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
        world, domain = changes(random, rates, case.kind), random.random(len(chance)) < chance
        values[rows], inside[rows] = world[drawn[rows]], domain[drawn[rows]]
        truth[rows] = hajek_mean(world, np.where(domain, counts, 0.0))
    return values, inside, truth


def zipf(size: int, exponent: float) -> Ints:
    """Searches by rank: the last query was searched once, the first size ** exponent times."""
    ranks = np.arange(1, size + 1)
    return np.maximum(1, np.rint((size / ranks) ** exponent)).astype(np.int64)


def proportional(counts: Ints, size: int) -> Design:
    """Certainty stratum, then systematic sampling in random order: what `labeler sample` does."""
    certain, rest = _split(counts, size)
    left = size - len(certain)
    searches = int(counts[rest].sum())
    probabilities = np.ones(len(counts))
    probabilities[rest] = left * counts[rest] / searches

    def draw(random: np.random.Generator) -> Ints:
        ordered = random.permutation(rest)
        start = int(random.integers(searches))
        return np.concatenate([certain, ordered[steps(counts[ordered], left, start)]])

    return Design(probabilities, np.zeros(len(counts), np.int64), draw)


def stratified(counts: Ints, size: int) -> Design:
    """The same within three sources of unlike size, the sample shared out by traffic."""
    strata = np.random.default_rng(3).choice(3, size=len(counts), p=(0.6, 0.3, 0.1))
    searches = np.bincount(strata, weights=counts)
    sizes = np.maximum(2, np.rint(size * searches / counts.sum()).astype(int))
    members = [np.flatnonzero(strata == stratum) for stratum in range(3)]
    parts = [proportional(counts[m], int(n)) for m, n in zip(members, sizes, strict=True)]
    probabilities = np.ones(len(counts))
    for m, part in zip(members, parts, strict=True):
        probabilities[m] = part.probabilities

    def draw(random: np.random.Generator) -> Ints:
        return np.concatenate([m[p.draw(random)] for m, p in zip(members, parts, strict=True)])

    return Design(probabilities, strata, draw)


def permanent(counts: Ints, size: int) -> Design:
    """
    Each query by itself, so that the number drawn is left to chance.

    The last query of the log must be one that nobody searched for: it has no weight, and
    samples are filled up with it to one length.
    """
    assert counts[-1] == 0
    certain, rest = _split(counts[:-1], size)
    left = size - len(certain)
    probabilities = np.ones(len(counts))
    probabilities[rest] = left * counts[rest] / counts[rest].sum()
    width = size + 6 * round(left**0.5)

    def draw(random: np.random.Generator) -> Ints:
        drawn = rest[random.random(len(rest)) < probabilities[rest]]
        blank = np.full(width - len(certain) - len(drawn), len(counts) - 1)
        return np.concatenate([certain, drawn, blank])

    return Design(probabilities, np.zeros(len(counts), np.int64), draw, True)


def steps(sizes: Ints, size: int, start: int) -> Ints:
    """`labeler.sampling.systematic` for arrays: the same whole numbers, the same positions."""
    points = start + sizes.sum() * np.arange(size)
    return np.asarray(np.searchsorted(size * np.cumsum(sizes), points, side="right"))


def depth(counts: Ints) -> Floats:
    """How far down the traffic a query lies: 0 at the head, 1 at the end of the tail."""
    return np.asarray((np.cumsum(counts) - counts / 2) / counts.sum())


def flip_rates(counts: Ints, base: float, tilt: str) -> Floats:
    """
    The chance that a query changes, by how often it is searched.

    Over the traffic it is `base` on average. Tilted to the head or the tail it runs from one
    and a half times that at one end of the log to half of it at the other.
    """
    rates = 1 + TILTS[tilt] * (1 - 2 * depth(counts))
    return np.asarray(base * rates / hajek_mean(rates, counts.astype(float)))


def changes(random: np.random.Generator, rates: Floats, kind: str) -> Floats:
    """A difference for each query: 0, or up or down by one (hits) or by a part (graded)."""
    up = np.where(random.random(len(rates)) < (1 + NET) / 2, 1.0, -1.0)
    size = random.choice(GRADES, size=len(rates)) if kind == "graded" else 1.0
    return np.asarray(np.where(random.random(len(rates)) < rates, up * size, 0.0))


def domain_chance(counts: Ints, domain: str) -> Floats:
    """All queries, a fifth of them whatever their count, or a source the head hardly asks of."""
    if domain == "rare":
        return 0.4 * depth(counts)
    return np.full(len(counts), {"all": 1.0, "fifth": 0.2}[domain])


def samples_of(design: Design, number: int, *, seed: int) -> Ints:
    """Samples of one design in rows."""
    random = np.random.default_rng(seed)
    return np.array([design.draw(random) for _ in range(number)])


def _split(counts: Ints, size: int) -> tuple[Ints, Ints]:
    queries = [LogQuery(str(at), str(at), int(count)) for at, count in enumerate(counts)]
    certain, rest = split_certainty(queries, size=size)
    numbers = [[int(query.query) for query in part] for part in (certain, rest)]
    return np.array(numbers[0], np.int64), np.array(numbers[1], np.int64)


def _as_wanted(coverage: float, *, few: bool) -> bool:
    return BOUNDS[0] <= coverage <= (1.0 if few else BOUNDS[1])
