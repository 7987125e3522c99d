"""
A contrast taken apart: by class, source, stratum, origin, and per search instead of per query.

It owns which queries make a group, and hands each group to the statistics that the whole
contrast gets. It computes nothing itself.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from evaluator.arms.setting import Setting
from evaluator.contrasts.figures import cells_by_group
from evaluator.contrasts.measured import Measured
from evaluator.labelset.format import LabelSet
from evaluator.snapshot.chunk import Chunk
from evaluator.statistics.per_search import TrafficEstimate, traffic_by_group, traffic_estimate

Groups = dict[str, Mapping[str, str]]


def per_search(
    a: Mapping[str, float], b: Mapping[str, float], setting: Setting
) -> dict[str, TrafficEstimate | None]:
    """The contrast per search: over the queries with gold, and with the others as misses."""
    asked = dict.fromkeys(setting.population.query_ids, 0.0)

    def estimate(baseline: Mapping[str, float], treatment: Mapping[str, float]) -> TrafficEstimate:
        return traffic_estimate(
            baseline,
            treatment,
            queries=setting.labels.queries,
            domain=setting.population.split,
        )

    return {
        "traffic": estimate(a, b),
        "traffic_over_all": estimate(asked | dict(a), asked | dict(b))
        if len(asked) > len(a)
        else None,
    }


def by_group(a: Measured, b: Measured, setting: Setting) -> dict[str, Any]:
    """The cells at k of each group of an experiment's queries."""
    name, population = setting.success(setting.experiment.protocol.k), setting.population
    before, after = (
        {q: one[name][q] for q in population.asked_gold} for one in (a.primary, b.primary)
    )
    return cells_of_groups(
        before, after, gold_ids=population.gold_ids, labels=setting.labels, chunks=setting.chunks
    )


def cells_of_groups(
    before: Mapping[str, float],
    after: Mapping[str, float],
    *,
    gold_ids: Sequence[str],
    labels: LabelSet,
    chunks: Sequence[Chunk],
) -> dict[str, Any]:
    """
    The cells of each class, stratum, source of the gold and origin; none with one group.

    `before` and `after` are the hits of both arms over all asked queries with gold, and
    `gold_ids` those that a headline speaks of. Origins are compared over all of them, since a
    headline speaks of one; sources only where `chunks` tell them.
    """
    groups: Groups = {
        "by_class": {q.query_id: labels.query_class(q.query_id) for q in labels.queries},
        "by_stratum": {q.query_id: q.stratum or "(none)" for q in labels.queries},
    }
    if chunks:
        groups["by_source"] = sources(labels, gold_ids, chunks)
    own = [{q: hits[q] for q in gold_ids} for hits in (before, after)]
    by_origin = {q.query_id: q.origin for q in labels.queries}
    return {
        **group_records(own[0], own[1], groups, labels),
        **group_records(before, after, {"by_origin": by_origin}, labels),
    }


def sources(labels: LabelSet, query_ids: Sequence[str], chunks: Sequence[Chunk]) -> dict[str, str]:
    """The source of each query's gold; "several" where its gold lies in more than one."""
    source_by_chunk = {chunk.chunk_id: chunk.source or "(none)" for chunk in chunks}
    found = {}
    for query_id in query_ids:
        gold = labels.gold(query_id)
        names = {source_by_chunk.get(chunk_id, "(not in the snapshot)") for chunk_id in gold}
        found[query_id] = names.pop() if len(names) == 1 else "several"
    return found


def group_records(
    a: Mapping[str, float], b: Mapping[str, float], groups: Groups, labels: LabelSet
) -> dict[str, dict[str, dict[str, object]]]:
    """The cells of every group with its estimate per search; empty where all are in one."""
    return {key: _cells_and_traffic(a, b, by_query, labels) for key, by_query in groups.items()}


def _cells_and_traffic(
    a: Mapping[str, float],
    b: Mapping[str, float],
    group_by_query: Mapping[str, str],
    labels: LabelSet,
) -> dict[str, dict[str, object]]:
    if len({group_by_query[query_id] for query_id in a}) < 2:
        return {}
    cells = cells_by_group(a, b, group_by_query=group_by_query)
    estimates = traffic_by_group(
        a,
        b,
        queries=labels.queries,
        group_by_query=group_by_query,
    )
    return {group: cells[group] | {"traffic": estimates[group]} for group in cells}
