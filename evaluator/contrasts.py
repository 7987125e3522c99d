"""
What a contrast is recorded as, in the shape of `record.json`.

It takes two measured arms and puts statistics, closures, flips and groups side by side;
the statistics themselves come from `compare`. It opens no file and prints nothing.
"""

from collections.abc import Mapping
from typing import Any

from evaluator.arm import ArmRun
from evaluator.closure import closure
from evaluator.compare import (
    cells_by_group,
    cells_record,
    flipped,
    four_cells,
    holm,
    k_by_treatment,
    measure_record,
    traffic_estimate,
)
from evaluator.factors import Factor, contrast_label, factors_changed
from evaluator.measures import mean_over
from evaluator.record import Measured, Setting, Values, header_tax

# Of the resampling tests; any fixed number would do.
SEED = 13


def contrast_records(
    measured: Mapping[str, Measured], setting: Setting, *, open_held_out: bool
) -> list[dict[str, Any]]:
    """
    All contrasts of the file, their primary p-values adjusted as one family.

    Flips of held-out queries are only counted, unless they are opened on request.
    """
    records = [
        _record(
            measured[contrast.baseline],
            measured[contrast.treatment],
            setting,
            open_held_out=open_held_out,
        )
        for contrast in setting.experiment.contrasts
    ]
    if len(records) > 1:
        adjusted = holm([record["measures"][setting.primary]["p"] for record in records])
        for record, p in zip(records, adjusted, strict=True):
            record["primary"]["p_holm"] = p
    return records


def held_still(a: ArmRun, b: ArmRun, factor: Factor, setting: Setting) -> list[str]:
    """Everything that both arms share, compared field by field."""
    experiment, population = setting.experiment, setting.population
    protocol = experiment.protocol
    index = protocol.index
    shared = [
        f"label set {setting.labels.sha256[:12]}",
        f"chunk set {experiment.snapshot_digest[:12]}, {len(setting.chunks)} chunks",
        f"{len(population.asked)} queries, split {population.split}",
        f"ranking {protocol.ranking}, depth {protocol.depth}, similarity {protocol.similarity}",
        f"graph m {index.m}, ef_construction {index.ef_construction}, "
        f"ef_search {index.ef_search}, seed {index.seed}",
        f"filters {'on' if protocol.filter else 'off'}, body {protocol.body}",
    ]
    if factor != "model":
        assert a.model.identity == b.model.identity
        shared.append(f"model {a.model.source}, {a.model.precision}, {a.model.engine}")
    if factor != "formatting":
        same = a.arm.prefixes == b.arm.prefixes
        strings = f'"{a.arm.query_prefix}" and "{a.arm.doc_prefix}"'
        shared.append(f"prefixes {strings}" if same else "the level of formatting")
    if factor != "header":
        assert a.header.digest == b.header.digest
        shared.append(f"header rule {a.header.rule}")
    return shared


def _record(a: Measured, b: Measured, setting: Setting, *, open_held_out: bool) -> dict[str, Any]:
    protocol = setting.experiment.protocol
    [factor] = factors_changed(a.run.arm, b.run.arm, prescribed=setting.prescribed)
    k, k2 = protocol.cutoffs
    hits = {n: _pair(a.primary, b.primary, setting.success(n), setting) for n in (k, k2)}
    cells = {n: four_cells(*hits[n]) for n in (k, k2)}
    label, notices = _label(a.run, b.run, factor, setting)
    return {
        "baseline": a.run.arm.name,
        "treatment": b.run.arm.name,
        "factor": factor,
        "label": label,
        "held_still": held_still(a.run, b.run, factor, setting),
        "notices": notices,
        "primary": {"measure": setting.primary, "k": k},
        "measures": {
            name: measure_record(name, *_pair(a.primary, b.primary, name, setting), seed=SEED)
            for name in setting.measures
        },
        "cells": {str(n): cells_record(cells[n]) for n in (k, k2)},
        "k_by_treatment": k_by_treatment(
            k=k,
            baseline=(cells[k].rate_baseline, cells[k2].rate_baseline),
            treatment=(cells[k].rate_treatment, cells[k2].rate_treatment),
            measure=setting.success(k),
        ),
        "flips": _flips(a, b, setting, opened=open_held_out),
        "closure": closure(
            a.run,
            b.run,
            factor=factor,
            tax_by_k={n: header_tax(b.run, n, setting) for n in (k, k2)},
            cells_by_k={n: (cells[n], *_means(hits[n], setting)) for n in (k, k2)},
        ),
        **_groups(a, b, setting),
        "traffic": traffic_estimate(
            *_pair(a.primary, b.primary, setting.primary, setting),
            weights={query.query_id: query.weight for query in setting.labels.queries},
        ),
        "other_ranking": _other_ranking(a, b, setting),
    }


def _pair(
    a: Values, b: Values, name: str, setting: Setting
) -> tuple[dict[str, float], dict[str, float]]:
    """One measure of both arms over the headline's queries with gold."""
    gold = setting.population.gold_ids
    return {q: a[name][q] for q in gold}, {q: b[name][q] for q in gold}


def _means(
    pair: tuple[Mapping[str, float], Mapping[str, float]], setting: Setting
) -> tuple[float, float]:
    a, b = (mean_over(values, setting.population.gold_ids) for values in pair)
    return a, b


def _label(a: ArmRun, b: ArmRun, factor: Factor, setting: Setting) -> tuple[str, list[str]]:
    """What the contrast may be called, and what has to be said beside it."""
    label = contrast_label(a.arm, b.arm, factor)
    notices = [] if label == factor else [label]
    if a.strings_sha256 == b.strings_sha256 and factor != "model":
        notices.append("Both arms gave the encoder the same strings: nothing was changed.")
    if factor == "header" and b.inputs.without_header:
        n = b.inputs.without_header
        notices.append(f"{n} of {len(setting.chunks)} chunks have no header in {b.arm.name!r}.")
    before, after = int(a.inputs.truncated.sum()), int(b.inputs.truncated.sum())
    if after > before and factor != "model":
        label = f"{factor} plus lost body"
        notices.append(_lost_body(a, b, before, after, setting))
    return label, notices


def _lost_body(a: ArmRun, b: ArmRun, before: int, after: int, setting: Setting) -> str:
    gold = {c for q in setting.population.gold_ids for c in setting.labels.gold(q)}
    rows = [row for row, chunk in enumerate(setting.chunks) if chunk.chunk_id in gold]
    cut = int((b.inputs.truncated[rows] & ~a.inputs.truncated[rows]).sum())
    return (
        f"The model cuts {after} chunks of {b.arm.name!r} and {before} of {a.arm.name!r}, so the "
        f"treatment also loses body text: {cut} of {len(rows)} gold chunks "
        f"({cut / max(1, len(rows)):.1%}) are cut only in the treatment."
    )


def _flips(a: Measured, b: Measured, setting: Setting, *, opened: bool) -> dict[str, Any]:
    name = setting.success(setting.experiment.protocol.k)
    won, lost = flipped(*_pair(a.primary, b.primary, name, setting))
    classes = setting.population.class_by_query

    def shown(query_ids: tuple[str, ...]) -> list[dict[str, Any]]:
        return [
            _flip(q, a.run, b.run, setting) for q in query_ids if opened or classes[q] != "held-out"
        ]

    return {"opened": opened, "won": shown(won), "lost": shown(lost)}


def _flip(query_id: str, a: ArmRun, b: ArmRun, setting: Setting) -> dict[str, Any]:
    text = {query.query_id: query.text for query in setting.population.asked}[query_id]
    return {
        "query_id": query_id,
        "text": text,
        "class": setting.population.class_by_query[query_id],
        "gold": sorted(setting.labels.gold(query_id)),
        "rank_baseline": first_gold_rank(a, query_id, setting),
        "rank_treatment": first_gold_rank(b, query_id, setting),
    }


def first_gold_rank(run: ArmRun, query_id: str, setting: Setting) -> int | None:
    """The rank of a query's best gold chunk in the primary ranking; None beyond its depth."""
    gold = setting.labels.gold(query_id)
    ranking = run.ranking(setting.experiment.protocol.ranking)[query_id]
    found = (rank for rank, (chunk_id, _) in enumerate(ranking, start=1) if chunk_id in gold)
    return next(found, None)


def _groups(a: Measured, b: Measured, setting: Setting) -> dict[str, Any]:
    """The cells of each class, each source of the gold, and each origin; none with one group."""
    population = setting.population
    name = setting.success(setting.experiment.protocol.k)
    pair = _pair(a.primary, b.primary, name, setting)
    everyone = population.asked_gold
    asked = tuple({q: values[name][q] for q in everyone} for values in (a.primary, b.primary))
    return {
        "by_class": _cells_of(*pair, group_by_query=population.class_by_query),
        "by_source": _cells_of(*pair, group_by_query=_sources(setting)),
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


def _sources(setting: Setting) -> dict[str, str]:
    """The source of each query's gold; "several" where its gold lies in more than one."""
    source_by_chunk = {chunk.chunk_id: chunk.source or "(none)" for chunk in setting.chunks}
    found = {}
    for query_id in setting.population.gold_ids:
        gold = setting.labels.gold(query_id)
        sources = {source_by_chunk.get(chunk_id, "(not in the snapshot)") for chunk_id in gold}
        found[query_id] = sources.pop() if len(sources) == 1 else "several"
    return found


def _other_ranking(a: Measured, b: Measured, setting: Setting) -> dict[str, Any]:
    """The same contrast in the ranking that is not primary, with its own cells."""
    name = setting.success(setting.experiment.protocol.k)
    return {
        "ranking": setting.other_ranking,
        "measures": {
            setting.primary: measure_record(
                setting.primary, *_pair(a.other, b.other, setting.primary, setting), seed=SEED
            )
        },
        "cells": {
            str(setting.experiment.protocol.k): cells_record(
                four_cells(*_pair(a.other, b.other, name, setting))
            )
        },
    }
