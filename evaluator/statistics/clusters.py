"""
Queries that do not stand for themselves: a test and an interval that draw whole clusters.

Paraphrases of one need move together, so each of them is no evidence of its own. It owns
what a cluster is worth as a unit of chance. The difference stays the mean over queries; only
what may happen by chance is counted by cluster. It knows no labels and no run.
"""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from evaluator.statistics.cells import require_same_queries
from evaluator.statistics.graded import FEWEST, NO_SPREAD, bootstrap_interval, sign_flip_p

# A bootstrap with a cluster that outweighs the others covers less than it says.
LARGEST_SHARE = 0.2


@dataclass(frozen=True, slots=True)
class Clustered:
    """
    A paired difference with its p-value and interval by cluster.

    `largest_share` is the share of all queries in the largest cluster. `interval` is None
    where `reason` says why there is none.
    """

    clusters: int
    largest_share: float
    p: float
    p_method: Literal["exact", "draws"]
    interval: tuple[float, float] | None
    reason: str | None
    seed: int
    resamples: int


def compare_clustered(
    baseline: Mapping[str, float],
    treatment: Mapping[str, float],
    *,
    cluster_by_query: Mapping[str, str],
    seed: int,
    resamples: int = 10_000,
    level: float = 0.95,
) -> Clustered:
    """
    The paired difference of two arms where queries come in clusters.

    Every query that `cluster_by_query` does not name is a cluster by itself. Sign flip: if
    the arms were equally good, the sum of a cluster's differences would fall either way like
    a fair coin, all of it at once. For hits the sums are whole numbers and p is exact; with a
    cluster for each query it is the exact McNemar p. Bootstrap: clusters are drawn with
    replacement, and each draw gives the mean over the queries in it.
    """
    require_same_queries(baseline, treatment)
    sums, sizes = _by_cluster(baseline, treatment, cluster_by_query)
    whole = bool((sums == np.round(sums)).all())
    random = np.random.default_rng(seed)
    share = float(sizes.max() / sizes.sum())
    reason = _no_interval(sums / sizes, share)
    interval = None
    if reason is None:
        interval = bootstrap_interval(sums, sizes, random, resamples=resamples, level=level)
    flips = np.random.default_rng(seed + 1)
    p = exact_sign_flip(sums) if whole else sign_flip_p(sums, flips, resamples=resamples)
    return Clustered(
        clusters=len(sums),
        largest_share=share,
        p=p,
        p_method="exact" if whole else "draws",
        interval=interval,
        reason=reason,
        seed=seed,
        resamples=resamples,
    )


def exact_sign_flip(sums: NDArray[np.float64]) -> float:
    """
    Share of all sign flips whose total is at least as far from 0 as the total of `sums`.

    `sums` are whole numbers. The flips are not enumerated: the totals that they can have, and
    the chance of each, are built up one cluster after the other.
    """
    steps = [int(abs(size)) for size in sums if size]
    chance = np.ones(1)
    for step in steps:
        grown = np.zeros(len(chance) + 2 * step)
        grown[: len(chance)] += chance / 2
        grown[2 * step :] += chance / 2
        chance = grown
    total = sum(steps)
    far = np.abs(np.arange(-total, total + 1, dtype=np.int64)) >= abs(int(sums.sum()))
    return min(1.0, float(chance[far].sum()))


def clusters_of_groups(group_by_query: Mapping[str, str | None]) -> dict[str, str] | None:
    """The group of each query that has one, if any two share one; else None."""
    groups = {query_id: group for query_id, group in group_by_query.items() if group is not None}
    return groups if len(set(groups.values())) < len(groups) else None


def clusters_of_shared(
    things_by_query: Mapping[str, Iterable[Hashable]],
) -> dict[str, str] | None:
    """
    Queries linked by anything they share, directly or through others; None if none are.

    A cluster bears the name of its first query.
    """
    leader: dict[str, str] = {}

    def find(query_id: str) -> str:
        while leader[query_id] != query_id:
            query_id = leader[query_id]
        return query_id

    first_with: dict[Hashable, str] = {}
    for query_id in sorted(things_by_query):
        leader[query_id] = query_id
        for thing in things_by_query[query_id]:
            one, other = sorted((find(first_with.setdefault(thing, query_id)), find(query_id)))
            leader[other] = one
    found = {query_id: find(query_id) for query_id in leader}
    return found if len(set(found.values())) < len(found) else None


def _by_cluster(
    baseline: Mapping[str, float],
    treatment: Mapping[str, float],
    cluster_by_query: Mapping[str, str],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Sum of differences and number of queries of each cluster, in the order of first queries."""
    members: dict[tuple[bool, str], list[float]] = {}
    for query_id in sorted(baseline):
        named = cluster_by_query.get(query_id)
        # A query without a cluster must not fall into one that happens to bear its id.
        key = (False, query_id) if named is None else (True, named)
        members.setdefault(key, []).append(treatment[query_id] - baseline[query_id])
    sums = np.array([sum(differences) for differences in members.values()], dtype=np.float64)
    return sums, np.array([len(differences) for differences in members.values()], np.float64)


def _no_interval(means: NDArray[np.float64], largest_share: float) -> str | None:
    if len(means) < FEWEST:
        return f"{len(means)} clusters are fewer than {FEWEST}: no interval"
    if largest_share > LARGEST_SHARE:
        return f"one cluster holds {largest_share:.0%} of the queries, above a fifth: no interval"
    if np.ptp(means) <= NO_SPREAD:
        return "all clusters moved by the same amount: no interval"
    return None
