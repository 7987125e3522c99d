"""The words of a text: always the same number, and never one for a page."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.text.words import count_words, is_blank, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", 0),
        ("How much warning?", 4),
        ("don't", 3),
        ("x" * 16, 1),
        ("x" * 17, 2),
        ("休暇の申請", 5),
        ("휴가 신청", 4),
        ("nai\u0308ve", 1),
        ("हिन्दी में लिखा हुआ वाक्य।", 6),
        ("שָׁלוֹם", 1),
        ("Grund\xadstücks\xadverkehr", 2),
        ("e" + "\u0301" * 32, 18),
    ],
)
def test_words_and_punctuation_marks_count(text: str, expected: int) -> None:
    """Long words count more than once, and so does each character of a script without blanks."""
    assert expected == count_words(text)


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        (True, ""),
        (True, " \n\u200b\ufeff\xad\u3164\u2800\ufe0f"),
        (False, "\u0600"),
        (False, "\u200bx"),
        (False, "👨\u200d👩"),
    ],
)
def test_what_cannot_be_seen_is_blank(expected: bool, text: str) -> None:
    """A zero-width space is no text, and an emoji that holds a joiner is."""
    assert expected is is_blank(text)


def test_words_are_compared_as_they_read() -> None:
    """Vowel signs are parts of words, and how a letter is stored makes no difference."""
    assert ["कि", "की"] == words("कि की")
    assert ["café", "grundstück"] == words("CAFE\u0301 Grund\xadstück")


@given(st.text(), st.text())
def test_words_add_up_over_a_line_break(left: str, right: str) -> None:
    """Packing blocks changes no count."""
    assert count_words(left) + count_words(right) == count_words(f"{left}\n\n{right}")
