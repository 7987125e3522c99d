"""Heading paths: the chain of nearest headings above with a smaller level."""

import pytest

from labeler.corpus.outline import Outline, Section


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


def test_a_heading_without_words_is_no_step_and_ends_a_section() -> None:
    """It stands in no path; text before the first heading has an empty one."""
    outline = Outline()
    outline.add("preamble")
    outline.heading(2, "Real")
    outline.add("one")
    outline.heading(2, "")
    outline.heading(2, "\u200b")
    outline.add("two")
    outline.add("\u200b")
    expected = (
        Section((), ("preamble",)),
        Section(("Real",), ("one",)),
        Section((), ("two",)),
    )
    assert expected == outline.sections()


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
