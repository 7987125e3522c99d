"""
How many queries to judge: a question about a difference -> numbers of queries and hours.

The power comes from `evaluator`; here it becomes work for people: how many queries
must be drawn so that enough of them have gold and lie on the held-out side, and how long
judging them takes. It also says what the queries of a label set or workspace can detect.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from evaluator import InputError
from evaluator.labelset.format import MANIFEST, Query, QueryClass, read_label_set
from evaluator.statistics.clusters import independent_units
from evaluator.statistics.graded_power import graded_detectable, graded_queries_needed
from evaluator.statistics.power import LEVEL, POWER, detectable_difference, queries_needed
from evaluator.text.messages import counted
from labeler.freezing.held_out_counts import gold_documents
from labeler.judging.adjudicate import adjudicate_workspace, with_skips
from labeler.sampling.draw import effective_queries
from labeler.workspace.connection import FILE
from labeler.workspace.workspace import Workspace

MINUTES = (2.0, 4.0)  # for fifty short results
_SURE = 0.9


@dataclass(frozen=True, slots=True)
class Question:
    """
    What somebody wants to be able to see: a difference, or what a number of queries shows.

    One of `difference` and `queries` is given. `flip_share` is the share of queries
    expected to change: their hit, or with `sd` (the standard deviation of the paired
    differences) the value of a graded measure. Of all queries drawn, `gold_share` will
    turn out to have gold, in `gold_documents` documents each, and `held_out_share` of the
    documents are held out.
    """

    flip_share: float
    difference: float | None = None
    queries: int | None = None
    sd: float | None = None
    held_out_share: float = 0.2
    gold_documents: int = 1
    gold_share: float = 1.0
    power: float = POWER
    level: float = LEVEL


@dataclass(frozen=True, slots=True)
class Effort:
    """
    Queries to judge, and what that takes.

    `usable` is how many of them count: those with gold, or those with all gold held out.
    `to_be_sure` draws so many more that nine times of ten enough are usable.
    """

    usable: int
    queries: int
    to_be_sure: int
    hours: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Present:
    """What queries that are there can detect, in the words of one line of a table."""

    name: str
    queries: int
    detects: float | None


@dataclass(frozen=True, slots=True)
class SetPlan:
    """
    The answer: effort for a headline over all queries with gold, and over held-out ones.

    `difference` is what so many usable queries show, None where they are too few;
    `present` is empty unless there is a label set or workspace to ask about.
    """

    question: Question
    difference: float | None
    all_queries: Effort
    held_out_chance: float
    held_out: Effort | None
    present: tuple[Present, ...] = ()


@dataclass(frozen=True, slots=True)
class ClassedQueries:
    """
    Queries, the class of each judged one by its id, and the share of documents held out.

    A query that was skipped or that nobody has judged has no class yet.
    """

    queries: tuple[Query, ...]
    class_by_query: dict[str, str]
    held_out_share: float


def make_plan(question: Question, *, present: Sequence[Present] = ()) -> SetPlan:
    """
    How many queries the question needs.

    A query is held out when all its gold documents are, so the chance is the held-out
    share to the power of its gold documents: 480 held-out queries with one document each
    take 2,400 at one fifth, and 12,000 with two. Raises InputError for shares that are none.
    """
    _check(question)
    needed = _needed(question) if question.queries is None else question.queries
    chance = question.held_out_share**question.gold_documents
    return SetPlan(
        question=question,
        difference=question.difference or _detects(needed, question),
        all_queries=_effort(needed, question.gold_share),
        held_out_chance=chance,
        held_out=_effort(needed, question.gold_share * chance) if chance > 0 else None,
        present=tuple(present),
    )


def present_queries(
    queries: Iterable[Query], class_by_query: Mapping[str, str], question: Question
) -> list[Present]:
    """
    What the judged queries can detect: all with gold, each class, and the traffic.

    Paraphrases count as one; for the traffic, queries as many as of equal weight would (Kish).
    """
    counts = Counter(class_by_query.values())
    gold = [q for q in queries if class_by_query.get(q.query_id, "no-gold") != "no-gold"]
    members = {"with gold": gold} | {
        name: [query for query in gold if class_by_query[query.query_id] == name]
        for name in get_args(QueryClass)[:3]
    }
    found = []
    for name, own in members.items():
        units = independent_units(query.group for query in own)
        once = f", {units:,} with paraphrases counted once" if units < len(own) else ""
        found.append(Present(name + once, len(own), _detects(units, question)))
    worth = effective_queries(query for query in gold if query.origin == "log")
    if worth is not None:
        n = round(worth)
        found.append(Present("with gold, weighted by traffic", n, _detects(n, question)))
    return [*found, Present("no-gold", counts["no-gold"], None)]


def gold_share(class_by_query: Mapping[str, str]) -> float | None:
    """Which share of judged queries has gold; None where none has any yet."""
    gold = sum(name != "no-gold" for name in class_by_query.values())
    return gold / len(class_by_query) if gold else None


def classed_queries(place: Path) -> ClassedQueries:
    """
    The queries of a place, as they stand now.

    Raises InputError for a place that is neither a label set nor a workspace.
    """
    queries: tuple[Query, ...]
    if (place / MANIFEST).is_file():
        labels = read_label_set(place)
        queries, rule = labels.queries, labels.held_out_rule
        classes: dict[str, str] = {id_: labels.query_class(id_) for id_ in labels.qrels}
        return ClassedQueries(queries, classes, len(rule.held_out) / rule.buckets)
    if not (place / FILE).is_file():
        raise InputError(
            f"{place} is neither a label set (no {MANIFEST}) nor a workspace (no {FILE})."
        )
    workspace = Workspace.open(place)
    queries, rule = tuple(with_skips(workspace)), workspace.settings.held_out_rule
    adjudicated = adjudicate_workspace(workspace)
    classes = {
        query_id: rule.query_class(documents)
        for query_id, documents in gold_documents(workspace, adjudicated, queries).items()
        if query_id in adjudicated.qrels
    }
    return ClassedQueries(queries, classes, len(rule.held_out) / rule.buckets)


def plan_text(plan: SetPlan) -> str:
    """The plan for a person at a terminal, with everything that it rests on."""
    question = plan.question
    lines = [f"{_asked(plan)} {_conditions(question)}:", ""]
    lines += _effort_lines(f"All queries: {plan.all_queries.usable:,} with gold", plan.all_queries)
    if plan.held_out is not None:
        documents = "document" if question.gold_documents == 1 else "documents"
        lines += _effort_lines(
            f"Held-out queries only: {plan.held_out.usable:,} of them; a query with "
            f"{question.gold_documents} gold {documents} is one with a chance of "
            f"{plan.held_out_chance:.3g}",
            plan.held_out,
        )
    if plan.present:
        lines += ["", "What is there now can detect, under the same conditions:"]
        lines += [_present_line(each) for each in plan.present]
    return "\n".join(lines)


def _asked(plan: SetPlan) -> str:
    if plan.question.difference is not None:
        return f"To see a difference of {plan.question.difference:g}"
    shown = "no difference" if plan.difference is None else f"a difference of {plan.difference:.3f}"
    queries = counted(plan.question.queries or 0, "query shows", many="queries show")
    return f"{queries} {shown}"


def _needed(question: Question) -> int:
    assert question.difference is not None
    share, power, level = question.flip_share, question.power, question.level
    if question.sd is None:
        return queries_needed(question.difference, flip_share=share, power=power, level=level)
    return graded_queries_needed(
        question.difference, sd=question.sd, changed_share=share, power=power, level=level
    )


def _detects(n: int, question: Question) -> float | None:
    share, power, level = question.flip_share, question.power, question.level
    if n < 1:
        return None
    if question.sd is None:
        return detectable_difference(n, flip_share=share, power=power, level=level)
    return graded_detectable(n, sd=question.sd, changed_share=share, power=power, level=level)


def _effort(usable: int, share: float) -> Effort:
    queries = _on_average(usable, share)
    low, high = (queries * minutes / 60 for minutes in MINUTES)
    return Effort(usable, queries, _to_be_sure(usable, share), (low, high))


def _on_average(usable: int, share: float) -> int:
    """How many queries give so many usable ones on average."""
    return math.ceil(round(usable / share, 6))


def _to_be_sure(usable: int, share: float) -> int:
    """The fewest queries of which enough are usable nine times of ten."""
    if share >= 1:
        return usable
    from scipy.stats import binom  # slow to import, and only needed here

    low, high = usable, 2 * _on_average(usable, share) + 20
    while low < high:
        middle = (low + high) // 2
        enough = binom.sf(usable - 1, middle, share) >= _SURE
        low, high = (low, middle) if enough else (middle + 1, high)
    return high


def _effort_lines(title: str, effort: Effort) -> list[str]:
    low, high = effort.hours
    sure = (
        f" ({effort.to_be_sure:,} to be sure in 9 of 10 draws)"
        if effort.to_be_sure > effort.queries
        else ""
    )
    minutes = " to ".join(f"{minutes:g}" for minutes in MINUTES)
    return [
        title,
        f"  {counted(effort.queries, 'query', many='queries')} to judge{sure}",
        f"  {low:,.0f} to {high:,.0f} hours at {minutes} minutes a query",
    ]


def _conditions(question: Question) -> str:
    test = f"at level {question.level:g}, power {question.power:.0%}"
    if question.sd is None:
        return f"if {question.flip_share:.0%} of the queries flip (exact McNemar {test})"
    return (
        f"if {question.flip_share:.0%} of the queries change and the differences have a standard "
        f"deviation of {question.sd:g} (paired t-test {test}, by simulation)"
    )


def _present_line(each: Present) -> str:
    if each.name == "no-gold":
        return f"  {each.queries:>6,} no-gold: count for no measure of gold"
    what = "too few" if each.detects is None else f"a difference of {each.detects:.3f}"
    return f"  {each.queries:>6,} {each.name}: {what}"


def _check(question: Question) -> None:
    if (question.difference is None) == (question.queries is None):
        raise InputError(
            "Give --difference to learn how many queries, or --queries to learn what "
            "they show; not both."
        )
    if question.queries is not None and question.queries < 1:
        raise InputError(f"--queries must be 1 or more; got {question.queries}.")
    for name, share in (
        ("--held-out-share", question.held_out_share),
        ("--gold-share", question.gold_share),
    ):
        if not 0 <= share <= 1:
            raise InputError(f"{name} must lie between 0 and 1; got {share}.")
    if question.gold_share == 0:
        raise InputError("--gold-share 0: without gold nothing can be measured.")
    if question.gold_documents < 1:
        raise InputError(f"--gold-documents must be 1 or more; got {question.gold_documents}.")
