"""
Grades that are others in a second label set, and the events that made them so.

A grade can change because somebody judged, undid or decided, because a query was skipped,
or because the rule between assessors is another. Each is looked up in what is frozen, so
that nobody has to remember. Pure.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from evaluator.labelset.format import ADJUDICATION, Judgement, LabelSet
from labeler.sets.pairing import Pair, Pairing
from labeler.workspace.records import CARRIED_EVENT


@dataclass(frozen=True, slots=True)
class Regraded:
    """A pair with another grade, None being unjudged, and every reason that is on record."""

    query_id: str
    chunk_id: str
    old: int | None
    new: int | None
    because: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Given:
    """
    One assessor's events that only one of the sets has.

    Decisions on disagreements are counted apart from judgements, and so is what was carried
    to a text that overlaps the one judged. `gone` are events that only the first set has.
    """

    assessor: str
    grades: int = 0
    unsure: int = 0
    undone: int = 0
    carried: int = 0
    decisions: int = 0
    gone: int = 0


def regraded(old: LabelSet, new: LabelSet, pairing: Pairing) -> Iterator[Regraded]:
    """The pairs of both sets whose grades differ, by query and chunk."""
    events = _events_by_pair(new.judgements, old.judgements)
    undone = _events_by_pair(old.judgements, new.judgements)
    skipped = _skipped(old), _skipped(new)
    rules = [labels.manifest["assessment"].get("rule") for labels in (old, new)]
    for before, after in sorted(pairing.new_by_old.items()):
        was, now = _grade(old, before), _grade(new, after)
        if was != now:
            because = [_words(event) for event in events.get(after, ())]
            because += [f"{event.assessor}: an event is gone" for event in undone.get(before, ())]
            if (before[0] in skipped[0]) != (before[0] in skipped[1]):
                is_now = before[0] in skipped[1]
                because.append("the query is skipped" if is_now else "it is no longer skipped")
            if not because and rules[0] != rules[1]:
                because.append(f"rule {rules[0]} -> {rules[1]}")
            yield Regraded(*after, was, now, tuple(because))


def given(old: Iterable[Judgement], new: Iterable[Judgement]) -> Iterator[Given]:
    """What each assessor did in only one of two lists of events, by name."""
    counts: dict[str, Counter[str]] = {}
    for event in _without(new, old):
        counts.setdefault(event.assessor, Counter())[_kind(event)] += 1
    for event in _without(old, new):
        counts.setdefault(event.assessor, Counter())["gone"] += 1
    for assessor, count in sorted(counts.items()):
        yield Given(assessor, **count)


def _without(events: Iterable[Judgement], others: Iterable[Judgement]) -> Iterator[Judgement]:
    known = {event.event_id for event in others}
    return (event for event in events if event.event_id not in known)


def _events_by_pair(
    events: Iterable[Judgement], others: Iterable[Judgement]
) -> dict[Pair, list[Judgement]]:
    """The last of the events that the others lack, of every assessor on every pair."""
    last = {(e.query_id, e.chunk_id, e.assessor, e.method): e for e in _without(events, others)}
    found: dict[Pair, list[Judgement]] = {}
    for event in last.values():
        found.setdefault((event.query_id, event.chunk_id), []).append(event)
    return found


def _grade(labels: LabelSet, pair: Pair) -> int | None:
    return labels.qrels.get(pair[0], {}).get(pair[1])


def _skipped(labels: LabelSet) -> set[str]:
    return {query.query_id for query in labels.queries if query.skip_reason is not None}


def _words(event: Judgement) -> str:
    said = event.verdict if event.grade is None else str(event.grade)
    who = f"{event.assessor}, adjudicating" if event.method == ADJUDICATION else event.assessor
    return f"{who}: {said}"


def _kind(event: Judgement) -> str:
    if event.method == ADJUDICATION:
        return "decisions"
    if event.event_id.startswith(CARRIED_EVENT):
        return "carried"
    return "grades" if event.verdict == "grade" else event.verdict
