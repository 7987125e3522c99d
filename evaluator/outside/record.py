"""
Runs made elsewhere, compared with the same tools and fewer words.

Nothing is known of how such runs came about, so nothing is held still and no cause can be
named. The result has the shape of `record.json`, with what is unknown left out, and with what
must be said of the runs before their figures are believed. It opens no file.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from evaluator import InputError
from evaluator.contrasts.answers import with_answers
from evaluator.contrasts.causes import RULES, has_equal_text, is_near_tie, overlap_of
from evaluator.contrasts.contrast import as_one_family, compare_pair
from evaluator.contrasts.doubts import full_by_construction
from evaluator.contrasts.flips import HitChange
from evaluator.contrasts.model import Contrast, OutsideChunks, OutsideCoverage, Verdicts
from evaluator.contrasts.pair import ArmPair, Values
from evaluator.experiment.population import reported_apart, spoken_origins
from evaluator.files.ids import as_they_are, lookalikes
from evaluator.labelset.format import LabelSet, Qrels
from evaluator.measures.names import cutoff_of, measure_name
from evaluator.measures.values import answers, require_answers, tie_notice
from evaluator.record.make import mean_level
from evaluator.record.model import (
    RECORD_FORMAT,
    ExperimentSummary,
    HeadlineQueries,
    Labels,
    Record,
    RecordedArm,
    in_file_order,
)
from evaluator.snapshot.chunk import Chunk
from evaluator.text.messages import counted, some_ids
from evaluator.trec import Run

STANDARD = ("Success@5", "Success@10", "R@5", "RR@10", "nDCG@10")
_RULES = {name: RULES[name] for name in ("equal texts", "near tie")}


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
) -> tuple[Record, dict[str, Values]]:
    """
    A baseline and one or more treatments, in this order and by their names.

    The first measure is the primary one, and where there are several treatments its p is
    adjusted for them. Queries without gold are set aside and counted. As in an experiment the
    headline speaks of log queries where a frozen set has any with gold, and queries of other
    origins are reported apart; a plain file says nothing of origins. `chunks`, where they are
    known, give titles, words and sources; `told` is what reading a run brought to light, and
    `verdicts` are those on the runs' answers. Beside the record come the values by the name of
    the run, by measure and by query with gold, of every judged query. Raises InputError when a
    run leaves out a judged query, unless `allow_missing`.
    """
    baseline, *treatments = runs
    contrasts: list[Contrast] = []
    values: dict[str, Values] = {}
    shares: dict[str, dict[str, float]] = {}
    for name in treatments:
        asked = _asked((baseline, name), runs, judged, measures)
        for each, run in asked.runs.items():
            require_answers(run, asked.query_ids, name=each, allow_missing=allow_missing)
        pair = _spoken_of(asked)
        said = [text for each, text in (told or {}).items() if each in asked.names]
        hits = [asked.success(k) for k in (asked.k, 2 * asked.k)]
        values |= zip(asked.names, asked.values([*asked.measures, *hits]), strict=True)
        shares |= pair.judged_shares()
        contrasts.append(
            _contrast(asked, pair, values, shares, said=said, chunks=chunks, opened=open_held_out)
        )
    without = len(pair.query_ids) - len(pair.gold_ids)
    frozen = judged.frozen
    record = Record(
        format=RECORD_FORMAT,
        experiment=ExperimentSummary(" and ".join(values)),
        labels=Labels(
            path=str(judged.path),
            name=frozen.name if frozen else judged.path.name,
            sha256=frozen.sha256 if frozen else None,
            frozen_at=frozen.manifest["frozen_at"] if frozen else None,
            min_grade=judged.min_grade,
            queries=len(asked.query_ids),
            with_gold=len(asked.gold_ids),
        ),
        headline=HeadlineQueries(
            split="all",
            stamp=None if frozen else "LABELS NOT FROZEN",
            origin=" and ".join(sorted(_origins(pair))) or "judged",
            n=len(pair.query_ids),
            n_gold=len(pair.gold_ids),
            query_ids=tuple(pair.query_ids),
        ),
        arms=tuple(
            _arm(name, runs[name], values[name], shares[name], asked=asked, pair=pair)
            for name in values
        ),
        contrasts=with_answers(as_one_family(tuple(contrasts)), verdicts, query_ids=pair.query_ids),
        answers=verdicts.source if verdicts else None,
        overlap=overlap_of(frozen, pair.gold_ids, chunks) if frozen and chunks else None,
        notes=(f"{without} of {len(pair.query_ids)} queries have no gold",) if without else (),
    )
    return in_file_order(record), values


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
    names: tuple[str, str], runs: Mapping[str, Run], judged: OutsideLabels, measures: Sequence[str]
) -> ArmPair:
    printed = [measure_name(name, min_grade=judged.min_grade) for name in measures]
    k = cutoff_of(printed[0])
    if k is None:
        raise InputError(f"The first measure decides and needs a cutoff, as in '{printed[0]}@5'.")
    query_ids = sorted(judged.qrels)
    gold = [q for q in query_ids if max(judged.qrels[q].values(), default=-1) >= judged.min_grade]
    if not gold:
        raise InputError(f"{judged.path} has no query with a grade of {judged.min_grade} or more.")
    return ArmPair(
        baseline=runs[names[0]],
        treatment=runs[names[1]],
        qrels=judged.qrels,
        min_grade=judged.min_grade,
        max_grade=judged.max_grade,
        query_ids=query_ids,
        gold_ids=gold,
        primary=printed[0],
        measures=printed,
        k=k,
        label_set=judged.frozen,
        names=names,
    )


def _arm(
    name: str,
    run: Run,
    values: Values,
    shares: Mapping[str, float],
    *,
    asked: ArmPair,
    pair: ArmPair,
) -> RecordedArm:
    queries = pair.gold_ids, pair.query_ids
    return RecordedArm(
        name=name,
        measures={measure: mean_level(values[measure], *queries) for measure in pair.measures},
        judged=shares if pair.negatives_recorded else {},
        unanswered=answers(run, asked.query_ids).unanswered,
    )


def _contrast(
    asked: ArmPair,
    pair: ArmPair,
    values: Mapping[str, Values],
    shares: Mapping[str, Mapping[str, float]],
    *,
    said: Sequence[str],
    chunks: Sequence[Chunk],
    opened: bool,
) -> Contrast:
    """`asked` is over all judged queries, and `pair` over those that the headline speaks of."""
    known = _known_chunks(asked)
    contrast = compare_pair(
        pair,
        *(values[name] for name in pair.names),
        notices=[
            *full_by_construction(pair, pair.k),
            *said,
            *reported_apart(asked.queries, _origins(pair)),
            *_run_notices(asked, known=known),
        ],
        guess=partial(_causes, pair, {chunk.chunk_id: chunk.text for chunk in chunks}),
        rules=_RULES,
        chunks=chunks,
        opened=opened,
    )
    judged = {name: shares[name][f"Judged@{pair.k}"] for name in pair.names}
    return replace(contrast, chunks=_coverage(pair, judged, known=known))


def _origins(pair: ArmPair) -> set[str]:
    """Where the queries came from; empty where the labels do not say."""
    return {query.origin for query in pair.queries}


def _causes(pair: ArmPair, texts: Mapping[str, str], flip: HitChange) -> list[str]:
    """Of the rules those that need nothing but rankings and texts."""
    fits = {
        "equal texts": has_equal_text(pair, flip, texts.get),
        "near tie": is_near_tie(pair, flip),
    }
    return [name for name in _RULES if fits[name]]


def _coverage(
    pair: ArmPair, judged: Mapping[str, float], *, known: Collection[str]
) -> OutsideCoverage:
    """
    How far the labels know what each run has in its first k, by ids and by query.

    `judged` is each run's Judged@k over the same queries; one without results has nothing
    judged. `known` are the chunks that the labels know.

    An id in no judgement of any query may be of another chunk set, which no measure tells
    from a bad system: both are misses.
    """
    found = {}
    for name, run in pair.runs.items():
        ids = [c for q in pair.query_ids for c, _ in run.get(q, ())[: pair.k]]
        unknown = [chunk_id for chunk_id in ids if chunk_id not in known]
        distinct = sorted(set(unknown))
        found[name] = OutsideChunks(
            ids=len(ids),
            unknown=len(unknown),
            unknown_first=tuple(distinct[:5]),
            unknown_distinct=len(distinct),
            judged=judged[name],
        )
    known_from = "pool" if pair.label_set else "judgement"
    return OutsideCoverage(pair.k, known_from, pair.negatives_recorded, found)


def _known_chunks(pair: ArmPair) -> set[str]:
    """The chunks of the pool, or of a plain file's judgements."""
    if pair.label_set:
        return {entry.chunk_id for entry in pair.label_set.pool}
    return {chunk_id for grades in pair.qrels.values() for chunk_id in grades}


def _run_notices(pair: ArmPair, *, known: Collection[str]) -> Iterator[str]:
    """What each run answers beside the queries, where its lists end too early or tie at k."""
    cutoffs = {pair.k, *(k for name in pair.measures if (k := cutoff_of(name)) is not None)}
    for name, run in pair.runs.items():
        first = {c: None for q in pair.query_ids for c, _ in run.get(q, ())[: pair.k]}
        if alike := lookalikes((c for c in first if c not in known), known):
            yield (
                f"{name}: {counted(len(alike), 'chunk id')} in the first {pair.k} only look like "
                f"those of the labels ({as_they_are(alike)}), and count as misses"
            )
        unknown = answers(run, pair.query_ids).unknown
        if unknown:
            verb = "query was" if len(unknown) == 1 else "queries were"
            yield f"{name}: {len(unknown):,} {verb} not asked for: {some_ids(unknown)}"
        named: Sequence[str] = ()
        for k in sorted(cutoffs):
            short = [q for q in pair.query_ids if 0 < len(run.get(q, ())) < k]
            if short and short != named:
                verb = "list is" if len(short) == 1 else "lists are"
                yield f"{name}: {len(short):,} {verb} shorter than {k}: {some_ids(short)}"
            named = short
        order = "the rank column decides, then the order of the lines"
        tied = tie_notice(
            name, run, query_ids=pair.query_ids, gold=pair.gold, k=pair.k, order=order
        )
        yield from [tied] if tied else []
