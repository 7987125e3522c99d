"""
How far the labels' gaps could move a contrast, and when a level is full by how they were made.

It owns the range of the difference over all ways to judge what nobody judged, and the
shortest list of chunks that could turn its sign. The arithmetic of one query is in
`unjudged_bounds`. Gold that neither arm returns is outside of all this, and the record says so.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from evaluator.contrasts.pair import ArmPair
from evaluator.measures.names import cutoff_of, family_of
from evaluator.statistics.unjudged_bounds import EXACT, Lists, difference_range, lowering_steps
from evaluator.trec import Run

BOUNDED = (*EXACT, "nDCG")
NOT_COVERED = (
    "Not covered is gold that neither arm returns in its first k; where a measure counts all "
    "gold, as R and nDCG do, it would move both arms."
)
_NOTHING = 1e-9


def doubts_record(
    pair: ArmPair,
    before: Mapping[str, float],
    after: Mapping[str, float],
    *,
    weight_by_query: Mapping[str, float] | None = None,
) -> dict[str, Any]:
    """
    The range of every measure's difference, and what could turn the sign of the primary one.

    `before` and `after` are the primary measure of both arms over the queries with gold.
    With weights the primary difference and its range are those per search. Labels that hold
    only gold cannot say what was never judged: then there is a reason and no figure.
    """
    if not pair.negatives_recorded:
        return {"reason": "negatives not recorded", "ranges": {}}
    lists = {q: _lists(pair, q, pair.k) for q in pair.query_ids}
    unjudged = {q: one.unjudged for q, one in lists.items() if one.unjudged}
    return {
        "reason": None,
        "k": pair.k,
        "unjudged": unjudged,
        "unjudged_pairs": sum(map(len, unjudged.values())),
        "not_covered": NOT_COVERED,
        "ranges": {name: _range(pair, name) for name in pair.measures},
        "per_search": weight_by_query is not None,
        "primary_range": _range(pair, pair.primary, weight_by_query),
        "sign": _sign(pair, before, after, weight_by_query),
    }


def _lists(pair: ArmPair, query_id: str, k: int) -> Lists:
    baseline, treatment = (
        [chunk_id for chunk_id, _ in rankings.get(query_id, ())[:k]]
        for rankings in (pair.baseline, pair.treatment)
    )
    return Lists(baseline, treatment, k, pair.grades(query_id), pair.min_grade, pair.max_grade)


def _range(
    pair: ArmPair, name: str, weight_by_query: Mapping[str, float] | None = None
) -> dict[str, Any]:
    """
    The ends of the mean difference, over the queries with gold and over all of them.

    Queries do not share judgements, so the ends of the mean are the means of the ends. One
    without gold counts 0 in both arms unless a chunk of its own turns out to be gold.
    """
    family, k = family_of(name), cutoff_of(name)
    if family not in BOUNDED or k is None:
        return {"method": None, "interval": None, "over_all": None}
    ends = {q: difference_range(family, _lists(pair, q, k)) for q in pair.query_ids}
    return {
        "method": "exact" if family in EXACT else "outer bound",
        "interval": _mean_ends(ends, pair.gold_ids, weight_by_query),
        "over_all": _mean_ends(ends, pair.query_ids, weight_by_query),
    }


def _mean_ends(
    ends: Mapping[str, tuple[float, float]],
    query_ids: Sequence[str],
    weight_by_query: Mapping[str, float] | None,
) -> list[float]:
    shares = _shares(query_ids, weight_by_query)
    return [math.fsum(shares[q] * ends[q][end] for q in query_ids) for end in (0, 1)]


def _shares(
    query_ids: Sequence[str], weight_by_query: Mapping[str, float] | None
) -> dict[str, float]:
    """How much of the mean each query is."""
    if weight_by_query is None:
        return dict.fromkeys(query_ids, 1 / len(query_ids))
    total = math.fsum(weight_by_query[q] for q in query_ids)
    return {q: weight_by_query[q] / total for q in query_ids}


def _sign(
    pair: ArmPair,
    before: Mapping[str, float],
    after: Mapping[str, float],
    weight_by_query: Mapping[str, float] | None,
) -> dict[str, Any]:
    """
    The fewest unjudged chunks whose being gold takes the primary difference to 0 or beyond.

    Over the queries with gold. `chunks` is None where no assignment does. The steps of a
    query never grow, so taking the largest of all queries first needs the fewest.
    """
    family = family_of(pair.primary)
    if family not in EXACT:
        return {"method": None, "chunks": None, "by_query": {}}
    lists = {q: _lists(pair, q, pair.k) for q in pair.gold_ids}
    shares = _shares(pair.gold_ids, weight_by_query)
    left = math.fsum(shares[q] * (after[q] - before[q]) for q in pair.gold_ids)
    if abs(left) <= _NOTHING:
        return {"method": "exact", "difference": 0.0, "chunks": 0, "by_query": {}}
    difference = left
    if left < 0:
        lists, left = {q: one.swapped for q, one in lists.items()}, -left
    steps = [
        (shares[q] * lowering, q, chunk_id)
        for q in pair.gold_ids
        for lowering, chunk_id in lowering_steps(family, lists[q])
    ]
    by_query: dict[str, list[str]] = {}
    # Sorting is stable, so equal steps of one query keep their order.
    for lowering, query_id, chunk_id in sorted(steps, key=lambda step: -step[0]):
        by_query.setdefault(query_id, []).append(chunk_id)
        left -= lowering
        if left <= _NOTHING:
            break
    else:
        return {"method": "exact", "difference": difference, "chunks": None, "by_query": {}}
    return {
        "method": "exact",
        "difference": difference,
        "chunks": sum(map(len, by_query.values())),
        "by_query": {q: sorted(chunk_ids) for q, chunk_ids in sorted(by_query.items())},
    }


def full_by_construction(
    run_by_arm: Mapping[str, Run],
    *,
    gold_by_query: Mapping[str, Collection[str]],
    k: int,
    pool_depth: int | None,
) -> list[str]:
    """
    A sentence for each arm whose first k hold all gold of a pool no deeper than k.

    None where the depth of the pool is not known. A deeper pool could have held gold beyond
    k, so that a full level would have been earned.
    """
    if pool_depth is None or pool_depth > k or not gold_by_query:
        return []
    return [
        f"The pool is {pool_depth} chunks deep and every gold chunk lies in the first {k} of "
        f"{arm!r}, as when this arm's own system filled the pool: its Success@{k} is 1 by "
        "construction, and no arm can be better."
        for arm, run in run_by_arm.items()
        if all(
            {chunk_id for chunk_id, _ in run.get(query_id, ())[:k]}.issuperset(gold)
            for query_id, gold in gold_by_query.items()
        )
    ]
