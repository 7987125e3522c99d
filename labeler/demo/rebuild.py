"""
The demo's frozen label set made again from its judgements file.

For those who change the made-up documents or the splitter: `python -m labeler.demo` writes
snapshot, label set, the experiment's pins and the runs of the pool anew, with a fixed clock,
so that the same input gives the same bytes. Judgements go by a quotation, not by a chunk id,
so most of them outlive a change of the splitter.
"""

import csv
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

from evaluator import InputError
from evaluator.files.records import LineProblem, read_rows, refuse
from evaluator.files.whole import made_aside
from evaluator.labelset.format import Judgement, Pair, read_label_set, utc_text
from evaluator.trec import write_run
from evaluator.vectors.weights import DEFAULT_MODEL
from labeler.demo.demo import (
    ANSWERS,
    EXPERIMENT,
    FULL_TEXT_RUN,
    JUDGEMENTS,
    LABEL_SET,
    PLAIN_RUN,
    fill,
    judged_part,
    with_sample,
)
from labeler.freezing.freeze import Clock, freeze
from labeler.freezing.header_work import HeaderWork
from labeler.pool.encoder import rank_plain
from labeler.pool.fill import chosen_system
from labeler.pool.full_text import lexical_run, open_index
from labeler.queries.answers import Quotations, add_known
from labeler.workspace.pairs import entries
from labeler.workspace.search_index import SEARCH_FILE
from labeler.workspace.workspace import LABELS, SNAPSHOT, Workspace

FROZEN_AT = datetime(2026, 11, 2, 9, tzinfo=UTC)
DEPTH, SHOWN_DEPTH = 10, 50
ASSESSOR = "author of the demo"


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """The label set made again, and how many pairs of its pool nobody has judged yet."""

    sha256: str
    digest: str
    unjudged: int


def rebuild(demo: Path, *, clock: Clock) -> Rebuilt:
    """
    Make the demo's snapshot, label set and pins again from its other files.

    Raises InputError listing the lines of the judgements file that no longer name one
    query and one chunk; then nothing is changed.
    """
    with _pooled(demo, clock=clock) as workspace:
        unjudged = _judge(workspace, demo / JUDGEMENTS, now=clock())
        frozen = freeze(
            workspace,
            name=LABEL_SET,
            header_work=HeaderWork(begun=False),
            declared_by=ASSESSOR,
            clock=clock,
        )
        _replace(frozen.path, demo / LABELS / LABEL_SET)
        _replace(workspace.path / SNAPSHOT, demo / SNAPSHOT)
        digest = workspace.snapshot.digest
        _pin(demo / EXPERIMENT, sha256=frozen.sha256, digest=digest)
    _write_runs(demo, now=clock())
    return Rebuilt(frozen.sha256, digest, unjudged)


@contextmanager
def _pooled(demo: Path, *, clock: Clock) -> Iterator[Workspace]:
    """A workspace with the demo's sample and pool, as long as it is needed."""
    with tempfile.TemporaryDirectory() as scratch:
        workspace = with_sample(demo, Path(scratch) / "demo", now=clock(), progress=None)
        fill(workspace, DEPTH, None)
        yield workspace
        workspace.close()


def _write_runs(demo: Path, *, now: datetime) -> None:
    """
    What fills the pool of the workspace to try: an encoder's first chunks, and full-text search's.

    Of a query that is judged already it is as much as the label set judged.
    """
    judged = judged_part(
        query.query_id for query in read_label_set(demo / LABELS / LABEL_SET).queries
    )
    with tempfile.TemporaryDirectory() as scratch:
        workspace = with_sample(demo, Path(scratch) / "demo", now=now, progress=None)
        if (demo / ANSWERS).is_file():
            add_known(workspace, demo / ANSWERS, now=now)
        snapshot, queries = workspace.snapshot, workspace.queries.all()
        system = chosen_system(runs=(), model=DEFAULT_MODEL)
        assert system is not None
        model = system.load()
        plain = rank_plain(snapshot, queries, system, model=model, depth=SHOWN_DEPTH)
        index = open_index(workspace.path / SEARCH_FILE, snapshot)
        words = lexical_run(index, queries, depth=SHOWN_DEPTH)
        workspace.close()
    for name, run in ((PLAIN_RUN, plain), (FULL_TEXT_RUN, words)):
        kept = {q: found[: DEPTH if q in judged else SHOWN_DEPTH] for q, found in run.items()}
        write_run(demo / name, kept, tag=name.removesuffix(".run"))


def _judge(workspace: Workspace, path: Path, *, now: datetime) -> int:
    """Store the judgements of the file; returns how many pairs of the pool have none."""
    rows = read_rows(path)
    quotations = Quotations(workspace.snapshot, {str(row.first("doc_id")) for row in rows})
    query_id_by_text = {query.text: query.query_id for query in workspace.queries.all()}
    scale = {str(grade): grade for grade, _ in workspace.settings.grades}
    grades: dict[Pair, int] = {}
    problems: list[LineProblem] = []
    for row in rows:
        try:
            query, grade = row.first("query"), row.first("grade")
            if query not in query_id_by_text:
                raise ValueError(f"the query {query!r} is not in the sample")
            if grade not in scale:
                raise ValueError(f"grade {grade!r} is not on the scale")
            chunk_id = quotations.chunk_id(str(row.first("doc_id")), str(row.first("quotation")))
            pair = (query_id_by_text[query], chunk_id)
            if grades.setdefault(pair, scale[grade]) != scale[grade]:
                raise ValueError(f"another grade of {chunk_id!r} for {query!r} stands above")
        except ValueError as error:
            problems.append(LineProblem(row.line, str(error)))
    refuse(path, problems, todo="Mend these lines. Nothing was changed.")
    _store(workspace, path, grades, quotations, now)
    return sum((e.query_id, e.chunk_id) not in grades for e in workspace.pool.entries())


def _store(
    workspace: Workspace,
    path: Path,
    grade_by_pair: Mapping[Pair, int],
    quotations: Quotations,
    now: datetime,
) -> None:
    """Pairs that the pool has not (the splitter may have changed) are added to it first."""
    source = workspace.pool.source_record("import", path)
    pooled = {(entry.query_id, entry.chunk_id) for entry in workspace.pool.entries()}
    missing = sorted(grade_by_pair.keys() - pooled)
    chunk_by_id = {chunk_id: quotations.chunk_by_id[chunk_id] for _, chunk_id in missing}
    workspace.add_judged(
        queries=(),
        pool=entries(missing, source=source["source"], chunk_by_id=chunk_by_id),
        judgements=[
            Judgement(
                *(f"demo-{query_id}-{chunk_id}", query_id, chunk_id, ASSESSOR, grade, "grade"),
                judged_at=utc_text(now),
                note="made up",
                imported_from=path.name,
            )
            for (query_id, chunk_id), grade in sorted(grade_by_pair.items())
        ],
        source=source,
    )


def write_unjudged(demo: Path, out: TextIO, *, clock: Clock) -> None:
    """The pairs that the judgements file does not grade yet, as CSV: query, document, text."""
    with _pooled(demo, clock=clock) as workspace:
        if (demo / JUDGEMENTS).is_file():
            _judge(workspace, demo / JUDGEMENTS, now=clock())
        judged = {(j.query_id, j.chunk_id) for j in workspace.judgements.standing()}
        text_by_id = {query.query_id: query.text for query in workspace.queries.all()}
        pool = [e for e in workspace.pool.entries() if (e.query_id, e.chunk_id) not in judged]
        chunks = workspace.snapshot.fetch(sorted({entry.chunk_id for entry in pool}))
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["query", "doc_id", "text"])
    for entry in pool:
        writer.writerow([text_by_id[entry.query_id], entry.doc_id, chunks[entry.chunk_id].text])


def _replace(made: Path, place: Path) -> None:
    with made_aside(place) as aside:
        shutil.copytree(made, aside)
        shutil.rmtree(place, ignore_errors=True)
        aside.rename(place)


def _pin(experiment: Path, *, sha256: str, digest: str) -> None:
    """Write the two digests into the experiment, and leave every other byte of it alone."""
    if not experiment.is_file():
        return
    text = experiment.read_bytes().decode()
    for table, key, value in (("labels", "sha256", sha256), ("snapshot", "digest", digest)):
        pattern = rf'(?ms)(^\[{table}\]$(?:(?!^\[).)*?^{key} *= *")[^"\n]*(")'
        text, found = re.subn(pattern, rf"\g<1>{value}\g<2>", text)
        if found != 1:
            raise InputError(f"{experiment} has no {key} in [{table}] to write a digest to.")
    experiment.write_bytes(text.encode())
