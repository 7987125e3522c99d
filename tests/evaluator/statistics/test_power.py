"""Power of the exact McNemar test, counted out and simulated independently."""

import math

import numpy as np
import pytest
from scipy.stats import ttest_1samp
from statsmodels.stats.power import TTestPower

from evaluator import InputError
from evaluator.statistics.cells import exact_mcnemar
from evaluator.statistics.clusters import independent_units
from evaluator.statistics.graded_power import graded_detectable, graded_power, graded_queries_needed
from evaluator.statistics.power import (
    detectable_difference,
    power_to_detect,
    queries_needed,
    what_can_be_detected,
)


def _power_counted_out(n: int, difference: float, flip_share: float) -> float:
    """Every table of wins, losses and ties with its multinomial chance, tested one by one."""
    win, lose = (flip_share + difference) / 2, (flip_share - difference) / 2
    return sum(
        math.comb(n, won)
        * math.comb(n - won, lost)
        * win**won
        * lose**lost
        * (1 - flip_share) ** (n - won - lost)
        for won in range(n + 1)
        for lost in range(n + 1 - won)
        if exact_mcnemar(won, lost) <= 0.05
    )


@pytest.mark.parametrize(
    ("n", "difference", "flip_share"),
    [(30, 0.2, 0.3), (60, 0.0, 0.2)],
)
def test_power_is_the_sum_over_all_tables(n: int, difference: float, flip_share: float) -> None:
    """The two nested binomials and the plain enumeration agree."""
    assert pytest.approx(_power_counted_out(n, difference, flip_share), abs=1e-12) == (
        power_to_detect(n, difference, flip_share=flip_share)
    )


@pytest.mark.parametrize("n", [200, 1500])
def test_the_detectable_difference_has_just_enough_power(n: int) -> None:
    """At the answer the power is 80%, a little below it is less, and it needs that many."""
    smallest = detectable_difference(n, flip_share=0.2)

    assert smallest is not None
    assert pytest.approx(0.8, abs=1e-6) == power_to_detect(n, smallest, flip_share=0.2)
    assert power_to_detect(n, smallest - 0.001, flip_share=0.2) < 0.8
    assert n == queries_needed(smallest + 1e-7, flip_share=0.2)


def test_the_sentence_names_all_that_it_rests_on() -> None:
    """Queries, expected flips, difference, test, level and power; or that there are too few."""
    assert (
        "200 queries, if 23% of them flip between the arms, show a difference of 0.097 or more "
        "in 4 of 5 experiments (exact McNemar, 5%, power 80%)."
    ) == what_can_be_detected(200, flip_share=0.23)
    assert "are too few" in what_can_be_detected(20, flip_share=0.1)
    assert detectable_difference(20, flip_share=0.1) is None


def test_power_is_that_of_the_units_that_are_tested() -> None:
    """Paraphrases of one need are one unit, and it is said."""
    said = what_can_be_detected(500, flip_share=0.23, units=200)
    assert said.startswith("200 independent queries of 500, if 23%")
    assert said.endswith("power 80%, each group of paraphrases once).")
    assert what_can_be_detected(200, flip_share=0.23)[12:70] in said
    assert 4 == independent_units(["a", None, "a", "b", None])


# How many queries a difference needs


@pytest.mark.parametrize(
    ("difference", "flip_share", "needed"),
    [(0.2, 0.4, 84), (0.17, 0.23, 64)],
)
def test_the_number_needed_is_the_first_with_enough_power(
    difference: float, flip_share: float, needed: int
) -> None:
    """Counted out table by table: enough at the answer, too little one below."""
    assert needed == queries_needed(difference, flip_share=flip_share)
    below, there = (_power_counted_out(n, difference, flip_share) for n in (needed - 1, needed))
    assert below < 0.8 <= there


def test_more_power_and_a_stricter_level_need_more_queries() -> None:
    """And so do a smaller difference and more flips."""
    usual = queries_needed(0.05, flip_share=0.2)
    assert usual < queries_needed(0.05, flip_share=0.2, power=0.9)
    assert usual < queries_needed(0.05, flip_share=0.2, level=0.01)
    assert usual < queries_needed(0.04, flip_share=0.2)
    assert usual < queries_needed(0.05, flip_share=0.25)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"difference": 0.0, "flip_share": 0.1}, "must be above 0"),
        ({"difference": 0.2, "flip_share": 0.1}, "cannot come from"),
        ({"difference": 0.05, "flip_share": 0.1, "power": 1.0}, "between 0 and 1"),
        ({"difference": 0.05, "flip_share": 0.0}, "Power needs"),
        ({"difference": 0.00001, "flip_share": 0.1}, "more than anybody judges"),
    ],
)
def test_impossible_plans_are_refused(options: dict[str, float], message: str) -> None:
    """No difference, more than the flips, certainty, no flips, millions; and no queries."""
    with pytest.raises(InputError, match=message):
        queries_needed(options.pop("difference"), **options)
    with pytest.raises(InputError, match="Power needs"):
        detectable_difference(0, flip_share=0.1)
    with pytest.raises(InputError, match="cannot come from"):
        power_to_detect(100, 0.2, flip_share=0.1)


# Graded measures


@pytest.mark.parametrize(
    ("n", "difference", "sd", "changed_share"),
    [(480, 0.03, 0.2, 0.3), (300, 0.0, 0.2, 0.3)],
)
def test_graded_power_agrees_with_the_noncentral_t(
    n: int, difference: float, sd: float, changed_share: float
) -> None:
    """With hundreds of queries their mean is normal, and statsmodels knows the answer."""
    expected = TTestPower().power(difference / sd, n, 0.05)
    assert pytest.approx(expected, abs=0.02) == graded_power(
        n, difference, sd=sd, changed_share=changed_share
    )


def test_graded_power_agrees_with_tests_run_one_by_one() -> None:
    """100 queries, of which most changes are rises: far from normal, so it is simulated."""
    random = np.random.default_rng(1)
    changed = random.random((1500, 100)) < 0.3
    sizes = np.where(changed, random.beta(0.330097, 1, size=changed.shape), 0.0)
    values = np.where(random.random(changed.shape) < 0.835784, sizes, -sizes)
    expected = np.mean(ttest_1samp(values, 0.0, axis=1).pvalue <= 0.05)
    found, again = (graded_power(100, 0.05, sd=0.2, changed_share=0.3) for _ in range(2))
    assert pytest.approx(expected, abs=0.035) == found == again


def test_changes_by_one_are_hits() -> None:
    """With the largest spread there is, the power is a little above the exact test for hits."""
    graded = graded_power(480, 0.05, sd=math.sqrt(0.15 - 0.05**2) - 1e-6, changed_share=0.15)
    assert 0 < graded - power_to_detect(480, 0.05, flip_share=0.15) < 0.05


def test_the_number_needed_for_a_graded_measure() -> None:
    """It lies near what statsmodels solves for."""
    needed = graded_queries_needed(0.03, sd=0.2, changed_share=0.3)
    expected = TTestPower().solve_power(0.03 / 0.2, power=0.8, alpha=0.05)
    assert pytest.approx(expected, rel=0.05) == needed


def test_the_detectable_difference_of_a_graded_measure() -> None:
    """480 queries with a spread of 0.2 show 0.026; two show nothing."""
    found = graded_detectable(480, sd=0.2, changed_share=0.3)
    expected = 0.2 * TTestPower().solve_power(nobs=480, power=0.8, alpha=0.05)
    assert pytest.approx(expected, abs=0.001) == found
    assert graded_detectable(2, sd=0.2, changed_share=0.3) is None


@pytest.mark.parametrize(
    ("sd", "changed_share", "message"),
    [
        (0.5, 0.1, "standard deviation is below 0.315"),
        (0.0, 0.1, "standard deviation above 0"),
        (0.2, 0.0, "share of changed queries above 0"),
        (0.02, 0.9, "all would have to rise"),
    ],
)
def test_figures_that_no_differences_have_are_refused(
    sd: float, changed_share: float, message: str
) -> None:
    """A spread larger than the changes allow, none at all, or a mean beyond them."""
    with pytest.raises(InputError, match=message):
        graded_power(100, 0.03, sd=sd, changed_share=changed_share)
    with pytest.raises(InputError, match="above 0"):
        graded_queries_needed(0.0, sd=0.2, changed_share=0.3)
