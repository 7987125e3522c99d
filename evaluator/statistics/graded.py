"""
Two arms, the same queries, a graded measure: how far apart, and by how much by chance.

It owns the paired difference of values between 0 and 1 such as R@k, RR@k and nDCG@k.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluator import InputError
from evaluator.statistics.cells import require_same_queries
from evaluator.statistics.intervals import Inference, inference

_NO_SPREAD = 1e-12


@dataclass(frozen=True, slots=True)
class GradedContrast:
    """
    Treatment minus baseline for one graded measure.

    The test in `chance` decides; `t_test_p` is beside it. `effect_size` is the mean difference
    over its standard deviation between queries. Where the differences have no spread, `note`
    says so and there is neither.
    """

    n: int
    baseline: float
    treatment: float
    difference: float
    chance: Inference
    t_test_p: float | None
    effect_size: float | None
    up: int
    down: int
    note: str | None = None


def compare_graded(
    baseline: Mapping[str, float], treatment: Mapping[str, float], *, seed: int
) -> GradedContrast:
    """
    The paired difference of two arms, with a sign-flip test and an interval that agrees with it.

    Raises InputError when the arms were not measured on the same queries or a value is not
    a finite number.
    """
    require_same_queries(baseline, treatment)
    query_ids = sorted(baseline)
    before = np.array([baseline[query_id] for query_id in query_ids], dtype=np.float64)
    after = np.array([treatment[query_id] for query_id in query_ids], dtype=np.float64)
    differences = after - before
    if not np.isfinite(differences).all():
        raise InputError("A measure has a value that is not a finite number.")
    t_test_p, effect_size, note = _spread_statistics(differences)
    return GradedContrast(
        n=len(query_ids),
        baseline=float(before.mean()),
        treatment=float(after.mean()),
        difference=float(differences.mean()),
        chance=inference(differences, np.ones(len(differences)), seed=seed),
        t_test_p=t_test_p,
        effect_size=effect_size,
        up=int((differences > 0).sum()),
        down=int((differences < 0).sum()),
        note=note,
    )


def _spread_statistics(
    differences: NDArray[np.float64],
) -> tuple[float | None, float | None, str | None]:
    """Paired t and effect size, or why there is none."""
    if not differences.any():
        return None, None, "no difference: no query has another value in the treatment"
    spread = float(differences.std(ddof=1)) if len(differences) > 1 else 0.0
    if spread <= _NO_SPREAD * float(np.abs(differences).max()):
        return None, None, "all queries moved by the same amount: no t-test"
    from scipy.special import stdtr  # half a second less to import than scipy.stats

    n, mean = len(differences), float(differences.mean())
    t = mean / math.sqrt(float(np.mean((differences - mean) ** 2)) * (n / (n - 1)) / n)
    return 2 * float(stdtr(n - 1, -abs(t))), mean / spread, None
