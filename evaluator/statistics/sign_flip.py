"""
Sign-flip test of paired differences: exact where it can be, by counted draws elsewhere.

If two arms were equally good, the difference of each unit (a query, or the summed differences
of a group of paraphrases) would fall either way like a fair coin. It owns that p-value and
how it was found.
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

LEVEL = 0.05
SEED = 13
"""Of the drawn tests of every run; any fixed number would do."""
ENUMERATED = 20
DRAWS = 100_000
_BLOCK = 2_000
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class SignFlipTest:
    """
    Two-sided p-value with the number of units that changed.

    `monte_carlo_error` is the standard error of a p that was found by draws, None of an exact
    one; `seed` and `draws` say how it was drawn.
    """

    p: float
    method: Literal["exact", "draws"]
    changed: int
    seed: int | None = None
    draws: int | None = None
    monte_carlo_error: float | None = None

    @property
    def how(self) -> str:
        """How p was found, with the error of its draws where it could turn the verdict."""
        if self.monte_carlo_error is None:
            return self.method
        close = abs(self.p - LEVEL) < 3 * self.monte_carlo_error
        error = f", Monte Carlo error {self.monte_carlo_error:.4f}" if close else ""
        return f"{self.draws:,} draws, seed {self.seed}{error}"


def sign_flip_test(
    differences: NDArray[np.float64], *, seed: int, enumerated: int = ENUMERATED, draws: int = DRAWS
) -> SignFlipTest:
    """
    Share of all sign flips whose sum is at least as far from 0 as the sum seen.

    Equal steps, for which it is McNemar's test, and whole numbers, such as sums of hits, are
    exact at any size; other values up to 20 changed units by listing all flips. Beyond,
    p = (b + 1) / (B + 1) over B = 100,000 draws, which is never 0. Sums that differ only by
    rounding count as equal. Units that did not change say nothing.

    Source: Fisher, The Design of Experiments (1935), section 21; Phipson and Smyth,
    Statistical Applications in Genetics and Molecular Biology 9:39 (2010), for the + 1.
    """
    moved = differences[differences != 0]
    if np.allclose(np.abs(moved), np.abs(moved[:1]), rtol=_ROUNDING, atol=0):
        moved = np.sign(moved)
    seen = abs(float(moved.sum())) - _ROUNDING * float(np.abs(moved).sum())
    if (moved == np.round(moved)).all():
        return SignFlipTest(_of_whole_numbers(moved), "exact", len(moved))
    if len(moved) <= enumerated:
        sums = np.zeros(1)
        for step in moved:
            sums = np.concatenate([sums + step, sums - step])
        return SignFlipTest(float((np.abs(sums) >= seen).mean()), "exact", len(moved))
    random = np.random.default_rng(seed)
    as_far = 0
    for start in range(0, draws, _BLOCK):
        rows = min(_BLOCK, draws - start)
        signs = random.integers(0, 2, size=(rows, len(moved)), dtype=np.int8) * 2.0 - 1
        as_far += int((np.abs((signs * moved).sum(axis=1)) >= seen).sum())
    p = (as_far + 1) / (draws + 1)
    error = math.sqrt(p * (1 - p) / draws)
    return SignFlipTest(p, "draws", len(moved), seed, draws, error)


def _of_whole_numbers(steps: NDArray[np.float64]) -> float:
    """The chance of each total that the flips can have, built up one unit after the other."""
    chance = np.ones(1)
    for step in (int(abs(step)) for step in steps):
        grown = np.zeros(len(chance) + 2 * step)
        grown[: len(chance)] += chance / 2
        grown[2 * step :] += chance / 2
        chance = grown
    total = len(chance) // 2
    far = np.abs(np.arange(-total, total + 1)) >= abs(int(steps.sum()))
    return min(1.0, float(chance[far].sum()))
