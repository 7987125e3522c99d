"""Words that queries share with their gold."""

from pathlib import Path

import pytest

from evaluator.contrasts.causes import overlap_of, shared_words
from evaluator.contrasts.model import GroupOverlap
from evaluator.labelset.format import LabelSet, Query, held_out_rule
from evaluator.snapshot.chunk import Chunk
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
    """A question quoted from a held-out document stands beside others on an open one."""
    rule = {"salt": "", "buckets": 2, "held_out": [0]}
    sides = [held_out_rule({"held_out": rule}).holds_out(doc_id) for doc_id in "xyzw"]
    held_out, opened = "xyzw"[sides.index(True)], "xyzw"[sides.index(False)]
    texts = {"q1": "notice to the landlord", "q2": "quit flat", "q3": "unknown"}
    labels = LabelSet(
        Path("labels"),
        "",
        {"held_out": rule, "assessment": {"min_grade": 1}},
        tuple(Query(query_id, text) for query_id, text in texts.items()),
        {"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"gone": 1}},
        {"a": held_out, "b": opened, "gone": opened},
    )
    text = "Give notice to the landlord."
    found = overlap_of(labels, texts, [Chunk(c, "d", text, "", (), "", {}) for c in "ab"])
    assert {
        "held-out": GroupOverlap(1, 1.0, 1),
        "tuning": GroupOverlap(1, 0.0, 0),
    } == found.groups
    assert GroupOverlap(2, 0.5, 1) == found.all
