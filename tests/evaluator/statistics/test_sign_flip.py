"""The sign-flip test, checked against enumeration, McNemar and known values."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator.statistics.cells import exact_mcnemar
from evaluator.statistics.clusters import compare_clustered
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


HITS = [1.0] * 11
RECIPROCAL_RANKS = [0.5, 0.667, 0.8, 0.05, 0.25, 0.167, 0.333, 0.5, 0.083, 0.75, 0.1, 0.125]
NDCG = [0.369, 0.131, 0.07, 0.244, 0.5, 0.012, 0.093, 0.301, 0.156, 0.431, 0.022, 0.287]


@pytest.mark.parametrize(
    ("expected", "steps"),
    [
        (9.77e-4, HITS),
        (4.88e-4, RECIPROCAL_RANKS),
        (4.88e-4, NDCG),
        (0.250, [0.2, 0.4, 0.1]),
    ],
)
def test_changes_in_one_direction_have_two_patterns_of_all(
    expected: float, steps: list[float]
) -> None:
    """All up or all down, whatever the sizes; queries that did not change are not counted."""
    found = sign_flip_test(np.array([*steps, *[0.0] * 30]), seed=1)
    assert _enumerated(steps) == pytest.approx(found.p)
    assert (expected, "exact", len(steps)) == (
        pytest.approx(found.p, rel=1e-3),
        found.method,
        found.changed,
    )


@pytest.mark.parametrize(
    ("expected", "groups"),
    [
        # Whole sums 3, 2, 2, 1 and -1: as far as 7 are those with at most one of the ones turned.
        (6 / 32, [[1, 1, 1], [1, 1], [1, 1, 0], [1], [-1, 0]]),
        # Sums 0.75, 0.5, 0.3, 0.1 and -0.25: as far as 1.4 of 1.9 are 0, 0.1 and 0.25 turned.
        (6 / 32, [[0.5, 0.25], [0.25, 0.25], [0.3], [0.1], [-0.5, 0.25]]),
    ],
)
def test_paraphrases_are_turned_together(expected: float, groups: list[list[float]]) -> None:
    """A group of wordings is one coin, with the sum of its differences."""
    steps = {f"{n} {m}": step for n, group in enumerate(groups) for m, step in enumerate(group)}
    found = compare_clustered(
        dict.fromkeys(steps, 0.0),
        steps,
        cluster_by_query={query_id: query_id[0] for query_id in steps},
        seed=1,
    )
    assert _enumerated([sum(group) for group in groups]) == pytest.approx(expected)
    assert (pytest.approx(expected), "exact") == (found.test.p, found.test.method)


def test_equal_steps_have_the_p_of_mcnemar_at_any_size() -> None:
    """Also where they are tenths, and without any."""
    for step in (1.0, 0.1):
        found = sign_flip_test(np.array([step] * 40 + [-step] * 6), seed=1)
        assert (pytest.approx(exact_mcnemar(40, 6)), "exact") == (found.p, found.method)
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
