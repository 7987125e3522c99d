"""
A contrast taken apart: by class, source, stratum, origin, and per search instead of per query.

It owns which queries make a group, and hands each group to the statistics that the whole
contrast gets. It computes nothing itself.
"""

from collections.abc import Mapping
from typing import Any

from evaluator.compare import cells_by_group
from evaluator.record import Measured, Setting, Values
from evaluator.traffic import traffic_by_group, traffic_estimate


def paired_values(
    a: Values, b: Values, name: str, setting: Setting
) -> tuple[dict[str, float], dict[str, float]]:
    """One measure of both arms over the headline's queries with gold."""
    gold = setting.population.gold_ids
    return {q: a[name][q] for q in gold}, {q: b[name][q] for q in gold}


def per_search(
    a: Mapping[str, float], b: Mapping[str, float], setting: Setting
) -> dict[str, dict[str, object] | None]:
    """The contrast per search: over the queries with gold, and with the others as misses."""
    asked = dict.fromkeys(setting.population.query_ids, 0.0)

    def estimate(
        baseline: Mapping[str, float], treatment: Mapping[str, float]
    ) -> dict[str, object]:
        return traffic_estimate(
            baseline,
            treatment,
            queries=setting.labels.queries,
            sampling=setting.labels.manifest.get("sampling"),
            domain=setting.population.split,
        ).as_record()

    return {
        "traffic": estimate(a, b),
        "traffic_over_all": estimate(asked | dict(a), asked | dict(b))
        if len(asked) > len(a)
        else None,
    }


def by_group(a: Measured, b: Measured, setting: Setting) -> dict[str, Any]:
    """
    The cells of each class, source of the gold, stratum and origin; none with one group.

    All but origins also have the same hits per search.
    """
    population = setting.population
    name = setting.success(setting.experiment.protocol.k)
    pair = paired_values(a.primary, b.primary, name, setting)
    everyone = population.asked_gold
    asked = tuple({q: values[name][q] for q in everyone} for values in (a.primary, b.primary))
    return {
        "by_class": _with_traffic(*pair, population.class_by_query, setting),
        "by_source": _with_traffic(*pair, _sources(setting), setting),
        "by_stratum": _with_traffic(*pair, _strata(setting), setting),
        "by_origin": _cells_of(
            *asked, group_by_query={query.query_id: query.origin for query in population.asked}
        ),
    }


def _cells_of(
    a: Mapping[str, float], b: Mapping[str, float], *, group_by_query: Mapping[str, str]
) -> dict[str, dict[str, object]]:
    if len({group_by_query[query_id] for query_id in a}) < 2:
        return {}
    return cells_by_group(a, b, group_by_query=group_by_query)


def _with_traffic(
    a: Mapping[str, float],
    b: Mapping[str, float],
    group_by_query: Mapping[str, str],
    setting: Setting,
) -> dict[str, dict[str, object]]:
    """The cells of each group, each with its estimate per search as a domain of its own."""
    cells = _cells_of(a, b, group_by_query=group_by_query)
    estimates = traffic_by_group(
        a,
        b,
        queries=setting.labels.queries,
        group_by_query=group_by_query,
        sampling=setting.labels.manifest.get("sampling"),
    )
    return {group: cells[group] | {"traffic": estimates[group].as_record()} for group in cells}


def _strata(setting: Setting) -> dict[str, str]:
    """The stratum that each query was drawn from."""
    return {query.query_id: query.stratum or "(none)" for query in setting.population.asked}


def _sources(setting: Setting) -> dict[str, str]:
    """The source of each query's gold; "several" where its gold lies in more than one."""
    source_by_chunk = {chunk.chunk_id: chunk.source or "(none)" for chunk in setting.chunks}
    found = {}
    for query_id in setting.population.gold_ids:
        gold = setting.labels.gold(query_id)
        sources = {source_by_chunk.get(chunk_id, "(not in the snapshot)") for chunk_id in gold}
        found[query_id] = sources.pop() if len(sources) == 1 else "several"
    return found
