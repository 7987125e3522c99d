"""A level of 1 that the pool gave away is told from one that an arm earned."""

import pytest

from evaluator.contrasts.ceiling import full_by_construction

RANKING = {"q1": [("a", 3.0), ("b", 2.0), ("c", 1.0)], "q2": [("d", 2.0), ("e", 1.0)]}


@pytest.mark.parametrize(
    ("said", "gold", "k", "depth"),
    [
        (True, {"q1": ["a", "b"], "q2": ["e"]}, 2, 2),
        (True, {"q1": ["a", "b"], "q2": ["e"]}, 2, 1),
        (False, {"q1": ["a", "b"], "q2": ["e"]}, 2, 3),
        (False, {"q1": ["a", "b"], "q2": ["e"]}, 2, None),
        (False, {"q1": ["a", "c"], "q2": ["e"]}, 2, 2),
        (False, {"q1": ["a"], "q3": ["a"]}, 2, 2),
        (False, {}, 2, 2),
    ],
)
def test_a_pool_that_holds_no_gold_beyond_k_makes_a_full_level(
    said: bool, gold: dict[str, list[str]], k: int, depth: int | None
) -> None:
    """Only where the pool is no deeper than k and all gold, not just some, is in the first k."""
    found = full_by_construction({"plain": RANKING}, gold_by_query=gold, k=k, pool_depth=depth)

    assert said == bool(found)
    assert all("first 2 of 'plain'" in text for text in found)
