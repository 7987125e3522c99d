"""
Names of measures, as `ir_measures` writes them: what they mean here, and what is refused.

It owns the rule that gold means a grade of `min_grade` or more, which becomes `rel`.
"""

import ast
import difflib
from collections.abc import Callable, Sequence
from typing import Any

import ir_measures
from ir_measures.measures import registry

from evaluator import InputError

_LARGEST_CUTOFF = 2_000_000_000  # beyond its own numbers trec_eval ends the process
LARGEST_GAIN = 1_000_000  # trec_eval counts grades in an array of this length
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


def measure_name(name: str, *, min_grade: int) -> str:
    """
    The name as it is printed, with the threshold of the label set in it.

    `Success@5` becomes `Success(rel=2)@5` when gold means grade 2 or more. nDCG keeps its
    name, since it uses every grade. Everyday aliases become the one name: `MRR@10` is
    `RR@10`, `Recall@5` is `R@5`.

    Raises InputError for a name that `ir_measures` does not parse or cannot compute here,
    for a cutoff that is no whole number of 1 or more, for gains that are none, and for a
    threshold in the name that contradicts the label set.
    """
    return str(measure_named(name, min_grade=min_grade))


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


def measure_named(name: str, *, min_grade: int) -> Any:
    """
    The measure of `ir_measures` with the label set's threshold, checked to be computable here.

    Raises InputError as `measure_name` does.
    """
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
    gains = params.get("gains")
    for gain in [*gains, *gains.values()] if isinstance(gains, dict) else []:
        if type(gain) is not int or not 0 <= gain <= LARGEST_GAIN:
            raise InputError(
                f"Measure '{name}' has {gain!r} among its grades and gains; expected whole numbers "
                f"from 0 to {LARGEST_GAIN:,}, as in 'nDCG(gains={{1:1,2:3}})@10'."
            )
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
