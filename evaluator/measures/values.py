"""
What a ranking is worth to each query: the edge to `ir_measures`.

It owns the values of a run by query and the mean over a stated set of queries; what a name
of a measure means is in `names`. It knows no arms and compares nothing.

Three things are closed off here. Scores are made from ranks, so no library can break a tie
in its own way. A query without results scores 0 instead of leaving the mean. Negative
grades are dropped before any library sees them: they gain nothing and count as unjudged.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import ir_measures

from evaluator import InputError
from evaluator.files.ids import as_they_are, lookalikes
from evaluator.labelset.format import Qrels, encode_id
from evaluator.measures.names import LARGEST_GAIN, measure_named
from evaluator.text.messages import some_ids
from evaluator.trec import Run

_WITHOUT_GOLD = frozenset({"Judged", "NumQ", "NumRet"})
_LARGEST_GRADE_OF_GDEVAL = 4  # it ends at any other, and computes ERR and nDCG's dcg='exp-log2'


@dataclass(frozen=True, slots=True)
class Answers:
    """Which asked queries a run leaves without results, and which it answers unasked."""

    unanswered: tuple[str, ...]
    unknown: tuple[str, ...]


def per_query(
    run: Run,
    qrels: Qrels,
    *,
    measures: Sequence[str],
    query_ids: Sequence[str],
    min_grade: int,
) -> dict[str, dict[str, float]]:
    """
    Value by query by printed measure name, for exactly the queries in `query_ids`.

    Queries of the run that are not asked for are left out; see `answers` for their names.
    The libraries are given numbers for query ids, since one of them (ERR) reads nothing else.
    nDCG takes the grade itself as gain (linear). Judged@k is the share of the first k that
    has an adjudicated grade of 0 or more; a list shorter than k is divided by its length.

    Raises InputError when no query is asked for, when the run answers none of them, when a
    chunk is ranked twice for a query, when a query without gold is asked for a measure that
    needs gold: such queries are a count of their own and never a quiet 0; and when a measure
    is not defined for a grade or a ranking.
    """
    asked = {
        str(measure): measure
        for measure in (measure_named(m, min_grade=min_grade) for m in measures)
    }
    if not query_ids:
        raise InputError("There is no query to measure: the chosen set of queries is empty.")
    if any(measure.NAME not in _WITHOUT_GOLD for measure in asked.values()):
        _require_gold(qrels, query_ids, min_grade)
    number = {query_id: str(at) for at, query_id in enumerate(query_ids, start=1)}
    query_by_number = {at: query_id for query_id, at in number.items()}
    ranked = {number[query_id]: scores for query_id, scores in _scores(run, query_ids)}
    judged = {number[query_id]: grades for query_id, grades in _judged(qrels, query_ids)}
    _require_grades(asked, qrels, query_ids)
    values = {name: dict.fromkeys(query_ids, 0.0) for name in asked}
    try:
        for found in ir_measures.iter_calc(list(asked.values()), judged, ranked) if judged else ():
            values[str(found.measure)][query_by_number[found.query_id]] = float(found.value)
    except ZeroDivisionError:  # Accuracy
        raise InputError(
            f"One of {', '.join(asked)} is not defined for a list that holds nothing but gold. "
            "Leave it out."
        ) from None
    return values


def mean_over(value_by_query: Mapping[str, float], query_ids: Sequence[str]) -> float:
    """
    The mean over exactly these queries; one without a value counts 0.

    Averaging over the queries that happen to have a value would reward an arm that answers
    nothing on hard ones. Raises InputError when there is no query.
    """
    if not query_ids:
        raise InputError("There is no query to average over.")
    return sum(value_by_query.get(query_id, 0.0) for query_id in query_ids) / len(query_ids)


def answers(run: Run, query_ids: Sequence[str]) -> Answers:
    """The asked queries without results and the answered queries that nobody asked for."""
    asked = set(query_ids)
    return Answers(
        unanswered=tuple(query_id for query_id in query_ids if not run.get(query_id)),
        unknown=tuple(query_id for query_id in run if query_id not in asked),
    )


def tie_notice(
    name: str,
    run: Run,
    *,
    query_ids: Sequence[str],
    gold: Callable[[str], Collection[str]],
    k: int,
    order: str,
) -> str | None:
    """
    A sentence on lists with one score on both sides of rank k, or None.

    For gold in such a tie it gives the best and the worst rank that the same scores allow, as
    far as the list goes; `order` says what decides among equal scores.
    """
    tied, gold_in_tie = [], []
    for query_id in query_ids:
        ranked = run.get(query_id, ())
        if len(ranked) <= k or ranked[k - 1][1] != ranked[k][1]:
            continue
        tied.append(query_id)
        ranks = [rank for rank, (_, score) in enumerate(ranked, 1) if score == ranked[k][1]]
        gold_in_tie += [
            f"{query_id}: {chunk_id} at any rank from {ranks[0]} to {ranks[-1]}"
            for chunk_id, score in ranked
            if score == ranked[k][1] and chunk_id in gold(query_id)
        ]
    if not tied:
        return None
    lists = "list has" if len(tied) == 1 else "lists have"
    also = f". Gold in such a tie: {some_ids(gold_in_tie)}" if gold_in_tie else ""
    return (
        f"{name}: {len(tied):,} {lists} the same score at ranks {k} and {k + 1} "
        f"({some_ids(tied)}); {order}{also}"
    )


def require_answers(
    run: Run, query_ids: Sequence[str], *, name: str, allow_missing: bool = False
) -> Answers:
    """
    The same as `answers`, and a refusal when results are missing without a word.

    Missing queries are usually a fault in the arm. Raises InputError naming them, unless
    `allow_missing`; then each of them scores 0.
    """
    found = answers(run, query_ids)
    if found.unanswered and not allow_missing:
        alike = lookalikes(found.unknown, found.unanswered)
        raise InputError(
            f"Run '{name}' has no results for {len(found.unanswered)} of {len(query_ids)} "
            f"queries ({some_ids(found.unanswered)}). "
            + (f"It has ids that only look like theirs: {as_they_are(alike)}. " if alike else "")
            + "Mend the run, or go on with --allow-missing: each of them then scores 0."
        )
    return found


def negatives_recorded(qrels: Qrels, *, min_grade: int) -> bool:
    """
    Whether anything was judged and found wanting.

    A set that holds only gold cannot say how much of a list was judged: Judged@k is then
    not printed, but "negatives not recorded".
    """
    return any(0 <= grade < min_grade for grades in qrels.values() for grade in grades.values())


def _require_gold(qrels: Qrels, query_ids: Sequence[str], min_grade: int) -> None:
    without = [
        query_id
        for query_id in query_ids
        if not any(grade >= min_grade for grade in qrels.get(query_id, {}).values())
    ]
    if without:
        raise InputError(
            f"{len(without)} of {len(query_ids)} queries have no chunk of grade {min_grade} or "
            f"more ({some_ids(without)}), so no measure of gold is defined for them. "
            "Set them aside and count them."
        )


def _require_grades(asked: Mapping[str, Any], qrels: Qrels, query_ids: Sequence[str]) -> None:
    """Refuse grades that a library ends at, or reserves more memory for than there is."""
    largest = {
        name: _LARGEST_GRADE_OF_GDEVAL
        if measure.NAME == "ERR" or measure.params.get("dcg") == "exp-log2"
        else LARGEST_GAIN
        for name, measure in asked.items()
    }
    name = min(largest, key=largest.__getitem__, default="")
    for query_id in query_ids:
        grades = qrels.get(query_id, {})
        chunk_id = max(grades, key=grades.__getitem__, default=None)
        if name and chunk_id is not None and grades[chunk_id] > largest[name]:
            raise InputError(
                f"Query '{query_id}', chunk '{chunk_id}' has grade {grades[chunk_id]}, and "
                f"measure '{name}' takes grades up to {largest[name]:,}. Mend the grade, or "
                "leave the measure out."
            )


def _scores(run: Run, query_ids: Sequence[str]) -> Iterator[tuple[str, dict[str, float]]]:
    """Score by encoded chunk id for each answered query: the number of ranks left below."""
    answered = [query_id for query_id in query_ids if run.get(query_id)]
    if not answered:
        raise InputError(
            f"The run answers none of the {len(query_ids)} queries, so there is nothing to "
            "measure. Check that it was made for these queries."
        )
    for query_id in answered:
        ranking = run[query_id]
        scores = {
            encode_id(chunk_id): float(len(ranking) - above)
            for above, (chunk_id, _) in enumerate(ranking)
        }
        if len(scores) != len(ranking):
            raise InputError(f"The run ranks a chunk twice for query '{query_id}'.")
        yield query_id, scores


def _judged(qrels: Qrels, query_ids: Sequence[str]) -> Iterator[tuple[str, dict[str, int]]]:
    for query_id in query_ids:
        grades = {
            encode_id(chunk_id): int(grade)
            for chunk_id, grade in qrels.get(query_id, {}).items()
            if grade >= 0
        }
        if grades:
            yield query_id, grades
