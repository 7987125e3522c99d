"""
What a contrast is recorded as, in the shape of `record.json`.

It takes two measured arms and puts statistics, closures and flips side by side; the
statistics themselves come from `compare`, groups and searches from `breakdown`. It opens no
file and prints nothing.
"""

from collections.abc import Mapping
from typing import Any

from evaluator.approximate import approximate_record
from evaluator.arm import ArmRun
from evaluator.bodies import cut_notice
from evaluator.breakdown import by_group, paired_values, per_search
from evaluator.causes import RULES, Evidence, tokens_of
from evaluator.ceiling import full_by_construction
from evaluator.closure import closure
from evaluator.compare import (
    cells_record,
    flipped,
    four_cells,
    holm,
    k_by_treatment,
    measure_record,
)
from evaluator.costs import header_tax
from evaluator.factors import Factor, contrast_label, factors_changed
from evaluator.flips import Reading, flips_record
from evaluator.measures import mean_over
from evaluator.pair import Pair
from evaluator.record import Measured, Setting
from evaluator.sensitivity import SEED, paraphrase_clusters, sensitivity_record
from evaluator.still import held_still


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


def _record(a: Measured, b: Measured, setting: Setting, *, open_held_out: bool) -> dict[str, Any]:
    protocol = setting.experiment.protocol
    [factor] = factors_changed(a.run.arm, b.run.arm, prescribed=setting.prescribed)
    k, k2 = protocol.cutoffs
    hits = {n: paired_values(a.primary, b.primary, setting.success(n), setting) for n in (k, k2)}
    cells = {n: four_cells(*hits[n]) for n in (k, k2)}
    pair = _pair(a.run, b.run, setting)
    clusters = paraphrase_clusters(pair)
    label, notices = _label(a.run, b.run, factor, setting)
    full = {n: _full(a.run, b.run, n, setting) for n in (k, k2)}
    return {
        "baseline": a.run.arm.name,
        "treatment": b.run.arm.name,
        "factor": factor,
        "label": label,
        "held_still": held_still(a.run, b.run, factor, setting),
        "notices": notices + cut_notice(setting) + full[k],
        "primary": {"measure": setting.primary, "k": k},
        "measures": {
            name: measure_record(
                name,
                *paired_values(a.primary, b.primary, name, setting),
                seed=SEED,
                cluster_by_query=clusters,
            )
            for name in setting.measures
        },
        "cells": {str(n): cells_record(cells[n]) for n in (k, k2)},
        "k_by_treatment": k_by_treatment(
            k=k,
            baseline=(cells[k].rate_baseline, cells[k2].rate_baseline),
            treatment=(cells[k].rate_treatment, cells[k2].rate_treatment),
            measure=setting.success(k),
        )
        | {"notes": full[k2]},
        "flips": _flips(a.run, b.run, pair, setting, opened=open_held_out),
        "closure": closure(
            a.run,
            b.run,
            factor=factor,
            tax_by_k={n: header_tax(b.run, n, setting) for n in (k, k2)},
            cells_by_k={n: (cells[n], *_means(hits[n], setting)) for n in (k, k2)},
            matched=protocol.body == "matched",
        ),
        **by_group(a, b, setting),
        **per_search(*paired_values(a.primary, b.primary, setting.primary, setting), setting),
        **sensitivity_record(pair, weight_by_query=_weights(setting)),
        **approximate_record(
            a.run,
            b.run,
            pair,
            other_ranking=setting.other_ranking,
            index=protocol.index,
            cluster_by_query=clusters,
        ),
    }


def _pair(a: ArmRun, b: ArmRun, setting: Setting) -> Pair:
    """Both arms by the primary ranking, over the queries of the headline."""
    labels, protocol, population = setting.labels, setting.experiment.protocol, setting.population
    return Pair(
        baseline=a.ranking(protocol.ranking),
        treatment=b.ranking(protocol.ranking),
        qrels=labels.qrels,
        min_grade=labels.min_grade,
        max_grade=max(map(int, labels.manifest["assessment"]["grades"])),
        query_ids=population.query_ids,
        gold_ids=population.gold_ids,
        primary=setting.primary,
        measures=setting.measures,
        k=protocol.k,
        label_set=labels,
    )


def _weights(setting: Setting) -> dict[str, float] | None:
    """The searches behind each query where the headline speaks of searches; else None."""
    if setting.experiment.protocol.estimand != "traffic":
        return None
    return {query.query_id: query.weight or 0.0 for query in setting.population.asked}


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


def _full(a: ArmRun, b: ArmRun, k: int, setting: Setting) -> list[str]:
    """A sentence for each arm whose level at k says how the pool was made."""
    ranking = setting.experiment.protocol.ranking
    return full_by_construction(
        {run.arm.name: run.ranking(ranking) for run in (a, b)},
        gold_by_query={q: setting.labels.gold(q) for q in setting.population.gold_ids},
        k=k,
        pool_depth=setting.labels.manifest["pooling"].get("depth"),
    )


def _flips(a: ArmRun, b: ArmRun, pair: Pair, setting: Setting, *, opened: bool) -> dict[str, Any]:
    hits = setting.success(pair.k)
    won, lost = flipped(*(values[hits] for values in pair.values([hits])))
    evidence = Evidence(
        pair=pair,
        baseline=a,
        treatment=b,
        row_by_chunk={chunk.chunk_id: row for row, chunk in enumerate(setting.chunks)},
        text_by_query={query.query_id: query.text for query in setting.population.asked},
        bodies=setting.bodies,
        is_approximate=setting.experiment.protocol.ranking == "hnsw",
    )
    return flips_record(
        pair,
        won=won,
        lost=lost,
        reading=Reading(
            class_by_query=setting.population.class_by_query,
            text_by_query=evidence.text_by_query,
            chunk_by_id={chunk.chunk_id: chunk for chunk in setting.chunks},
            holds_out=setting.labels.held_out_rule.holds_out,
            opened=opened,
        ),
        guess=evidence.causes,
        rules=RULES,
        tokens=lambda chunk_id: tokens_of(a, b, evidence.row_by_chunk[chunk_id]),
    )
