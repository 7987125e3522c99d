"""
Several assessors' judgements -> one grade per pair.

The rule that decides between assessors who differ is one of four, chosen before freezing
and written into the manifest. Where an adjudicator decided, that stands, and no rule is
asked. `adjudicate_workspace` asks it of a workspace, skipped queries included, which
`with_skips` marks and `without_skipped` takes out. It knows nothing of how far assessors agree
(`agreement`). "Can't tell" is no grade and never becomes one.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from evaluator import InputError
from evaluator.labelset.format import RULES, Given, Judgement, Pair, Query, Rule, grade_by_rule
from labeler.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Adjudicated:
    """
    One grade per pair, and what the grades rest on. All numbers count pairs.

    `qrels` is grade by chunk id by query id. `unsure` counts the pairs that end without a
    grade though somebody looked; they are unjudged. `decided` counts those that an
    adjudicator decided; the other disagreements are left to the rule. `own_by_adjudicator` are
    those of them that the adjudicator had graded as well. `given` are all grades that anybody gave.
    """

    qrels: Mapping[str, Mapping[str, int]]
    rule: Rule
    graded_twice: int
    disagreements: int
    unsure: int
    pairs_by_assessor: Mapping[str, int]
    pairs_by_adjudicator: Mapping[str, int]
    own_by_adjudicator: Mapping[str, int]
    given: frozenset[int]

    @property
    def judged(self) -> int:
        return sum(len(grade_by_chunk) for grade_by_chunk in self.qrels.values())

    @property
    def decided(self) -> int:
        return sum(self.pairs_by_adjudicator.values())


def adjudicate(
    given: Iterable[tuple[str, Iterable[tuple[str, Given]]]],
    *,
    rule: Rule = "majority",
    decisions: Mapping[Pair, Judgement] | None = None,
) -> Adjudicated:
    """
    One grade per pair out of what stands of every assessor.

    `given` holds queries, each with its chunks and what was given to them. `decisions` hold what
    stands of the adjudicators, by query and chunk id, and come first: a grade, or "can't tell",
    after which the pair is unjudged.

    One grade, or grades that are equal, need no rule; `labelset.format.grade_by_rule`
    decides between others. Raises InputError for an unknown rule.
    """
    if rule not in RULES:
        raise InputError(f"Unknown rule {rule!r}. Rules are {', '.join(RULES)}.")
    qrels: dict[str, dict[str, int]] = {}
    assessors, adjudicators, own = Counter[str](), Counter[str](), Counter[str]()
    all_grades: set[int] = set()
    graded_twice = disagreements = unsure = 0
    for query_id, pairs in given:
        for chunk_id, by_assessor in pairs:
            grades = [grade for _, grade in by_assessor if grade is not None]
            all_grades.update(grades)
            assessors.update(name for name, grade in by_assessor if grade is not None)
            graded_twice += len(grades) > 1
            disagreements += len(set(grades)) > 1
            grade = grade_by_rule(grades, rule) if grades else None
            if decision := (decisions or {}).get((query_id, chunk_id)):
                grade = decision.grade
                adjudicators[decision.assessor] += 1
                had = (g for name, g in by_assessor if name == decision.assessor)
                own[decision.assessor] += next(had, None) is not None
            if grade is None:
                unsure += 1
            else:
                qrels.setdefault(query_id, {})[chunk_id] = grade
    return Adjudicated(
        qrels=qrels,
        rule=rule,
        graded_twice=graded_twice,
        disagreements=disagreements,
        unsure=unsure,
        pairs_by_assessor=dict(sorted(assessors.items())),
        pairs_by_adjudicator=dict(sorted(adjudicators.items())),
        own_by_adjudicator=dict(sorted(own.items())),
        given=frozenset(all_grades),
    )


def adjudicate_workspace(workspace: Workspace, *, rule: Rule = "majority") -> Adjudicated:
    """One grade per pair, from what stands in the workspace and what was decided there."""
    decisions = workspace.decisions.standing()
    return adjudicate(workspace.judgements.given(), rule=rule, decisions=decisions)


def with_skips(workspace: Workspace) -> Iterator[Query]:
    """
    The queries, each with the reason for which it was skipped, if it was.

    A query is skipped when an assessor skipped it and nobody else finished it.
    """
    reasons: dict[str, list[str]] = {}
    finished: set[str] = set()
    for end in workspace.judgements.query_ends():
        if end["outcome"] == "skipped":
            reasons.setdefault(end["query_id"], []).append(end["reason"] or "no reason given")
        else:
            finished.add(end["query_id"])
    for query in workspace.queries.all():
        if query.query_id in reasons and query.query_id not in finished:
            reason = "; ".join(sorted(set(reasons[query.query_id])))
            yield replace(query, skip_reason=query.skip_reason or reason)
        else:
            yield query


def without_skipped(
    qrels: Mapping[str, Mapping[str, int]], queries: Sequence[Query]
) -> dict[str, Mapping[str, int]]:
    """The qrels of the queries that were not skipped: a skipped query is unjudged."""
    skipped = {query.query_id for query in queries if query.skip_reason is not None}
    return {query_id: grades for query_id, grades in qrels.items() if query_id not in skipped}
