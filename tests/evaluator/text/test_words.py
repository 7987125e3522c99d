"""Counting tokens: always the same number, and never one for a page."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator import InputError
from evaluator.text.words import is_blank, words
from evaluator.vectors.tokens import load_tokenizer

count_words = load_tokenizer("words").count


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", 0),
        ("How much warning?", 4),
        ("don't", 3),
        ("  a\n\n b ", 2),
        ("x" * 16, 1),
        ("x" * 17, 2),
        ("休暇の申請", 5),
        ("휴가 신청", 4),
        ("naïve", 1),
        ("nai\u0308ve", 1),
        ("हिन्दी में लिखा हुआ वाक्य।", 6),
        ("שָׁלוֹם", 1),
        ("مُحَمَّد", 1),
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
        (True, " \n\u200b\ufeff\xad"),
        (False, "\u200bx"),
        (False, "👨\u200d👩"),
        (False, "-"),
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


def _tokenizer_json(folder: Path) -> Path:
    """A word-level tokenizer that truncates to two tokens and pads to five."""
    folder.mkdir()
    path = folder / "tokenizer.json"
    truncation = {"direction": "Right", "max_length": 2, "strategy": "LongestFirst", "stride": 0}
    padding = {
        "strategy": {"Fixed": 5},
        "direction": "Right",
        "pad_to_multiple_of": None,
        "pad_id": 0,
        "pad_type_id": 0,
        "pad_token": "[PAD]",
    }
    content = {
        "version": "1.0",
        "truncation": truncation,
        "padding": padding,
        "added_tokens": [],
        "normalizer": None,
        "pre_tokenizer": {"type": "WhitespaceSplit"},
        "post_processor": None,
        "decoder": None,
        "model": {"type": "WordLevel", "vocab": {"[UNK]": 0, "a": 1}, "unk_token": "[UNK]"},
    }
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def test_a_tokenizer_file_counts_whole_texts(tmp_path: Path) -> None:
    """Its own truncation and padding are switched off."""
    path = _tokenizer_json(tmp_path / "model")
    for name in (f"folder:{path}", f"folder:{path.parent}"):
        tokenizer = load_tokenizer(name)
        assert (0, 4) == (tokenizer.count(""), tokenizer.count("a b c d"))
        assert tokenizer.sha256 is not None


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("bert-base", "Unknown tokenizer 'bert-base'"),
        ("folder:", "Unknown tokenizer"),
        ("package:no_such_package_here/model", "is not installed"),
        ("package:../etc/passwd", "is not installed"),
        ("package:evaluator/nothing", "there is no file"),
    ],
)
def test_a_tokenizer_that_cannot_be_had_is_refused(name: str, said: str) -> None:
    """The message says which names exist or what is missing."""
    with pytest.raises(InputError, match=said):
        load_tokenizer(name)


def test_a_broken_tokenizer_file_is_refused(tmp_path: Path) -> None:
    """No traceback from the library."""
    (tmp_path / "tokenizer.json").write_text("{}", encoding="utf-8")

    with pytest.raises(InputError, match="is not a tokenizer file"):
        load_tokenizer(f"folder:{tmp_path}")
