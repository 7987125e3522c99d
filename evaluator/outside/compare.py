"""
Run files made elsewhere, read and refused where they are not what they should be.

It owns the files, the labels they are measured by and the look that is counted; the record
is put together in `record`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from evaluator import InputError
from evaluator.contrasts.answers import read_verdicts
from evaluator.experiment.headers.rule import strings_sha256
from evaluator.files.whole import require_new
from evaluator.labelset.format import LabelSet, encode_id, read_label_set
from evaluator.labelset.ledger import known_rows
from evaluator.outside.record import STANDARD, ComparedRuns, OutsideLabels, compare_runs
from evaluator.record.files import table_lines, write_outside_arm, write_whole
from evaluator.record.model import ArmFiles, Record
from evaluator.record.observed import earlier_choices, enter
from evaluator.snapshot.chunk import Chunk, unlabelled_equals
from evaluator.snapshot.snapshot import read_snapshot
from evaluator.text.messages import counted, some_ids
from evaluator.trec import Run, read_qrels, read_run_and_doubt


def compare_files(
    *paths: Path,
    labels: Path | None = None,
    qrels: Path | None = None,
    measures: Sequence[str] = (),
    min_grade: int = 1,
    allow_missing: bool = False,
    snapshot: Path | None = None,
    open_held_out: bool = False,
    self_test: bool = False,
    answers: Path | None = None,
    out: Path | None = None,
    render: Mapping[str, Callable[[Record], str]] | None = None,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> Record:
    """
    The comparison of run files, the first one the baseline, by a frozen set or a qrels file.

    With a `snapshot` the titles and first words of chunks are shown, and chunk ids that it
    does not hold are refused with InputError. `answers` is a file of verdicts on the runs'
    answers, its arms named as the runs are. Every comparison by a frozen label set is
    written to its ledger, and one that opens held-out flips says so. `out` is a new directory
    for the record, the runs, the values by query and what `render` makes of the record.
    """
    if out is not None:
        require_new(out)
    runs, told = _read_runs(paths, self_test=self_test)
    chunks = [] if snapshot is None else _known_chunks(runs, snapshot)
    judged = _judged(labels, qrels, min_grade)
    verdicts = None
    if answers is not None:
        verdicts = read_verdicts(answers, arms=list(runs), query_ids=list(judged.qrels))
    if self_test and len({_ranking_sha256(run) for run in runs.values()}) > 1:
        raise InputError("These runs rank otherwise: --self-test is for equal runs.")
    compared = compare_runs(
        runs,
        judged,
        measures=measures or STANDARD,
        allow_missing=allow_missing,
        chunks=chunks,
        open_held_out=open_held_out,
        told=told,
        verdicts=verdicts,
    )
    record = compared.record
    if chunks:
        record = replace(record, notes=(*record.notes, *_of_chunks(chunks, judged)))
    if judged.frozen:
        digests = {name: _ranking_sha256(run) for name, run in runs.items()}
        record = _entered(record, judged.frozen, digests, at=clock(), opened=open_held_out)
    if out is None:
        return record
    return _written(out, replace(compared, record=record), runs, judged, render or {})


def _read_runs(paths: Sequence[Path], *, self_test: bool) -> tuple[dict[str, Run], dict[str, str]]:
    """The runs by the names that the record uses, and what to say of the ranks of some."""
    names = [path.stem for path in paths]
    if len(set(names)) < len(names):
        names = [str(path) for path in paths]
    runs: dict[str, Run] = {}
    told = {}
    for name, path in zip(names, paths, strict=True):
        if name in runs and not self_test:
            raise InputError(
                f"{path} is given twice. A run cannot differ from itself; for a test of the tools "
                "on equal runs, say --self-test."
            )
        own = f"{name} again" if name in runs else name
        runs[own], doubt = read_run_and_doubt(path)
        if doubt:
            told[own] = f"{own}: {doubt}"
    return runs, told


def _ranking_sha256(run: Run) -> str:
    """The digest of what a run ranks, whatever its scores, its tag and the order of its lines."""
    return strings_sha256(
        text for query_id in sorted(run) for text in (query_id, *(c for c, _ in run[query_id]))
    )


def _entered(
    record: Record, frozen: LabelSet, digests: Mapping[str, str], *, at: datetime, opened: bool
) -> Record:
    """The record with what the ledger of its labels knew, once this comparison is in it too."""
    rows = known_rows(frozen)
    arms = [(digests[one.baseline], digests[one.treatment]) for one in record.contrasts]
    contrasts = tuple(
        replace(
            one, earlier_choices=earlier_choices(rows, pair, measure=one.primary.measure) or None
        )
        for one, pair in zip(record.contrasts, arms, strict=True)
    )
    held_out = any(frozen.query_class(query_id) == "held-out" for query_id in frozen.qrels)
    what = "results of runs made elsewhere" + ", held-out flips by name" * opened
    looks = enter(record, frozen, at=at, what=what, arms=arms, held_out=held_out)
    labels = replace(record.labels, looks=looks if held_out else None)
    return replace(record, labels=labels, contrasts=contrasts)


def _written(
    out: Path,
    compared: ComparedRuns,
    runs: Mapping[str, Run],
    judged: OutsideLabels,
    render: Mapping[str, Callable[[Record], str]],
) -> Record:
    """The results directory of the comparison, as `evaluator run` writes one."""
    files = {
        name: ArmFiles(run=f"{tag}.run", per_query=f"{tag}.tsv")
        for number, name in enumerate(runs)
        for tag in [encode_id(Path(name).stem) + f"-{number}" * (Path(name).stem != name)]
    }
    frozen, grade = judged.frozen, judged.min_grade
    known = {query.query_id: query for query in frozen.queries} if frozen else {}
    asked = [
        (
            query_id,
            frozen.query_class(query_id) if frozen else "",
            known[query_id].origin if frozen else "",
            frozenset(chunk_id for chunk_id, given in grades.items() if given >= grade),
        )
        for query_id, grades in sorted(judged.qrels.items())
    ]

    record = compared.record

    def write(aside: Path) -> None:
        for arm in record.arms:
            values = {name: compared.values[arm.name][name] for name in arm.measures}
            lines = table_lines(runs[arm.name], values, asked)
            write_outside_arm(aside, files[arm.name], runs[arm.name], lines)

    arms = tuple(replace(arm, files=files[arm.name]) for arm in record.arms)
    return write_whole(out, replace(record, arms=arms), write, render=render)


def _judged(labels: Path | None, qrels: Path | None, min_grade: int) -> OutsideLabels:
    if labels is not None:
        frozen = read_label_set(labels)
        return OutsideLabels(labels, frozen.qrels, frozen.min_grade, frozen)
    assert qrels is not None
    return OutsideLabels(qrels, read_qrels(qrels), min_grade)


def _of_chunks(chunks: Sequence[Chunk], judged: OutsideLabels) -> Iterator[str]:
    """What the snapshot shows of the labels: gold that is in none, and texts that stand twice."""
    equal = unlabelled_equals(chunks, judged.qrels, min_grade=judged.min_grade)
    yield from [equal] if equal else []
    held = {chunk.chunk_id for chunk in chunks}
    lost = {
        query_id: [c for c, grade in grades.items() if grade >= judged.min_grade and c not in held]
        for query_id, grades in judged.qrels.items()
    }
    gold = sorted({chunk_id for ids in lost.values() for chunk_id in ids})
    if gold:
        queries = sorted(query_id for query_id, ids in lost.items() if ids)
        yield (
            f"{counted(len(gold), 'gold chunk')} of {len(queries):,} queries are not in the "
            f"snapshot, so no run can find them: {some_ids(gold)} (queries {some_ids(queries)})"
        )


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
