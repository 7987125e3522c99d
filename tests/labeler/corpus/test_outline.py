"""Heading paths: the chain of nearest headings above with a smaller level."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeler.corpus.outline import Outline, Section

headings = st.lists(st.tuples(st.integers(1, 6), st.text("abc", max_size=2)), max_size=12)


def _paths(*steps: tuple[int, str]) -> list[tuple[str, ...]]:
    outline = Outline()
    for level, text in steps:
        outline.heading(level, text)
        outline.add("body")
    return [section.headings for section in outline.sections()]


@pytest.mark.parametrize(
    ("expected", "steps"),
    [
        (
            [("Two",), ("Two", "Four"), ("Two", "Other four"), ("Two", "Three")],
            [(2, "Two"), (4, "Four"), (4, "Other four"), (3, "Three")],
        ),
        ([("A",), ("A", "B"), ("C",)], [(2, "A"), (3, "B"), (1, "C")]),
        ([("A",), ("A", "B"), ("A", "B")], [(1, "A"), (2, "B"), (2, "B")]),
    ],
    ids=["a sibling after a skipped level", "a higher heading", "equal paths"],
)
def test_levels_are_compared_and_not_counted(
    expected: list[tuple[str, ...]], steps: list[tuple[int, str]]
) -> None:
    """A sibling is no child, a higher heading starts afresh, equal paths stay two sections."""
    assert expected == _paths(*steps)


def test_text_before_the_first_heading_has_an_empty_path() -> None:
    """A preamble is neither lost nor given to the first heading."""
    outline = Outline()
    outline.add("preamble")
    outline.heading(1, "First")
    outline.add("body")

    assert (Section((), ("preamble",)), Section(("First",), ("body",))) == outline.sections()


def test_a_heading_without_words_is_no_step_and_ends_nothing() -> None:
    """What no reader sees changes no path."""
    outline = Outline()
    outline.heading(2, "Real")
    outline.add("one")
    outline.heading(2, "")
    outline.heading(2, "\u200b")
    outline.add("two")
    outline.add("\u200b")

    assert (Section(("Real",), ("one", "two")),) == outline.sections()


def test_headings_inside_a_quotation_end_with_it() -> None:
    """A quoted level-one heading stands below the path outside and does not outlive it."""
    outline = Outline()
    outline.heading(2, "Mail")
    outline.add("before")
    with outline.enclosed():
        outline.heading(1, "Quoted")
        outline.add("inside")
    outline.add("after")

    expected = [(("Mail",), "before"), (("Mail", "Quoted"), "inside"), (("Mail",), "after")]
    assert expected == [(part.headings, part.blocks[0]) for part in outline.sections()]


def test_headings_without_text_are_counted_and_named() -> None:
    """A heading with sub-headings only is bare; one with nothing below is lost."""
    outline = Outline()
    outline.heading(1, "Only a parent")
    outline.heading(2, "Child")
    outline.add("body")
    outline.heading(2, "Nothing")

    assert (2, ("Nothing",)) == (outline.bare_headings(), outline.lost_headings())


@given(headings)
def test_levels_rise_along_every_path(steps: list[tuple[int, str]]) -> None:
    """Each step of a path has a smaller level than the next, and no text is lost."""
    outline = Outline()
    level_by_name: dict[str, int] = {}
    for number, (level, text) in enumerate(steps):
        name = f"{text}{number}" if text else ""
        outline.heading(level, name)
        outline.add(f"body {number}")
        level_by_name[name] = level
    for section in outline.sections():
        levels = [level_by_name[name] for name in section.headings]
        assert levels == sorted(set(levels))
    blocks = [block for section in outline.sections() for block in section.blocks]
    assert [f"body {number}" for number in range(len(steps))] == blocks
