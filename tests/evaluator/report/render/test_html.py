"""The page: nothing in it comes alive, and its charts hold what they should."""

import re

import pytest

from evaluator.report.document import Interval
from evaluator.report.render.axis import axis_of, axis_over
from evaluator.report.render.html import waffle
from evaluator.statistics.cells import PairedCells
from tests.evaluator.example_record import example_record
from tests.evaluator.report.outputs import HOSTILE, Page, hostile_record, html_report


def test_hostile_text_becomes_no_markup_in_the_page() -> None:
    """No element, attribute, address or script comes from data, and all of it can be read."""
    page = Page(html_report(hostile_record()))

    assert set() == {"script", "img", "iframe", "object", "link"} & set(page.tags)
    assert [] == [name for name, _ in page.attributes if name.startswith("on")]
    assert set() == {"src", "action"} & {name for name, _ in page.attributes}
    ids = {value for name, value in page.attributes if name == "id"}
    assert {f"#{key}" for key in ids} >= {v for name, v in page.attributes if name == "href"}
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


def test_every_interval_lies_on_one_axis_with_zero_and_round_figures() -> None:
    """No difference is always on the chart, left or right of an interval or inside it."""
    axis = axis_of([Interval(0.2, 0.1, 0.3), Interval(-0.2, -0.3, -0.1)])

    assert pytest.approx(0.5) == axis.at(0)
    assert 0 < axis.at(-0.3) < axis.at(-0.1) < 0.5 < axis.at(0.1) < axis.at(0.3) < 1
    assert ["-0.2", "0", "+0.2"] == [axis.text(tick) for tick in axis.ticks]
    assert 0 < axis_of([Interval(0.0, 0.0, 0.0)]).at(0.0) < 1
    narrow = axis_over([0.0012, 0.0031])
    assert "+0.002" in [narrow.text(tick) for tick in narrow.ticks]


def test_every_chart_can_be_read_aloud() -> None:
    """Each has a title and a description, and its figures stand in a table beside it."""
    record = example_record()
    record["contrasts"][0]["measures"]["R@5"]["changes"] = [0.5, 0.25, -0.125]
    page = html_report(record)
    charts = re.findall(r'<svg[^>]*role="img".*?</svg>', page, re.S)

    assert 1 + 1 + 5 + 3 + 3 + 1 == len(charts)
    assert all(re.search(r"<title>.+</title>\s*<desc>.+</desc>", chart) for chart in charts)
    assert "3 queries changed; the largest difference is +0.500, the smallest -0.125" in page
    assert 2 == len(re.findall(r'class="won" d="M\d+ [\d.]+V', page))
