"""
What people do instead of drawing by searches, and how far off that is.

One made-up log, answered better at its head than in its tail, whose truth is known.
"""

from collections.abc import Iterator

import numpy as np

from evaluator.statistics.weighted import Floats, hajek_mean
from tests.bench.populations import (
    Ints,
    depth,
    proportional,
    samples_of,
    stratified,
    uniform,
    zipf,
)


def alternatives_table(*, samples: int) -> Iterator[str]:
    """What designs and averages do on a log whose head is answered better than its tail."""
    yield "| design | average | judged | off in level | off in difference | scatter of difference |"
    yield "|---|---|---|---|---|---|"
    counts, asked = zipf(20_000, 1.0), 480
    random = np.random.default_rng(5)
    after = (random.random(len(counts)) < 0.9 - 0.4 * depth(counts)).astype(float)
    gained = random.random(len(counts)) < 0.25 * depth(counts)
    before = np.where(gained, 0.0, after)
    truth = np.array([hajek_mean(values, counts.astype(float)) for values in (before, after)])
    for name, average, draws in _alternatives(counts, asked, samples):
        found = np.array(
            [
                [hajek_mean(values[at], weights) for values in (before, after)]
                for at, weights in draws
            ]
        )
        level = 100 * (found[:, 0].mean() - truth[0])
        differences = 100 * (found[:, 1] - found[:, 0] - truth[1] + truth[0])
        judged = np.mean([len(np.unique(at)) for at, _ in draws])
        yield (
            f"| {name} | {average} | {judged:.0f} | {level:+.1f} | {differences.mean():+.2f} "
            f"| {differences.std():.2f} |"
        )


def _alternatives(
    counts: Ints, asked: int, samples: int
) -> Iterator[tuple[str, str, list[tuple[Ints, Floats]]]]:
    """Designs with the averages that people take of them: positions and weights per sample."""
    random = np.random.default_rng(6)
    for make in (proportional, stratified, uniform):
        design = make(counts, asked)
        weights = counts / design.probabilities
        drawn = samples_of(design, samples, seed=13)
        yield make.__name__, "traffic (Hajek)", [(at, weights[at]) for at in drawn]
        if make is not stratified:
            yield make.__name__, "plain", [(at, np.ones(asked)) for at in drawn]
    top, searches = np.arange(asked), counts.astype(float)
    yield "top 480", "by searches", [(top, searches[top])]
    yield "top 480", "plain", [(top, np.ones(asked))]
    draws = [random.choice(len(counts), asked, p=counts / counts.sum()) for _ in range(samples)]
    yield "with replacement", "per draw", [(at, np.ones(asked)) for at in draws]
    kept = [np.unique(at) for at in draws]
    yield "the same, duplicates dropped", "plain", [(at, np.ones(len(at))) for at in kept]
    yield "the same, duplicates dropped", "by searches", [(at, searches[at]) for at in kept]
