"""
Judgements of a file -> events to store, beside what the same people have given here.

A judgement is known by its content, so the same one in another file is the same event. What
a person gave twice is stored once. What contradicts is not settled by the order of
importing: it is reported, or the later one stands if that was asked for.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain

from evaluator import InputError
from evaluator.labelset.format import ADJUDICATION, Judgement, utc_text
from labeler.exchange.imports.judgements import Graded, JudgementFile
from labeler.workspace.workspace import Workspace

_Key = tuple[str, str, str | None]
_PREFIX = "import-"


@dataclass(frozen=True, slots=True)
class Reconciled:
    """
    The events to store, decisions among them, and what became of the others.

    `twice` and `contradictions` are words for people; `same` and `older` count judgements
    that were left out, since they stand here already or something later does.
    """

    judgements: tuple[Judgement, ...]
    twice: tuple[str, ...]
    contradictions: tuple[str, ...]
    same: int
    older: int


def reconcile(
    workspace: Workspace,
    pairs: Sequence[Graded],
    graded: JudgementFile,
    *,
    source: str,
    replace_own: bool,
    now: datetime,
) -> Reconciled:
    """
    Events for the pairs that somebody judged; the others are pooled and no more.

    A judgement without an assessor is one of the file's. Raises InputError for a time that is
    still to come, which would hold up all that follow.
    """
    made: dict[_Key, Judgement] = {}
    twice: list[str] = []
    contradictions: list[str] = []
    same = older = 0
    decided = list(workspace.decisions.all())
    stored = workspace.judgements.event_ids(_PREFIX) | {each.event_id for each in decided}
    events = _events(pairs, graded, source=source, now=now)
    wanted = {key for key, _ in events}
    here = chain(workspace.judgements.latest(), decided)
    latest = {key: last for last in here if (key := _key(last)) in wanted}
    for key, event in events:
        if event.event_id in stored:
            same += 1
        elif key in made:
            if _given(made[key]) != _given(event):
                twice.append(_words(event, made[key], "before it"))
        elif key not in latest:
            made[key] = event
        elif _given(latest[key]) == _given(event):
            same += 1
        elif not replace_own:
            contradictions.append(_words(event, latest[key], "here"))
        elif event.judged_at > latest[key].judged_at:
            made[key] = event
        else:
            older += 1
    return Reconciled(tuple(made.values()), tuple(twice), tuple(contradictions), same, older)


def content_sha256(pairs: Sequence[Graded]) -> str:
    """The digest of what a file says, whatever the order and the spelling of its lines."""
    return _sha256(*sorted(_said(pair, pair.assessor) for pair in pairs))


def _said(pair: Graded, assessor: str | None) -> str:
    """What makes a judgement this one: a note, or the seconds it took, are no part of it."""
    said = [pair.query, pair.chunk_id, assessor, pair.judged_at, pair.grade, pair.verdict]
    return json.dumps([*said, pair.method] if pair.decides else said)


def _sha256(*lines: str) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _events(
    pairs: Sequence[Graded], graded: JudgementFile, *, source: str, now: datetime
) -> list[tuple[_Key, Judgement]]:
    imported_at = utc_text(now)
    events: list[tuple[_Key, Judgement]] = []
    for pair in pairs:
        if (pair.judged_at or "") > imported_at:
            raise InputError(
                f"{graded.name}, {graded.reading.unit} {pair.line}: judged at a time that is "
                "still to come."
            )
        if pair.verdict == "unjudged":
            continue
        event = Judgement(
            event_id=_PREFIX + _sha256(_said(pair, pair.assessor or source))[:32],
            query_id=pair.query,
            chunk_id=pair.chunk_id,
            assessor=pair.assessor or source,
            grade=pair.grade,
            verdict=pair.verdict,
            judged_at=pair.judged_at or imported_at,
            active_seconds=pair.active_seconds,
            method=pair.method,
            text_sha256=pair.text_sha256,
            note=pair.note,
            imported_from=graded.name,
        )
        events.append((_key(event), event))
    return events


def _key(event: Judgement) -> _Key:
    """What an event replaces: its assessor's last word on the pair, or anybody's decision."""
    who = None if event.method == ADJUDICATION else event.assessor
    return event.query_id, event.chunk_id, who


def _given(event: Judgement) -> tuple[int | None, str]:
    return event.grade, event.verdict


def _words(event: Judgement, other: Judgement, where: str) -> str:
    one = event.verdict if event.grade is None else event.grade
    two = other.verdict if other.grade is None else other.grade
    return (
        f"query {event.query_id!r}, chunk {event.chunk_id!r}, {event.assessor}: "
        f"{one} in the file, {two} {where}"
    )
