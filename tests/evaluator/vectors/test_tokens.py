"""Counting tokens by a named tokenizer, in whole texts."""

from pathlib import Path

import pytest
from tokenizers import Tokenizer, models, pre_tokenizers

from evaluator import InputError
from evaluator.text.words import count_words
from evaluator.vectors.tokens import load_tokenizer


def test_a_tokenizer_file_counts_whole_texts(tmp_path: Path) -> None:
    """Its own truncation and padding are switched off."""
    made = Tokenizer(models.WordLevel({"[UNK]": 0, "a": 1}, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    made.enable_truncation(2)
    made.enable_padding(length=5)
    path = tmp_path / "tokenizer.json"
    made.save(str(path))
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
        ("package:../etc/passwd", "is not installed"),
        ("package:evaluator/nothing", "there is no file"),
        ("folder:{}", "is not a tokenizer file"),
    ],
)
def test_a_tokenizer_that_cannot_be_had_is_refused(tmp_path: Path, name: str, said: str) -> None:
    """The message says which names exist or what is missing; no traceback from the library."""
    (tmp_path / "tokenizer.json").write_text("{}", encoding="utf-8")
    with pytest.raises(InputError, match=said):
        load_tokenizer(name.format(tmp_path))
