"""A question about a difference becomes queries and hours."""

import json
import math
from dataclasses import asdict, replace
from typing import Any

import pytest
from scipy.stats import binom

from evaluator import InputError
from evaluator.labelset.format import Query
from evaluator.statistics.power import detectable_difference, queries_needed
from labeler.freezing.plan import Question, make_plan, plan_text, present_queries

USUAL = Question(difference=0.03, flip_share=0.1)


@pytest.mark.parametrize(("documents", "chance", "queries"), [(1, 0.2, 2_400), (2, 0.04, 12_000)])
def test_480_held_out_queries_take_2400_at_one_fifth(
    documents: int, chance: float, queries: int
) -> None:
    """All gold documents of a query must lie there; two to four minutes go for each query."""
    plan = make_plan(Question(queries=480, flip_share=0.1, gold_documents=documents))
    assert plan.held_out is not None
    assert (480, (16.0, 32.0)) == (plan.all_queries.queries, plan.all_queries.hours)
    assert (pytest.approx(chance), queries) == (plan.held_out_chance, plan.held_out.queries)


def test_queries_without_gold_are_drawn_too() -> None:
    """If a tenth has none, a ninth more must be judged."""
    plan = make_plan(replace(USUAL, gold_share=0.9))
    needed = queries_needed(0.03, flip_share=0.1)
    assert (needed, math.ceil(needed / 0.9)) == (plan.all_queries.usable, plan.all_queries.queries)


def test_to_be_sure_more_are_drawn_than_are_needed_on_average() -> None:
    """Just so many that nine times of ten enough of them are held out."""
    held_out = make_plan(USUAL).held_out
    assert held_out is not None
    enough = [binom.sf(held_out.usable - 1, held_out.to_be_sure - less, 0.2) for less in (0, 1)]
    assert enough[1] < 0.9 <= enough[0]


def test_nothing_held_out_needs_no_held_out_queries() -> None:
    """A share of 0 leaves the headline to all queries."""
    plan = make_plan(replace(USUAL, held_out_share=0.0))
    assert plan.held_out is None
    assert "Held-out" not in plan_text(plan)


def test_a_graded_measure_is_planned_by_simulation() -> None:
    """And says so, with the standard deviation that it rests on."""
    plan = make_plan(Question(difference=0.05, flip_share=0.3, sd=0.25))
    assert 180 < plan.all_queries.usable < 210
    text = plan_text(plan)
    assert "standard deviation of 0.25 (paired t-test" in text
    assert "by simulation" in text


def query(query_id: str, weight: float | None = None, **options: Any) -> Query:
    return Query(query_id, query_id, weight=weight, **options)


def test_what_is_there_is_told_by_class_and_for_the_traffic() -> None:
    """Queries of unlike weight are worth fewer; those without gold count for nothing."""
    queries = [query(f"q{n}", 8.0 if n < 30 else 1.0) for n in range(240)]
    classes = {f"q{n}": "no-gold" if n < 20 else "tuning" for n in range(240)}
    found = {each.name: each for each in present_queries(queries, classes, USUAL)}
    worth = (10 * 8 + 210) ** 2 / (10 * 64 + 210)  # 98.9
    assert (220, 220, 0, 20, round(worth)) == tuple(
        found[name].queries
        for name in ("with gold", "tuning", "held-out", "no-gold", "with gold, weighted by traffic")
    )
    assert detectable_difference(220, flip_share=0.1) == found["tuning"].detects
    pairs = [replace(each, group=f"need {n // 2}") for n, each in enumerate(queries)]
    paired = {each.name: each for each in present_queries(pairs, classes, USUAL)}
    once = paired["with gold, 110 with paraphrases counted once"]
    assert (220, detectable_difference(110, flip_share=0.1)) == (once.queries, once.detects)
    authored = [replace(each, weight=None, origin="authored") for each in queries]
    others = present_queries(authored, classes, USUAL)
    assert found.keys() - {each.name for each in others} == {"with gold, weighted by traffic"}
    assert (
        920
        == json.loads(json.dumps(asdict(make_plan(USUAL, present=others))))["all_queries"]["usable"]
    )
    assert (None, None) == (found["held-out"].detects, found["no-gold"].detects)


def test_a_plan_reads_as_one_page() -> None:
    """With everything it rests on: test, level, power, flips, shares and minutes."""
    lines = plan_text(make_plan(Question(queries=480, flip_share=0.1))).splitlines()
    assert [
        "480 queries show a difference of 0.042 if 10% of the queries flip "
        "(exact McNemar at level 0.05, power 80%):",
        "",
        "All queries: 480 with gold",
        "  480 queries to judge",
        "  16 to 32 hours at 2 to 4 minutes a query",
        "Held-out queries only: 480 of them; a query with 1 gold document is one with a chance "
        "of 0.2",
        "  2,400 queries to judge (2,526 to be sure in 9 of 10 draws)",
        "  80 to 160 hours at 2 to 4 minutes a query",
    ] == lines


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"difference": None}, "Give --difference"),
        ({"queries": 5}, "not both"),
        ({"difference": None, "queries": 0}, "1 or more"),
        ({"held_out_share": 1.5}, "--held-out-share"),
        ({"gold_share": 0.0}, "without gold"),
        ({"gold_documents": 0}, "--gold-documents"),
        ({"difference": 0.2}, "cannot come from"),
    ],
)
def test_a_question_that_cannot_be_answered_is_refused(
    options: dict[str, Any], message: str
) -> None:
    """Naming the option to mend."""
    with pytest.raises(InputError, match=message):
        make_plan(replace(USUAL, **options))
