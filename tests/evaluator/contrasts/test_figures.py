"""Paired contrasts, checked against other libraries, the literature and exact enumeration."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats
from statsmodels.stats.multitest import multipletests

from evaluator import InputError
from evaluator.contrasts.figures import (
    cell_figures,
    cells_by_group,
    cutoff_table,
    holm,
    measure_figures,
)
from evaluator.labelset.format import Query
from evaluator.statistics.cells import (
    PairedCells,
    exact_mcnemar,
    one_arm_standard_error,
    paired_standard_error,
    rule_of_thumb_band,
    unpaired_standard_error,
)
from evaluator.statistics.intervals import tango_interval
from tests.evaluator.statistics.test_cells import arms_of

# The chapter's own table: 118 hit in both, 40 won, 6 lost, of 200.
HEADERS = PairedCells(200, 118, 40, 6)


def _graded(size: int, *, shift: float = 0.0, seed: int = 5) -> tuple[dict[str, float], ...]:
    random = np.random.default_rng(seed)
    before, after = random.random(size), random.random(size) + shift
    return (
        {f"q{number}": float(value) for number, value in enumerate(before)},
        {f"q{number}": float(value) for number, value in enumerate(after)},
    )


# The interval


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (PairedCells(161, 59, 6, 16), (-0.1240, -0.0054)),
        (PairedCells(21, 1, 1, 7), (-0.517, -0.026)),
        (HEADERS, (0.1096, 0.2356)),
    ],
)
def test_tangos_interval_agrees_with_published_figures(
    cells: PairedCells, expected: tuple[float, float]
) -> None:
    """Two worked examples of the literature, and the chapter's table."""
    assert pytest.approx(expected, abs=5e-4) == tango_interval(cells.n, cells.won, cells.lost)


def _likelihood_score(cells: PairedCells, difference: float) -> float:
    """The score statistic at a supposed difference, by maximising the likelihood itself."""
    won, lost, rest = cells.won, cells.lost, cells.n - cells.won - cells.lost

    def minus_log_likelihood(share_lost: float) -> float:
        shares = (share_lost + difference, share_lost, 1 - 2 * share_lost - difference)
        return -sum(
            count * math.log(max(share, 1e-300))
            for count, share in zip((won, lost, rest), shares, strict=True)
        )

    low, high = max(0.0, -difference), (1 - difference) / 2
    share = optimize.minimize_scalar(
        minus_log_likelihood, bounds=(low, high), method="bounded", options={"xatol": 1e-12}
    ).x
    variance = cells.n * (2 * share + difference - difference**2)
    return float((won - lost - cells.n * difference) / math.sqrt(variance))


@pytest.mark.parametrize(
    "cells", [HEADERS, PairedCells(40, 9, 3, 1), PairedCells(480, 300, 31, 52)]
)
def test_tangos_limits_are_where_the_score_test_just_rejects(cells: PairedCells) -> None:
    """At both limits the statistic is the normal quantile, by another route to the maximum."""
    lower, upper = tango_interval(cells.n, cells.won, cells.lost)

    assert pytest.approx(1.959964, abs=1e-4) == _likelihood_score(cells, lower)
    assert pytest.approx(-1.959964, abs=1e-4) == _likelihood_score(cells, upper)


def test_no_flips_still_leave_an_interval() -> None:
    """The textbook interval would be a point; this one is z^2 / (n + z^2) wide on each side."""
    z2 = 1.959964**2

    assert pytest.approx((-z2 / (200 + z2), z2 / (200 + z2)), rel=1e-6) == tango_interval(200, 0, 0)
    assert 1.0 == tango_interval(5, 5, 0)[1]


def test_every_standard_error_has_its_own_name() -> None:
    """The paired error, one arm's error, the band of twice that, and the unpaired mistake."""
    assert pytest.approx(0.03170961999) == paired_standard_error(HEADERS)
    assert pytest.approx(0.04480513363) == unpaired_standard_error(HEADERS)
    assert pytest.approx(0.03240370349) == one_arm_standard_error(0.7, 200)
    assert pytest.approx(0.06480740698) == rule_of_thumb_band(0.7, 200)
    assert pytest.approx(0.03170961999) == cell_figures(HEADERS).standard_errors.paired


# Graded measures


@pytest.mark.parametrize("size", [40, 200, 480, 2000])
def test_graded_differences_agree_with_scipy(size: int) -> None:
    """Paired t to the last digits; the sign flip near it, and an interval about as wide."""
    baseline, treatment = _graded(size, shift=0.06)
    found = measure_figures("R@5", baseline, treatment, seed=13)
    differences = np.array([treatment[query] - baseline[query] for query in sorted(baseline)])

    assert pytest.approx(differences.mean()) == found.difference
    assert (
        pytest.approx(stats.ttest_rel(list(treatment.values()), list(baseline.values())).pvalue)
        == found.paired_t_p
    )
    assert pytest.approx(found.paired_t_p, abs=0.015) == found.p
    half = 1.96 * differences.std() / math.sqrt(size)
    assert found.interval is not None
    assert pytest.approx(2 * half, rel=0.25) == found.interval[1] - found.interval[0]


def test_no_difference_is_said_in_words() -> None:
    """An arm against itself: p = 1, an interval that is not sure of it, and no NaN anywhere."""
    arm, _ = _graded(30)
    found = measure_figures("R@5", arm, arm, seed=13)

    assert (0.0, 1.0, None) == (found.difference, found.p, found.paired_t_p)
    assert found.interval is not None
    assert found.interval[0] < -0.05 < 0.05 < found.interval[1]
    assert "no difference" in str(found.note)
    assert "no difference" in str(
        measure_figures("Success@5", *arms_of(PairedCells(3, 3, 0, 0)), seed=1)
    )


def test_one_query_has_no_spread() -> None:
    """A single query gives a difference and no t-test."""
    found = measure_figures("R@5", {"a": 0.2}, {"a": 0.7}, seed=13)

    assert pytest.approx(0.5) == found.difference
    assert found.paired_t_p is None


def test_a_value_that_is_no_number_is_refused() -> None:
    """NaN would spread through every statistic."""
    with pytest.raises(InputError, match="not a finite number"):
        measure_figures("R@5", {"a": math.nan}, {"a": 0.5}, seed=13)


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 2**31), size=st.integers(2, 23))
def test_swapping_graded_arms_mirrors_everything(seed: int, size: int) -> None:
    """The same seed gives the negated difference, the mirrored interval and the same p."""
    baseline, treatment = _graded(size, seed=seed)
    one = measure_figures("R@5", baseline, treatment, seed=seed)
    other = measure_figures("R@5", treatment, baseline, seed=seed)

    assert pytest.approx(-one.difference) == other.difference
    assert (one.interval is None, one.interval_method) == (size < 20, other.interval_method)
    if one.interval is not None:
        assert (-one.interval[1], -one.interval[0]) == pytest.approx(other.interval, abs=1e-9)
    assert (one.p, one.test) == (other.p, other.test)
    assert (one.up, one.down) == (other.down, other.up)


def test_the_same_seed_gives_the_same_figures_in_any_order_of_queries() -> None:
    """Neither the order of a mapping nor a second run changes a digit."""
    baseline, treatment = _graded(50)
    turned = dict(reversed(baseline.items())), dict(reversed(treatment.items()))

    found = measure_figures("R@5", baseline, treatment, seed=13)
    assert found == measure_figures("R@5", *turned, seed=13)
    assert found != measure_figures("R@5", *turned, seed=14)


def test_each_measure_gets_the_test_that_fits_it() -> None:
    """Hits get McNemar, everything else the sign flip, and all of them one interval."""
    hits = measure_figures("Success@5", *arms_of(HEADERS), seed=13)
    graded = measure_figures("nDCG@10", *_graded(50), seed=13)

    assert ("exact McNemar, queries unweighted", exact_mcnemar(40, 6)) == (hits.test, hits.p)
    assert "sign flip, 100,000 draws, seed 13" == graded.test
    assert hits.interval_method == graded.interval_method == "score interval, 95%"


# Around the contrast


def test_the_k_by_treatment_table_says_what_k_alone_would_give() -> None:
    """The chapter's example: plain chunks at 10 reach 0.76 and leave 0.03 for headers."""
    table = cutoff_table(k=5, baseline=(0.62, 0.76), treatment=(0.79, 0.84), measure="Success@5")

    assert 10 == table.k2
    assert pytest.approx(0.125) == table.main_effect_of_treatment
    assert pytest.approx(0.095) == table.main_effect_of_k
    assert pytest.approx(-0.09) == table.interaction
    assert "0.140 of the 0.170 was available by k alone, and 0.030" in table.text
    assert "not tested" in table.text


def test_few_queries_have_no_interval() -> None:
    """Below twenty, of hits and of graded measures alike."""
    for n, has in ((19, False), (20, True)):
        baseline = {f"q{number:02}": 0.0 for number in range(n)}
        treatment = baseline | {"q00": 1.0, "q01": 1.0, "q02": 1.0}
        for name in ("Success@5", "R@5"):
            found = measure_figures(name, baseline, treatment, seed=13)
            assert has == (found.interval is not None)
        assert found.note is None
    few = measure_figures("R@5", {"q": 0.0, "r": 0.0}, {"q": 1.0, "r": 0.5}, seed=13)
    assert (
        "no interval, since 2 independent queries or groups are fewer than 20"
        == few.interval_method
    )


@pytest.mark.parametrize(
    ("treatment", "said"),
    [
        ((0.70, 0.80), "the whole 0.080 was available by k alone"),
        ((0.60, 0.70), "no gain at k that a larger k could stand in for"),
        ((0.62, 0.76), "differs from the baseline by 0.000. Raising"),
    ],
)
def test_the_k_by_treatment_words_fit_the_figures(
    treatment: tuple[float, float], said: str
) -> None:
    """A gain that k alone exceeds, and no gain at all, which has no sign."""
    table = cutoff_table(k=5, baseline=(0.62, 0.76), treatment=treatment, measure="Success@5")

    assert said in table.text


def test_groups_have_cells_of_their_own() -> None:
    """Two sources, one better and one worse, under no change in total."""
    baseline = {"a": 0.0, "b": 1.0, "c": 1.0}
    treatment = {"a": 1.0, "b": 0.0, "c": 1.0}

    groups = {"a": "handbook", "b": "tickets", "c": "tickets"}
    queries = [Query(query_id, query_id) for query_id in groups]
    found = cells_by_group(baseline, treatment, queries=queries, group_by_query=groups)

    assert [("handbook", 1, 1, 0), ("tickets", 2, 0, 1)] == [
        (group, cells.n, cells.won, cells.lost) for group, cells in found.items()
    ]


@settings(deadline=None, max_examples=10)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_agrees_with_statsmodels(p_values: list[float]) -> None:
    """The step-down adjustment, in the order in which the p-values were given."""
    assert pytest.approx(list(multipletests(p_values, method="holm")[1])) == list(holm(p_values))
