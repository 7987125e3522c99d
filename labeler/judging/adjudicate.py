"""
Several assessors' judgements -> one grade per pair.

The rule that decides between assessors who differ is one of four, chosen before freezing
and written into the manifest. Where an adjudicator decided, that stands, and no rule is
asked. Pure: it knows neither the workspace nor the label set, nor how far assessors agree
(`agreement`). "Can't tell" is no grade and never becomes one.
"""

import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from evaluator import InputError
from evaluator.labelset.format import RULES, Given, Judgement, Pair, Rule, grade_by_rule


@dataclass(frozen=True, slots=True)
class Adjudicated:
    """
    One grade per pair, and what the grades rest on. All numbers count pairs.

    `qrels` is grade by chunk id by query id. `unsure` counts the pairs that end without a
    grade though somebody looked; they are unjudged. `decided` counts those that an
    adjudicator decided; the other disagreements are left to the rule. `times_by_query` says
    how often each thing was given to a pair of each query.
    """

    qrels: Mapping[str, Mapping[str, int]]
    rule: Rule
    graded_twice: int
    disagreements: int
    decided: int
    unsure: int
    pairs_by_assessor: Mapping[str, int]
    pairs_by_adjudicator: Mapping[str, int]
    times_by_query: Mapping[str, Mapping[Given, int]]

    @property
    def judged(self) -> int:
        return sum(len(grade_by_chunk) for grade_by_chunk in self.qrels.values())


def adjudicate(
    given: Iterable[tuple[str, Iterable[tuple[str, Given]]]],
    *,
    rule: Rule = "majority",
    decisions: Mapping[Pair, Judgement] | None = None,
) -> Adjudicated:
    """
    One grade per pair out of what stands of every assessor.

    `given` holds queries, each with its chunks and what was given to them; few things are ever
    given, so each is looked at once, and counted. `decisions` hold what stands of the
    adjudicators, by query and chunk id, and come first: a grade, or "can't tell", after which
    the pair is unjudged.

    One grade, or grades that are equal, need no rule; `labelset.format.grade_by_rule`
    decides between others. Raises InputError for an unknown rule.
    """
    if rule not in RULES:
        raise InputError(f"Unknown rule {rule!r}. Rules are {', '.join(RULES)}.")
    decided = decisions or {}
    qrels: dict[str, dict[str, int]] = {}
    times: dict[str, Counter[Given]] = {}
    adjudicators: Counter[str] = Counter()
    known: dict[Given, tuple[Given, int | None]] = {}
    for query_id, pairs in given:
        grade_by_chunk = qrels.setdefault(query_id, {})
        looked = []
        for chunk_id, grades in pairs:
            same = known.get(grades) or known.setdefault(grades, (grades, _settled(grades, rule)))
            looked.append(same[0])
            grade = same[1]
            if decided and (pair := (query_id, chunk_id)) in decided:
                grade = decided[pair].grade
                adjudicators[decided[pair].assessor] += 1
            if grade is not None:
                grade_by_chunk[sys.intern(chunk_id)] = grade
        times.setdefault(query_id, Counter()).update(looked)
    judged = {query_id: grades for query_id, grades in qrels.items() if grades}
    return _counted(judged, rule, times, adjudicators)


def _settled(given: Given, rule: Rule) -> int | None:
    grades = [grade for _, grade in given if grade is not None]
    return grade_by_rule(grades, rule) if grades else None


def _counted(
    qrels: Mapping[str, Mapping[str, int]],
    rule: Rule,
    times_by_query: Mapping[str, Mapping[Given, int]],
    adjudicators: Counter[str],
) -> Adjudicated:
    pairs_by_assessor: Counter[str] = Counter()
    graded_twice = disagreements = 0
    times: Counter[Given] = Counter()
    for each in times_by_query.values():
        times.update(each)
    for given, n in times.items():
        grades = [grade for _, grade in given if grade is not None]
        pairs_by_assessor.update({name: n for name, grade in given if grade is not None})
        graded_twice += n * (len(grades) > 1)
        disagreements += n * (len(set(grades)) > 1)
    return Adjudicated(
        qrels=qrels,
        rule=rule,
        graded_twice=graded_twice,
        disagreements=disagreements,
        decided=adjudicators.total(),
        unsure=sum(times.values()) - sum(map(len, qrels.values())),
        pairs_by_assessor=dict(sorted(pairs_by_assessor.items())),
        pairs_by_adjudicator=dict(sorted(adjudicators.items())),
        times_by_query=times_by_query,
    )
