"""
Two measured arms -> a contrast: figures, closures, flips, groups and doubts side by side.

The statistics come from `figures`, groups and searches from `groups`. It opens no file and
prints nothing.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluator.arms.arm import ArmRun
from evaluator.arms.bodies import cut_notice
from evaluator.arms.setting import Setting
from evaluator.contrasts.causes import RULES, Evidence, tokens_of
from evaluator.contrasts.constants import closure, constants
from evaluator.contrasts.costs import header_tax
from evaluator.contrasts.doubts import full_by_construction
from evaluator.contrasts.figures import cells_by_cutoff, holm, main_figures, primary_record
from evaluator.contrasts.flips import ShownTexts, flips_record
from evaluator.contrasts.groups import by_group, per_search
from evaluator.contrasts.measured import Measured
from evaluator.contrasts.other_labels import sensitivity_record
from evaluator.contrasts.pair import ArmPair, Values
from evaluator.experiment.factors import Factor, contrast_label, factors_changed
from evaluator.measures.values import mean_over
from evaluator.statistics.cells import PairedCells, flipped


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
    pair = _pair(a.run, b.run, setting)
    before, after = (pair.over_gold(one.primary) for one in (a, b))
    primary = before[pair.primary], after[pair.primary]
    hits = pair.success(k)
    label, notices = _label(a.run, b.run, factor, setting)
    full = {n: _full(a.run, b.run, n, setting) for n in (k, k2)}
    return {
        "baseline": a.run.arm.name,
        "treatment": b.run.arm.name,
        "factor": factor,
        "label": label,
        "held_still": constants(a.run, b.run, factor, setting),
        "notices": notices + cut_notice(setting) + full[k],
        **main_figures(pair, before, after, notes=full[k2]),
        "flips": _flips(
            a.run, b.run, pair, setting, hits=(before[hits], after[hits]), opened=open_held_out
        ),
        "closure": closure(
            a.run,
            b.run,
            factor=factor,
            tax_by_k={n: header_tax(b.run, n, setting) for n in (k, k2)},
            cells_by_k=_cells_and_rates(pair, before, after),
            matched=protocol.body == "matched",
        ),
        **by_group(a, b, setting),
        **per_search(*primary, setting),
        **sensitivity_record(pair, *primary, weight_by_query=_weights(setting)),
        "other_ranking": _by_the_other(a.run, b.run, pair, setting),
    }


def _pair(a: ArmRun, b: ArmRun, setting: Setting) -> ArmPair:
    """Both arms by the primary ranking, over the queries of the headline."""
    labels, protocol, population = setting.labels, setting.experiment.protocol, setting.population
    return ArmPair(
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


def _cells_and_rates(
    pair: ArmPair, before: Values, after: Values
) -> dict[int, tuple[PairedCells, float, float]]:
    """The cells at k and 2k, and both arms' rates, which are not taken from the cells."""

    def rate(values: Values, k: int) -> float:
        return mean_over(values[pair.success(k)], pair.gold_ids)

    cells = cells_by_cutoff(pair, before, after)
    return {k: (found, rate(before, k), rate(after, k)) for k, found in cells.items()}


def _label(a: ArmRun, b: ArmRun, factor: Factor, setting: Setting) -> tuple[str, list[str]]:
    """What the contrast may be called, and what has to be said beside it."""
    label = contrast_label(a.arm, b.arm, factor)
    notices = [] if label == factor else [label]
    if a.strings_sha256 == b.strings_sha256 and factor != "model":
        notices.append("Both arms gave the encoder the same strings: nothing was changed.")
    if factor == "header" and b.inputs.without_header:
        n = b.inputs.without_header
        notices.append(f"{n} of {len(setting.chunks)} chunks have no header in {b.arm.name!r}.")
    loses_more = b.tokens_cut > a.tokens_cut
    if loses_more.any() and factor != "model":
        label = f"{factor} plus lost body"
        notices.append(_lost_body(a, b, loses_more, setting))
    return label, notices


def _lost_body(a: ArmRun, b: ArmRun, loses_more: NDArray[np.bool_], setting: Setting) -> str:
    before, after = int(a.inputs.truncated.sum()), int(b.inputs.truncated.sum())
    gold = {c for q in setting.population.gold_ids for c in setting.labels.gold(q)}
    rows = [row for chunk_id, row in setting.row_by_chunk.items() if chunk_id in gold]
    cut = int(loses_more[rows].sum())
    return (
        f"The model cuts {after} chunks of {b.arm.name!r} and {before} of {a.arm.name!r}, so the "
        f"treatment also loses body text: more is cut of {cut} of {len(rows)} gold chunks "
        f"({cut / max(1, len(rows)):.1%}) than in the baseline."
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


def _flips(
    a: ArmRun,
    b: ArmRun,
    pair: ArmPair,
    setting: Setting,
    *,
    hits: tuple[Mapping[str, float], Mapping[str, float]],
    opened: bool,
) -> dict[str, Any]:
    """The flips of `hits`, both arms' hits at k, with what the run knows to guess from."""
    won, lost = flipped(*hits)
    evidence = Evidence(
        pair=pair,
        baseline=a,
        treatment=b,
        row_by_chunk=setting.row_by_chunk,
        text_by_query={query.query_id: query.text for query in setting.population.asked},
        bodies=setting.bodies,
        is_approximate=setting.experiment.protocol.ranking == "hnsw",
    )
    return flips_record(
        pair,
        won=won,
        lost=lost,
        reading=ShownTexts(
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


def _by_the_other(a: ArmRun, b: ArmRun, pair: ArmPair, setting: Setting) -> dict[str, Any]:
    """The primary measure and the cells at k by the ranking that is not primary."""
    other = setting.other_ranking
    measure, cells = primary_record(
        replace(pair, baseline=a.ranking(other), treatment=b.ranking(other))
    )
    return {
        "ranking": other,
        "measures": {pair.primary: measure},
        "cells": {str(pair.k): cells},
    }
