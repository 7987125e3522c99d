"""Power of the exact McNemar test, counted out and simulated independently."""

import math

import numpy as np
import pytest

from evaluator import InputError
from evaluator.compare import exact_mcnemar
from evaluator.power import detectable_difference, power_to_detect, what_can_be_detected


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
    [(10, 0.5, 0.8), (30, 0.2, 0.3), (60, 0.0, 0.2), (60, 0.2, 0.2)],
)
def test_power_is_the_sum_over_all_tables(n: int, difference: float, flip_share: float) -> None:
    """The two nested binomials and the plain enumeration agree."""
    assert pytest.approx(_power_counted_out(n, difference, flip_share), abs=1e-12) == (
        power_to_detect(n, difference, flip_share=flip_share)
    )


def test_power_agrees_with_a_simulation() -> None:
    """200 queries with the flips of the chapter's table, thrown 4,000 times."""
    random = np.random.default_rng(3)
    tables = random.multinomial(200, [0.13, 0.10, 0.77], size=4000)
    significant = np.mean([exact_mcnemar(int(won), int(lost)) <= 0.05 for won, lost, _ in tables])

    assert pytest.approx(significant, abs=0.03) == power_to_detect(200, 0.03, flip_share=0.23)


@pytest.mark.parametrize("n", [200, 480, 2000])
def test_the_detectable_difference_has_just_enough_power(n: int) -> None:
    """At the answer the power is 80 %, a little below it is less."""
    smallest = detectable_difference(n, flip_share=0.2)

    assert smallest is not None
    assert pytest.approx(0.8, abs=1e-6) == power_to_detect(n, smallest, flip_share=0.2)
    assert power_to_detect(n, smallest - 0.001, flip_share=0.2) < 0.8


def test_more_queries_and_fewer_flips_show_smaller_differences() -> None:
    """200 queries are enough for 0.17 and nowhere near enough for 0.02."""
    of_200, of_2000, few_flips = (
        detectable_difference(200, flip_share=0.23),
        detectable_difference(2000, flip_share=0.23),
        detectable_difference(200, flip_share=0.1),
    )

    assert of_200 is not None
    assert of_2000 is not None
    assert few_flips is not None
    assert 0.02 < of_2000 < few_flips < of_200 < 0.17


def test_too_few_flips_detect_nothing() -> None:
    """Fewer than six flips are never significant, however one-sided."""
    assert detectable_difference(20, flip_share=0.1) is None
    assert "are too few" in what_can_be_detected(20, flip_share=0.1)
    assert exact_mcnemar(5, 0) > 0.05 >= exact_mcnemar(6, 0)


def test_the_sentence_names_all_that_it_rests_on() -> None:
    """Queries, expected flips, difference, test, level and power."""
    assert (
        "200 queries, if 23% of them flip between the arms, show a difference of 0.097 or more "
        "in 4 of 5 experiments (exact McNemar, 5 %, power 80 %)."
    ) == what_can_be_detected(200, flip_share=0.23)


@pytest.mark.parametrize(("n", "flip_share"), [(0, 0.1), (10, 0.0), (10, 1.5)])
def test_impossible_questions_are_refused(n: int, flip_share: float) -> None:
    """No queries, no flips, or more flips than queries."""
    with pytest.raises(InputError, match="Power needs"):
        detectable_difference(n, flip_share=flip_share)


def test_a_difference_larger_than_the_flips_is_refused() -> None:
    """A tenth of the queries flipping cannot move the rate by a fifth."""
    with pytest.raises(InputError, match="cannot come from"):
        power_to_detect(100, 0.2, flip_share=0.1)
