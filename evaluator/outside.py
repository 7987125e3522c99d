"""
Two runs made elsewhere, compared with the same tools and fewer words.

Nothing is known of how such runs came about, so nothing is held still and no cause can be
named. The result has the shape of `record.json`, with what is unknown left out.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from evaluator import InputError
from evaluator.ceiling import full_by_construction
from evaluator.compare import cells_record, flipped, four_cells, k_by_treatment, measure_record
from evaluator.labelset import LabelSet, read_label_set
from evaluator.ledger import record_look
from evaluator.measures import (
    answers,
    cutoff_of,
    mean_over,
    measure_name,
    negatives_recorded,
    per_query,
    require_answers,
)
from evaluator.snapshot import read_snapshot
from evaluator.traffic import traffic_estimate
from evaluator.trec import Run, read_qrels, read_run

# Of the resampling tests; any fixed number would do.
SEED = 13
STANDARD = ("Success@5", "Success@10", "R@5", "RR@10", "nDCG@10")

Qrels = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class Judged:
    """The labels that two runs are measured with, frozen or not."""

    path: Path
    qrels: Qrels
    min_grade: int
    frozen: LabelSet | None = None

    def gold(self, query_id: str) -> list[str]:
        """The chunks of a query with a grade of at least `min_grade`."""
        grades = self.qrels.get(query_id, {})
        return sorted(chunk_id for chunk_id, grade in grades.items() if grade >= self.min_grade)


def compare_files(
    run_a: Path,
    run_b: Path,
    *,
    labels: Path | None = None,
    qrels: Path | None = None,
    measures: Sequence[str] = (),
    min_grade: int = 1,
    allow_missing: bool = False,
    snapshot: Path | None = None,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> dict[str, Any]:
    """
    The comparison of two run files, by a frozen label set or a plain qrels file.

    A look at held-out results of a label set is written to its ledger. Raises InputError
    for chunk ids that are not in `snapshot`, where one is named.
    """
    name_a, name_b = run_a.stem, run_b.stem
    if name_a == name_b:
        name_a, name_b = str(run_a), str(run_b)
    runs = {name_a: read_run(run_a), name_b: read_run(run_b)}
    if len(runs) < 2:
        raise InputError(f"{run_a} is given twice. A run cannot differ from itself.")
    if snapshot is not None:
        _require_chunks(runs, snapshot)
    judged = _judged(labels, qrels, min_grade)
    record = compare_runs(runs, judged, measures=measures or STANDARD, allow_missing=allow_missing)
    frozen = judged.frozen
    if frozen and any(frozen.query_class(q) == "held-out" for q in judged.qrels):
        record["labels"]["looks"] = record_look(
            frozen,
            at=clock(),
            experiment=f"{name_a} and {name_b}",
            sha256="",
            split="all",
            what="results of runs made elsewhere",
        )
    return record


def _judged(labels: Path | None, qrels: Path | None, min_grade: int) -> Judged:
    if labels is not None:
        frozen = read_label_set(labels)
        return Judged(labels, frozen.qrels, frozen.min_grade, frozen)
    assert qrels is not None
    return Judged(qrels, read_qrels(qrels), min_grade)


def _require_chunks(runs: Mapping[str, Run], directory: Path) -> None:
    """Refuse ids that a snapshot does not hold: such a run was made over other chunks."""
    snapshot = read_snapshot(directory)
    ids = {
        name: {chunk_id for ranking in run.values() for chunk_id, _ in ranking}
        for name, run in runs.items()
    }
    strangers = set().union(*ids.values()).difference(snapshot.chunk_ids())
    problems = [
        f"{name}: {len(outside):,} of {len(found):,} chunk ids are not in {directory}: "
        f"{_first(sorted(outside))}."
        for name, found in ids.items()
        if (outside := found & strangers)
    ]
    if problems:
        raise InputError(
            "\n".join(
                [*problems, "Make both runs over this chunk set, or name the one they are of."]
            )
        )


@dataclass(frozen=True, slots=True)
class _Comparison:
    """Everything that the parts of the record are made from."""

    runs: Mapping[str, Run]
    judged: Judged
    names: Sequence[str]
    k: int
    query_ids: Sequence[str]
    gold_ids: Sequence[str]
    values: Mapping[str, Mapping[str, Mapping[str, float]]]

    def success(self, k: int) -> str:
        return measure_name(f"Success@{k}", min_grade=self.judged.min_grade)


def compare_runs(
    runs: Mapping[str, Run],
    judged: Judged,
    *,
    measures: Sequence[str] = STANDARD,
    allow_missing: bool = False,
) -> dict[str, Any]:
    """
    Baseline and treatment, in this order and by their names, over all judged queries.

    The first measure is the primary one. Queries without gold are set aside and counted.
    Raises InputError when a run leaves out a query, unless `allow_missing`.
    """
    query_ids = sorted(judged.qrels)
    gold_ids = [query_id for query_id in query_ids if judged.gold(query_id)]
    if not gold_ids:
        raise InputError(f"{judged.path} has no query with a grade of {judged.min_grade} or more.")
    names = [measure_name(name, min_grade=judged.min_grade) for name in measures]
    k = cutoff_of(names[0])
    if k is None:
        raise InputError(f"The first measure decides and needs a cutoff, as in '{names[0]}@5'.")
    hits = [measure_name(f"Success@{n}", min_grade=judged.min_grade) for n in (k, 2 * k)]
    values = {}
    for name, run in runs.items():
        require_answers(run, query_ids, name=name, allow_missing=allow_missing)
        values[name] = per_query(
            run,
            judged.qrels,
            measures=list(dict.fromkeys([*names, *hits])),
            query_ids=gold_ids,
            min_grade=judged.min_grade,
        )
    return _record(_Comparison(runs, judged, names, k, query_ids, gold_ids, values))


def _record(found: _Comparison) -> dict[str, Any]:
    judged = found.judged
    return {
        "format": "onecause-record/1",
        "experiment": {"name": " and ".join(found.runs), "protocol": {}},
        "labels": {
            "path": str(judged.path),
            "name": judged.frozen.name if judged.frozen else judged.path.name,
            "sha256": judged.frozen.sha256 if judged.frozen else None,
            "frozen_at": judged.frozen.manifest["frozen_at"] if judged.frozen else None,
            "min_grade": judged.min_grade,
            "queries": len(found.query_ids),
            "with_gold": len(found.gold_ids),
        },
        "snapshot": {},
        "headline": {
            "split": "all",
            "stamp": None if judged.frozen else "LABELS NOT FROZEN",
            "origin": _origin(found),
            "n": len(found.query_ids),
            "n_gold": len(found.gold_ids),
            "query_ids": list(found.query_ids),
        },
        "arms": [_arm(found, name) for name in found.runs],
        "contrasts": [_contrast(found)],
        "notes": _notes(found),
    }


def _origin(found: _Comparison) -> str:
    """Where the queries came from, as far as the labels say."""
    if found.judged.frozen is None:
        return "judged"
    asked = set(found.query_ids)
    origins = {q.origin for q in found.judged.frozen.queries if q.query_id in asked}
    return " and ".join(sorted(origins))


def _arm(found: _Comparison, name: str) -> dict[str, Any]:
    run, judged = found.runs[name], found.judged
    recorded = negatives_recorded(judged.qrels, min_grade=judged.min_grade)
    measures = [f"Judged@{found.k}", f"Judged@{2 * found.k}"] if recorded else []
    shares = (
        per_query(
            run,
            judged.qrels,
            measures=measures,
            query_ids=found.query_ids,
            min_grade=judged.min_grade,
        )
        if measures
        else {}
    )
    return {
        "name": name,
        "measures": {
            measure: {
                "gold": mean_over(found.values[name][measure], found.gold_ids),
                "all": mean_over(found.values[name][measure], found.query_ids),
            }
            for measure in found.names
        },
        "judged": {measure: mean_over(by_q, found.query_ids) for measure, by_q in shares.items()},
        "unanswered": list(answers(run, found.query_ids).unanswered),
    }


def _contrast(found: _Comparison) -> dict[str, Any]:
    a, b = found.runs
    k, k2 = found.k, 2 * found.k
    before, after = found.values[a], found.values[b]
    cells = {n: four_cells(before[found.success(n)], after[found.success(n)]) for n in (k, k2)}
    full = {n: _full(found, n) for n in (k, k2)}
    won, lost = flipped(before[found.success(k)], after[found.success(k)])
    return {
        "baseline": a,
        "treatment": b,
        "factor": None,
        "label": None,
        "held_still": [],
        "notices": [*full[k], *_notices(found)],
        "chunks": _chunks(found),
        "primary": {"measure": found.names[0], "k": k},
        "measures": {
            name: measure_record(name, before[name], after[name], seed=SEED) for name in found.names
        },
        "cells": {str(n): cells_record(cells[n]) for n in (k, k2)},
        "k_by_treatment": k_by_treatment(
            k=k,
            baseline=(cells[k].rate_baseline, cells[k2].rate_baseline),
            treatment=(cells[k].rate_treatment, cells[k2].rate_treatment),
            measure=found.success(k),
        )
        | {"notes": full[k2]},
        "flips": {
            "opened": False,
            "won": [_flip(found, query_id) for query_id in won],
            "lost": [_flip(found, query_id) for query_id in lost],
        },
        "traffic": _traffic(found, before[found.names[0]], after[found.names[0]]),
    }


def _chunks(found: _Comparison) -> dict[str, Any]:
    """
    How far the labels know what each run has in its first k, by ids and by query.

    An id in no judgement of any query may be of another chunk set, which no measure tells
    from a bad system: both are misses.
    """
    judged, k = found.judged, found.k
    if judged.frozen:
        known = {entry.chunk_id for entry in judged.frozen.pool}
    else:
        known = {chunk_id for grades in judged.qrels.values() for chunk_id in grades}
    runs = {}
    for name, run in found.runs.items():
        ids = [c for q in found.query_ids for c, _ in run.get(q, ())[:k]]
        unknown = [chunk_id for chunk_id in ids if chunk_id not in known]
        runs[name] = {
            "ids": len(ids),
            "unknown": len(unknown),
            "unknown_first": sorted(set(unknown))[:5],
            "unknown_distinct": len(set(unknown)),
            "judged": _judged_share(found, run),
        }
    return {
        "k": k,
        "known_from": "pool" if judged.frozen else "judgement",
        "negatives_recorded": negatives_recorded(judged.qrels, min_grade=judged.min_grade),
        "runs": runs,
    }


def _judged_share(found: _Comparison, run: Run) -> float:
    """Judged@k over all judged queries; one without results has nothing judged."""
    measure = f"Judged@{found.k}"
    shares = per_query(
        run,
        found.judged.qrels,
        measures=[measure],
        query_ids=found.query_ids,
        min_grade=found.judged.min_grade,
    )
    return mean_over(shares[measure], found.query_ids)


def _full(found: _Comparison, k: int) -> list[str]:
    """A sentence for each run whose level at k says how the pool was made, if that is known."""
    frozen = found.judged.frozen
    return full_by_construction(
        found.runs,
        gold_by_query={query_id: found.judged.gold(query_id) for query_id in found.gold_ids},
        k=k,
        pool_depth=frozen.manifest["pooling"].get("depth") if frozen else None,
    )


def _traffic(
    found: _Comparison, before: Mapping[str, float], after: Mapping[str, float]
) -> dict[str, object] | None:
    """
    The primary measure per search, over the log queries; None without a frozen label set.

    Queries of other origins stand for no searches. A set that holds only such queries gets a
    record that says so.
    """
    frozen = found.judged.frozen
    if frozen is None:
        return None
    logged = {query.query_id for query in frozen.queries if query.origin == "log"} & before.keys()
    spoken = logged or before.keys()
    return traffic_estimate(
        {query_id: before[query_id] for query_id in spoken},
        {query_id: after[query_id] for query_id in spoken},
        queries=frozen.queries,
        sampling=frozen.manifest.get("sampling"),
        domain="log queries with gold" if logged else "all",
    ).as_record()


def _flip(found: _Comparison, query_id: str) -> dict[str, Any]:
    a, b = found.runs.values()
    frozen, gold = found.judged.frozen, found.judged.gold(query_id)
    texts = {q.query_id: q.text for q in frozen.queries} if frozen else {}
    return {
        "query_id": query_id,
        "text": texts.get(query_id, query_id),
        "class": frozen.query_class(query_id) if frozen else None,
        "gold": gold,
        "rank_baseline": _first_rank(a, query_id, gold),
        "rank_treatment": _first_rank(b, query_id, gold),
    }


def _first_rank(run: Run, query_id: str, gold: Sequence[str]) -> int | None:
    ranks = (
        rank for rank, (chunk_id, _) in enumerate(run.get(query_id, ()), 1) if chunk_id in gold
    )
    return next(ranks, None)


def _notices(found: _Comparison) -> Iterator[str]:
    """What each run answers beside the queries, and where its lists end too early."""
    cutoffs = {found.k, *(k for name in found.names if (k := cutoff_of(name)) is not None)}
    for name, run in found.runs.items():
        unknown = answers(run, found.query_ids).unknown
        if unknown:
            verb = "query was" if len(unknown) == 1 else "queries were"
            yield f"{name}: {len(unknown):,} {verb} not asked for: {_first(unknown)}"
        named: Sequence[str] = ()
        for k in sorted(cutoffs):
            short = [q for q in found.query_ids if 0 < len(run.get(q, ())) < k]
            if short and short != named:
                verb = "list is" if len(short) == 1 else "lists are"
                yield f"{name}: {len(short):,} {verb} shorter than {k}: {_first(short)}"
            named = short


def _first(ids: Sequence[str], most: int = 5) -> str:
    more = f" and {len(ids) - most:,} more" if len(ids) > most else ""
    return ", ".join(ids[:most]) + more


def _notes(found: _Comparison) -> list[str]:
    without = len(found.query_ids) - len(found.gold_ids)
    return [f"{without} of {len(found.query_ids)} queries have no gold"] if without else []
