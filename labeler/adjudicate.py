"""
Several assessors' judgements -> one grade per pair, and how far the assessors agreed.

The rule that decides between assessors who differ is one of four, chosen before freezing
and written into the manifest. Pure: it knows neither the workspace nor the label set.
"Can't tell" is no grade and never becomes one.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, groupby
from typing import Literal, get_args

from evaluator import InputError
from evaluator.labelset import Judgement

Rule = Literal["majority", "highest", "lowest", "median"]
RULES: tuple[Rule, ...] = get_args(Rule)
KNOWN_ANSWER = "known answer"  # the assessor of pairs that are known from elsewhere


@dataclass(frozen=True, slots=True)
class Agreement:
    """How often two assessors gave one grade to the pairs that both of them graded."""

    assessors: tuple[str, str]
    pairs: int
    same: int
    kappa: float | None

    @property
    def raw(self) -> float:
        return self.same / self.pairs


@dataclass(frozen=True, slots=True)
class Adjudicated:
    """
    One grade per pair, and what the grades rest on. All numbers count pairs.

    `qrels` is grade by chunk id by query id. `unsure` counts the pairs on which nobody
    gave a grade though somebody looked; they are unjudged.
    """

    qrels: Mapping[str, Mapping[str, int]]
    rule: Rule
    graded_twice: int
    disagreements: int
    unsure: int
    pairs_by_assessor: Mapping[str, int]
    agreement: tuple[Agreement, ...]

    @property
    def judged(self) -> int:
        return sum(len(grade_by_chunk) for grade_by_chunk in self.qrels.values())


def adjudicate(standing: Iterable[Judgement], *, rule: Rule = "majority") -> Adjudicated:
    """
    One grade per pair out of what stands of every assessor.

    `standing` holds at most one judgement per assessor and pair, in the order of query
    and chunk. One grade, or grades that are equal, need no rule. `majority` takes the
    grade most assessors gave and the lower one of a tie; `median` the lower of two middle
    ones: a doubtful chunk is not made gold. Raises InputError for an unknown rule.
    """
    decide = _DECIDE.get(rule)
    if decide is None:
        raise InputError(f"Unknown rule {rule!r}. Rules are {', '.join(RULES)}.")
    tally = _Tally()
    for (query_id, chunk_id), judgements in groupby(
        standing, key=lambda j: (j.query_id, j.chunk_id)
    ):
        grade_by_assessor = {j.assessor: j.grade for j in judgements}
        tally.add(query_id, chunk_id, grade_by_assessor, decide)
    return Adjudicated(
        qrels=tally.qrels,
        rule=rule,
        graded_twice=tally.graded_twice,
        disagreements=tally.disagreements,
        unsure=tally.unsure,
        pairs_by_assessor=dict(sorted(tally.pairs_by_assessor.items())),
        agreement=tally.agreement(),
    )


def cohens_kappa(counts: Mapping[tuple[int, int], int]) -> float | None:
    """
    Agreement of two assessors beyond what their own habits would give by chance.

    `counts` says how many pairs got each (grade of the first, grade of the second). None
    when chance alone would give full agreement, as when both used one and the same grade
    throughout: there is nothing to correct for, and 0 or 1 would both be a claim.

    Source: Cohen (1960), unweighted.
    """
    total = sum(counts.values())
    first: Counter[int] = Counter()
    second: Counter[int] = Counter()
    for (one, other), count in counts.items():
        first[one] += count
        second[other] += count
    chance = sum(first[grade] * second[grade] for grade in first)
    if chance == total * total:
        return None
    observed = sum(count for (one, other), count in counts.items() if one == other)
    return (observed * total - chance) / (total * total - chance)


@dataclass(slots=True)
class _Tally:
    qrels: dict[str, dict[str, int]] = field(default_factory=dict)
    graded_twice: int = 0
    disagreements: int = 0
    unsure: int = 0
    pairs_by_assessor: Counter[str] = field(default_factory=Counter)
    together: dict[tuple[str, str], Counter[tuple[int, int]]] = field(default_factory=dict)

    def add(
        self,
        query_id: str,
        chunk_id: str,
        grade_by_assessor: Mapping[str, int | None],
        decide: Callable[[Sequence[int]], int],
    ) -> None:
        graded = {a: g for a, g in sorted(grade_by_assessor.items()) if g is not None}
        if not graded:
            self.unsure += 1
            return
        grades = sorted(graded.values())
        self.qrels.setdefault(query_id, {})[chunk_id] = decide(grades)
        self.pairs_by_assessor.update(graded.keys())
        self.graded_twice += len(grades) > 1
        self.disagreements += grades[0] != grades[-1]
        people = [assessor for assessor in graded if assessor != KNOWN_ANSWER]
        for pair in combinations(people, 2):
            self.together.setdefault(pair, Counter())[graded[pair[0]], graded[pair[1]]] += 1

    def agreement(self) -> tuple[Agreement, ...]:
        return tuple(
            Agreement(
                assessors=assessors,
                pairs=sum(counts.values()),
                same=sum(count for (one, other), count in counts.items() if one == other),
                kappa=cohens_kappa(counts),
            )
            for assessors, counts in sorted(self.together.items())
        )


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
