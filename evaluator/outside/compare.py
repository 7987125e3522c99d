"""
Runs made elsewhere, from files or from memory, refused where they are not what they should be.

It owns how they are read, the labels they are measured by and the look that is counted; the
record is put together in `record`.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from numbers import Integral, Real
from pathlib import Path
from typing import Any

from evaluator import InputError
from evaluator.contrasts.answers import read_verdicts
from evaluator.contrasts.pair import Values
from evaluator.experiment.headers.rule import strings_sha256
from evaluator.files.whole import require_new
from evaluator.labelset.format import LabelSet, encode_id, read_label_set
from evaluator.labelset.ledger import known_rows
from evaluator.outside.record import STANDARD, OutsideLabels, compare_runs
from evaluator.record.files import table_lines, write_outside_arm, write_whole
from evaluator.record.frames import Results, results_of
from evaluator.record.model import ArmFiles, Record
from evaluator.record.observed import earlier_choices, enter
from evaluator.snapshot.chunk import Chunk, unlabelled_equals
from evaluator.snapshot.snapshot import read_snapshot
from evaluator.text.messages import counted, some_ids
from evaluator.trec import Run, ranked, read_qrels, read_run_and_doubt

_QUERY = ("query_id", "qid", "q_id")
_CHUNK = ("chunk_id", "doc_id", "docno", "docid", "pid")
_GRADE = ("grade", "relevance", "label", "rel", "score")


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
    judged = _judged(labels, qrels, min_grade)
    chunks = [] if snapshot is None else _known_chunks(runs, snapshot)
    verdicts = None
    if answers is not None:
        verdicts = read_verdicts(answers, arms=list(runs), query_ids=list(judged.qrels))
    if self_test and len({_ranking_sha256(run) for run in runs.values()}) > 1:
        raise InputError("These runs rank otherwise: --self-test is for equal runs.")
    record, values = compare_runs(
        runs,
        judged,
        measures=measures or STANDARD,
        allow_missing=allow_missing,
        chunks=chunks,
        open_held_out=open_held_out,
        told=told,
        verdicts=verdicts,
    )
    if chunks:
        record = replace(record, notes=(*record.notes, *_of_chunks(chunks, judged)))
    record = _entered(record, judged.frozen, runs, at=clock(), opened=open_held_out)
    if out is None:
        return record
    return _written(out, record, values, runs, judged, render=render or {})


def compare_in_memory(
    runs: Mapping[str, Any],
    *,
    labels: Path | str | LabelSet | None = None,
    qrels: Any = None,
    measures: Sequence[str] = STANDARD,
    min_grade: int = 1,
    allow_missing: bool = False,
    open_held_out: bool = False,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> Results:
    """
    The comparison of runs by name, the first one the baseline, by a label set or by qrels.

    A run or qrels may be the path of a TREC file; a data frame of pandas or PyTerrier (`qid`,
    `docno`, `score` or `label`); the tuples of ir_datasets or ir_measures; a Run or Qrels of
    ranx; or a dictionary of dictionaries as pytrec_eval takes it. Ids are text; whole numbers
    become text. As in a file the score decides, then the rank if there is one, then the order
    of the rows. A comparison by a frozen label set is written to its ledger. Raises InputError
    with what is wrong in a run or in the qrels.
    """
    if len(runs) < 2:
        raise InputError("Give two or more runs by name, the baseline first.")
    if (labels is None) == (qrels is None):
        raise InputError("Give either labels or qrels.")
    judged = _judged(labels, qrels, min_grade)
    read = {name: _run_of(name, given) for name, given in runs.items()}
    found = {name: run for name, (run, _) in read.items()}
    record, values = compare_runs(
        found,
        judged,
        measures=measures,
        allow_missing=allow_missing,
        open_held_out=open_held_out,
        told={name: f"{name}: {doubt}" for name, (_, doubt) in read.items() if doubt},
    )
    record = _entered(record, judged.frozen, found, at=clock(), opened=open_held_out)
    return results_of(record, _tables(record, values, found, judged))


def _run_of(name: str, given: Any) -> tuple[Run, str | None]:
    """A run from whatever holds one, and what speaks against its scores."""
    if isinstance(given, Path | str):
        return read_run_and_doubt(Path(given))
    rows: dict[str, dict[str, tuple[float, int, str]]] = {}
    for at, row in enumerate(_rows(given, what=f"The run {name!r}", value=("score",)), 1):
        query_id, chunk_id, score, rank = row
        where = f"The run {name!r}, row {at} (query {query_id!r}, chunk {chunk_id!r})"
        if not _is_finite(score):
            raise InputError(f"{where}: score {score!r} is not a finite number.")
        if not (_is_finite(rank) and rank == int(rank)):
            raise InputError(f"{where}: rank {rank!r} is not a whole number.")
        if chunk_id in rows.setdefault(query_id, {}):
            raise InputError(f"{where}: this chunk stands a second time under the query.")
        rows[query_id][chunk_id] = (float(score), int(rank), chunk_id)
    if not rows:
        raise InputError(f"The run {name!r} holds no results, so there is nothing to measure.")
    return ranked({query_id: list(found.values()) for query_id, found in rows.items()})


def _qrels_of(given: Any) -> dict[str, dict[str, int]]:
    """Grade by chunk id by query id from whatever holds them."""
    qrels: dict[str, dict[str, int]] = {}
    for at, (query_id, chunk_id, grade, _) in enumerate(
        _rows(given, what="The qrels", value=_GRADE), 1
    ):
        where = f"The qrels, row {at} (query {query_id!r}, chunk {chunk_id!r})"
        if not (_is_finite(grade) and grade == int(grade)):
            raise InputError(f"{where}: grade {grade!r} is not a whole number.")
        if qrels.setdefault(query_id, {}).setdefault(chunk_id, int(grade)) != grade:
            raise InputError(f"{where}: grade {grade!r}, and {qrels[query_id][chunk_id]} above.")
    if not qrels:
        raise InputError("The qrels hold no judgements.")
    return qrels


def _rows(given: Any, *, what: str, value: Sequence[str]) -> Iterator[tuple[str, str, Any, Any]]:
    """Query id, chunk id, score or grade, and rank, of a table, of tuples or of dictionaries."""
    given = (
        given.to_dict() if hasattr(given, "to_dict") and not hasattr(given, "columns") else given
    )
    if isinstance(given, Mapping):
        for query_id, found in given.items():
            for chunk_id, number in found.items():
                yield _id(query_id, what), _id(chunk_id, what), number, 0
        return
    rows: Iterable[Any] = given
    if hasattr(given, "itertuples"):
        rows = given.rename(columns=str).itertuples(index=False)
    names: tuple[str, ...] = ()
    for row in rows:
        if not names:
            fields = getattr(row, "_fields", ())
            names = tuple(
                next((n for n in wanted if n in fields), "") for wanted in (_QUERY, _CHUNK, value)
            )
            if not all(names):
                raise InputError(
                    f"{what} has the columns {', '.join(fields) or 'of no names'}. Expected one "
                    f"each of {_either(_QUERY)}; {_either(_CHUNK)}; {_either(value)}."
                )
        query_id, chunk_id, number = (getattr(row, name) for name in names)
        yield _id(query_id, what), _id(chunk_id, what), number, getattr(row, "rank", 0)


def _is_finite(found: Any) -> bool:
    """Whether this is a number that has a place among others; text and what is missing are none."""
    return isinstance(found, Real) and math.isfinite(found)


def _either(names: Sequence[str]) -> str:
    return " or ".join(names)


def _id(found: Any, what: str) -> str:
    if isinstance(found, str) and found:
        return found
    if isinstance(found, Integral) and not isinstance(found, bool):
        return str(found)
    raise InputError(f"{what}: the id {found!r} is not text. Read the columns of ids as text.")


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
    record: Record,
    frozen: LabelSet | None,
    runs: Mapping[str, Run],
    *,
    at: datetime,
    opened: bool,
) -> Record:
    """The record with what the ledger of its labels knew, once this comparison is in it too."""
    if frozen is None:
        return record
    digests = {name: _ranking_sha256(run) for name, run in runs.items()}
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
    record: Record,
    values: Mapping[str, Values],
    runs: Mapping[str, Run],
    judged: OutsideLabels,
    *,
    render: Mapping[str, Callable[[Record], str]],
) -> Record:
    """The results directory of the comparison, as `evaluator run` writes one."""
    files = {
        name: ArmFiles(run=f"{tag}.run", per_query=f"{tag}.tsv")
        for number, name in enumerate(runs)
        for tag in [encode_id(Path(name).stem) + f"-{number}" * (Path(name).stem != name)]
    }
    lines = _tables(record, values, runs, judged)

    def write(aside: Path) -> None:
        for name, run in runs.items():
            write_outside_arm(aside, files[name], run, lines[name])

    arms = tuple(replace(arm, files=files[arm.name]) for arm in record.arms)
    return write_whole(out, replace(record, arms=arms), write, render=render)


def _tables(
    record: Record,
    values: Mapping[str, Values],
    runs: Mapping[str, Run],
    judged: OutsideLabels,
) -> dict[str, list[str]]:
    """The lines of the table by query of each run."""
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
    return {
        arm.name: list(
            table_lines(
                runs[arm.name],
                {name: values[arm.name][name] for name in arm.measures},
                asked,
            )
        )
        for arm in record.arms
    }


def _judged(labels: Path | str | LabelSet | None, qrels: Any, min_grade: int) -> OutsideLabels:
    if labels is not None:
        frozen = labels if isinstance(labels, LabelSet) else read_label_set(Path(labels))
        return OutsideLabels(frozen.path, frozen.qrels, frozen.min_grade, frozen)
    if isinstance(qrels, Path | str):
        return OutsideLabels(Path(qrels), read_qrels(Path(qrels)), min_grade)
    return OutsideLabels(Path("qrels in memory"), _qrels_of(qrels), min_grade)


def _of_chunks(chunks: Sequence[Chunk], judged: OutsideLabels) -> Iterator[str]:
    """What the snapshot shows of the labels: gold that is in none, and texts that stand twice."""
    equal = unlabelled_equals(chunks, judged.qrels, min_grade=judged.min_grade)
    yield from [equal] if equal else []
    held = {chunk.chunk_id for chunk in chunks}
    lost = {
        (query_id, chunk_id)
        for query_id, grades in judged.qrels.items()
        for chunk_id, grade in grades.items()
        if grade >= judged.min_grade and chunk_id not in held
    }
    if lost:
        queries, gold = (sorted({pair[side] for pair in lost}) for side in (0, 1))
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
