"""
What a ranking is worth to each query: the edge to `ir_measures`.

It owns the names of measures, the rule that gold means a grade of `min_grade` or more, and
the mean over a stated set of queries. It knows no arms and compares nothing.

Three things are closed off here. Scores are made from ranks, so no library can break a tie
in its own way. A query without results scores 0 instead of leaving the mean. Negative
grades are dropped before any library sees them: they gain nothing and count as unjudged.
"""

import ast
import difflib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import ir_measures
from ir_measures.measures import registry

from evaluator import InputError
from evaluator.labelset import encode_id
from evaluator.trec import Run
from evaluator.wording import some_ids

Qrels = Mapping[str, Mapping[str, int]]

_LARGEST_CUTOFF = 2_000_000_000  # beyond its own numbers trec_eval ends the process
_WITHOUT_GOLD = frozenset({"Judged", "NumQ", "NumRet"})
_EVERYDAY_NAMES = {
    "recall": "'Success@{k}' (any gold chunk in the first k) or 'R@{k}' (share of the gold chunks)",
    "hit": "'Success@{k}'",
    "hits": "'Success@{k}'",
    "hitrate": "'Success@{k}'",
    "hit_rate": "'Success@{k}'",
    "map": "'AP@{k}'",
    "mrr": "'RR@{k}'",
    "ndcg": "'nDCG@{k}'",
}


@dataclass(frozen=True, slots=True)
class Answers:
    """Which asked queries a run leaves without results, and which it answers unasked."""

    unanswered: tuple[str, ...]
    unknown: tuple[str, ...]


def measure_name(name: str, *, min_grade: int) -> str:
    """
    The name as it is printed, with the threshold of the label set in it.

    `Success@5` becomes `Success(rel=2)@5` when gold means grade 2 or more. nDCG keeps its
    name, since it uses every grade. Everyday aliases become the one name: `MRR@10` is
    `RR@10`, `Recall@5` is `R@5`.

    Raises InputError for a name that `ir_measures` does not parse or cannot compute here,
    for a cutoff that is no whole number of 1 or more, and for a threshold in the name that
    contradicts the label set.
    """
    return str(_measure(name, min_grade))


def cutoff_of(name: str) -> int | None:
    """The k of a measure, None if it looks at the whole list."""
    cutoff = _parse(name).params.get("cutoff")
    return None if cutoff is None else int(cutoff)


def at_cutoff(name: str, k: int) -> str:
    """The same measure at another cutoff."""
    return str(_parse(str(_parse(name) @ k)))


def is_hit(name: str) -> bool:
    """
    Whether the measure is Success itself, 1 or 0 for each query, as the four cells count it.

    Success over judged chunks only is not: its cells would stand under the name of others.
    """
    return family_of(name) == "Success"


def family_of(name: str) -> str | None:
    """
    The measure without its cutoff, such as "R"; None for one with parameters of its own.

    `rel` is none of those, since it comes from the label set.
    """
    measure = _parse(name)
    return None if measure.params.keys() - {"cutoff", "rel"} else str(measure.NAME)


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
    chunk is ranked twice for a query, or when a query without gold is asked for a measure
    that needs gold: such queries are a count of their own and never a quiet 0.
    """
    asked = {str(measure): measure for measure in (_measure(m, min_grade) for m in measures)}
    if not query_ids:
        raise InputError("There is no query to measure: the chosen set of queries is empty.")
    if any(measure.NAME not in _WITHOUT_GOLD for measure in asked.values()):
        _require_gold(qrels, query_ids, min_grade)
    number = {query_id: str(at) for at, query_id in enumerate(query_ids, start=1)}
    query_by_number = {at: query_id for query_id, at in number.items()}
    ranked = {number[query_id]: scores for query_id, scores in _scores(run, query_ids)}
    judged = {number[query_id]: grades for query_id, grades in _judged(qrels, query_ids)}
    values = {name: dict.fromkeys(query_ids, 0.0) for name in asked}
    if judged:
        for found in ir_measures.iter_calc(list(asked.values()), judged, ranked):
            values[str(found.measure)][query_by_number[found.query_id]] = float(found.value)
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
        raise InputError(
            f"Run '{name}' has no results for {len(found.unanswered)} of {len(query_ids)} "
            f"queries ({some_ids(found.unanswered)}). Mend the run, or allow missing queries: "
            "each of them then scores 0."
        )
    return found


def negatives_recorded(qrels: Qrels, *, min_grade: int) -> bool:
    """
    Whether anything was judged and found wanting.

    A set that holds only gold cannot say how much of a list was judged: Judged@k is then
    not printed, but "negatives not recorded".
    """
    return any(0 <= grade < min_grade for grades in qrels.values() for grade in grades.values())


def _measure(name: str, min_grade: int) -> Any:
    """The measure with the label set's threshold, checked to be computable here."""
    if min_grade < 1:
        raise InputError(f"min_grade is {min_grade}; gold needs a grade of 1 or more.")
    measure = _parse(name)
    rel = measure.SUPPORTED_PARAMS.get("rel")
    if measure.params.get("rel", min_grade) != min_grade:
        raise InputError(
            f"Measure '{name}' asks for another threshold than the label set, whose gold is "
            f"grade {min_grade} or more. Leave `rel` out: it is filled in."
        )
    if rel is not None and rel.default == 1:
        measure = measure(rel=min_grade)
    supports: Callable[[Any], bool] = ir_measures.DefaultPipeline.supports
    if not supports(measure):
        raise InputError(
            f"Measure '{name}' is known to ir_measures, but no installed package computes it."
        )
    return measure


def _parse(name: str) -> Any:
    """
    The measure that a name stands for.

    Not `ir_measures.parse_measure`: it leans on syntax nodes that Python 3.14 removed, and
    it takes 0, True and fractions for cutoffs or fails on them without a word.
    """
    try:
        node: ast.expr = ast.parse(name.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        raise _unreadable(name) from None
    at: ast.expr | None = None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        at = node.right
        node = node.left
    arguments: list[ast.keyword] = []
    if isinstance(node, ast.Call) and not node.args:
        arguments = node.keywords
        node = node.func
    if not isinstance(node, ast.Name):
        raise _unreadable(name)
    if node.id not in registry:
        raise _unknown(name, node.id, k="k" if at is None else ast.unparse(at))
    return _filled(name, registry[node.id], arguments, at)


def _filled(name: str, measure: Any, arguments: Sequence[ast.keyword], at: ast.expr | None) -> Any:
    try:
        params = {str(item.arg): ast.literal_eval(item.value) for item in arguments}
    except ValueError:
        raise _unreadable(name) from None
    if at is not None:
        params[measure.AT_PARAM] = _cutoff(name, at, measure.AT_PARAM)
    filled = measure(**params)
    missing = [
        param
        for param, info in measure.SUPPORTED_PARAMS.items()
        if info.required and param not in filled.params
    ]
    if missing == [measure.AT_PARAM]:
        raise InputError(f"Measure '{name}' needs a cutoff, for example '{name.strip()}@5'.")
    if missing:
        raise InputError(f"Measure '{name}' needs {' and '.join(missing)} between parentheses.")
    try:
        filled.validate_params()
    except AssertionError as error:
        raise InputError(f"Measure '{name}' cannot be used: {error}.") from None
    return filled


def _cutoff(name: str, at: ast.expr, param: str) -> Any:
    try:
        value = ast.literal_eval(at)
    except ValueError:
        value = None
    if param == "cutoff" and (type(value) is not int or not 1 <= value <= _LARGEST_CUTOFF):
        raise InputError(
            f"Measure '{name}' has the cutoff {ast.unparse(at)}; expected a whole number of 1 or "
            f"more, as in 'Success@5', and at most {_LARGEST_CUTOFF:,}."
        )
    return value


def _unreadable(name: str) -> InputError:
    return InputError(
        f"'{name}' is not the name of a measure. Write it as in 'Success@5' or 'nDCG@10'."
    )


def _unknown(name: str, found: str, *, k: str) -> InputError:
    everyday = _EVERYDAY_NAMES.get(found.lower())
    by_lower_case = {known.lower(): known for known in registry}
    close = difflib.get_close_matches(found.lower(), by_lower_case, n=1)
    meant = ""
    if everyday:
        meant = f" Did you mean {everyday.format(k=k)}?"
    elif close:
        meant = f" Did you mean '{name.replace(found, by_lower_case[close[0]], 1)}'?"
    return InputError(f"Unknown measure '{name}'.{meant}")


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
