"""
Queries that do not stand for themselves: a test and an interval with whole clusters as units.

Paraphrases of one need move together, so each of them is no evidence of its own. It owns
what a cluster is worth as a unit of chance. The difference stays the mean over queries; only
what may happen by chance is counted by cluster. It knows no labels and no run.
"""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass

from evaluator.statistics.cells import require_same_queries
from evaluator.statistics.intervals import cluster_sums, mean_interval, why_no_interval
from evaluator.statistics.sign_flip import SignFlipTest, sign_flip_test


@dataclass(frozen=True, slots=True)
class Clustered:
    """
    A paired difference with its test and interval by cluster.

    `largest_share` is the share of all queries in the largest cluster. `interval` is None
    where `reason` says why there is none. The two are not made to agree: the test decides.
    """

    clusters: int
    largest_share: float
    test: SignFlipTest
    interval: tuple[float, float] | None
    reason: str | None


def compare_clustered(
    baseline: Mapping[str, float],
    treatment: Mapping[str, float],
    *,
    cluster_by_query: Mapping[str, str],
    seed: int,
) -> Clustered:
    """
    The paired difference of two arms where queries come in clusters.

    Every query that `cluster_by_query` does not name is a cluster by itself. If the arms were
    equally good, the sum of a cluster's differences would fall either way like a fair coin,
    all of it at once. For hits the sums are whole numbers and p is exact; with a cluster for
    each query it is the exact McNemar p.
    """
    require_same_queries(baseline, treatment)
    differences = {query_id: treatment[query_id] - baseline[query_id] for query_id in baseline}
    sums, sizes = cluster_sums(differences, cluster_by_query)
    reason = why_no_interval(sizes)
    return Clustered(
        clusters=len(sums),
        largest_share=float(sizes.max() / sizes.sum()),
        test=sign_flip_test(sums, seed=seed),
        interval=None if reason else mean_interval(sums / sizes, sizes),
        reason=reason,
    )


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
