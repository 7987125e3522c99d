"""The one score interval: Tango's for hits, and what it does elsewhere."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator.statistics.intervals import (
    BESIDE_0,
    agreeing_with_test,
    effective_number,
    mean_interval,
    tango_interval,
    why_no_interval,
)


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 30), st.integers(0, 30), st.integers(1, 200))
def test_it_is_tangos_for_hits_that_count_once(won: int, lost: int, same: int) -> None:
    """Whatever the scale of the weights."""
    steps = np.array([1.0] * won + [-1.0] * lost + [0.0] * same)
    tango = pytest.approx(tango_interval(len(steps), won, lost), abs=1e-9)
    assert mean_interval(steps) == tango
    assert mean_interval(steps, np.full(len(steps), 7.0)) == tango


@settings(deadline=None, max_examples=50)
@given(
    st.lists(st.tuples(st.floats(-1, 1), st.floats(0.1, 100)), min_size=2, max_size=40),
)
def test_it_holds_the_mean_has_width_and_no_direction(units: list[tuple[float, float]]) -> None:
    """For any differences and weights."""
    differences, weights = np.array(units).T
    mean = float((weights * differences).sum() / weights.sum())
    lower, upper = mean_interval(differences, weights)
    assert -1 <= lower <= mean + 1e-9
    assert mean - 1e-9 <= upper <= 1
    assert upper - lower > 0.001
    assert (-upper, -lower) == pytest.approx(mean_interval(-differences, weights), abs=1e-9)


def test_it_is_missing_by_the_design_alone() -> None:
    """Fewer than 20 units, or weights worth fewer than 15; units without weight are none."""
    assert why_no_interval(np.ones(20)) is None
    assert "19 independent" in str(why_no_interval(np.append(np.ones(19), 0.0)))
    heavy = np.append(np.ones(30), 20.0)
    assert pytest.approx(2500 / 430) == effective_number(heavy)
    assert "worth 5.8 equal ones" in str(why_no_interval(heavy))


def test_the_test_decides_about_nothing() -> None:
    """Carried on to 0 where the test does not reject, ended beside it where it does."""
    assert BESIDE_0 > 0
    assert (0.0, 0.3) == agreeing_with_test((0.01, 0.3), difference=0.1, p=0.06)
    assert (-0.3, 0.0) == agreeing_with_test((-0.3, -0.01), difference=-0.1, p=0.06)
    assert (BESIDE_0, 0.3) == agreeing_with_test((-0.01, 0.3), difference=0.1, p=0.04)
    assert (-0.3, -BESIDE_0) == agreeing_with_test((-0.3, 0.01), difference=-0.1, p=0.04)
    assert (0.1, 0.3) == agreeing_with_test((0.1, 0.3), difference=0.2, p=0.04)
