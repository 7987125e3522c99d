"""
The queries that a design drew, as arrays, with the part of them that has values.

It owns what makes a query count for the traffic: it came out of the log, and its weight is
log_count / inclusion_probability. It computes no statistic.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluator import InputError
from evaluator.labelset.format import Query
from evaluator.statistics.weighted import Floats, Mask

_SAME = 1e-6


@dataclass(frozen=True, slots=True)
class DrawnSample:
    """The drawn queries as arrays; a query outside the domain has the difference 0."""

    before: Floats
    after: Floats
    weights: Floats
    probabilities: Floats | None
    strata: NDArray[np.int64]
    inside: Mask

    @property
    def certain(self) -> Mask:
        """The queries that are in every sample of this design."""
        if self.probabilities is None:
            return np.zeros(len(self.weights), bool)
        return self.probabilities >= 1


def drawn_sample(
    baseline: Mapping[str, float], treatment: Mapping[str, float], drawn: Sequence[Query]
) -> DrawnSample:
    """The domain and, outside it, whatever else the same design drew."""
    kept = [q for q in drawn if q.query_id in baseline or q.inclusion_probability is not None]
    weights = np.array([_weight(query) or 0.0 for query in kept])
    inside = np.array([query.query_id in baseline for query in kept])
    known = [q.inclusion_probability for q in kept if q.inclusion_probability is not None]
    return DrawnSample(
        before=np.array([baseline.get(query.query_id, 0.0) for query in kept]),
        after=np.array([treatment.get(query.query_id, 0.0) for query in kept]),
        weights=weights,
        probabilities=np.array(known) if len(known) == len(kept) else None,
        strata=np.unique([query.stratum or "" for query in kept], return_inverse=True)[1],
        inside=inside,
    )


def why_no_weights(queries: Sequence[Query]) -> str | None:
    """None when every query of the domain came out of the log with a weight."""
    others = [query.query_id for query in queries if query.origin != "log"]
    if others:
        return f"{count(others)} not from the log ({first(others)}): no searches counted"
    bare = [query.query_id for query in queries if _weight(query) is None]
    if bare:
        return (
            f"{count(bare)} without a weight ({first(bare)}): no design with known "
            "probabilities drew them, so the rest would stand for another population"
        )
    if not any(_weight(query) for query in queries):
        return "none of these queries was ever searched for"
    return None


def count(query_ids: Sequence[str]) -> str:
    """How many queries there are, with the verb that fits."""
    return "1 query is" if len(query_ids) == 1 else f"{len(query_ids)} queries are"


def first(query_ids: Sequence[str]) -> str:
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
