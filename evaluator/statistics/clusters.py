"""
Queries that do not stand for themselves: whole clusters as the units of test and interval.

Paraphrases of one need move together, so each of them is no evidence of its own. It owns what
makes a cluster. The difference stays the mean over queries; only what may happen by chance is
counted by cluster. It knows no labels and no run.
"""

from collections.abc import Hashable, Iterable, Mapping

from evaluator.statistics.cells import require_same_queries
from evaluator.statistics.intervals import Inference, cluster_sums, inference


def compare_clustered(
    baseline: Mapping[str, float],
    treatment: Mapping[str, float],
    *,
    cluster_by_query: Mapping[str, str],
    seed: int,
) -> Inference:
    """
    Chance in the paired difference of two arms where queries come in clusters.

    Every query that `cluster_by_query` does not name is a cluster by itself.
    """
    require_same_queries(baseline, treatment)
    differences = {query_id: treatment[query_id] - baseline[query_id] for query_id in baseline}
    return inference(*cluster_sums(differences, cluster_by_query), seed=seed)


def clusters_of_groups(group_by_query: Mapping[str, str | None]) -> dict[str, str] | None:
    """The group of each query that has one, if any two share one; else None."""
    groups = {query_id: group for query_id, group in group_by_query.items() if group is not None}
    return groups if len(set(groups.values())) < len(groups) else None


def independent_units(groups: Iterable[str | None]) -> int:
    """How many units queries of these groups are: a group is one, as is a query without one."""
    named = list(groups)
    return len({*named} - {None}) + named.count(None)


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
