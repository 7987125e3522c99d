"""Words that queries share with their gold."""

import pytest

from evaluator.contrasts.causes import shared_words, word_overlap
from evaluator.contrasts.model import GroupOverlap
from evaluator.text.words import words_of


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Rotate the API-keys, the keys!", {"rotate", "the", "api", "keys"}),
        ("Straße 007 NA", {"strasse", "007", "na"}),
        ("snake_case", {"snake", "case"}),
        ("東京 tower", {"東", "京", "tower"}),
        ("?!", set()),
    ],
)
def test_words_are_runs_of_letters_and_digits(text: str, words: set[str]) -> None:
    """In any case, each once; where a script has no blanks, each character."""
    assert words == words_of(text)


def test_the_best_gold_chunk_counts() -> None:
    """Two of three words in the second chunk, one in the first."""
    assert 2 / 3 == shared_words("rotate api keys", ["keys", "API keys are here", ""])
    assert shared_words("?", ["a"]) is None
    assert shared_words("a", []) is None


def test_groups_have_their_own_share() -> None:
    """A known answer quoted from its document stands beside a query from the log."""
    found = word_overlap(
        {"q1": "notice to the landlord", "q2": "quit flat", "q3": "unknown"},
        gold_by_query={"q1": ["a"], "q2": ["a"], "q3": ["gone"]},
        text_by_chunk={"a": "Give notice to the landlord."},
        group_by_query={"q1": "known-item", "q2": "log", "q3": "log"},
    )
    assert {
        "known-item": GroupOverlap(1, 1.0, 1),
        "log": GroupOverlap(1, 0.0, 0),
    } == found.groups
    assert GroupOverlap(2, 0.5, 1) == found.all
