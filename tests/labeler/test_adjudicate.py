"""Several judgements to one grade, and how far assessors agreed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import cohens_kappa as reference_kappa

from evaluator import InputError
from evaluator.labelset import Judgement
from labeler.adjudicate import KNOWN_ANSWER, RULES, Adjudicated, Rule, adjudicate, cohens_kappa


def judged(*grades: tuple[str, str, int | None], rule: Rule = "majority") -> Adjudicated:
    """Adjudicate (chunk, assessor, grade) of one query; None is can't tell."""
    return adjudicate(
        [
            Judgement(
                f"{chunk}{assessor}", "q", chunk, assessor, grade,
                "unsure" if grade is None else "grade", "2026-01-01T00:00:00.000Z",
            )
            for chunk, assessor, grade in sorted(grades, key=lambda g: g[:2])
        ],
        rule=rule,
    )  # fmt: skip


def of_one_chunk(*grades: int, rule: Rule) -> int:
    assessors = [("c", f"assessor {n}", grade) for n, grade in enumerate(grades)]
    return judged(*assessors, rule=rule).qrels["q"]["c"]


@pytest.mark.parametrize("rule", RULES)
def test_one_grade_or_equal_grades_need_no_rule(rule: Rule) -> None:
    """Where nobody differs every rule gives what was said."""
    assert 2 == of_one_chunk(2, rule=rule)
    assert 2 == of_one_chunk(2, 2, 2, rule=rule)


@pytest.mark.parametrize(
    ("rule", "grades", "expected"),
    [
        ("majority", (3, 3, 0), 3),
        ("majority", (1, 0), 0),
        ("majority", (3, 2, 2, 3, 0), 2),
        ("highest", (0, 3, 1), 3),
        ("lowest", (3, 1, 2), 1),
        ("median", (0, 3, 2), 2),
        ("median", (1, 2), 1),
    ],
)
def test_each_rule_decides_as_it_says(rule: Rule, grades: tuple[int, ...], expected: int) -> None:
    """Ties go to the lower grade, so a doubtful chunk is not made gold."""
    assert expected == of_one_chunk(*grades, rule=rule)


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


def test_agreement_is_over_pairs_both_graded() -> None:
    """Raw agreement and kappa by hand: 3 of 4 alike; chance 0.5 * 0.5 + 0.5 * 0.5 is not it."""
    result = judged(
        ("a", "ada", 1), ("b", "ada", 1), ("c", "ada", 0), ("d", "ada", 0), ("e", "ada", 1),
        ("a", "bob", 1), ("b", "bob", 0), ("c", "bob", 0), ("d", "bob", 0), ("e", "bob", None),
    )  # fmt: skip
    (agreement,) = result.agreement
    assert (("ada", "bob"), 4, 0.75) == (agreement.assessors, agreement.pairs, agreement.raw)
    assert 0.5 == agreement.kappa  # chance: 1/2 * 1/4 + 1/2 * 3/4 = 1/2


def test_a_known_answer_is_no_assessor_to_agree_with() -> None:
    """It only ever says relevant, so its agreement with a person means nothing."""
    assert () == judged(("a", "ada", 1), ("a", KNOWN_ANSWER, 1)).agreement


def test_kappa_is_undefined_where_chance_explains_all() -> None:
    """Two assessors who used one and the same grade throughout."""
    assert cohens_kappa({(1, 1): 9}) is None


@given(st.lists(st.integers(0, 30), min_size=9, max_size=9).filter(sum))
def test_kappa_is_the_textbooks(counts: list[int]) -> None:
    """The same number as statsmodels gives, wherever it is defined."""
    table = [counts[row : row + 3] for row in (0, 3, 6)]
    ours = cohens_kappa({(i, j): table[i][j] for i in range(3) for j in range(3)})
    if ours is not None:
        assert reference_kappa(table, return_results=False) == pytest.approx(ours, abs=1e-12)
