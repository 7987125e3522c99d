"""
Queries and judgements made elsewhere -> a workspace, all of them or none.

Everything is read and checked before anything is stored: ids against the workspace and
the snapshot, grades against the scale, pairs against each other. Imported pairs are the
pool; no sampling drew imported queries, so they carry no inclusion probability.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from evaluator import InputError
from evaluator.labelset import Judgement, Origin, Query, decode_id, utc_text
from evaluator.snapshot import Chunk
from labeler.judgement_files import Graded, JudgementFile, read_judgements
from labeler.pool import entries, first_few
from labeler.query_files import QueryFile, read_queries
from labeler.store import Workspace
from labeler.tables import file_sha256


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import added: new queries, pairs and judgements, and what a person should know."""

    queries: int
    pairs: int
    judgements: int
    notes: tuple[str, ...]


def import_set(
    workspace: Workspace,
    *,
    queries: Path | None,
    judgements: Path | None,
    origin: Origin = "authored",
    skip_unknown: bool = False,
    now: datetime,
) -> Imported:
    """
    Read queries and judgements into a workspace; a second time adds nothing.

    Raises InputError, with nothing stored, for whatever the readers refuse, for a query
    id that the workspace has with another text, and for judgements of unknown queries or
    chunks, unless `skip_unknown` leaves these out.
    """
    if queries is None and judgements is None:
        raise InputError("Nothing to import. Give --queries FILE, --judgements FILE or both.")
    asked = read_queries(queries, origin=origin) if queries else None
    new = _new_queries(workspace, asked.queries if asked else ())
    notes = _query_notes(asked, len(new))
    if judgements is None:
        workspace.add_queries(new)
        return Imported(len(new), 0, 0, tuple(notes))
    scale = [grade for grade, _ in workspace.settings.grades]
    graded = read_judgements(judgements, scale=scale)
    known = {query.query_id for query in (*workspace.queries(), *new)}
    chunk_by_id = _chunks(workspace, graded)
    pairs, unknown = _resolved(graded, known, chunk_by_id)
    if unknown and not skip_unknown:
        refusal = f"{graded.name}: nothing was imported."
        raise InputError("\n".join([refusal, *unknown, _hint(workspace, graded, chunk_by_id)]))
    _refuse_times_to_come(pairs, graded, now)
    source = source_record(workspace, "import", judgements) | {"shape": graded.shape}
    name = source["source"]
    new_pairs, new_judgements = workspace.add_judged(
        queries=new,
        pool=entries(
            [(pair.query_id, pair.chunk_id) for pair in pairs], source=name, chunk_by_id=chunk_by_id
        ),
        judgements=_judgements(pairs, graded, source=name, now=now),
        source={**source, "pairs": len(pairs)},
    )
    notes += [*_judgement_notes(graded), *(f"Left out: {line.strip()}" for line in unknown)]
    notes += _same_ids(known, chunk_by_id)
    return Imported(len(new), new_pairs, new_judgements, tuple(notes))


def source_record(workspace: Workspace, kind: str, path: Path) -> dict[str, Any]:
    """
    How a file that fills the pool is named there: kind and file name, and its digest.

    Another file of the same name gets the beginning of its digest, so that one name never
    means two files.
    """
    sha256 = file_sha256(path)
    source = f"{kind}:{path.name}"
    if any(s["source"] == source and s.get("sha256") != sha256 for s in workspace.pool_sources()):
        source = f"{source}@{sha256[:8]}"
    return {"source": source, "kind": kind, "file": path.name, "sha256": sha256, "depth": None}


def _new_queries(workspace: Workspace, queries: Sequence[Query]) -> list[Query]:
    text_by_id = {query.query_id: query.text for query in workspace.queries()}
    changed = [q.query_id for q in queries if text_by_id.get(q.query_id, q.text) != q.text]
    if changed:
        raise InputError(
            f"{len(changed)} query ids are in the workspace with another text: "
            f"{first_few(changed)}. Give these queries other ids."
        )
    return [query for query in queries if query.query_id not in text_by_id]


def _query_notes(asked: QueryFile | None, new: int) -> list[str]:
    if asked is None:
        return []
    notes = [f"{asked.name}, {problem}. Set aside." for problem in asked.set_aside]
    if there := len(asked.queries) - new:
        notes.append(f"{there} queries of {asked.name} were in the workspace already.")
    return notes


# Judgements


def _chunks(workspace: Workspace, graded: JudgementFile) -> dict[str, Chunk]:
    ids = {pair.chunk_id for pair in graded.pairs}
    if graded.shape == "TREC qrels":
        ids |= {_decoded(chunk_id) for chunk_id in ids}
    return workspace.snapshot.fetch(sorted(ids))


def _resolved(
    graded: JudgementFile, query_ids: Collection[str], chunk_ids: Collection[str]
) -> tuple[list[Graded], list[str]]:
    """The pairs whose query and chunk exist, and lines that name the others."""
    pairs: list[Graded] = []
    strange_queries: dict[str, int] = {}
    strange_chunks: dict[str, int] = {}
    for pair in graded.pairs:
        query_id = _known(pair.query_id, query_ids, graded)
        chunk_id = _known(pair.chunk_id, chunk_ids, graded)
        if query_id is None:
            strange_queries[pair.query_id] = strange_queries.get(pair.query_id, 0) + 1
        if chunk_id is None:
            strange_chunks[pair.chunk_id] = strange_chunks.get(pair.chunk_id, 0) + 1
        if query_id is not None and chunk_id is not None:
            pairs.append(replace(pair, query_id=query_id, chunk_id=chunk_id))
    return pairs, [
        f"  {sum(count_by_id.values())} judgements of {len(count_by_id)} {what}: "
        f"{first_few(sorted(count_by_id))}"
        for what, count_by_id in (
            ("queries that neither the file of queries nor the workspace has", strange_queries),
            ("chunks that the snapshot does not have", strange_chunks),
        )
        if count_by_id
    ]


def _known(stated: str, ids: Collection[str], graded: JudgementFile) -> str | None:
    """The id as it stands, or decoded where the format cannot hold blanks."""
    if stated in ids:
        return stated
    decoded = _decoded(stated) if graded.shape == "TREC qrels" else stated
    return decoded if decoded in ids else None


def _decoded(stated: str) -> str:
    try:
        return decode_id(stated)
    except UnicodeDecodeError:
        return stated


def _hint(workspace: Workspace, graded: JudgementFile, chunk_ids: Collection[str]) -> str:
    doc_ids = workspace.snapshot.documents().keys() - set(chunk_ids)
    if any(pair.chunk_id in doc_ids for pair in graded.pairs):
        return "Some are ids of documents. Judgements are of chunks: give chunk ids."
    return "Mend the ids, or leave these judgements out with --skip-unknown."


def _judgements(
    pairs: Sequence[Graded], graded: JudgementFile, *, source: str, now: datetime
) -> list[Judgement]:
    """Events for the pairs that somebody judged; the others are pooled and no more."""
    return [
        Judgement(
            event_id=f"import-{graded.sha256[:16]}-{pair.line}",
            query_id=pair.query_id,
            chunk_id=pair.chunk_id,
            assessor=pair.assessor or source,
            grade=pair.grade,
            verdict=pair.verdict,
            judged_at=pair.judged_at or utc_text(now),
            note=pair.note,
            imported_from=graded.name,
        )
        for pair in pairs
        if pair.verdict != "unjudged"
    ]


def _refuse_times_to_come(pairs: Sequence[Graded], graded: JudgementFile, now: datetime) -> None:
    """Events are in time order, so one from the future would hold up all that follow."""
    late = [pair.line for pair in pairs if (pair.judged_at or "") > utc_text(now)]
    if late:
        raise InputError(f"{graded.name}, line {late[0]}: judged at a time that is still to come.")


def _judgement_notes(graded: JudgementFile) -> list[str]:
    numbered = (
        (graded.count("unjudged"), "pairs have no grade and stay unjudged (an empty grade, or -1)"),
        (graded.count("unsure"), "pairs are marked unsure and stay unjudged"),
        (graded.below_zero, "grades below -1 were read as 0; each note says what the file had"),
        (graded.merged, "lines repeat a judgement and were merged"),
    )
    notes = [f"{graded.name}: read as {graded.shape}."]
    return notes + [f"{graded.name}: {count} {what}." for count, what in numbered if count]


def _same_ids(query_ids: Collection[str], chunk_ids: Collection[str]) -> list[str]:
    both = len(set(query_ids) & set(chunk_ids))
    if not both:
        return []
    return [
        f"{both} query ids are chunk ids too. That does no harm here, "
        "but BEIR's own evaluator leaves such results out."
    ]
