"""The page: nothing in it comes alive, and its charts hold what they should."""

import re

import pytest

from evaluator.report.document import Interval, say
from evaluator.report.render.html import on_one_axis, waffle
from evaluator.statistics.cells import PairedCells
from tests.evaluator.example_record import example_record
from tests.evaluator.report.outputs import HOSTILE, Page, hostile_record, html_report


def test_hostile_text_becomes_no_markup_in_the_page() -> None:
    """No element, attribute, address or script comes from data, and all of it can be read."""
    page = Page(html_report(hostile_record()))

    assert set() == {"script", "img", "a", "iframe", "object", "link"} & set(page.tags)
    assert [] == [name for name, _ in page.attributes if name.startswith("on")]
    assert set() == {"src", "href", "action"} & {name for name, _ in page.attributes}
    for text in HOSTILE[:6]:
        assert text in page.text
    assert "right \\u202eotfel\\u202c to left" in page.text
    assert "\\u001b[31mred\\u001b[0m and \\u0007 and \\u0000" in page.text
    assert "two\\u000d\\nlines\\tand a tab" in page.text


def test_the_page_needs_no_network_and_runs_no_script() -> None:
    """A policy in the page forbids every request, and there is no address to ask."""
    page = html_report(example_record())

    assert "default-src 'none'" in page
    assert not re.search(r"https?://|url\(|@import|<script|<link", page)


def test_data_in_the_page_is_isolated_from_the_direction_around_it() -> None:
    """Each name stands in an element of its own direction."""
    assert '<bdi class="data">tarnbrook-1</bdi>' in html_report(example_record())


@pytest.mark.parametrize(
    ("cells", "per_square"),
    [
        (PairedCells(200, 118, 40, 6), 1),
        (PairedCells(480, 300, 60, 20), 1),
        (PairedCells(2000, 1180, 300, 3), 4),
    ],
)
def test_the_waffle_has_a_square_for_every_query_or_says_for_how_many(
    cells: PairedCells, per_square: int
) -> None:
    """Up to 600 queries each has its own; beyond, a rare loss keeps one square."""
    drawn = waffle(cells)
    squares = {kind: path.count("z") for kind, path in drawn.paths}

    assert per_square == drawn.queries_per_square
    assert 1 <= squares["lost"]
    if per_square == 1:
        assert (cells.both, cells.won, cells.lost, cells.neither) == tuple(squares.values())
    assert pytest.approx(cells.n / per_square, abs=2) == sum(squares.values())


def test_an_empty_cell_has_no_square() -> None:
    """Two equal arms draw two kinds only."""
    assert {"both": 3, "won": 0, "lost": 0, "neither": 2} == {
        kind: path.count("z") for kind, path in waffle(PairedCells(5, 3, 0, 0)).paths
    }


def test_every_interval_is_drawn_on_an_axis_that_holds_zero() -> None:
    """No difference is always on the chart, left or right of an interval or inside it."""
    lines = on_one_axis(
        [Interval(say("a"), 0.2, 0.1, 0.3, ""), Interval(say("b"), -0.2, -0.3, -0.1, "")]
    )

    assert lines[0].zero == lines[1].zero == 500.0
    assert 0 < lines[1].low < lines[1].point < lines[1].high < 500 < lines[0].low < 1000
    assert 500 > on_one_axis([Interval(say("a"), 0.0, 0.0, 0.0, "")])[0].zero > 0
