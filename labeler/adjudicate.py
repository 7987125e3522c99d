"""
Several assessors' judgements -> one grade per pair.

The rule that decides between assessors who differ is one of four, chosen before freezing
and written into the manifest. Where an adjudicator decided, that stands, and no rule is
asked. Pure: it knows neither the workspace nor the label set, nor how far assessors agree
(`labeler.agreement`). "Can't tell" is no grade and never becomes one.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Literal, get_args

from evaluator import InputError
from evaluator.labelset import ADJUDICATION, Judgement

Rule = Literal["majority", "highest", "lowest", "median"]
RULES: tuple[Rule, ...] = get_args(Rule)
KNOWN_ANSWER = "known answer"  # the assessor of pairs that are known from elsewhere


@dataclass(frozen=True, slots=True)
class Adjudicated:
    """
    One grade per pair, and what the grades rest on. All numbers count pairs.

    `qrels` is grade by chunk id by query id. `unsure` counts the pairs that end without a
    grade though somebody looked; they are unjudged. `decided` counts those that an
    adjudicator decided; the other disagreements are left to the rule.
    """

    qrels: Mapping[str, Mapping[str, int]]
    rule: Rule
    graded_twice: int
    disagreements: int
    decided: int
    unsure: int
    pairs_by_assessor: Mapping[str, int]
    pairs_by_adjudicator: Mapping[str, int]

    @property
    def judged(self) -> int:
        return sum(len(grade_by_chunk) for grade_by_chunk in self.qrels.values())


def adjudicate(
    standing: Iterable[Judgement],
    *,
    rule: Rule = "majority",
    decisions: Mapping[tuple[str, str], Judgement] | None = None,
) -> Adjudicated:
    """
    One grade per pair out of what stands of every assessor.

    `standing` holds at most one judgement per assessor and pair, in the order of query
    and chunk; `decisions` hold what stands of the adjudicators, by query and chunk id, and
    come first: a grade, or "can't tell", after which the pair is unjudged.

    One grade, or grades that are equal, need no rule. `majority` takes the grade most
    assessors gave and the lower one of a tie; `median` the lower of two middle ones: a
    doubtful chunk is not made gold. Raises InputError for an unknown rule.
    """
    if rule not in _DECIDE:
        raise InputError(f"Unknown rule {rule!r}. Rules are {', '.join(RULES)}.")
    decided = decisions or {}
    tally = _Tally(_DECIDE[rule])
    for pair, judgements in groupby(standing, key=lambda j: (j.query_id, j.chunk_id)):
        grade_by_assessor = {j.assessor: j.grade for j in judgements if j.method != ADJUDICATION}
        if grade_by_assessor:
            tally.add(pair, grade_by_assessor, decided.get(pair))
    return Adjudicated(
        qrels=tally.qrels,
        rule=rule,
        graded_twice=tally.graded_twice,
        disagreements=tally.disagreements,
        decided=tally.pairs_by_adjudicator.total(),
        unsure=tally.unsure,
        pairs_by_assessor=dict(sorted(tally.pairs_by_assessor.items())),
        pairs_by_adjudicator=dict(sorted(tally.pairs_by_adjudicator.items())),
    )


def grade_by_rule(grades: Sequence[int], rule: Rule) -> int:
    """What a rule makes of the grades of one pair, at least one."""
    return _DECIDE[rule](sorted(grades))


@dataclass(slots=True)
class _Tally:
    decide: Callable[[Sequence[int]], int]
    qrels: dict[str, dict[str, int]] = field(default_factory=dict)
    graded_twice: int = 0
    disagreements: int = 0
    unsure: int = 0
    pairs_by_assessor: Counter[str] = field(default_factory=Counter)
    pairs_by_adjudicator: Counter[str] = field(default_factory=Counter)

    def add(
        self,
        pair: tuple[str, str],
        grade_by_assessor: Mapping[str, int | None],
        decision: Judgement | None,
    ) -> None:
        graded = {a: g for a, g in grade_by_assessor.items() if g is not None}
        grades = sorted(graded.values())
        self.pairs_by_assessor.update(graded.keys())
        self.graded_twice += len(grades) > 1
        self.disagreements += bool(grades) and grades[0] != grades[-1]
        if decision is not None:
            self.pairs_by_adjudicator[decision.assessor] += 1
            grades = [] if decision.grade is None else [decision.grade]
        if grades:
            self.qrels.setdefault(pair[0], {})[pair[1]] = self.decide(grades)
        else:
            self.unsure += 1


def _most(grades: Sequence[int]) -> int:
    counts = Counter(grades)
    return min(counts, key=lambda grade: (-counts[grade], grade))


def _lower_middle(grades: Sequence[int]) -> int:
    return grades[(len(grades) - 1) // 2]


_DECIDE: Mapping[str, Callable[[Sequence[int]], int]] = {
    "majority": _most,
    "highest": max,
    "lowest": min,
    "median": _lower_middle,
}
