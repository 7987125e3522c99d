"""Figures for people: signs, units, orders of magnitude."""

import pytest

from evaluator.text.figures import (
    count,
    growth,
    interval,
    milliseconds,
    p_value,
    points,
    rate,
    seconds,
    signed,
    size,
    token_change,
    tokens,
)


@pytest.mark.parametrize(
    ("expected", "written"),
    [
        ("0.790", rate(0.79)),
        ("+0.170", signed(0.17)),
        ("0.000", signed(-0.0001)),
        ("-0.014 to +0.087", interval([-0.014, 0.087])),
        ("+0.0003 to +0.087", interval([0.0003, 0.087])),
        ("(0, +0.087]", interval([5e-324, 0.087])),
        ("[-0.014, 0)", interval([-0.014, -5e-324])),
        ("no interval", interval(None)),
        ("0.04999", p_value(0.049987)),
        ("3.1e-7", p_value(3.1028e-7)),
        ("1.000", p_value(1.0)),
        ("below 1e-300", p_value(0.0)),
        ("+17.0 points; +27.4% of the baseline", points(0.62, 0.79)),
        ("+10.0 points", points(0.0, 0.1)),
        ("0.0 points; 0.0% of the baseline", points(0.62, 0.6198)),
        ("4,812", count(4812)),
        ("71.5", tokens(71.5)),
        ("310", tokens(310.0)),
        ("812 bytes", size(812)),
        ("8.9 MB", size(8_930_000)),
        ("3.90 s", seconds(3.9)),
        ("84 s", seconds(84)),
        ("4.7 min", seconds(284)),
        ("2.5 h", seconds(9000)),
        ("0.61 ms", milliseconds(0.61)),
        ("14 ms", seconds(0.014)),
        ("+62 (+7.6%)", token_change(812, 874)),
        ("+310", token_change(0, 310)),
        ("+0.04", token_change(87.41, 87.45)),
        ("no change", token_change(812, 812)),
        ("+38.0%", growth(1.0, 1.38)),
        ("x 3.1", growth(10, 31)),
        ("no change", growth(0.61, 0.61)),
        ("", growth(None, 3.0)),
        ("not recorded", rate(None)),
    ],
)
def test_figures_are_written_for_people(expected: str, written: str) -> None:
    """Signs, units and orders of magnitude; nothing missing turns into a 0."""
    assert expected == written
