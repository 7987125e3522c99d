"""
An experiment from its file to its results directory.

It runs the arms one after the other and puts the record together. The encoder, the clock
and the progress bar come in as arguments.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from evaluator.arm import allowed_rows, run_arm
from evaluator.bodies import choose_bodies, cut_counts
from evaluator.checks import check_retrievable, order_of_work
from evaluator.contrasts import contrast_records
from evaluator.costs import costs
from evaluator.encode import Model, Progress, load_model
from evaluator.labelset import utc_text
from evaluator.ledger import count_looks, record_look
from evaluator.opening import LoadModel, Opened, load_models, open_experiment, prescribed_by
from evaluator.population import Population, choose_population
from evaluator.protocol import ModelChoice
from evaluator.record import Measured, Setting, arm_record, measure_arm
from evaluator.results import file_names, results_directory, write_results
from evaluator.snapshot import Snapshot
from evaluator.surroundings import (
    experiment_record,
    labels_record,
    machine,
    snapshot_record,
    versions,
)

FORMAT = "onecause-record/1"
SAMPLED = "SAMPLED CORPUS: NO LEVEL IS QUOTABLE"


@dataclass(frozen=True, slots=True)
class Results:
    """A run that was written: its directory and its record."""

    path: Path
    record: Mapping[str, Any]


def run_experiment(
    path: Path,
    *,
    load_model: LoadModel = load_model,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    out: Path | None = None,
    progress: Progress | None = None,
    open_held_out: bool = False,
    sample: Path | None = None,
) -> Results:
    """
    Run every arm of an experiment and write its results directory.

    The directory is `out`, or the UTC time under `<stem of the file>.results/` beside it;
    it is there whole or not at all, and an existing one is never touched. When held-out
    results are computed, that look is written to the ledger first. `open_held_out` names
    the held-out queries that changed, which are else only counted. `sample` is a derived
    snapshot to run on; every level is then marked.
    """
    started_at = clock()
    opened = open_experiment(path, sample=sample)
    directory = results_directory(opened.experiment, out, started_at)
    population = choose_population(opened.labels, opened.experiment.protocol)
    models = load_models(opened.experiment, load_model)
    setting = _setting(opened, population, models)
    measured = _measure(opened, setting, models, progress)
    looks = _look(opened, population, at=started_at, opened_flips=open_held_out)
    record = {
        **_surroundings(opened, population, at=started_at, looks=looks),
        "arms": [
            arm_record(
                one,
                setting,
                costs=costs(one.run, setting),
                files=file_names(one.run.arm, setting),
            )
            for one in measured.values()
        ],
        "contrasts": contrast_records(measured, setting, open_held_out=open_held_out),
        "bodies": cut_counts(setting),
        "notes": _notes(setting, opened),
    }
    write_results(directory, record, measured, setting)
    return Results(directory, record)


def _measure(
    opened: Opened,
    setting: Setting,
    models: Mapping[ModelChoice, Model],
    progress: Progress | None,
) -> dict[str, Measured]:
    """Every arm by name, run and measured in the order of the file."""
    return {
        arm.name: measure_arm(
            run_arm(
                arm,
                model=models[arm.model],
                header=opened.headers[arm.name],
                chunks=setting.chunks,
                bodies=setting.bodies,
                queries=setting.population.asked,
                protocol=opened.experiment.protocol,
                progress=progress,
            ),
            setting,
        )
        for arm in opened.experiment.arms
    }


def _surroundings(
    opened: Opened, population: Population, *, at: datetime, looks: int
) -> dict[str, Any]:
    order = order_of_work(opened.labels.manifest, opened.experiment.arms, opened.headers)
    return {
        "format": FORMAT,
        "experiment": experiment_record(opened.experiment),
        "started_at": utc_text(at),
        "versions": versions(),
        "machine": machine(),
        "labels": labels_record(opened.labels, order=order, looks=looks),
        "snapshot": snapshot_record(opened.snapshot),
        "headline": _headline(population, opened.snapshot),
    }


def _setting(
    opened: Opened, population: Population, models: Mapping[ModelChoice, Model]
) -> Setting:
    chunks = list(opened.snapshot.chunks())
    chunk_ids = {chunk.chunk_id for chunk in chunks}
    if not opened.snapshot.derived:  # a sample leaves chunks out for which there are headers
        for header in opened.headers.values():
            header.require_known(chunk_ids)
    bodies = choose_bodies(
        opened.experiment.protocol.body,
        chunks,
        arms=opened.experiment.arms,
        models=models,
        headers=opened.headers,
    )
    return Setting(
        opened.experiment, opened.labels, population, chunks, bodies, prescribed_by(models)
    )


def _look(opened: Opened, population: Population, *, at: datetime, opened_flips: bool) -> int:
    if not population.looks_at_held_out:
        return count_looks(opened.labels)
    return record_look(
        opened.labels,
        at=at,
        experiment=opened.experiment.name,
        sha256=opened.experiment.sha256,
        split=population.split,
        what="results, held-out flips by name" if opened_flips else "results",
    )


def _headline(population: Population, snapshot: Snapshot) -> dict[str, Any]:
    stamps = [population.stamp, SAMPLED if snapshot.derived else None]
    return {
        "split": population.split,
        "stamp": "; ".join(filter(None, stamps)) or None,
        "origin": population.origin,
        "n": len(population.query_ids),
        "n_gold": len(population.gold_ids),
        "query_ids": list(population.query_ids),
    }


def _notes(setting: Setting, opened: Opened) -> list[str]:
    notes = [*_sampled(opened.snapshot), *setting.population.notes]
    n, protocol = len(setting.chunks), setting.experiment.protocol
    notes += [
        f"k = {k} reaches the corpus size ({n} chunks): the number cannot tell arms apart"
        for k in protocol.cutoffs
        if k >= n
    ]
    lost = check_retrievable(setting.labels, opened.snapshot)
    if lost:
        notes.append(f"{len(lost)} judged chunks are not as they were judged: {lost[0]}")
    filtered = [q for q in setting.population.asked if q.filter]
    if filtered and protocol.filter:
        notes.append(f"{len(filtered)} queries are filtered, alike in every arm and ranking")
        notes.append("the latency is that of the graph without filters")
        notes += _shut_out(setting)
    if filtered and not protocol.filter:
        notes.append(f"{len(filtered)} queries have a filter that this protocol does not apply")
    if protocol.index.ef_search < protocol.depth:
        notes.append(
            f"hnsw lists end at {protocol.index.ef_search} (ef_search), the exact ones at "
            f"{protocol.depth}: asking the graph for more would search it more widely"
        )
    if not setting.experiment.contrasts:
        notes.append("a level is not a difference: with one arm there is nothing to compare")
    return notes


def _sampled(snapshot: Snapshot) -> list[str]:
    derived = snapshot.derived
    if derived is None:
        return []
    return [
        f"sampled corpus: {len(snapshot):,} of {derived['parent']['chunks']:,} chunks, the pool "
        f"among {derived['distractors']:,} distractors drawn with seed {derived['seed']}. Fewer "
        "distractors flatter every arm: no level is quotable, and a difference may be narrower "
        "or wider than on the whole"
    ]


def _shut_out(setting: Setting) -> list[str]:
    """Queries whose own filter leaves out all of their gold, so that no arm can hit."""
    by_id = {chunk.chunk_id: chunk for chunk in setting.chunks}
    lost = []
    for query in setting.population.asked:
        gold = [by_id[c] for c in setting.labels.gold(query.query_id) if c in by_id]
        allowed = allowed_rows(query, gold)
        if gold and allowed is not None and not allowed.any():
            lost.append(query.query_id)
    if not lost:
        return []
    return [f"{len(lost)} queries have a filter that shuts out all of their gold: {lost[0]}"]
