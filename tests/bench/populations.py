"""
Made-up logs for simulations: queries by Zipf, designs that draw from them, and what changes.

Everything is an array over the distinct queries of a log, the most frequent first. It draws
and judges nothing itself.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluator.statistics.weighted import Floats, Mask, hajek_mean
from labeler.sampling.draw import split_certainty
from labeler.workspace.records import LogQuery

Ints = NDArray[np.int64]
Draw = Callable[[np.random.Generator], Ints]

NET = 0.3  # wins minus losses, as a share of all changes
GRADES = (1.0, 0.5, 0.5, 2 / 3, 0.25, 0.1, 0.1)  # by how much a reciprocal rank may move


@dataclass(frozen=True, slots=True)
class Case:
    """One cell of the grid."""

    size: int
    exponent: float
    design: str
    asked: int
    base: float
    tilt: str
    kind: str
    domain: str


@dataclass(frozen=True, slots=True)
class Design:
    """How one sample is drawn from a log, and the probabilities that go with it."""

    name: str
    probabilities: Floats
    strata: Ints
    draw: Draw
    independent: bool = False


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

    return Design("proportional", probabilities, np.zeros(len(counts), np.int64), draw)


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

    return Design("stratified", probabilities, strata, draw)


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

    return Design("permanent", probabilities, np.zeros(len(counts), np.int64), draw, True)


def uniform(counts: Ints, size: int) -> Design:
    """Every distinct query with the same probability."""
    number = len(counts)

    def draw(random: np.random.Generator) -> Ints:
        return random.permutation(number)[:size]

    return Design("uniform", np.full(number, size / number), np.zeros(number, np.int64), draw)


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
    and a half times that at one end of the log to half of it at the other; by rank it does so
    in the logarithm of the rank, and by a step the queries with the first quarter of the
    searches change three times as often as all others, or a third as often.
    """
    slope = {"alike": 0.0, "head": 0.5, "tail": -0.5}[tilt.split(maxsplit=1)[0]]
    if tilt.endswith("by rank"):
        ranks = np.log(np.arange(1, len(counts) + 1))
        runs = 1 - 2 * ranks / ranks[-1]
    elif tilt.endswith("by a step"):
        runs = np.where(depth(counts) < 0.25, 1.0, -1.0)
    else:
        runs = 1 - 2 * depth(counts)
    rates = 1 + slope * runs
    return np.asarray(base * rates / hajek_mean(rates, counts.astype(float)))


def changes(
    random: np.random.Generator, rates: Floats, shape: tuple[int, ...], kind: str
) -> Floats:
    """A difference for each query: 0, or up or down by one (hits) or by a part (graded)."""
    up = np.where(random.random(shape) < (1 + NET) / 2, 1.0, -1.0)
    size = random.choice(GRADES, size=shape) if kind == "graded" else 1.0
    return np.asarray(np.where(random.random(shape) < rates, up * size, 0.0))


def domain_chance(counts: Ints, domain: str) -> Floats:
    """All queries, a fifth of them whatever their count, or a source the head hardly asks of."""
    if domain == "rare":
        return 0.4 * depth(counts)
    return np.full(len(counts), {"all": 1.0, "fifth": 0.2}[domain])


def members(random: np.random.Generator, chance: Floats) -> Mask:
    """Which queries belong to the domain, in one world."""
    return np.asarray(random.random(chance.shape) < chance)


def samples_of(design: Design, number: int, *, seed: int) -> Ints:
    """Samples of one design in rows."""
    random = np.random.default_rng(seed)
    return np.array([design.draw(random) for _ in range(number)])


def _split(counts: Ints, size: int) -> tuple[Ints, Ints]:
    queries = [LogQuery(str(at), str(at), int(count)) for at, count in enumerate(counts)]
    certain, rest = split_certainty(queries, size=size)
    return (
        np.array([int(query.query) for query in certain], np.int64),
        np.array([int(query.query) for query in rest], np.int64),
    )
