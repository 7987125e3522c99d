"""
Queries and judgements made elsewhere -> a workspace, all of them or none.

Everything is read and checked before anything is stored: ids against the workspace and
the snapshot, grades against the scale, pairs against each other and against what the same
people gave here. Imported pairs are the pool; no sampling drew imported queries, so they
carry no inclusion probability.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from evaluator import InputError
from evaluator.files.whole import file_sha256
from evaluator.labelset.format import ADJUDICATION, Judgement, Origin, PoolEntry, Query
from evaluator.text.messages import brief, some_ids
from labeler.exchange.imports.judgements import JudgementFile, read_judgements
from labeler.exchange.imports.matching import Matched, Queries, match, possible_chunk_ids
from labeler.exchange.imports.notes import id_notes, judgement_notes, query_notes
from labeler.exchange.imports.queries import QueryFile, read_queries
from labeler.exchange.imports.reconcile import Reconciled, content_sha256, reconcile
from labeler.workspace.pairs import entries
from labeler.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Plan:
    """
    What an import would add, what stands in its way, and what a person should know.

    `obstacles` are lines for a person; while there is one, nothing can be stored.
    """

    name: str
    queries: tuple[Query, ...]
    pool: tuple[PoolEntry, ...]
    judgements: tuple[Judgement, ...]
    decisions: tuple[Judgement, ...]
    source: Mapping[str, Any]
    obstacles: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import added: new queries, pairs and judgements, and what a person should know."""

    queries: int
    pairs: int
    judgements: int
    notes: tuple[str, ...]


def plan_import(
    workspace: Workspace,
    *,
    queries: Path | None,
    judgements: Path | None,
    origin: Origin = "authored",
    skip_unknown: bool = False,
    replace_own: bool = False,
    now: datetime,
) -> Plan:
    """
    Read and check queries and judgements, and store nothing.

    In the way are judgements of unknown queries or chunks, unless `skip_unknown` leaves these
    out, and judgements that contradict what the same assessor gave here, unless with
    `replace_own` the later one of the two stands. Chunks that were set aside when the
    snapshot was made are always left out, with a note.

    Raises InputError for whatever the readers refuse, and for a query id that the workspace
    has with another text.
    """
    if queries is None and judgements is None:
        raise InputError("Nothing to import. Give --queries FILE, --judgements FILE or both.")
    asked = read_queries(queries, origin=origin) if queries else None
    new = _new_queries(workspace, asked) if asked else []
    notes = query_notes(asked, len(new))
    if judgements is None:
        name = asked.name if asked else ""
        return Plan(name, tuple(new), (), (), (), {}, (), tuple(notes))
    graded = _graded(workspace, judgements)
    named = Queries([*workspace.queries.all(), *new])
    chunk_by_id = workspace.snapshot.fetch(possible_chunk_ids(graded))
    set_aside = workspace.snapshot.set_aside()
    matched = match(graded, queries=named, chunk_ids=chunk_by_id, set_aside=set_aside)
    content = content_sha256(matched.pairs)
    source = source_record(workspace, "import", judgements, content=content)
    made = reconcile(
        workspace, matched.pairs, graded, source=source["source"], replace_own=replace_own, now=now
    )
    if source["file"] != graded.name:
        notes.append(f"{graded.name} was imported already, as {source['file']}.")
    if source["sha256"] != graded.sha256 and source.get("content_sha256") == content:
        notes.append(
            f"{graded.name} says in other bytes what was imported already. If somebody else "
            "judged alike, name the assessors in the file."
        )
    notes += judgement_notes(graded, made) + matched.left_out(set_aside, also_unknown=skip_unknown)
    in_the_way = [] if skip_unknown else _unknown(workspace, graded, matched, chunk_by_id)
    pairs = [(pair.query, pair.chunk_id) for pair in matched.pairs]
    return Plan(
        name=graded.name,
        queries=tuple(new),
        pool=tuple(entries(pairs, source=source["source"], chunk_by_id=chunk_by_id)),
        judgements=tuple(each for each in made.judgements if each.method != ADJUDICATION),
        decisions=tuple(each for each in made.judgements if each.method == ADJUDICATION),
        source={**source, "shape": graded.shape, "pairs": len(pairs)},
        obstacles=(*in_the_way, *_conflicts(made)),
        notes=(*notes, *id_notes(named.ids, chunk_by_id)),
    )


def _graded(workspace: Workspace, path: Path) -> JudgementFile:
    grades = workspace.settings.grades
    return read_judgements(path, scale=[grade for grade, _ in grades], meanings=dict(grades))


def store_plan(workspace: Workspace, plan: Plan) -> Imported:
    """Store what was planned. Raises InputError that lists what is in the way."""
    if plan.obstacles:
        raise InputError("\n".join([f"{plan.name}: nothing was imported.", *plan.obstacles]))
    if not plan.source:
        workspace.queries.add(plan.queries)
        return Imported(len(plan.queries), 0, 0, plan.notes)
    pairs, judgements = workspace.add_judged(
        queries=plan.queries,
        pool=plan.pool,
        judgements=plan.judgements,
        decisions=plan.decisions,
        source=plan.source,
    )
    return Imported(len(plan.queries), pairs, judgements, plan.notes)


def source_record(
    workspace: Workspace, kind: str, path: Path, *, content: str | None = None
) -> dict[str, Any]:
    """
    How a file that fills the pool is named there: kind and file name, and its digest.

    Another file of the same name gets the beginning of its digest, so that one name never
    means two files. `content` is the digest of what an imported file says: a file that says
    the same in other bytes, or under another name, is the first one again.
    """
    sha256 = file_sha256(path)
    record = {"kind": kind, "file": path.name, "sha256": sha256, "depth": None}
    if content is not None:
        record["content_sha256"] = content
    sources = workspace.pool.sources()
    for known in sources if kind == "import" else ():
        if known.get("kind") == kind and _say_the_same(known, record):
            return {key: known[key] for key in ("source", *record) if key in known}
    source = f"{kind}:{path.name}"
    if any(s["source"] == source and s.get("sha256") != sha256 for s in sources):
        source = f"{source}@{sha256[:8]}"
    return {"source": source, **record}


def _say_the_same(known: Mapping[str, Any], record: Mapping[str, Any]) -> bool:
    content = record.get("content_sha256")
    return known.get("sha256") == record["sha256"] or (
        content is not None and known.get("content_sha256") == content
    )


def _new_queries(workspace: Workspace, asked: QueryFile) -> list[Query]:
    """Those that the workspace has not. Where a file has no ids, the texts say which these are."""
    there = workspace.queries.all()
    if asked.by_text:
        known = Queries(there)
        return [query for query in asked.queries if not known.named(query.text)]
    text_by_id = {query.query_id: query.text for query in there}
    changed = [q.query_id for q in asked.queries if text_by_id.get(q.query_id, q.text) != q.text]
    if changed:
        raise InputError(
            f"{len(changed)} query ids are in the workspace with another text: "
            f"{some_ids(changed)}. Give these queries other ids."
        )
    return [query for query in asked.queries if query.query_id not in text_by_id]


def _unknown(
    workspace: Workspace,
    graded: JudgementFile,
    matched: Matched,
    chunk_ids: Mapping[str, object],
) -> list[str]:
    unknown = matched.unknown()
    if not unknown:
        return []
    doc_ids = workspace.snapshot.documents().keys() - chunk_ids.keys()
    if any(pair.chunk_id in doc_ids for pair in graded.pairs):
        todo = "Some are ids of documents. Judgements are of chunks: give chunk ids."
    elif graded.reading.by_text:
        todo = (
            "This file names queries by their text. Add them first, with --queries, or leave "
            "these judgements out with --skip-unknown."
        )
    else:
        todo = "Mend the ids, or leave these judgements out with --skip-unknown."
    return [*(f"  {line}" for line in unknown), todo]


def _conflicts(made: Reconciled) -> list[str]:
    lines: list[str] = []
    if made.twice:
        lines += [
            f"  {len(made.twice)} pairs with two grades by one assessor: {brief(made.twice[0])}"
        ]
        lines += ["Two names in the file mean one query or chunk. Keep one grade of each."]
    if made.contradictions:
        lines += [
            f"  {len(made.contradictions)} judgements contradict what the same assessor gave "
            f"here: {some_ids(made.contradictions)}",
            "Take them out of the file, or let the later one stand with --replace.",
        ]
    return lines
