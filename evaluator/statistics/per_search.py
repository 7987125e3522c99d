"""
What a contrast says about the searches of a log, not only about the queries that were judged.

It owns what makes a query count for the traffic (it came out of the log, and its weight is
log_count / inclusion_probability) and the weighted mean over a domain. Queries are taken as
drawn anew, so the estimate speaks of this traffic and of the next window alike. It reads no
files.
"""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from evaluator import InputError
from evaluator.labelset.format import Query
from evaluator.statistics.cells import require_same_queries
from evaluator.statistics.intervals import (
    cluster_sums,
    effective_number,
    mean_interval,
    score_p,
    why_no_interval,
)
from evaluator.statistics.sign_flip import LEVEL

_SAME = 1e-6


@dataclass(frozen=True, slots=True)
class TrafficEstimate:
    """
    Both arms and their difference over one domain, weighted by searches.

    `n` counts the queries of the domain, `skipped` those that were drawn and skipped;
    `effective_queries` is how many of equal weight they are worth, paraphrases counted as one,
    and `largest_share` what the heaviest has. `p` is the one that belongs to the interval,
    `p_holm` the same adjusted for the contrasts of one file. `reason` says why there is neither,
    or, where every other figure is None, no estimate.
    """

    n: int
    baseline: float | None = None
    treatment: float | None = None
    difference: float | None = None
    interval: tuple[float, float] | None = None
    effective_queries: float | None = None
    largest_share: float | None = None
    skipped: int = 0
    reason: str | None = None
    p: float | None = None
    test: str | None = None
    p_holm: float | None = None

    @property
    def rules_out_zero(self) -> bool | None:
        """Whether 0 lies outside the interval, and the adjusted p allows it; None without one."""
        if self.interval is None:
            return None
        return (self.p_holm or 0) < LEVEL and not self.interval[0] <= 0 <= self.interval[1]


def traffic_estimate(
    baseline: Mapping[str, float],
    treatment: Mapping[str, float],
    *,
    queries: Iterable[Query],
) -> TrafficEstimate:
    """
    The contrast per search, over the queries that have values.

    The values, between 0 and 1 by query id, say what the domain is: all judged queries, the
    held-out ones, those of one source. `queries` is the whole label set. The difference is the
    ratio (Hajek) mean, weighted values over the weights of the domain.

    Raises InputError when the arms differ in their queries, a value lies outside 0 to 1, a
    query is not in the label set, or its weight contradicts its count and probability.
    """
    require_same_queries(baseline, treatment)
    _check_values(baseline, treatment)
    query_by_id = {query.query_id: query for query in queries}
    strangers = sorted(baseline.keys() - query_by_id.keys())
    if strangers:
        raise InputError(
            f"{_count(strangers)} not in the label set: {_first(strangers)}. "
            "Measure the runs over the queries of the label set."
        )
    asked = [query_by_id[query_id] for query_id in sorted(baseline)]
    reason = _why_no_weights(asked)
    if reason is not None:
        return TrafficEstimate(len(asked), reason=reason)
    weights = {query.query_id: _weight(query) or 0.0 for query in asked}
    total = math.fsum(weights.values())
    sums, units = cluster_sums(
        {query_id: treatment[query_id] - baseline[query_id] for query_id in baseline},
        {query.query_id: query.group for query in asked if query.group is not None},
        weights=weights,
    )
    sums, units = sums[units > 0], units[units > 0]
    reason = why_no_interval(units)
    return TrafficEstimate(
        n=len(asked),
        baseline=math.fsum(weights[q] * value for q, value in baseline.items()) / total,
        treatment=math.fsum(weights[q] * value for q, value in treatment.items()) / total,
        difference=float(sums.sum()) / total,
        interval=None if reason else mean_interval(sums / units, units),
        effective_queries=effective_number(units),
        largest_share=float(units.max() / units.sum()),
        skipped=sum(
            1
            for query_id, query in query_by_id.items()
            if query_id not in baseline and query.origin == "log" and query.skip_reason is not None
        ),
        reason=reason,
        p=None if reason else score_p(sums / units, units),
        test=None if reason else "score test",
    )


def share_of_searches(queries: Iterable[Query], chosen: Collection[str]) -> float | None:
    """The weight of the chosen among the log queries of these; None without weights."""
    weights = {query.query_id: query.weight for query in queries if query.origin == "log"}
    known = {query_id: weight for query_id, weight in weights.items() if weight is not None}
    if len(known) < len(weights) or not sum(known.values()):
        return None
    return sum(known.get(query_id, 0.0) for query_id in chosen) / sum(known.values())


def _check_values(*arms: Mapping[str, float]) -> None:
    wrong = {query_id for arm in arms for query_id, value in arm.items() if not 0 <= value <= 1}
    if wrong:
        raise InputError(
            f"The traffic estimate needs values from 0 to 1; look at {_first(sorted(wrong))}."
        )


def _why_no_weights(queries: Sequence[Query]) -> str | None:
    """None when every query of the domain came out of the log with a weight."""
    others = [query.query_id for query in queries if query.origin != "log"]
    if others:
        return f"{_count(others)} not from the log ({_first(others)}): no searches counted"
    bare = [query.query_id for query in queries if _weight(query) is None]
    if bare:
        return (
            f"{_count(bare)} without a weight ({_first(bare)}): no design with known "
            "probabilities drew them, so the rest would stand for another population"
        )
    if not any(_weight(query) for query in queries):
        return "none of these queries was ever searched for"
    return None


def _count(query_ids: Sequence[str]) -> str:
    """How many queries there are, with the verb that fits."""
    return "1 query is" if len(query_ids) == 1 else f"{len(query_ids)} queries are"


def _first(query_ids: Sequence[str]) -> str:
    """The first five ids, quoted."""
    return ", ".join(f"'{query_id}'" for query_id in query_ids[:5])


def _weight(query: Query) -> float | None:
    """log_count / inclusion_probability, checked against what the label set says."""
    probability, count, weight = query.inclusion_probability, query.log_count, query.weight
    if probability is not None and not 0 < probability <= 1:
        raise InputError(
            f"Query '{query.query_id}' has the inclusion probability {probability}; it must be "
            "above 0 and at most 1."
        )
    expected = count / probability if count is not None and probability is not None else None
    found = expected if weight is None else weight
    if found is not None and not 0 <= found < math.inf:
        raise InputError(f"Query '{query.query_id}' has the weight {found}; it must be 0 or more.")
    if found is not None and expected is not None and abs(found - expected) > _SAME * expected:
        raise InputError(
            f"Query '{query.query_id}' has the weight {found}, but log_count / "
            f"inclusion_probability is {expected}."
        )
    return found
