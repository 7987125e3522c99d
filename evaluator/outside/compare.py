"""
Two run files made elsewhere, read and refused where they are not what they should be.

It owns the files, the labels they are measured by and the look that is counted; the record
is put together in `record`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from evaluator import InputError
from evaluator.contrasts.answers import read_verdicts
from evaluator.experiment.headers.rule import strings_sha256
from evaluator.labelset.format import LabelSet, read_label_set
from evaluator.labelset.ledger import known_rows
from evaluator.outside.record import STANDARD, OutsideLabels, compare_runs
from evaluator.record.model import Record
from evaluator.record.observed import earlier_choices, enter
from evaluator.snapshot.chunk import Chunk
from evaluator.snapshot.snapshot import read_snapshot
from evaluator.text.messages import some_ids
from evaluator.trec import Run, read_qrels, read_run_and_doubt


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
    open_held_out: bool = False,
    answers: Path | None = None,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> Record:
    """
    The comparison of two run files, by a frozen label set or a plain qrels file.

    With a `snapshot` the titles and first words of chunks are shown, and chunk ids that it
    does not hold are refused with InputError. `answers` is a file of verdicts on the runs'
    answers, its arms named as the runs are. Every comparison by a frozen label set is
    written to its ledger, and one that opens held-out flips says so.
    """
    runs, told = _read_runs(run_a, run_b)
    chunks = [] if snapshot is None else _known_chunks(runs, snapshot)
    judged = _judged(labels, qrels, min_grade)
    verdicts = None
    if answers is not None:
        verdicts = read_verdicts(answers, arms=list(runs), query_ids=list(judged.qrels))
    record = compare_runs(
        runs,
        judged,
        measures=measures or STANDARD,
        allow_missing=allow_missing,
        chunks=chunks,
        open_held_out=open_held_out,
        told=told,
        verdicts=verdicts,
    )
    if judged.frozen:
        baseline, treatment = map(_ranking_sha256, runs.values())
        arms = baseline, treatment
        return _entered(record, judged.frozen, arms, at=clock(), opened=open_held_out)
    return record


def _read_runs(run_a: Path, run_b: Path) -> tuple[dict[str, Run], list[str]]:
    """Both runs by the names that the record uses, baseline first, and what to say of ranks."""
    name_a, name_b = run_a.stem, run_b.stem
    if name_a == name_b:
        name_a, name_b = str(run_a), str(run_b)
    if name_a == name_b:
        raise InputError(f"{run_a} is given twice. A run cannot differ from itself.")
    runs: dict[str, Run] = {}
    told = []
    for name, path in ((name_a, run_a), (name_b, run_b)):
        runs[name], doubt = read_run_and_doubt(path)
        if doubt:
            told.append(f"{name}: {doubt}")
    return runs, told


def _ranking_sha256(run: Run) -> str:
    """The digest of what a run ranks, whatever its scores, its tag and the order of its lines."""
    return strings_sha256(
        text for query_id in sorted(run) for text in (query_id, *(c for c, _ in run[query_id]))
    )


def _entered(
    record: Record, frozen: LabelSet, arms: tuple[str, str], *, at: datetime, opened: bool
) -> Record:
    """The record with what the ledger of its labels knew, once this comparison is in it too."""
    [contrast] = record.contrasts
    earlier = earlier_choices(known_rows(frozen), arms, measure=contrast.primary.measure)
    held_out = any(frozen.query_class(query_id) == "held-out" for query_id in frozen.qrels)
    what = "results of runs made elsewhere" + ", held-out flips by name" * opened
    looks = enter(record, frozen, at=at, what=what, arms=[arms], held_out=held_out)
    return replace(
        record,
        labels=replace(record.labels, looks=looks if held_out else None),
        contrasts=(replace(contrast, earlier_choices=earlier or None),),
    )


def _judged(labels: Path | None, qrels: Path | None, min_grade: int) -> OutsideLabels:
    if labels is not None:
        frozen = read_label_set(labels)
        return OutsideLabels(labels, frozen.qrels, frozen.min_grade, frozen)
    assert qrels is not None
    return OutsideLabels(qrels, read_qrels(qrels), min_grade)


def _known_chunks(runs: Mapping[str, Run], directory: Path) -> list[Chunk]:
    """The chunks of a snapshot; ids that it does not hold are of another chunk set."""
    chunks = list(read_snapshot(directory).chunks())
    known = {chunk.chunk_id for chunk in chunks}
    problems = []
    for name, run in runs.items():
        found = {chunk_id for ranking in run.values() for chunk_id, _ in ranking}
        if outside := sorted(found - known):
            problems.append(
                f"{name}: {len(outside):,} of {len(found):,} chunk ids are not in {directory}: "
                f"{some_ids(outside)}."
            )
    if problems:
        todo = "Make both runs over this chunk set, or name the one they are of."
        raise InputError("\n".join([*problems, todo]))
    return chunks
