"""
What the judging desk shows, and what it makes of the events that come back.

Blind by construction: the query, its need, the chunk texts in an order of the
assessor's own, and the assessor's own grades go to the browser, nothing else. Chunks
travel under keys that say nothing, because a chunk id may hold a document's name.
"""

import logging
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from evaluator import InputError
from evaluator.labelset.format import Judgement, PoolEntry, Verdict, text_sha256
from evaluator.snapshot.chunk import Chunk
from labeler.corpus.warnings import LONG_TEXT
from labeler.sets.frozen import last_frozen
from labeler.workspace.pairs import judging_order
from labeler.workspace.records import Event, Guidelines
from labeler.workspace.rows import can_be_stored
from labeler.workspace.workspace import LABELS, Workspace

UNSURE = "?"
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Desk:
    """One query laid out for one assessor. `data` is what the browser gets."""

    assessor: str
    query_id: str
    data: dict[str, Any]
    chunk_id_by_key: Mapping[str, str]


def lay_out(workspace: Workspace, *, assessor: str, query_id: str, where: str) -> Desk:
    """
    The desk of a query. Raises InputError if a text is not the one that was pooled.

    What is judged must be the plain text whose hash stands in the pool, or the judgement
    would be about another text than the one that is measured.
    """
    query, settings = workspace.queries.get(query_id), workspace.settings
    pool = list(workspace.pool.entries(query_id))
    chunk_by_id = workspace.snapshot.fetch([entry.chunk_id for entry in pool])
    _check_texts(pool, chunk_by_id)
    order = _order(workspace, pool, assessor=assessor, query_id=query_id)
    key_by_id = {each: chunk_key(workspace, assessor, query_id, each) for each in order}
    standing = workspace.judgements.current(assessor, query_id)
    mine = {key_by_id[c]: judgement for c, judgement in standing.items() if c in key_by_id}
    ends = [e for e in workspace.judgements.query_ends() if e["query_id"] == query_id]
    data = {
        "desk": chunk_key(workspace, assessor, query_id, settings.created_at),
        "who": assessor,
        "where": where,
        "query": query.text,
        "need": query.need,
        "scale": [list(step) for step in settings.grades],
        "least": settings.min_grade,
        "chunks": [[key_by_id[chunk_id], chunk_by_id[chunk_id].text] for chunk_id in order],
        "marks": {key: mark_of(judgement) for key, judgement in mine.items()},
        "notes": {key: judgement.note for key, judgement in mine.items() if judgement.note},
        "spent": sum(judgement.active_seconds or 0 for judgement in mine.values()),
        "fold": LONG_TEXT,
        "frozen": frozen_text(workspace),
        "guidelines": guidelines_data(workspace),
        "ended": next((e["outcome"] for e in ends if e["assessor"] == assessor), None),
    }
    return Desk(assessor, query_id, data, {key: c for c, key in key_by_id.items()})


def frozen_text(workspace: Workspace) -> str | None:
    """What was frozen last, and what becomes of changes from now on; None before the first."""
    frozen = last_frozen(workspace.path / LABELS)
    if frozen is None:
        return None
    name, at = frozen
    return (
        f"The labels were frozen as {name} on {at[:10]} at {at[11:16]} UTC. "
        "What you judge or change from now on goes into the next set."
    )


def guidelines_data(workspace: Workspace) -> dict[str, str]:
    """What assessors are told, with its digest, by which a browser knows what was read there."""
    last = workspace.guidelines()[-1]
    changed = guidelines_changed(last) or ""
    return {"text": last.text, "sha256": last.sha256, "changed": changed}


def guidelines_changed(last: Guidelines) -> str | None:
    """That they are others than when judging began, in words for those who judge."""
    if not last.judgements_before:
        return None
    return f"The guidelines were changed on {last.at[:10]}, after judging had begun."


def chunk_key(workspace: Workspace, assessor: str, query_id: str, chunk_id: str) -> str:
    """
    What stands for a chunk in the browser of one assessor.

    The same at every visit, so that events which waited there still find their chunk.
    """
    parts = (workspace.settings.order_seed, assessor, query_id, chunk_id)
    return sha256("\x00".join(parts).encode()).hexdigest()[:12]


def found_by(assessor: str) -> str:
    """How the pool names an assessor who found a chunk."""
    return f"assessor:{assessor}"


def receive(
    workspace: Workspace, desk: Desk, message: object, *, answered: set[str], now: str
) -> dict[str, Any]:
    """
    Store what the desk sent, and the answer to send back: what is on disk, what never will be.

    `answered` holds the ids that this session has stored already: the browser's message
    stays in place until the next one, and comes along with every run of the page. When
    the file cannot be written nothing is acknowledged and the desk sends again.
    """
    attempt, raw = _opened(message)
    answer: dict[str, Any] = {"desk": desk.data["desk"], "attempt": attempt}
    answer["frozen"] = frozen_text(workspace)
    refused: list[tuple[str, str]] = []
    events: list[Event] = []
    ends: list[tuple[str, str, str | None]] = []
    stored = [item["id"] for item in raw if item["id"] in answered]
    chunk_id_by_key = _known(workspace, desk, raw)
    for item in (item for item in raw if item["id"] not in answered):
        try:
            if "end" in item:
                ends.append((item["id"], *_end(item)))
            else:
                events.append(_event(item, chunk_id_by_key))
        except (ValueError, OverflowError) as error:
            refused.append((item["id"], str(error)))
    try:
        receipt = workspace.judgements.record(desk.assessor, desk.query_id, events, now=now)
        for event_id, outcome, reason in ends:
            workspace.judgements.end_query(
                desk.assessor, desk.query_id, outcome=outcome, reason=reason, now=now
            )
            stored.append(event_id)
    except (sqlite3.Error, OSError) as error:
        _LOG.exception("Judgements could not be stored")
        answer["trouble"] = f"The workspace cannot be written at the moment ({error})."
        return answer | {"stored": [], "refused": []}
    stored += receipt.stored
    answered.update(stored)
    return answer | {"stored": stored, "refused": [*refused, *receipt.refused]}


def turned_away(desk: Desk, trouble: str) -> dict[str, Any]:
    """The answer where nothing can be stored any more, though the page is still open."""
    return {
        "desk": desk.data["desk"],
        "attempt": 1,
        "stored": [],
        "refused": [],
        "trouble": trouble,
    }


def _check_texts(pool: Sequence[PoolEntry], chunk_by_id: Mapping[str, Chunk]) -> None:
    missing = [e.chunk_id for e in pool if e.chunk_id not in chunk_by_id]
    changed = [
        entry.chunk_id
        for entry in pool
        if entry.chunk_id in chunk_by_id
        and text_sha256(chunk_by_id[entry.chunk_id].text) != entry.text_sha256
    ]
    if missing or changed:
        _LOG.error("Not in the snapshot: %s. With another text: %s.", missing, changed)
        raise InputError(
            f"Of the {len(pool)} chunks that were pooled for this query, {len(missing)} are not "
            f"in the snapshot and {len(changed)} have another text there. Nothing is shown, "
            "because a judgement would be about a text that is not measured. "
            "Restore the snapshot of this workspace; the server's log names the chunks."
        )


def _order(
    workspace: Workspace, pool: Sequence[PoolEntry], *, assessor: str, query_id: str
) -> list[str]:
    """Shuffled, with what the assessor alone found at the end, where it was when they found it."""
    order = judging_order(
        [entry.chunk_id for entry in pool],
        assessor=assessor,
        query_id=query_id,
        seed=workspace.settings.order_seed,
    )
    own = {entry.chunk_id for entry in pool if entry.found_by == (found_by(assessor),)}
    return sorted(order, key=lambda chunk_id: chunk_id in own)


def _known(workspace: Workspace, desk: Desk, raw: Sequence[Mapping[str, Any]]) -> Mapping[str, str]:
    """Chunk ids by key, with what came into the pool since the desk was laid out."""
    if all(str(item["k"]) in desk.chunk_id_by_key for item in raw if "k" in item):
        return desk.chunk_id_by_key
    ids = [entry.chunk_id for entry in workspace.pool.entries(desk.query_id)]
    return {chunk_key(workspace, desk.assessor, desk.query_id, each): each for each in ids}


def mark_of(judgement: Judgement) -> str:
    """A judgement as it travels; the other way goes `verdict_of`."""
    return UNSURE if judgement.grade is None else str(judgement.grade)


def _opened(message: object) -> tuple[int, list[dict[str, Any]]]:
    """The number of the attempt and the events; what has no id cannot even be refused."""
    if not isinstance(message, dict) or not isinstance(message.get("events"), list):
        return 0, []
    attempt = message.get("attempt")
    events = [e for e in message["events"] if isinstance(e, dict) and isinstance(e.get("id"), str)]
    return (attempt if isinstance(attempt, int) else 0), events


def _event(item: Mapping[str, Any], chunk_id_by_key: Mapping[str, str]) -> Event:
    chunk_id = chunk_id_by_key.get(str(item.get("k")))
    if chunk_id is None:
        raise ValueError("this chunk is not in the query's pool")
    verdict, grade = verdict_of(item.get("v"))
    position, seconds, note = item.get("p"), item.get("s"), item.get("n")
    return Event(
        event_id=item["id"],
        chunk_id=chunk_id,
        grade=grade,
        verdict=verdict,
        position=position if isinstance(position, int) else None,
        active_seconds=float(seconds) if isinstance(seconds, int | float) else None,
        method=str(item["m"])[:40] if "m" in item else None,
        note=note if isinstance(note, str) and note else None,
    )


def verdict_of(value: object) -> tuple[Verdict, int | None]:
    """What a mark from a browser says. Raises InputError for what is none."""
    if value is None:
        return "undone", None
    if value == UNSURE:
        return "unsure", None
    if isinstance(value, str) and value.isascii() and value.isdigit():
        return "grade", int(value)
    raise InputError(f"{value!r} is no grade")


def _end(item: Mapping[str, Any]) -> tuple[str, str | None]:
    if item["end"] not in ("finished", "skipped"):
        raise ValueError(f"{item['end']!r} is no way to end a query")
    why = str(item.get("why") or "")
    if not can_be_stored(why):
        raise ValueError("characters that are no text")
    return item["end"], why or None
