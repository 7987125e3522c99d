"""The sign-flip test, checked against enumeration, McNemar and known values."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator.statistics.cells import exact_mcnemar
from evaluator.statistics.sign_flip import sign_flip_test


def _enumerated(steps: list[float]) -> float:
    """The p-value from every sign pattern, one by one."""
    seen = abs(sum(steps)) - 1e-9
    totals = [
        abs(sum(sign * step for sign, step in zip(signs, steps, strict=True)))
        for signs in itertools.product((-1, 1), repeat=len(steps))
    ]
    return sum(total >= seen for total in totals) / len(totals)


@settings(deadline=None, max_examples=50)
@given(st.lists(st.one_of(st.integers(-4, 4), st.floats(-1, 1)), min_size=1, max_size=9))
def test_the_exact_p_is_that_of_all_sign_patterns(steps: list[float]) -> None:
    """For whole numbers and others; units that did not change are not counted."""
    found = sign_flip_test(np.array([round(step, 3) for step in steps]), seed=1)
    assert "exact" == found.method
    assert _enumerated([round(step, 3) for step in steps]) == pytest.approx(found.p)


def test_known_values() -> None:
    """Eleven up and none down, in hits and in equal tenths, and McNemar at any size."""
    for step in (1.0, 0.1):
        found = sign_flip_test(np.array([step] * 11 + [0.0] * 30), seed=1)
        assert (9.77e-4, 11) == (pytest.approx(found.p, rel=1e-3), found.changed)
    hits = sign_flip_test(np.array([1.0] * 40 + [-1.0] * 6), seed=1)
    assert exact_mcnemar(40, 6) == pytest.approx(hits.p)
    assert 1.0 == sign_flip_test(np.zeros(5), seed=1).p


def test_beyond_twenty_changes_it_draws_and_says_how() -> None:
    """Nearly equal steps have nearly McNemar's p; one seed gives one figure."""
    steps = np.array([0.5] * 18 + [-0.5] * 6 + [-0.5001])
    found = sign_flip_test(steps, seed=13)
    assert ("draws", 25, 13, 100_000) == (found.method, found.changed, found.seed, found.draws)
    assert found.monte_carlo_error is not None
    assert exact_mcnemar(18, 7) == pytest.approx(found.p, abs=4 * found.monte_carlo_error)
    assert found == sign_flip_test(steps, seed=13)
    assert found.p != sign_flip_test(steps, seed=14).p
