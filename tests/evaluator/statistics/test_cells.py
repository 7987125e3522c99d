"""Four cells of paired hits and the tests on them, against other libraries and enumeration."""

import itertools
import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar

from evaluator import InputError
from evaluator.statistics.cells import (
    PairedCells,
    exact_mcnemar,
    flipped,
    four_cells,
    mid_p_mcnemar,
    paired_cells,
)
from evaluator.statistics.intervals import tango_interval

counts = st.integers(0, 30)
tables = st.builds(
    lambda both, neither, won, lost: PairedCells(both + neither + won + lost, both, won, lost),
    counts,
    counts,
    counts,
    st.integers(1, 30),
)


def arms_of(cells: PairedCells) -> tuple[dict[str, float], dict[str, float]]:
    """Hits by query for two arms that make these cells."""
    pairs = (
        [(1.0, 1.0)] * cells.both
        + [(0.0, 1.0)] * cells.won
        + [(1.0, 0.0)] * cells.lost
        + [(0.0, 0.0)] * cells.neither
    )
    return (
        {f"q{number}": before for number, (before, _) in enumerate(pairs)},
        {f"q{number}": after for number, (_, after) in enumerate(pairs)},
    )


def test_the_table_gives_back_both_rates() -> None:
    """Three cells and n are enough; the miss in both is what is left."""
    cells = paired_cells(200, 118, 40, 6)
    rates = cells.rate_baseline, cells.rate_treatment, cells.difference
    assert (36, (0.62, 0.79, 0.17), ()) == (cells.neither, rates, cells.notes)


def test_a_printed_fourth_cell_that_does_not_fit_is_reported_and_not_used() -> None:
    """The four printed cells add up to 192; n stays 200 and both rates stay."""
    cells = paired_cells(200, 118, 40, 6, printed_neither=28)

    assert (36, 0.62, 0.79) == (cells.neither, cells.rate_baseline, cells.rate_treatment)
    assert "printed miss in both (28) does not fit" in cells.notes[0]
    assert "192, not 200" in cells.notes[0]


def test_a_table_with_more_cells_than_queries_is_refused() -> None:
    """118 + 90 + 6 queries do not fit into 200."""
    with pytest.raises(InputError, match="= 214, more than n = 200"):
        paired_cells(200, 118, 90, 6)


def test_cells_are_not_made_up_from_rates() -> None:
    """Two rates give won minus lost and nothing else."""
    with pytest.raises(InputError, match="do not determine the cells"):
        paired_cells(200, None, None, None)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="look at n"):
        paired_cells(0, 0, 0, 0)


def test_four_cells_count_pairs_of_hits() -> None:
    """One query for each cell, and the changed ones by name."""
    baseline = {"a": 1.0, "b": 0.0, "c": 1.0, "d": 0.0}
    treatment = {"d": 0.0, "c": 0.0, "b": 1.0, "a": 1.0}

    assert PairedCells(4, 1, 1, 1) == four_cells(baseline, treatment)
    assert (("b",), ("c",)) == flipped(baseline, treatment)


def test_arms_over_different_queries_are_not_compared() -> None:
    """An intersection would quietly change the denominator."""
    with pytest.raises(InputError, match=r"2 stand in one of them only \(b, c\)"):
        four_cells({"a": 1.0, "b": 1.0}, {"a": 1.0, "c": 0.0})
    with pytest.raises(InputError, match="no query"):
        four_cells({}, {})


def test_values_between_hit_and_miss_make_no_cells() -> None:
    """A share of gold chunks is not a hit."""
    with pytest.raises(InputError, match="neither 1 nor 0"):
        four_cells({"a": 0.5}, {"a": 1.0})


def test_the_chapters_table_is_decisive() -> None:
    """40 against 6, as an exact fraction of 2^46."""
    assert float(Fraction(21834040, 2**46)) == exact_mcnemar(40, 6)
    assert pytest.approx(1.771698663e-07, rel=1e-9) == mid_p_mcnemar(40, 6)


@pytest.mark.parametrize(("won", "lost"), [(0, 0), (5, 5), (3, 12), (400, 310)])
def test_exact_mcnemar_agrees_with_two_other_libraries(won: int, lost: int) -> None:
    """The coin-throwing sum is theirs to the last digits."""
    p = exact_mcnemar(won, lost)

    assert pytest.approx(mcnemar([[7, won], [lost, 3]], exact=True).pvalue, rel=1e-11) == p
    if won + lost:
        assert pytest.approx(stats.binomtest(won, won + lost).pvalue, rel=1e-11) == p


def test_mid_p_agrees_with_the_literature() -> None:
    """Complete response before and after consolidation: 6 against 16, p = 0.034690."""
    assert pytest.approx(0.034690, abs=5e-7) == mid_p_mcnemar(6, 16)
    assert pytest.approx(0.052479, abs=5e-7) == exact_mcnemar(6, 16)
    assert (1.0, 0.75) == (mid_p_mcnemar(0, 0), mid_p_mcnemar(1, 1))


@settings(deadline=None)
@given(won=st.integers(0, 12), lost=st.integers(0, 12))
def test_exact_mcnemar_counts_coin_throws(won: int, lost: int) -> None:
    """Every sequence of throws at least as uneven, of all sequences, counted one by one."""
    flips = min(won + lost, 12)
    wins = min(won, flips)
    as_uneven = sum(
        abs(2 * sum(throws) - flips) >= abs(2 * wins - flips)
        for throws in itertools.product((0, 1), repeat=flips)
    )

    assert pytest.approx(as_uneven / 2**flips) == exact_mcnemar(wins, flips - wins)


@pytest.mark.parametrize(("won", "lost"), [(1100, 1000), (1001, 1001)])
def test_many_flips_give_what_whole_numbers_give(won: int, lost: int) -> None:
    """Beyond two thousand flips the binomial is scipy's, the same to twelve digits."""
    flips = won + lost
    tail = Fraction(sum(math.comb(flips, few) for few in range(lost + 1)), 2 ** (flips - 1))
    point = Fraction(math.comb(flips, won) * (1 if won == lost else 2), 2 ** (flips + 1))
    assert float(min(tail, Fraction(1))) == pytest.approx(exact_mcnemar(won, lost), rel=1e-12)
    mid_p = float(min(tail, Fraction(1)) - point)
    assert mid_p == pytest.approx(mid_p_mcnemar(won, lost), rel=1e-12)


@settings(deadline=None)
@given(tables)
def test_cells_add_up_and_give_back_both_rates(cells: PairedCells) -> None:
    """From hits by query to the table and back."""
    baseline, treatment = arms_of(cells)
    found = four_cells(baseline, treatment)

    assert cells == found
    assert cells.n == found.both + found.neither + found.won + found.lost
    assert pytest.approx(sum(baseline.values()) / cells.n) == found.rate_baseline
    assert pytest.approx(sum(treatment.values()) / cells.n) == found.rate_treatment


@settings(deadline=None)
@given(tables)
def test_swapping_the_arms_mirrors_everything(cells: PairedCells) -> None:
    """Difference and interval change sign, won and lost change places, p stays."""
    swapped = PairedCells(cells.n, cells.both, cells.lost, cells.won)
    lower, upper = tango_interval(cells.n, cells.won, cells.lost)

    assert -cells.difference == swapped.difference
    assert pytest.approx((-upper, -lower), abs=1e-9) == tango_interval(
        swapped.n, swapped.won, swapped.lost
    )
    assert exact_mcnemar(cells.won, cells.lost) == exact_mcnemar(swapped.won, swapped.lost)
    assert -1 <= lower <= cells.difference <= upper <= 1
