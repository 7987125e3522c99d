"""
Disagreements one by one, for somebody to decide; what others gave stays shut at first.

Who decides reads the text as the assessors did, and sees their grades after giving one or
asking for them. Chunks travel under keys that say nothing, as on the desk.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluator import InputError
from evaluator.labelset.format import RULES, Judgement, Pair, grade_by_rule, text_sha256
from labeler.app.desk.desk import chunk_key, verdict_of
from labeler.judging.agreement import Disagreements, find_disagreements
from labeler.workspace.records import Decision
from labeler.workspace.workspace import Workspace

_RULE_NAMES = {
    "majority": "What most of them gave",
    "highest": "The highest grade",
    "lowest": "The lowest grade",
    "median": "The middle grade",
}


@dataclass(frozen=True, slots=True)
class Docket:
    """The pairs to decide in order, those that were put off last, and what was decided."""

    found: Disagreements
    pairs: tuple[Pair, ...]
    decided: Mapping[Pair, Judgement]


def disagreements(workspace: Workspace) -> Disagreements:
    """All pairs on which grades differ, decided or not."""
    return find_disagreements(workspace.judgements.standing())


def docket(workspace: Workspace, found: Disagreements, *, put_off: Sequence[Pair] = ()) -> Docket:
    """What of the disagreements is left to decide at this moment."""
    decided = workspace.decisions.standing()
    pairs = [(each.query_id, each.chunk_id) for each in found.pairs]
    left = [pair for pair in pairs if pair not in decided]
    order = {pair: place for place, pair in enumerate(put_off, start=1)}
    return Docket(found, tuple(sorted(left, key=lambda pair: order.get(pair, 0))), decided)


def case(workspace: Workspace, there: Docket, *, adjudicator: str, opened: bool) -> dict[str, Any]:
    """
    The first pair as the browser gets it; `theirs` is None until it may be seen.

    Raises InputError if the text is not the one that was pooled.
    """
    query_id, chunk_id = there.pairs[0]
    query = workspace.queries.get(query_id)
    judgements = there.found.opened(query_id, chunk_id)
    names = dict(workspace.settings.grades)
    return {
        "pair": chunk_key(workspace, adjudicator, query_id, chunk_id),
        "left": len(there.pairs),
        "query": query.text,
        "need": query.need,
        "text": _text(workspace, query_id, chunk_id),
        "scale": [list(step) for step in workspace.settings.grades],
        "took_part": any(j.assessor == adjudicator for j in judgements),
        "theirs": [_said(j, names) for j in judgements] if opened else None,
        "rules": _rules(judgements) if opened else [],
    }


def decision(act: Mapping[str, Any], chunk_id: str) -> Decision:
    """What the browser says was decided. Raises InputError for what is no decision."""
    rule, note = act.get("rule"), act.get("note")
    verdict, grade = verdict_of(act.get("value", ""))
    if verdict == "undone":
        raise InputError("None is no grade")
    return Decision(
        event_id=str(act["press"]),
        chunk_id=chunk_id,
        grade=grade,
        verdict=verdict,
        rule=rule if isinstance(rule, str) and rule else None,
        note=note.strip() if isinstance(note, str) and note.strip() else None,
    )


def decided_rows(
    workspace: Workspace, decided: Mapping[Pair, Judgement]
) -> list[tuple[str, str, str, str]]:
    """Query, grade, adjudicator and note of each decision, the newest first."""
    text_by_id = {query.query_id: query.text for query in workspace.queries.all()}
    names = dict(workspace.settings.grades)
    return [
        (text_by_id[j.query_id], grade_name(j.grade, names), j.assessor, j.note or "")
        for j in newest_first(decided.values())
    ]


def newest_first(decisions: Iterable[Judgement]) -> list[Judgement]:
    return sorted(decisions, key=lambda j: j.judged_at, reverse=True)


def grade_name(grade: int | None, meaning_by_grade: Mapping[int, str]) -> str:
    """A grade with the short name of its meaning."""
    if grade is None:
        return "Can’t tell"
    return f"{grade}: {meaning_by_grade.get(grade, '').split(': ', 1)[0]}"


def _text(workspace: Workspace, query_id: str, chunk_id: str) -> str:
    pooled = next((e for e in workspace.pool.entries(query_id) if e.chunk_id == chunk_id), None)
    chunk = workspace.snapshot.fetch([chunk_id]).get(chunk_id)
    if chunk is None or pooled is None or text_sha256(chunk.text) != pooled.text_sha256:
        raise InputError(
            "The text of this pair is not the one that was judged. "
            "Restore the snapshot of this workspace."
        )
    return chunk.text


def _said(judgement: Judgement, names: Mapping[int, str]) -> list[str]:
    return [judgement.assessor, grade_name(judgement.grade, names), judgement.note or ""]


def _rules(judgements: Sequence[Judgement]) -> list[list[str]]:
    """What each rule would make of the grades."""
    grades = [j.grade for j in judgements if j.grade is not None]
    return [[rule, _RULE_NAMES[rule], str(grade_by_rule(grades, rule))] for rule in RULES]
