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
from evaluator.labelset.format import (
    ADJUDICATION,
    Judgement,
    Origin,
    PoolEntry,
    Query,
    text_sha256,
)
from evaluator.snapshot.chunk import Chunk
from evaluator.text.messages import at_a_glance, brief, counted, first_few, some_ids
from labeler.exchange.imports.judgements import JudgementFile, read_judgements
from labeler.exchange.imports.matching import KnownQueries, Matched, match, possible_chunk_ids
from labeler.exchange.imports.queries import QueryFile, read_queries
from labeler.exchange.imports.reconcile import Reconciled, content_sha256, reconcile
from labeler.workspace.pairs import entries, of_one_text
from labeler.workspace.records import BY_MODEL
from labeler.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class ImportPlan:
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
    without_models: bool = False,
    now: datetime,
) -> ImportPlan:
    """
    Read and check queries and judgements, and store nothing.

    In the way are judgements of unknown queries or chunks, unless `skip_unknown` leaves these
    out, judgements given on another text than the chunk's, and judgements that contradict what
    the same assessor gave here, unless with `replace_own` the later one of the two stands.
    Chunks that were set aside when the snapshot was made are always left out, with a note;
    `without_models` leaves out what a model proposed.

    Raises InputError for whatever the readers refuse, and for a query id that the workspace
    has with another text.
    """
    if queries is None and judgements is None:
        raise InputError("Nothing to import. Give --queries FILE, --judgements FILE or both.")
    asked = read_queries(queries, origin=origin) if queries else None
    new = _new_queries(workspace, asked) if asked else []
    notes = _query_notes(asked, len(new))
    if judgements is None:
        name = asked.name if asked else ""
        return ImportPlan(name, tuple(new), (), (), (), {}, (), tuple(notes))
    scale = dict(workspace.settings.grades)
    graded = read_judgements(judgements, scale=list(scale), meanings=scale)
    if without_models:
        graded, left_out = graded.without_models()
        notes.append(f"{left_out:,} judgements proposed by a model were left out.")
    named = KnownQueries([*workspace.queries.all(), *new])
    chunk_by_id = workspace.snapshot.fetch(possible_chunk_ids(graded))
    set_aside = workspace.snapshot.set_aside()
    matched = match(graded, queries=named, chunk_ids=chunk_by_id, set_aside=set_aside)
    content = content_sha256(matched.pairs)
    source = workspace.pool.source_record("import", judgements, content=content)
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
    notes += _judgement_notes(graded, made) + matched.left_out(set_aside, also_unknown=skip_unknown)
    grades: dict[str, dict[str, int]] = {}
    for pair in matched.pairs:
        if pair.grade is not None:
            grades.setdefault(pair.query, {})[pair.chunk_id] = pair.grade
    asked_for = [q for q in (*workspace.queries.all(), *new) if q.query_id in grades]
    if several := of_one_text(asked_for, grades, least=workspace.settings.min_grade):
        notes.append(
            f"{counted(len(several), 'text')} of several queries that have different relevant "
            f"chunks: {first_few(several)}. A ranking cannot tell such queries apart."
        )
    if both := named.ids & chunk_by_id.keys():
        notes.append(
            f"{len(both)} query ids are chunk ids too. That does no harm here, but BEIR's own "
            "evaluator leaves such results out."
        )
    in_the_way = [] if skip_unknown else _unknown(workspace, graded, matched, chunk_by_id)
    in_the_way += _on_other_texts(matched, chunk_by_id, graded.reading.unit)
    pairs = [(pair.query, pair.chunk_id) for pair in matched.pairs]
    return ImportPlan(
        name=graded.name,
        queries=tuple(new),
        pool=tuple(entries(pairs, source=source["source"], chunk_by_id=chunk_by_id)),
        judgements=tuple(each for each in made.judgements if each.method != ADJUDICATION),
        decisions=tuple(each for each in made.judgements if each.method == ADJUDICATION),
        source={
            **source,
            "shape": graded.shape,
            "pairs": len(pairs),
            **_left_out(graded, matched, workspace.settings.min_grade),
        },
        obstacles=(*in_the_way, *_conflicts(made)),
        notes=tuple(notes),
    )


def store_plan(workspace: Workspace, plan: ImportPlan) -> Imported:
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


def _new_queries(workspace: Workspace, asked: QueryFile) -> list[Query]:
    """Those that the workspace has not. Where a file has no ids, the texts say which these are."""
    there = workspace.queries.all()
    if asked.by_text:
        known = KnownQueries(there)
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


def _left_out(graded: JudgementFile, matched: Matched, min_grade: int) -> dict[str, Any]:
    """The judgements that found no query or chunk here, and how many of them were of gold."""
    kept = {(pair.line, pair.part) for pair in matched.pairs}
    lost = [p for p in graded.pairs if p.grade is not None and (p.line, p.part) not in kept]
    gold = sum((pair.grade or 0) >= min_grade for pair in lost)
    return {"left_out": {"judgements": len(lost), "gold": gold}} if lost else {}


def _on_other_texts(matched: Matched, chunk_by_id: Mapping[str, Chunk], unit: str) -> list[str]:
    """Judgements that were given with something else in view, such as a header."""
    other = [
        pair
        for pair in matched.pairs
        if pair.text_sha256 and pair.text_sha256 != text_sha256(chunk_by_id[pair.chunk_id].text)
    ]
    if not other:
        return []
    lines = some_ids([str(pair.line) for pair in other])
    return [
        f"  {len(other)} judgements were given on another text than the chunk's own, on {unit} "
        f"{lines}",
        "With a header in view a grade says nothing of the plain text. Take them out, or judge "
        "these pairs again.",
    ]


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


def _query_notes(asked: QueryFile | None, new: int) -> list[str]:
    """On the queries of the file that are not new, or cannot be used."""
    if asked is None:
        return []
    shown = at_a_glance(asked.set_aside)
    notes = [f"{asked.name}, {problem}. Set aside." for problem in shown]
    if more := len(asked.set_aside) - len(shown):
        notes.append(f"{asked.name}: {more:,} more were set aside.")
    notes += [f"{asked.name}: {note}." for note in asked.notes]
    if there := len(asked.queries) - new:
        notes.append(
            f"{there} queries of {asked.name} were in the workspace already; "
            "their texts and needs stay as they are."
        )
    return notes


def _judgement_notes(graded: JudgementFile, made: Reconciled) -> list[str]:
    """On the shape that was read, on who judged, and on what did not become a grade."""
    reading = graded.reading
    named = ", queries by their text" if reading.by_text else ""
    judged = [pair for pair in graded.pairs if not pair.decides and pair.verdict != "unjudged"]
    assessors = sorted({pair.assessor for pair in judged if pair.assessor})
    numbered = (
        (sum(pair.decides for pair in graded.pairs), "decisions on disagreements came along"),
        (
            sum(pair.assessor is None for pair in judged),
            "judgements name nobody and stand under the name of the file",
        ),
        (graded.count("unjudged"), f"pairs have no grade and stay unjudged ({reading.unjudged})"),
        (graded.count("unsure"), f"pairs are marked {reading.unsure} and stay unjudged"),
        (graded.below_zero, "grades below -1 were read as 0; each note says what the file had"),
        (
            sum((pair.method or "").startswith(BY_MODEL) for pair in judged),
            "judgements were proposed by a model; every report will say so",
        ),
        (
            sum(pair.text_sha256 is None for pair in judged),
            "judgements do not say which text was shown",
        ),
        (graded.merged, "lines repeat a judgement and were merged"),
        (made.same, "judgements are here already"),
        (made.older, "judgements are older than what stands here and were left out"),
    )
    return [
        f"{graded.name}: read as {reading.shape}{named}.",
        *(f"{graded.name}: {note}." for note in reading.notes),
        *([f"Judged by {len(assessors)}: {some_ids(assessors)}."] if assessors else []),
        *(f"{graded.name}: {count} {what}." for count, what in numbered if count),
    ]
