"""
The made-up company of data/demo: a workspace to try, made on a copy.

It finds the demo's files in the clone or in the installed package, and runs them through
the same functions as the commands. Its pool comes as run files, so that no model is loaded
before the first page, and half of it is judged already, by two people who do not exist.
"""

import contextlib
import hashlib
import json
import shutil
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from evaluator import InputError
from evaluator.files.whole import made_aside
from evaluator.labelset.format import (
    MANIFEST,
    HeldOutRule,
    Judgement,
    Verdict,
    read_label_set,
    utc_text,
)
from evaluator.trec import read_run
from evaluator.vectors.weights import DEFAULT_MODEL
from labeler.corpus.init import WorkspaceChoices, make_workspace
from labeler.exchange.imports.queries import needs_by_id, read_needs
from labeler.freezing.freeze import Clock
from labeler.logs.read import read_log
from labeler.pool.fill import chosen_system, fill_pool
from labeler.queries.answers import add_known
from labeler.sampling.draw import draw_sample
from labeler.workspace.connection import FILE
from labeler.workspace.records import Practice
from labeler.workspace.workspace import EXPERIMENTS, LABELS, SNAPSHOT, Workspace

NAME = "Tarnbrook Instruments (made up)"
LABEL_SET = "demo-1"
SAMPLE_SIZE, SEED = 64, 13
CORPUS, LOG, ANSWERS, NEEDS = "corpus", "searches.csv", "known-answers.csv", "needs.csv"
PRACTICE = "practice.json"
JUDGEMENTS, EXPERIMENT = "judgements.csv", "experiment.toml"
PLAIN_RUN, FULL_TEXT_RUN = "plain.run", "full-text.run"
ASSESSORS = ("Ada (made up)", "Bob (made up)")
_DECISIONS = WorkspaceChoices(
    name=NAME,
    grades=((0, "not relevant"), (1, "relevant")),
    min_grade=1,
    held_out_rule=HeldOutRule("7461726e62726f6f", 5, (0,)),
    order_seed="6b2d1f0c9a8e7d53",
)


def demo_source() -> Path:
    """The demo's files: in the clone, or as the installed package carries them."""
    here = Path(__file__).parents[1]
    for place in (here.parent / "data" / "demo", here / "demo_data"):
        if (place / LOG).is_file():
            return place
    raise InputError("The demo's files are not installed. Run labeler demo in a clone.")


def make_demo(
    work: Path,
    *,
    clock: Clock,
    source: Path | None = None,
    depth: int = 50,
    progress: Callable[..., Iterator[Any]] | None = None,
) -> Iterator[str]:
    """
    Make the demo's workspace unless it is there, saying what is done line by line.

    It is made aside and renamed, so an interruption leaves nothing half made. Raises
    InputError for a directory that holds something else.
    """
    if (work / FILE).is_file():
        yield f"{work} is there already; delete it to begin afresh."
        return
    if work.exists() and (not work.is_dir() or any(work.iterdir())):
        raise InputError(f"{work} exists and is no workspace. Name another: labeler demo PATH")
    source = source or demo_source()
    yield f"Making {work} from the documents and searches of {NAME}. All of it is invented."
    with made_aside(work) as aside:
        workspace = with_sample(source, aside, now=clock(), progress=progress)
        if (source / ANSWERS).is_file():
            add_known(workspace, source / ANSWERS, now=clock())
        pinned, digest = _pinned_digest(source), workspace.snapshot.digest
        judged = 0
        if pinned == digest and (source / PLAIN_RUN).is_file():
            fill_pool(workspace, depth=depth, runs=[source / PLAIN_RUN, source / FULL_TEXT_RUN])
            judged = _judge_part(workspace, source, now=utc_text(clock()))
        else:
            fill(workspace, depth, progress)
        queries, pairs = len(workspace.queries.all()), len(list(workspace.pool.entries()))
        if pinned == digest:
            _set_practice(workspace, source / PRACTICE)
        workspace.close()
        _copy_rest(source, aside)
        if work.exists():
            work.rmdir()
        aside.rename(work)
    if judged:
        yield f"{' and '.join(ASSESSORS)} have judged {judged} of {queries:,} queries."
    else:
        yield f"{queries:,} queries with {pairs:,} pairs to judge."
    if pinned not in (None, digest):
        yield (
            f"The splitter that is installed here cuts the documents in another way than for "
            f"{LABEL_SET}, so {EXPERIMENT} does not fit this copy."
        )


def with_sample(
    source: Path, work: Path, *, now: datetime, progress: Callable[..., Iterator[Any]] | None
) -> Workspace:
    """A workspace with the demo's snapshot, log, sample and needs."""
    with contextlib.chdir(source):  # the snapshot states where its texts came from
        workspace, _ = make_workspace(
            work, Path(CORPUS), decisions=_DECISIONS, now=now, progress=progress
        )
    reading = read_log(source / LOG, private="keep")  # its people are made up
    workspace.queries.add_log(reading.record, reading.queries)
    drawn = draw_sample(
        workspace.queries.log_queries(), size=SAMPLE_SIZE, seed=SEED, logs=workspace.queries.logs()
    )
    workspace.queries.save_sample(drawn.design, drawn.queries)
    if (source / NEEDS).is_file():
        workspace.queries.set_needs(
            needs_by_id(workspace.queries.all(), read_needs(source / NEEDS))
        )
    return workspace


def fill(workspace: Workspace, depth: int, progress: Callable[..., Iterator[Any]] | None) -> None:
    """Pool with the encoder that the demo extra carries, and with full-text search."""
    system = chosen_system(runs=(), model=DEFAULT_MODEL)
    fill_pool(workspace, depth=depth, system=system, bm25=True, progress=progress)


def _set_practice(workspace: Workspace, file: Path) -> None:
    """The practice query, whose key names chunks of the pinned snapshot."""
    if file.is_file():
        kept = json.loads(file.read_text(encoding="utf-8"))
        workspace.set_practice(Practice(kept["query"], tuple(map(tuple, kept["texts"]))))


def judged_part(sample: Iterable[str]) -> list[str]:
    """
    The queries of the sample that are judged already.

    With the known-answer queries beside it, these two thirds are half of all.
    """
    ids = sorted(sample)
    return ids[: len(ids) * 2 // 3]


def _judge_part(workspace: Workspace, source: Path, *, now: str) -> int:
    """
    Give part of the sample the grades of the demo's label set, and return how many queries.

    Every second one is of both people, the others of one. Where both judge, Bob overlooks some
    gold chunks and takes what the encoder ranks first for an answer, so that there is something
    to decide. What the label set has no grade for, nobody could tell.
    """
    labels = read_label_set(source / LABELS / LABEL_SET)
    first = {query_id: ranking[0][0] for query_id, ranking in read_run(source / PLAIN_RUN).items()}
    judged = judged_part(labels.qrels)
    for number, query_id in enumerate(judged):
        grades = labels.qrels[query_id]
        shared = number % 2 == 0
        for name in ASSESSORS if shared else [ASSESSORS[number % 4 // 2]]:
            events = []
            for entry in workspace.pool.entries(query_id):
                digest = hashlib.sha256(f"{name} {query_id} {entry.chunk_id}".encode()).hexdigest()
                grade = grades.get(entry.chunk_id)
                if shared and name == ASSESSORS[1] and grade is not None:
                    overlooked = grade > 0 and int(digest, 16) % 4 == 0
                    mistaken = grade == 0 and entry.chunk_id == first[query_id]
                    grade = 1 - grade if overlooked or mistaken else grade
                verdict: Verdict = "unsure" if grade is None else "grade"
                pair = query_id, entry.chunk_id, name, grade, verdict, now
                events.append(Judgement(f"demo-{digest[:32]}", *pair, note="made up"))
            workspace.judgements.add(events)
            workspace.judgements.end_query(name, query_id, outcome="finished", reason=None, now=now)
    return len(judged)


def _copy_rest(source: Path, work: Path) -> None:
    """What the workspace does not make itself: documents, logs, labels, experiment, results."""
    for path in sorted(source.iterdir()):
        target = work / path.name
        if path.name in (LABELS, EXPERIMENTS):
            shutil.copytree(path, target, dirs_exist_ok=True)
        elif path.is_dir() and not target.exists():
            shutil.copytree(path, target)
        elif path.is_file():
            shutil.copyfile(path, target)


def _pinned_digest(source: Path) -> str | None:
    manifest = source / SNAPSHOT / MANIFEST
    if not manifest.is_file():
        return None
    return str(json.loads(manifest.read_text(encoding="utf-8"))["digest"])
