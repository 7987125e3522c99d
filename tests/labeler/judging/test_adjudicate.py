"""Several judgements to one grade, and how far assessors agreed."""

import pytest

from evaluator import InputError
from evaluator.labelset.format import RULES, Given, Rule
from labeler.judging.adjudicate import Adjudicated, adjudicate
from tests.labeler.frozen import event


def judged(
    *grades: tuple[str, str, int | None],
    rule: Rule = "majority",
    decided: dict[str, int | None] | None = None,
) -> Adjudicated:
    """Adjudicate (chunk, assessor, grade) of one query, and what eve decided by chunk."""
    given: dict[str, Given] = {}
    for chunk, assessor, grade in sorted(grades, key=lambda g: g[:2]):
        given[chunk] = (*given.get(chunk, ()), (assessor, grade))
    return adjudicate(
        [("q", given.items())],
        rule=rule,
        decisions={("q", c): event("q", c, "eve", grade) for c, grade in (decided or {}).items()},
    )


def test_an_unknown_rule_is_refused() -> None:
    """The message lists the rules."""
    with pytest.raises(InputError, match="majority, highest, lowest, median"):
        judged(rule="mean")  # type: ignore[arg-type]


def test_cannot_tell_is_never_a_grade() -> None:
    """A pair that nobody could tell stays out; beside a grade it does not count."""
    result = judged(("a", "ada", None), ("b", "ada", None), ("b", "bob", 1))
    assert {"q": {"b": 1}} == result.qrels
    assert (1, 0, 1) == (result.unsure, result.graded_twice, result.judged)


def test_disagreements_are_counted_by_pair() -> None:
    """Three assessors on one pair are one pair judged more than once."""
    result = judged(
        ("a", "ada", 1), ("a", "bob", 0), ("a", "cy", 0), ("b", "ada", 1), ("b", "cy", 1)
    )
    assert (2, 1) == (result.graded_twice, result.disagreements)
    assert {"ada": 2, "bob": 1, "cy": 2} == result.pairs_by_assessor


@pytest.mark.parametrize("rule", RULES)
def test_a_decision_comes_before_every_rule(rule: Rule) -> None:
    """Also with a grade that nobody had given; the adjudicator is no assessor by it."""
    result = judged(("a", "ada", 0), ("a", "bob", 1), rule=rule, decided={"a": 2})
    assert {"q": {"a": 2}} == result.qrels
    assert {"ada": 1, "bob": 1} == result.pairs_by_assessor
    assert {"eve": 1} == result.pairs_by_adjudicator
    assert (1, 1, 1) == (result.graded_twice, result.disagreements, result.decided)


def test_an_adjudicator_who_cannot_tell_leaves_the_pair_unjudged() -> None:
    """No rule steps in."""
    result = judged(("a", "ada", 0), ("a", "bob", 1), decided={"a": None})
    assert ({}, 1, 1) == (result.qrels, result.unsure, result.decided)


def test_a_decision_on_what_nobody_judges_any_more_is_nothing() -> None:
    """It decided between judgements that are gone."""
    result = judged(("a", "ada", 0), decided={"b": 1})
    assert ({"q": {"a": 0}}, 0) == (result.qrels, result.decided)
