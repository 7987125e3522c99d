"""Ids that a reader takes for the same."""

import pytest

from evaluator.files.ids import lookalikes


@pytest.mark.parametrize(
    ("found", "wanted"),
    [
        ("cafe\u0301", "caf\xe9"),
        ("q1", "Q1"),
        ("7", "007"),
        ("doc-7#1", "doc-07#01"),
        ("a\u200bb", "ab"),
        ("a b", "a\xa0b"),
        ("q1", "q1 "),
    ],
)
def test_what_tools_change_on_the_way_is_found(found: str, wanted: str) -> None:
    """The form of accents, letter case, zeros in front, blanks and what cannot be seen."""
    assert {found: wanted} == lookalikes([found, "else"], ["other", wanted])


@pytest.mark.parametrize(("found", "wanted"), [("7", "70"), ("100", "1"), ("a", "b"), ("0", "00a")])
def test_other_ids_are_others(found: str, wanted: str) -> None:
    """A zero within a number counts, and the same id is no lookalike of itself."""
    assert {} == lookalikes([found, wanted], [wanted])
