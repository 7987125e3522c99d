"""
An experiment from its file to its results directory.

It runs the arms one after the other and writes down what they did; the record itself is put
together in `record/make`. The encoder, the clock and the progress bar come in as arguments.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evaluator import InputError
from evaluator.arms.arm import ArmRun, allowed_rows, first_in_fp32, run_arm
from evaluator.arms.bodies import choose_bodies
from evaluator.arms.setting import Setting
from evaluator.console import Progress
from evaluator.contrasts.answers import read_verdicts
from evaluator.contrasts.measured import Measured, measure_arm
from evaluator.contrasts.model import Verdicts
from evaluator.experiment.pinned import (
    LoadModel,
    Pinned,
    load_choice,
    load_models,
    open_experiment,
    prescribed_by,
)
from evaluator.experiment.population import Population, choose_population
from evaluator.experiment.protocol import ModelChoice, Protocol
from evaluator.labelset.format import text_sha256
from evaluator.labelset.ledger import known_looks
from evaluator.record.files import results_directory, write_results
from evaluator.record.make import arm_digests, make_record, observe
from evaluator.record.model import Record
from evaluator.record.observed import enter
from evaluator.report.report import REPORTS
from evaluator.snapshot.chunk import Chunk
from evaluator.vectors.encoder import document_input, load_model
from evaluator.vectors.model import Model
from evaluator.vectors.search import HnswIndex, has_room, time_in_turns

_FP32_QUERIES = 50
_NOT_TIMED = (
    "Latency was not measured: the graphs of all arms do not fit into memory beside each other."
)


@dataclass(frozen=True, slots=True)
class WrittenRun:
    """A run that was written: its directory and its record."""

    path: Path
    record: Record


def run_experiment(
    path: Path,
    *,
    load_model: LoadModel = load_model,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    out: Path | None = None,
    progress: Progress | None = None,
    open_held_out: bool = False,
    sample: Path | None = None,
    answers: Path | None = None,
) -> WrittenRun:
    """
    Run every arm of an experiment and write its results directory.

    The directory is `out`, or the UTC time under `<stem of the file>.results/` beside it;
    it is there whole or not at all, and an existing one is never touched. Every run is
    written to the ledger of the label set first. `open_held_out` names
    the held-out queries that changed, which are else only counted. `sample` is a derived
    snapshot to run on; every level is then marked. `answers` is a file of verdicts on the
    arms' answers, instead of the one that the experiment names.
    """
    started_at = clock()
    directory = results_directory(path, out, started_at)
    opened = open_experiment(path, sample=sample)
    population = choose_population(opened.labels, opened.experiment.protocol)
    verdicts = _verdicts(opened, answers)
    models = load_models(opened.experiment, load_model)
    setting = _setting(opened, population, models)
    measured = _measure(opened, setting, models, load_model, progress)
    arms = arm_digests(measured, setting)
    observed = observe(
        opened,
        setting,
        measured,
        arms=arms,
        at=started_at,
        looks=len(known_looks(opened.labels)) + population.looks_at_held_out,
        opened_flips=open_held_out,
        answers=verdicts,
    )
    record = make_record(opened, setting, measured, observed)
    enter(
        record,
        opened.labels,
        at=started_at,
        what="results, held-out flips by name" if open_held_out else "results",
        arms=arms,
        held_out=population.looks_at_held_out,
    )
    written = write_results(directory, record, measured, setting, observed, render=REPORTS)
    return WrittenRun(directory, written)


def _verdicts(opened: Pinned, answers: Path | None) -> Verdicts | None:
    path = answers or opened.experiment.answers
    if path is None:
        return None
    return read_verdicts(
        path,
        arms=[arm.name for arm in opened.experiment.arms],
        query_ids=[query.query_id for query in opened.labels.queries],
    )


def _measure(
    opened: Pinned,
    setting: Setting,
    models: Mapping[ModelChoice, Model],
    load: LoadModel,
    progress: Progress | None,
) -> dict[str, Measured]:
    """Every arm by name, run and measured in the order of the file, and timed beside the others."""
    protocol = opened.experiment.protocol
    runs: list[ArmRun] = []
    graphs: list[tuple[HnswIndex, NDArray[np.float32]]] = []
    for arm in opened.experiment.arms:
        run, index, asked = run_arm(
            arm,
            model=models[arm.model],
            header=opened.headers[arm.name],
            chunks=setting.chunks,
            bodies=setting.bodies,
            queries=setting.population.asked,
            protocol=protocol,
            progress=progress,
        )
        if len(graphs) == len(runs) and (not runs or has_room(index.size_bytes)):
            graphs.append((index, asked))
        if arm.model.precision != "fp32":
            run = replace(run, fp32_first=_fp32_first(run, setting, load))
        runs.append(run)
    if len(graphs) == len(runs):
        times = time_in_turns(graphs, depth=protocol.cutoffs[1])
        runs = [
            replace(run, query_ms_p50=t.median, query_ms_p95=t.p95, query_ms_spread=t.spread)
            for run, t in zip(runs, times, strict=True)
        ]
    else:
        runs = [replace(run, notices=(*run.notices, _NOT_TIMED)) for run in runs]
    return {run.arm.name: measure_arm(run, setting) for run in runs}


def _fp32_first(run: ArmRun, setting: Setting, load: LoadModel) -> Mapping[str, Sequence[str]]:
    """The first k chunks of a sample of the queries with gold, by vectors in fp32."""
    gold = setting.population.asked_gold
    sample = set(sorted(gold, key=text_sha256)[:_FP32_QUERIES])
    pairs = zip(setting.chunks, run.inputs.headers, setting.bodies, strict=True)
    return first_in_fp32(
        run,
        load_choice(replace(run.arm.model, precision="fp32"), load),
        queries=[query for query in setting.population.asked if query.query_id in sample],
        documents={
            chunk.chunk_id: document_input(run.arm.doc_prefix, header, body)
            for chunk, header, body in pairs
        },
        k=setting.experiment.protocol.k,
    )


def _setting(
    opened: Pinned, population: Population, models: Mapping[ModelChoice, Model]
) -> Setting:
    chunks = list(opened.snapshot.chunks())
    chunk_ids = {chunk.chunk_id for chunk in chunks}
    if not opened.snapshot.derived:  # a sample leaves chunks out for which there are headers
        for header in opened.headers.values():
            header.require_known(chunk_ids)
    _require_reachable(opened.experiment.protocol, population, chunks)
    bodies = choose_bodies(opened, chunks, models)
    return Setting(
        opened.experiment, opened.labels, population, chunks, bodies, prescribed_by(models)
    )


def _require_reachable(protocol: Protocol, population: Population, chunks: Sequence[Chunk]) -> None:
    """Refuse, before anything is encoded, filters that leave no query a chunk to find."""
    if not protocol.filter:
        return
    allowed = (allowed_rows(query, chunks) for query in population.asked)
    if all(rows is not None and not rows.any() for rows in allowed):
        first = population.asked[0]
        raise InputError(
            f"The filters of all {len(population.asked)} queries leave no chunk of the snapshot, "
            f"as that of query {first.query_id!r}: {first.filter}. Give the chunks these "
            "attributes, or set filter = false under [protocol]."
        )
