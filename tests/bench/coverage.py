"""
Do interval and test hold what they say? By simulation, for hits, graded measures, groups, weights.

Each cell of the grid draws samples of one world: how many units, what share of them changes,
how uneven the changes are in direction, and how the units weigh. Counted is how often the
interval that would be printed holds the world's own difference and, where there is none, how
often the test rejects. At length it writes the table of `evaluator/statistics/coverage.md`.

    python -m tests.bench coverage
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from statistics import mean

import numpy as np

from evaluator.statistics.intervals import Floats, agreeing_with_test, mean_interval, score_p
from evaluator.statistics.intervals import why_no_interval as guarded
from evaluator.statistics.sign_flip import sign_flip_test
from tests.bench.goals import Goal, at_least, at_most

FEW = (5, 10, 20)  # of hits alone, whose interval needs no number of units
UNITS = (30, 52, 100, 300, 1000)
CHANGED = (0.02, 0.1, 0.3)
NET = (0.0, 0.3, 0.75, 1.0)
SAMPLES = 2_000
PAGE = Path("evaluator/statistics/coverage.md")
_HIT = (1.0,)
# Twenty quantiles of the changes that titles in front of the texts of Cranfield make at k = 10.
_RR = (
    *(0.028, 0.048, 0.081, 0.083, 0.107, 0.125, 0.146, 0.167, 0.167, 0.246),
    *(0.25, 0.333, 0.5, 0.5, 0.5, 0.5, 0.5, 0.667, 0.667, 0.771),
)
_NDCG = (
    *(0.008, 0.014, 0.022, 0.042, 0.047, 0.057, 0.069, 0.076, 0.085, 0.093),
    *(0.1, 0.115, 0.123, 0.137, 0.156, 0.171, 0.184, 0.204, 0.266, 0.498),
)
_TILT = 0.9
_MIXED = (1.0, 0.05, 0.06, 0.08, 0.1, 0.12, 0.15)
# A report enumerates up to 20 changes and draws 100,000 times beyond; that would take weeks.
_ENUMERATED, _DRAWS = 12, 999


@dataclass(frozen=True, slots=True)
class Kind:
    """How large changes are, and what the units are and weigh; a part is a domain of a sample."""

    name: str
    changes: tuple[float, ...] = _HIT
    zipf: float | None = None
    together: float | None = None  # share of the queries of a group that move as one
    part: float = 1.0
    head: bool = False  # frequent queries change more often
    against: bool = False  # frequent queries and large groups lose what the others gain


KINDS = (
    Kind("hits"),
    Kind("reciprocal ranks", _RR),
    Kind("nDCG", _NDCG),
    Kind("many small changes and few whole ones", _MIXED),
    Kind("groups, hits that move together", together=0.9),
    Kind("groups, nDCG of each wording by itself", _NDCG, together=0.0),
    Kind("weights by Zipf 0.8, hits", zipf=0.8),
    Kind("weights by Zipf 1.0, hits", zipf=1.0),
    Kind("weights by Zipf 1.0, reciprocal ranks", _RR, zipf=1.0),
    Kind("weights by Zipf 1.0, frequent queries changing more", zipf=1.0, head=True),
    Kind("weights by Zipf 1.0, a fifth of the sample", zipf=1.0, part=0.2),
    Kind("weights by Zipf 0.8 and groups, nDCG", _NDCG, zipf=0.8, together=0.9),
    Kind("groups, large ones losing what small ones gain", together=0.9, against=True),
    Kind("weights by Zipf 1.0, frequent queries losing what others gain", zipf=1.0, against=True),
)


@dataclass(frozen=True, slots=True)
class Cell:
    """
    One world, and how often interval and test were right about it.

    `held_other` is of the interval as it is not printed: left as it is by the sign-flip test, or
    with weights made to agree with it.
    """

    kind: Kind
    units: int
    changed: float
    net: float
    printed: int
    held: int
    held_other: int
    rejected: int

    @property
    def coverage(self) -> float:
        """How often the interval holds the truth, among the samples for which it is printed."""
        return self.held / self.printed

    @property
    def type_one(self) -> float:
        """How often the test rejects."""
        return self.rejected / self.printed

    @property
    def where(self) -> str:
        """The world in words."""
        return f"{self.units:,} units, {self.changed:.0%} changed, net {self.net:g}"


@cache
def frequencies(size: int, zipf: float) -> tuple[Floats, Floats]:
    """Searches of each query of a log, and its chance of being drawn in proportion to them."""
    distinct = max(1000, 4 * size)
    counts = np.maximum(1, np.rint((distinct / np.arange(1, distinct + 1)) ** zipf))
    chance = size * counts / counts.sum()
    while (chance > 1).any():
        sure = chance >= 1
        chance = np.where(sure, 1.0, (size - sure.sum()) * counts / counts[~sure].sum())
    return counts, chance


def drawn(kind: Kind, units: int, random: np.random.Generator) -> tuple[Floats, Floats, Floats]:
    """Weight, relative rate of change and tilt of each query of a sample, or of a part of it."""
    if kind.zipf is None:
        return np.ones(units), np.ones(units), np.zeros(units)
    counts, chance = frequencies(round(units / kind.part), kind.zipf)
    order = random.permutation(len(counts))
    steps = np.floor(np.cumsum(chance[order]) + random.random())
    chosen = order[np.diff(steps, prepend=0) > 0]
    chosen = chosen[random.random(len(chosen)) < kind.part]
    depth = (np.cumsum(counts) - counts / 2) / counts.sum()
    rate, tilt = np.ones(len(counts)), np.zeros(len(counts))
    if kind.head:
        rate = 1.5 - depth
        rate /= (rate * counts).sum() / counts.sum()
    if kind.against:
        tilt = np.where(depth < 0.5, -1.0, 1.0)
        tilt -= (tilt * counts).sum() / counts.sum()
    return (counts / chance)[chosen], rate[chosen], tilt[chosen]


def differences(
    kind: Kind, rate: Floats, net: float | Floats, random: np.random.Generator
) -> Floats:
    """What changes, by how much and in which direction."""
    sign = np.where(random.random(rate.shape) < (1 + net) / 2, 1.0, -1.0)
    size = random.choice(kind.changes, rate.shape) if len(kind.changes) > 1 else kind.changes[0]
    return np.asarray((random.random(rate.shape) < rate) * sign * size)


def sample(
    kind: Kind, units: int, changed: float, net: float, random: np.random.Generator
) -> tuple[Floats, Floats]:
    """Weighted sum of differences and sum of weights of each unit."""
    if kind.together is None:
        weights, rate, tilt = drawn(kind, units, random)
        tilted = net + (1 - net) * _TILT * tilt
        return weights * differences(kind, changed * rate, tilted, random), weights
    members = random.choice([1, 2, 3, 6], p=[0.5, 0.25, 0.15, 0.1], size=units)
    group = np.repeat(np.arange(units), members)
    weights, _, _ = drawn(kind, len(group), random)
    group = group[: len(weights)] if kind.zipf else group
    # Of 2.05 queries in a group on average, 1.05 are in those of three or six.
    tilted = net + (1 - net) * _TILT * kind.against * np.where(members > 2, -1 / 1.05, 1.0)
    own = differences(kind, np.full(len(group), changed), tilted[group], random)
    shared = differences(kind, np.full(units, changed), tilted, random)[group]
    moved = np.where(random.random(len(group)) < kind.together, shared, own)
    sums, sizes = np.bincount(group, weights * moved, units), np.bincount(group, weights, units)
    return sums[sizes > 0], sizes[sizes > 0]


def cell(kind: Kind, units: int, changed: float, net: float, *, samples: int) -> Cell:
    """One cell of the grid."""
    seed = [KINDS.index(kind), units, round(changed * 100), round(net * 100)]
    random = np.random.default_rng(seed)
    truth = changed * net * float(np.mean(kind.changes))
    printed = held = held_other = rejected = 0
    for number in range(samples):
        sums, sizes = sample(kind, units, changed, net, random)
        if guarded(sizes) is not None and kind.name != "hits":
            continue
        p = sign_flip_test(sums, seed=number, enumerated=_ENUMERATED, draws=_DRAWS).p
        plain = mean_interval(sums / sizes, sizes)
        agreeing = agreeing_with_test(plain, difference=float(sums.sum()), p=p)
        chosen, other = agreeing, plain
        if kind.zipf:
            p, chosen, other = score_p(sums / sizes, sizes), plain, agreeing
        printed += 1
        held += chosen[0] <= truth <= chosen[1]
        held_other += other[0] <= truth <= other[1]
        rejected += p < 0.05
    return Cell(kind, units, changed, net, printed, held, held_other, rejected)


def row(cells: Sequence[Cell]) -> str:
    """One kind as a row of the table."""
    low = min(cells, key=lambda found: found.coverage)
    errors = [found.type_one for found in cells if not found.net]
    figures = (
        *(f"{low.coverage:.3f}", low.where, f"{mean(found.coverage for found in cells):.3f}"),
        f"{min(found.held_other / found.printed for found in cells):.3f}",
        *(f"{max(errors):.3f}", f"{mean(errors):.3f}"),
    )
    return f"| {' | '.join([low.kind.name, *(figure.lstrip('0') for figure in figures)])} |"


def write_table(rows: Sequence[str]) -> None:
    """Put the rows in the place of those on the page."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    kept = [line for line in lines if not line.startswith("| ") or line.startswith("| differences")]
    at = next(at for at, line in enumerate(kept) if line.startswith("|---"))
    PAGE.write_text("\n".join([*kept[: at + 1], *rows, *kept[at + 1 :], ""]), encoding="utf-8")


def goals(quick: bool) -> Iterator[Goal]:
    """Lowest and mean coverage of each kind, and the type I error of its test."""
    samples = 100 if quick else SAMPLES
    units = UNITS[::3] if quick else UNITS
    # Three errors of a share that comes from so many samples.
    low, high = (0.82, 0.12) if quick else (0.91, 0.07)
    rows = []
    for kind in KINDS:
        grid = product((*FEW * (kind.name == "hits"), *units), CHANGED, NET)
        cells = [cell(kind, *world, samples=samples) for world in grid]
        cells = [found for found in cells if found.printed >= samples / 4]
        rows.append(row(cells))
        print(rows[-1], flush=True)
        lowest = min(found.coverage for found in cells)
        yield at_least(f"{kind.name}: lowest coverage", low, lowest)
        yield at_least(f"{kind.name}: mean coverage", 0.94, mean(f.coverage for f in cells))
        errors = [found.type_one for found in cells if not found.net]
        yield at_most(f"{kind.name}: highest type I error", high, max(errors))
        yield at_most(f"{kind.name}: mean type I error", 0.05, mean(errors))
    if not quick:
        write_table(rows)
