"""
Runs made elsewhere, compared with the same tools and fewer words.

Nothing is known of how such runs came about, so nothing is held still and no cause can be
named. The result has the shape of `record.json`, with what is unknown left out. It opens no
file; what must be said of the runs themselves is in `notices`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from evaluator import InputError
from evaluator.contrasts.answers import with_answers
from evaluator.contrasts.causes import RULES, has_equal_text, is_near_tie, overlap_of
from evaluator.contrasts.contrast import as_one_family, compare_pair
from evaluator.contrasts.flips import HitChange, ShownTexts, named_flips
from evaluator.contrasts.groups import with_groups
from evaluator.contrasts.model import Contrast, Flips, Verdicts
from evaluator.contrasts.pair import ArmPair, Values
from evaluator.experiment.population import reported_apart, spoken_origins
from evaluator.labelset.format import LabelSet, Qrels
from evaluator.measures.names import cutoff_of, measure_name
from evaluator.measures.values import answers, mean_over, per_query, require_answers
from evaluator.outside.notices import coverage, full_levels, known_chunks, run_notices
from evaluator.record.model import (
    RECORD_FORMAT,
    ExperimentSummary,
    HeadlineQueries,
    MeanLevel,
    Record,
    RecordedArm,
    in_file_order,
)
from evaluator.record.model_labels import Labels
from evaluator.snapshot.chunk import Chunk
from evaluator.statistics.cells import flipped
from evaluator.statistics.per_search import traffic_estimate
from evaluator.trec import Run

STANDARD = ("Success@5", "Success@10", "R@5", "RR@10", "nDCG@10")


@dataclass(frozen=True, slots=True)
class OutsideLabels:
    """The labels that runs are measured with, frozen or not."""

    path: Path
    qrels: Qrels
    min_grade: int
    frozen: LabelSet | None = None

    @property
    def max_grade(self) -> int:
        """The highest grade of the scale; of a plain file the highest that was given."""
        if self.frozen:
            return max(map(int, self.frozen.manifest["assessment"]["grades"]))
        return max(grade for grades in self.qrels.values() for grade in grades.values())


@dataclass(frozen=True)
class _Comparison:
    """
    Everything that the parts of the record are made from.

    `asked` is over all judged queries, and `pair` over those of them that the headline speaks of.
    """

    runs: Mapping[str, Run]
    asked: ArmPair
    pair: ArmPair
    judged: OutsideLabels
    chunks: Sequence[Chunk]
    opened: bool
    told: Sequence[str]

    @cached_property
    def origins(self) -> set[str]:
        """Where the queries of the headline came from; empty where the labels do not say."""
        return {query.origin for query in self.pair.queries}

    @cached_property
    def judged_shares(self) -> dict[str, dict[str, float]]:
        """The mean of Judged@k and Judged@2k of each run, over the queries of the headline."""
        pair = self.pair
        found = {}
        for name, run in self.runs.items():
            shares = per_query(
                run,
                pair.qrels,
                measures=[f"Judged@{k}" for k in (pair.k, 2 * pair.k)],
                query_ids=pair.query_ids,
                min_grade=pair.min_grade,
            )
            found[name] = {
                measure: mean_over(by_q, pair.query_ids) for measure, by_q in shares.items()
            }
        return found


@dataclass(frozen=True, slots=True)
class ComparedRuns:
    """The record of runs made elsewhere, and what else is written beside it."""

    record: Record
    values: Mapping[str, Values]
    """By the name of the run, by measure and by query with gold, of every judged query."""


def compare_runs(
    runs: Mapping[str, Run],
    judged: OutsideLabels,
    *,
    measures: Sequence[str] = STANDARD,
    allow_missing: bool = False,
    chunks: Sequence[Chunk] = (),
    open_held_out: bool = False,
    told: Mapping[str, str] | None = None,
    verdicts: Verdicts | None = None,
) -> ComparedRuns:
    """
    A baseline and one or more treatments, in this order and by their names.

    The first measure is the primary one, and where there are several treatments its p is
    adjusted for them. Queries without gold are set aside and counted. As in an experiment the
    headline speaks of log queries where a frozen set has any with gold, and queries of other
    origins are reported apart; a plain file says nothing of origins. `chunks`, where they are
    known, give titles, words and sources; `told` is what reading a run brought to light, and
    `verdicts` are those on the runs' answers. Raises InputError when a run leaves out a judged
    query, unless `allow_missing`.
    """
    baseline, *treatments = runs
    found = []
    values: dict[str, Values] = {}
    for name in treatments:
        asked = _asked(runs[baseline], runs[name], judged, measures)
        pair = {baseline: runs[baseline], name: runs[name]}
        for each, run in pair.items():
            require_answers(run, asked.query_ids, name=each, allow_missing=allow_missing)
        said = [(told or {})[each] for each in pair if each in (told or {})]
        found.append(
            _Comparison(pair, asked, _spoken_of(asked), judged, chunks, open_held_out, said)
        )
        hits = [asked.success(k) for k in (asked.k, 2 * asked.k)]
        values |= zip(pair, asked.values([*asked.measures, *hits]), strict=True)
    return ComparedRuns(in_file_order(_record(found, values, verdicts)), values)


def _spoken_of(asked: ArmPair) -> ArmPair:
    """The queries that the headline speaks of."""
    if asked.label_set is None:
        return asked
    origin_by_query = {query.query_id: query.origin for query in asked.queries}
    spoken = spoken_origins(origin_by_query[q] for q in asked.gold_ids)
    return replace(
        asked,
        query_ids=[q for q in asked.query_ids if origin_by_query[q] in spoken],
        gold_ids=[q for q in asked.gold_ids if origin_by_query[q] in spoken],
    )


def _asked(
    baseline: Run, treatment: Run, judged: OutsideLabels, measures: Sequence[str]
) -> ArmPair:
    names = [measure_name(name, min_grade=judged.min_grade) for name in measures]
    k = cutoff_of(names[0])
    if k is None:
        raise InputError(f"The first measure decides and needs a cutoff, as in '{names[0]}@5'.")
    query_ids = sorted(judged.qrels)
    gold = [q for q in query_ids if max(judged.qrels[q].values(), default=-1) >= judged.min_grade]
    if not gold:
        raise InputError(f"{judged.path} has no query with a grade of {judged.min_grade} or more.")
    return ArmPair(
        baseline=baseline,
        treatment=treatment,
        qrels=judged.qrels,
        min_grade=judged.min_grade,
        max_grade=judged.max_grade,
        query_ids=query_ids,
        gold_ids=gold,
        primary=names[0],
        measures=names,
        k=k,
        label_set=judged.frozen,
    )


def _record(
    comparisons: Sequence[_Comparison], values: Mapping[str, Values], verdicts: Verdicts | None
) -> Record:
    found = comparisons[0]
    judged, pair, frozen = found.judged, found.pair, found.judged.frozen
    of_run = {name: one for one in comparisons for name in one.runs}
    without = len(pair.query_ids) - len(pair.gold_ids)
    return Record(
        format=RECORD_FORMAT,
        experiment=ExperimentSummary(" and ".join(values)),
        labels=Labels(
            path=str(judged.path),
            name=frozen.name if frozen else judged.path.name,
            sha256=frozen.sha256 if frozen else None,
            frozen_at=frozen.manifest["frozen_at"] if frozen else None,
            min_grade=judged.min_grade,
            queries=len(found.asked.query_ids),
            with_gold=len(found.asked.gold_ids),
        ),
        headline=HeadlineQueries(
            split="all",
            stamp=None if frozen else "LABELS NOT FROZEN",
            origin=" and ".join(sorted(found.origins)) or "judged",
            n=len(pair.query_ids),
            n_gold=len(pair.gold_ids),
            query_ids=tuple(pair.query_ids),
        ),
        arms=tuple(_arm(of_run[name], name, pair.over_gold(values[name])) for name in values),
        contrasts=with_answers(
            as_one_family(
                tuple(_contrast(one, *(values[name] for name in one.runs)) for one in comparisons)
            ),
            verdicts,
            query_ids=pair.query_ids,
        ),
        answers=verdicts.source if verdicts else None,
        overlap=overlap_of(frozen, pair.gold_ids, found.chunks)
        if frozen and found.chunks
        else None,
        notes=(f"{without} of {len(pair.query_ids)} queries have no gold",) if without else (),
    )


def _arm(found: _Comparison, name: str, values: Values) -> RecordedArm:
    pair = found.pair
    return RecordedArm(
        name=name,
        measures={
            measure: MeanLevel(
                mean_over(values[measure], pair.gold_ids),
                mean_over(values[measure], pair.query_ids),
            )
            for measure in pair.measures
        },
        judged=found.judged_shares[name] if pair.negatives_recorded else {},
        unanswered=tuple(answers(found.runs[name], found.asked.query_ids).unanswered),
    )


def _contrast(found: _Comparison, *values: Values) -> Contrast:
    pair, known, labels = found.pair, known_chunks(found.asked), found.judged.frozen
    baseline, treatment = found.runs
    hit = pair.success(pair.k)
    before, after = map(pair.over_gold, values)
    judged = {name: shares[f"Judged@{pair.k}"] for name, shares in found.judged_shares.items()}
    contrast = compare_pair(
        pair,
        before,
        after,
        names=(baseline, treatment),
        notices=[
            *full_levels(found.runs, pair, pair.k),
            *found.told,
            *reported_apart(found.asked.queries, found.origins),
            *run_notices(found.runs, found.asked, known=known),
        ],
        table_notes=full_levels(found.runs, pair, 2 * pair.k),
        flips=_flips(found, *flipped(before[hit], after[hit])),
        # A set of other origins than the log stands for no searches, and the estimate says so.
        traffic=traffic_estimate(before[pair.primary], after[pair.primary], queries=labels.queries)
        if labels
        else None,
    )
    contrast = replace(contrast, chunks=coverage(found.runs, pair, judged, known=known))
    if labels is None:
        return contrast
    return with_groups(
        contrast,
        *(by_measure[hit] for by_measure in values),
        gold_ids=pair.gold_ids,
        labels=labels,
        chunks=found.chunks,
    )


def _flips(found: _Comparison, won: Sequence[str], lost: Sequence[str]) -> Flips:
    """The flips with ids and ranks, and with words where a snapshot gives them."""
    labels = found.judged.frozen

    texts = {chunk.chunk_id: chunk.text for chunk in found.chunks}
    rules = {name: RULES[name] for name in ("equal texts", "near tie")}

    def causes(flip: HitChange) -> list[str]:
        fits = {
            "equal texts": has_equal_text(found.pair, flip, texts.get),
            "near tie": is_near_tie(found.pair, flip),
        }
        return [name for name in rules if fits[name]]

    return named_flips(
        found.pair,
        won=won,
        lost=lost,
        reading=ShownTexts(
            class_by_query={q: labels.query_class(q) for q in found.pair.gold_ids}
            if labels
            else {},
            text_by_query={q.query_id: q.text for q in labels.queries} if labels else {},
            chunk_by_id={chunk.chunk_id: chunk for chunk in found.chunks},
            holds_out=labels.held_out_rule.holds_out if labels else lambda _: False,
            opened=found.opened,
        ),
        guess=causes,
        rules=rules,
    )
