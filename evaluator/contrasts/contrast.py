"""
Two arms -> a contrast: figures, closures, flips, groups and doubts side by side.

`compare_pair` is for any two rankings, `contrasts` for the measured arms of an experiment. The
statistics come from `figures`. It opens no file and prints nothing.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from evaluator.arms.arm import ArmRun
from evaluator.arms.bodies import cut_notice
from evaluator.arms.setting import Setting
from evaluator.contrasts.causes import RULES, Evidence, tokens_of
from evaluator.contrasts.constants import closure, constants
from evaluator.contrasts.doubts import (
    by_assessor,
    doubts,
    full_by_construction,
    shared_documents,
)
from evaluator.contrasts.figures import (
    cell_figures,
    cells_by_group,
    cutoff_table,
    holm,
    measure_and_cells,
    pair_figures,
)
from evaluator.contrasts.flips import Guess, ShownTexts, named_flips, precision_sample
from evaluator.contrasts.measured import Measured, header_tax
from evaluator.contrasts.model import (
    UNEVENLY_JUDGED,
    CellFigures,
    Contrast,
    MeasureFigures,
    OtherRanking,
    Primary,
)
from evaluator.contrasts.pair import ArmPair, Values
from evaluator.experiment.factors import Factor, contrast_label, factors_changed
from evaluator.labelset.format import LabelSet, Qrels, Query
from evaluator.measures.names import cutoff_of, family_of, is_hit, measure_name
from evaluator.measures.values import mean_over
from evaluator.snapshot.chunk import Chunk
from evaluator.statistics.cells import flipped, four_cells
from evaluator.statistics.per_search import TrafficEstimate, traffic_estimate
from evaluator.trec import Run


def contrasts(
    measured: Mapping[str, Measured], setting: Setting, *, open_held_out: bool
) -> tuple[Contrast, ...]:
    """
    All contrasts of the file, their p adjusted as one family, and as another those per search.

    Flips of held-out queries are only counted, unless they are opened on request.
    """
    found = tuple(
        _of_arms(
            measured[contrast.baseline],
            measured[contrast.treatment],
            setting,
            open_held_out=open_held_out,
        )
        for contrast in setting.experiment.contrasts
    )
    return as_one_family(found)


def as_one_family(found: tuple[Contrast, ...]) -> tuple[Contrast, ...]:
    """The contrasts with their primary p adjusted by Holm where there are several."""
    if len(found) < 2:
        return found
    adjusted = holm([contrast.measures[contrast.primary.measure].p for contrast in found])
    weighted = iter(holm([one.traffic.p for one in found if one.traffic and one.traffic.p]))
    return tuple(
        replace(
            contrast,
            primary=replace(contrast.primary, p_holm=p),
            traffic=contrast.traffic
            and replace(contrast.traffic, p_holm=contrast.traffic.p and next(weighted)),
        )
        for contrast, p in zip(found, adjusted, strict=True)
    )


def compare_pair(
    pair: ArmPair,
    *values: Values,
    notices: Sequence[str],
    guess: Guess,
    rules: Mapping[str, str],
    chunks: Sequence[Chunk] = (),
    opened: bool = False,
    tokens: Callable[[str], Mapping[str, int]] = lambda _: {},
    weight_by_query: Mapping[str, float] | None = None,
) -> Contrast:
    """
    What can be said of any two arms, whoever ran them; nothing is held still and no cause named.

    `values` are those of baseline and treatment by measure and query, over all asked queries
    with gold. `chunks`, where they are known, give words and sources; `guess`, `rules` and
    `tokens` are for the flips, of which held-out ones are named where they are `opened`.
    """
    before, after = map(pair.over_gold, values)
    hits = {k: pair.success(k) for k in (pair.k, 2 * pair.k)}
    cells = {k: four_cells(before[name], after[name]) for k, name in hits.items()}
    at_k, at_2k = cells.values()
    primary, labels = (before[pair.primary], after[pair.primary]), pair.label_set
    hit = hits[pair.k]
    won, lost = flipped(before[hit], after[hit])
    found = Contrast(
        baseline=pair.names[0],
        treatment=pair.names[1],
        factor=None,
        label=None,
        held_still=(),
        notices=tuple(notices),
        primary=Primary(pair.primary, pair.k),
        measures={
            name: replace(
                pair_figures(pair, name, before, after),
                changes=_changes(name, before[name], after[name]),
            )
            for name in pair.measures
        },
        cells={str(k): cell_figures(found) for k, found in cells.items()},
        k_by_treatment=cutoff_table(
            k=pair.k,
            baseline=(at_k.rate_baseline, at_2k.rate_baseline),
            treatment=(at_k.rate_treatment, at_2k.rate_treatment),
            measure=hit,
            notes=full_by_construction(pair, 2 * pair.k),
        ),
        flips=named_flips(
            pair,
            won=won,
            lost=lost,
            reading=_shown_texts(pair, chunks, opened),
            guess=guess,
            rules=rules,
            tokens=tokens,
        ),
        doubts=doubts(pair, *primary, weight_by_query=weight_by_query),
        assessors=by_assessor(pair, labels.judgements if labels else ()),
        shared_documents=shared_documents(pair, *primary),
        condensed=_condensed(pair),
        # A set of other origins than the log stands for no searches, and the estimate says so.
        traffic=traffic_estimate(*primary, queries=labels.queries) if labels else None,
    )
    if labels is None:
        return found
    own = (by_measure[hit] for by_measure in values)
    return _with_groups(found, *own, gold_ids=pair.gold_ids, labels=labels, chunks=chunks)


def _shown_texts(pair: ArmPair, chunks: Sequence[Chunk], opened: bool) -> ShownTexts:
    labels = pair.label_set
    return ShownTexts(
        class_by_query={q: labels.query_class(q) for q in pair.gold_ids} if labels else {},
        text_by_query={query.query_id: query.text for query in pair.queries},
        chunk_by_id={chunk.chunk_id: chunk for chunk in chunks},
        holds_out=labels.held_out_rule.holds_out if labels else lambda _: False,
        opened=opened,
    )


def _with_groups(
    contrast: Contrast,
    before: Mapping[str, float],
    after: Mapping[str, float],
    *,
    gold_ids: Sequence[str],
    labels: LabelSet,
    chunks: Sequence[Chunk],
) -> Contrast:
    """
    The contrast with the cells of each class, stratum, source of the gold and origin.

    `before` and `after` are the hits of both arms over all asked queries with gold, and
    `gold_ids` those that a headline speaks of. Origins are compared over all of them, since a
    headline speaks of one; sources only where `chunks` or the label set tell them. One group
    alone has no cells.
    """
    told = chunks or "source_by_gold_document" in labels.manifest["pooling"]
    own = tuple({q: hits[q] for q in gold_ids} for hits in (before, after))

    def cells(
        hits: Sequence[Mapping[str, float]], group_by_query: Mapping[str, str]
    ) -> dict[str, CellFigures]:
        a, b = hits
        if len({group_by_query[query_id] for query_id in a}) < 2:
            return {}
        return cells_by_group(a, b, queries=labels.queries, group_by_query=group_by_query)

    def by(group_of: Callable[[Query], str]) -> dict[str, str]:
        return {query.query_id: group_of(query) for query in labels.queries}

    return replace(
        contrast,
        by_class=cells(own, by(lambda query: labels.query_class(query.query_id))),
        by_stratum=cells(own, by(lambda query: query.stratum or "(none)")),
        by_source=cells(own, _sources(labels, gold_ids, chunks)) if told else None,
        by_origin=cells((before, after), by(lambda query: query.origin)),
    )


def _sources(labels: LabelSet, query_ids: Sequence[str], chunks: Sequence[Chunk]) -> dict[str, str]:
    """
    The source of each query's gold; "several" where its gold lies in more than one.

    Without chunks it is taken from what the label set says of the documents of its gold.
    """
    source_by_chunk = {chunk.chunk_id: chunk.source or "(none)" for chunk in chunks}
    if not chunks:
        stated = labels.manifest["pooling"].get("source_by_gold_document", {})
        pairs = labels.doc_id_by_chunk.items()
        source_by_chunk = {c: stated[doc_id] or "(none)" for c, doc_id in pairs if doc_id in stated}
    found = {}
    for query_id in query_ids:
        gold = labels.gold(query_id)
        names = {source_by_chunk.get(chunk_id, "(not in the snapshot)") for chunk_id in gold}
        found[query_id] = names.pop() if len(names) == 1 else "several"
    return found


def _condensed(pair: ArmPair) -> dict[str, MeasureFigures] | None:
    """
    The contrast over judged chunks alone, where the arms' judged shares are far apart; else None.

    A condensed list (Sakai 2007) is a ranking without what nobody judged; Bpref (Buckley and
    Voorhees 2004) looks at judged pairs only.
    """
    if not pair.negatives_recorded:
        return None
    # One share where an arm is compared with itself.
    shares = [each[f"Judged@{pair.k}"] for each in pair.judged_shares().values()]
    if abs(shares[-1] - shares[0]) <= UNEVENLY_JUDGED:
        return None
    runs = [_judged_alone(run, pair.qrels) for run in (pair.baseline, pair.treatment)]
    if not all(any(run.get(query_id) for query_id in pair.gold_ids) for run in runs):
        return None  # a run of other chunks, of which nothing was judged
    condensed = replace(pair, baseline=runs[0], treatment=runs[1])
    names = {
        f"{family_of(name)}(judged_only)@{cutoff_of(name)}": name
        for name in (pair.success(pair.k), f"nDCG@{2 * pair.k}")
    } | {"Bpref": measure_name("Bpref", min_grade=pair.min_grade)}
    before, after = condensed.values([*names.values()])
    return {shown: pair_figures(pair, name, before, after) for shown, name in names.items()}


def _judged_alone(run: Run, qrels: Qrels) -> Run:
    return {
        query_id: [pair for pair in ranked if qrels.get(query_id, {}).get(pair[0], -1) >= 0]
        for query_id, ranked in run.items()
    }


def _changes(
    name: str, before: Mapping[str, float], after: Mapping[str, float]
) -> tuple[float, ...] | None:
    """The differences of the queries that changed, largest first; of hits the cells say it."""
    differences = (after[query_id] - value for query_id, value in before.items())
    return None if is_hit(name) else tuple(sorted(filter(None, differences), reverse=True))


def _of_arms(a: Measured, b: Measured, setting: Setting, *, open_held_out: bool) -> Contrast:
    changed = factors_changed(a.run.arm, b.run.arm, prescribed=setting.prescribed)
    factor: Factor = next(iter(changed), "header")  # what a self-test may change, and does not
    k, k2 = setting.experiment.protocol.cutoffs
    pair = _pair(a.run, b.run, setting)
    label, notices = _label(a.run, b.run, factor, setting)
    evidence = Evidence(
        pair=pair,
        baseline=a.run,
        treatment=b.run,
        row_by_chunk=setting.row_by_chunk,
        text_by_query={query.query_id: query.text for query in setting.population.asked},
        bodies=setting.bodies,
        is_approximate=setting.experiment.protocol.ranking == "hnsw",
    )
    # the searches behind each query, where the headline speaks of searches
    weights = {query.query_id: query.weight or 0.0 for query in setting.population.asked}
    found = compare_pair(
        pair,
        a.primary,
        b.primary,
        notices=notices + cut_notice(setting) + full_by_construction(pair, k),
        guess=evidence.causes,
        rules=RULES,
        chunks=setting.chunks,
        opened=open_held_out,
        tokens=lambda chunk_id: tokens_of(a.run, b.run, setting.row_by_chunk[chunk_id]),
        weight_by_query=weights if setting.experiment.protocol.estimand == "traffic" else None,
    )
    values = a.primary, b.primary
    rates = {n: [mean_over(one[pair.success(n)], pair.gold_ids) for one in values] for n in (k, k2)}
    return replace(
        found,
        factor=factor,
        label=label,
        held_still=constants(a.run, b.run, factor, setting),
        closure=closure(
            a.run,
            b.run,
            factor=factor,
            tax_by_k={n: header_tax(b.run, n, setting) for n in (k, k2)},
            cells=found.cells,
            rates_by_k=rates,
            matched=setting.experiment.protocol.body == "matched",
        ),
        traffic_over_all=_per_search_over_all(pair, *values, setting),
        other_ranking=_by_the_other(a.run, b.run, pair, setting),
        precision=precision_sample(a.run, b.run, setting, opened=open_held_out),
    )


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
        names=(a.arm.name, b.arm.name),
    )


def _per_search_over_all(
    pair: ArmPair, before: Values, after: Values, setting: Setting
) -> TrafficEstimate | None:
    """The estimate per search with queries without gold as misses; None where there are none."""
    if len(pair.query_ids) == len(pair.gold_ids):
        return None
    asked = dict.fromkeys(pair.query_ids, 0.0)
    values = (asked | dict(pair.over_gold(one)[pair.primary]) for one in (before, after))
    return traffic_estimate(*values, queries=setting.labels.queries)


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


def _by_the_other(a: ArmRun, b: ArmRun, pair: ArmPair, setting: Setting) -> OtherRanking:
    """The primary measure and the cells at k by the ranking that is not primary."""
    other = setting.other_ranking
    measure, cells = measure_and_cells(
        replace(pair, baseline=a.ranking(other), treatment=b.ranking(other))
    )
    return OtherRanking(other, {pair.primary: measure}, {str(pair.k): cells})
