"""
Do interval and test hold what they say? By simulation, for hits, graded measures, groups, weights.

Each cell of the grid draws samples of one world: how many units, what share of them changes,
how uneven the changes are in direction, and how the units weigh. Counted is how often the
interval holds the world's own difference and, where there is none, how often the test rejects.

    python -m tests.bench coverage
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from evaluator.statistics.intervals import Floats, agreeing_with_test, mean_interval
from evaluator.statistics.intervals import why_no_interval as guarded
from evaluator.statistics.sign_flip import sign_flip_test
from tests.bench.goals import Goal, at_least, at_most

KINDS = ("hits", "graded", "groups", "weights")
UNITS = (30, 52, 100, 300, 1000)
CHANGED = (0.02, 0.1, 0.3)
NET = (0.0, 0.3, 0.75, 1.0)
_RECIPROCALS = np.array([1, 1 / 2, 1 / 3, 1 / 4, 1 / 5, 1 / 6, 1 / 8, 1 / 10, 0])
_ENUMERATED = 12  # changed graded units; draws for each sample would take hours


@dataclass(frozen=True, slots=True)
class Cell:
    """One world, and how often interval and test were right about it."""

    kind: str
    units: int
    changed: float
    net: float
    truth: float
    covered: float = 1.0
    rejected: float | None = None

    def __str__(self) -> str:
        return (
            f"{self.kind}, {self.units} units, {self.changed:.0%} changed, "
            f"net {self.net:g}: {self.covered:.3f}"
        )


def magnitudes(kind: str, random: np.random.Generator, size: int) -> Floats:
    """How far changed units move: whole hits, or the differences of two reciprocal ranks."""
    if kind != "graded":
        return np.ones(size)
    first = random.integers(0, 9, size)
    other = (first + 1 + random.integers(0, 8, size)) % 9
    return np.asarray(np.abs(_RECIPROCALS[first] - _RECIPROCALS[other]))


def sizes(kind: str, random: np.random.Generator, units: int) -> Floats:
    """What the units weigh: groups of one to six queries, or searches of a Zipf log."""
    if kind == "groups":
        return random.choice([1.0, 2.0, 3.0, 6.0], p=[0.5, 0.25, 0.15, 0.1], size=units)
    if kind == "weights":
        return np.asarray(1 / (10 + np.arange(units)) ** 0.8)
    return np.ones(units)


def cells(samples: int) -> Iterator[Cell]:
    """Every cell of the grid for which an interval would be printed."""
    for kind in KINDS:
        mean_size = float(magnitudes(kind, np.random.default_rng(5), 100_000).mean())
        for units in UNITS:
            for changed in CHANGED:
                for net in NET:
                    random = np.random.default_rng([units, int(changed * 100), int(net * 100)])
                    world = Cell(kind, units, changed, net, truth=changed * net * mean_size)
                    yield _simulated(world, samples, random)


def _simulated(world: Cell, samples: int, random: np.random.Generator) -> Cell:
    kind, units = world.kind, world.units
    held, printed, rejected, tested = 0, 0, 0, 0
    for number in range(samples):
        weights = sizes(kind, random, units)
        if guarded(weights) is not None:
            continue
        sign = np.where(random.random(units) < (1 + world.net) / 2, 1.0, -1.0)
        moved = (random.random(units) < world.changed) * sign * magnitudes(kind, random, units)
        lower, upper = mean_interval(moved, weights)
        if kind == "hits" or (kind == "graded" and units * world.changed <= _ENUMERATED):
            p = sign_flip_test(moved, seed=number).p
            lower, upper = agreeing_with_test((lower, upper), difference=float(moved.mean()), p=p)
            rejected, tested = rejected + (p < 0.05), tested + 1
        printed += 1
        held += lower - 1e-9 <= world.truth <= upper + 1e-9
    error = rejected / tested if tested and world.net == 0 else None
    return replace(world, covered=held / printed if printed else 1.0, rejected=error)


def goals(quick: bool) -> Iterator[Goal]:
    """Lowest and mean coverage of each kind, and the type I error of the test."""
    samples = 100 if quick else 2_000
    found = list(cells(samples))
    wanted = 0.82 if quick else 0.91  # a hundred samples scatter by three errors of 0.03
    for kind in KINDS:
        own = [cell for cell in found if cell.kind == kind]
        low = min(own, key=lambda cell: cell.covered)
        print(f"{kind}: lowest with {low}", flush=True)
        yield at_least(f"{kind}, lowest coverage", wanted, low.covered)
        mean = sum(cell.covered for cell in own) / len(own)
        yield at_least(f"{kind}, mean coverage", 0.94, mean)
    errors = [cell.rejected for cell in found if cell.rejected is not None]
    yield at_most("mean type I error of the test", 0.05, sum(errors) / len(errors))
