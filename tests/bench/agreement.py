"""
How long the agreement of two assessors on 24,000 pairs takes, with its intervals.

48,000 judgements of 480 queries on a scale of four. The other side is Krippendorff's alpha
from a library, one draw of queries after the other, in a twentieth of the draws. Run from the
repository root:

    python -m tests.bench.agreement [--quick]

Exits with 1 when a goal is missed.
"""

import argparse
import random
import sys
from collections.abc import Iterator

import krippendorff
import numpy as np

from evaluator.labelset.format import Given
from labeler.judging.agreement import measure_agreement
from labeler.judging.coefficients import RESAMPLES
from tests.bench.goals import cpu_seconds, in_words, ratio_goal, report, require_one_thread

QUERIES, CHUNKS, SCALE = 480, 50, (0, 1, 2, 3)
FEWER = 20  # times fewer draws one after the other
MOST_SECONDS, LEAST_RATIO = 1.5, 10


def judged() -> Iterator[tuple[str, list[tuple[str, Given]]]]:
    """Two assessors who agree more on some queries than on others."""
    draw = random.Random(3)
    for query in range(QUERIES):
        agreeing = draw.uniform(0.5, 1)
        pairs: list[tuple[str, Given]] = []
        for chunk in range(CHUNKS):
            first = draw.choice(SCALE)
            second = first if draw.random() < agreeing else draw.choice(SCALE)
            pairs.append((f"c{chunk}", (("Ana", first), ("Bo", second))))
        yield f"q{query}", pairs


def one_draw_after_the_other(given: list[tuple[str, list[tuple[str, Given]]]]) -> None:
    """Alpha of the pairs of the queries that each draw holds, by the library."""
    grades = np.array([g for _, pairs in given for _, to_pair in pairs for _, g in to_pair])
    counts = np.eye(len(SCALE), dtype=np.int64)[grades].reshape(-1, 2, len(SCALE)).sum(axis=1)
    query = np.repeat(np.arange(QUERIES), CHUNKS)
    draws = np.random.default_rng(1).multinomial(
        QUERIES, np.full(QUERIES, 1 / QUERIES), size=RESAMPLES // FEWER
    )
    for times in draws:
        pairs = np.repeat(counts, times[query], axis=0)
        krippendorff.alpha(value_counts=pairs, level_of_measurement="ordinal")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[1])
    parser.add_argument("--quick", action="store_true", help="One round instead of five.")
    rounds = 1 if parser.parse_args().quick else 5
    given = list(judged())
    all_at_once, one_by_one = cpu_seconds(
        lambda: measure_agreement(given, scale=SCALE, seed=1),
        lambda: one_draw_after_the_other(given),
        rounds=rounds,
    )
    print(f"CPU seconds: {in_words([all_at_once, one_by_one * FEWER])}")
    return report(
        [
            ratio_goal("agreement, CPU seconds", all_at_once, at_most=MOST_SECONDS),
            ratio_goal(
                "alpha alone, one draw after the other, over all of it",
                one_by_one * FEWER / all_at_once,
                at_least=LEAST_RATIO,
            ),
        ]
    )


if __name__ == "__main__":
    require_one_thread("tests.bench.agreement")
    sys.exit(main())
