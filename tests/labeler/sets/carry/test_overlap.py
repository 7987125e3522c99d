"""Where words of old chunks stand in new ones, and whether spans leave a word out."""

import pytest

from labeler.sets.carry.overlap import Overlap, covers, find_overlaps

SENTENCE = "Tell your manager four weeks before leave begins"


@pytest.mark.parametrize(
    ("new", "share", "closed"),
    [
        (SENTENCE, 1.0, True),
        (f"Rules.\n{SENTENCE}\nEnd.", 1.0, True),
        ("your manager four weeks", 0.5, True),
        ("First of all: Tell your manager four weeks", 0.625, True),
        ("Tell your manager six weeks before leave begins", 0.5, False),
        ("Tell your boss four days before leave ends", 0.0, False),
    ],
    ids=["equal", "held whole", "a part", "its beginning", "a word changed", "mere words"],
)
def test_the_longest_run_counts(new: str, share: float, closed: bool) -> None:
    """As a share of the old words; it is closed where it ends with one of the texts."""
    found = list(find_overlaps({"old": SENTENCE}, {"new": new}))
    assert ([(share, closed)] if share else []) == [(o.share, o.closed) for o in found]


def test_line_breaks_and_short_texts_are_no_matter() -> None:
    """Texts of a word or two are found as well, and places count words of the new text."""
    found = list(find_overlaps({"old": "see\n  also"}, {"new": "For more see also the list"}))
    assert [Overlap("old", "new", 1.0, 2, 4, True)] == found


@pytest.mark.parametrize(
    ("spans", "whole"),
    [([(0, 5)], True), ([(3, 5), (0, 3)], True), ([(0, 2), (3, 5)], False), ([(1, 5)], False)],
)
def test_spans_cover_a_text_only_without_a_gap(spans: list[tuple[int, int]], whole: bool) -> None:
    """In any order."""
    assert whole == covers(spans, 5)
