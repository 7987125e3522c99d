"""
Systems and files -> the pool of a workspace, in one transaction.

Everything that can be refused is refused before a model is loaded, and nothing is stored
before everything is found.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluator import InputError
from evaluator.console import Progress
from evaluator.files.records import LineProblem, read_rows, refuse
from evaluator.labelset.format import PoolEntry, Query
from evaluator.snapshot.snapshot import Snapshot
from evaluator.text.messages import sentence
from evaluator.trec import read_run_and_doubt
from evaluator.vectors import encoder as encode
from evaluator.vectors.model import Model
from evaluator.vectors.weights import DEFAULT_MODEL
from labeler.exchange.imports.cells import id_text
from labeler.pool import full_text as lexical
from labeler.pool.encoder import RankingKind, System, describe, rank_plain
from labeler.pool.full_text import lexical_run, open_index
from labeler.workspace.pairs import entries, known_chunks, lets_through, make_pool, require_known
from labeler.workspace.search_index import SEARCH_FILE
from labeler.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Filled:
    """What one source found: all its pairs, and those that no source had found before."""

    source: str
    pairs: int
    new: int
    note: str | None


def chosen_system(
    *,
    runs: Sequence[Path],
    model: str | None,
    bm25: bool = False,
    revision: str | None = None,
    ranking: RankingKind = "exact",
    query_prefix: str = "",
    doc_prefix: str = "",
) -> System | None:
    """The system that was asked for; the default one where no source at all was named."""
    if model is None and (runs or bm25):
        return None

    def load() -> Model:
        return encode.load_model(model or DEFAULT_MODEL, revision=revision)

    return System(load, ranking, query_prefix, doc_prefix)


_Found = tuple[Sequence[PoolEntry], dict[str, Any], str | None]


def fill_pool(
    workspace: Workspace,
    *,
    depth: int,
    runs: Sequence[Path] = (),
    pairs: Sequence[Path] = (),
    system: System | None = None,
    bm25: bool = False,
    progress: Progress | None = None,
) -> list[Filled]:
    """
    Add the first `depth` chunks per query of every run file, full-text search and the system.

    Files of pairs are added whole. Raises InputError when there is no query yet, and for
    files with query or chunk ids that are not there; then nothing is stored.
    """
    if depth < 1:
        raise InputError(f"A pool of depth {depth} holds nothing. Give a depth of 1 or more.")
    if not workspace.queries.all():
        raise InputError(
            f"{workspace.path} has no queries yet. Draw a sample with labeler sample, "
            "or add queries with labeler add or labeler import."
        )
    found = [_from_file(workspace, path, depth) for path in runs]
    found += [_from_pairs(workspace, path) for path in pairs]
    if bm25:
        found.append(_from_words(workspace, depth, progress))
    if system is not None:
        found.append(_from_system(workspace, system, depth, progress))
    new = workspace.pool.add_all([(made, source) for made, source, _ in found])
    return [
        Filled(source["source"], len(made), count, note)
        for (made, source, note), count in zip(found, new, strict=True)
    ]


def _from_file(workspace: Workspace, path: Path, depth: int) -> _Found:
    source = {**workspace.pool.source_record("run", path), "depth": depth}
    query_ids = [query.query_id for query in workspace.queries.all()]
    run, doubt = read_run_and_doubt(path)
    require_known(run, known=query_ids, source=path.name)
    made = make_pool(run, depth=depth, source=source["source"], snapshot=workspace.snapshot)
    unanswered = len(query_ids) - len(run)
    notes = [f"It answers {len(run)} of {len(query_ids)} queries."] if unanswered else []
    notes += [f"{sentence(doubt)}."] if doubt else []
    return made, source, " ".join(notes) or None


def _from_pairs(workspace: Workspace, path: Path) -> _Found:
    source = workspace.pool.source_record("pairs", path)
    pairs = _read_pairs(path)
    known = [query.query_id for query in workspace.queries.all()]
    require_known({query_id for query_id, _ in pairs}, known=known, source=path.name)
    chunks = known_chunks(workspace.snapshot, pairs, source=path.name)
    return entries(pairs, source=source["source"], chunk_by_id=chunks), source, None


def _read_pairs(path: Path) -> list[tuple[str, str]]:
    """
    Query and chunk id of every line, each pair once.

    The columns are query_id and chunk_id, in CSV or JSON lines. Whatever else a line says, a
    rank or a system, is not read: it could only lead a judge. Raises InputError for lines
    without either, and for an empty file.
    """
    pairs: dict[tuple[str, str], None] = {}
    problems: list[LineProblem] = []
    for row in read_rows(path):
        try:
            query_id, chunk_id = (id_text(row.first(c), c) for c in ("query_id", "chunk_id"))
            pairs[query_id, chunk_id] = None
        except ValueError as error:
            problems.append(LineProblem(row.line, str(error)))
    refuse(path, problems, todo="Every line needs query_id and chunk_id. Nothing was stored.")
    if not pairs:
        raise InputError(f"{path} holds no pairs. It has one line per pair: query_id, chunk_id.")
    return list(pairs)


def _from_words(workspace: Workspace, depth: int, progress: Progress | None) -> _Found:
    queries = workspace.queries.all()
    index = open_index(workspace.path / SEARCH_FILE, workspace.snapshot, progress=progress)
    allowed = _allowed(workspace.snapshot, queries)
    run = lexical_run(index, queries, depth=depth, allowed_by_query=allowed, progress=progress)
    source = lexical.describe(depth=depth)
    made = make_pool(run, depth=depth, source=source["source"], snapshot=workspace.snapshot)
    nothing = sum(not ranking for ranking in run.values())
    note = f"{nothing} of {len(run)} queries share no word with any chunk." if nothing else None
    return made, source, note


def _allowed(snapshot: Snapshot, queries: Sequence[Query]) -> dict[str, set[str]]:
    """The chunks that each query with a filter can have; nothing for the others."""
    filters = {query.query_id: query.filter for query in queries if query.filter}
    allowed: dict[str, set[str]] = {query_id: set() for query_id in filters}
    for chunk in snapshot.chunks() if filters else ():
        for query_id, wanted in filters.items():
            if lets_through(wanted, chunk):
                allowed[query_id].add(chunk.chunk_id)
    return allowed


def _from_system(
    workspace: Workspace, system: System, depth: int, progress: Progress | None
) -> _Found:
    model = system.load()
    snapshot, queries = workspace.snapshot, workspace.queries.all()
    run = rank_plain(snapshot, queries, system, model=model, depth=depth, progress=progress)
    source = describe(system, model=model, depth=depth)
    made = make_pool(run, depth=depth, source=source["source"], snapshot=snapshot)
    unused = model.prompts and not (system.query_prefix or system.doc_prefix)
    note = (
        f"The model's configuration names prompts that were not used: {dict(model.prompts)}. "
        "Give them with --query-prefix and --doc-prefix if it was trained with them."
        if unused
        else None
    )
    return made, source, note
