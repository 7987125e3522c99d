"""Counting tokens by a named tokenizer, in whole texts."""

import json
from pathlib import Path

import pytest

from evaluator import InputError
from evaluator.text.words import count_words
from evaluator.vectors.tokens import load_tokenizer


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
    assert (count_words, None) == (load_tokenizer("words").count, load_tokenizer("words").sha256)
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
