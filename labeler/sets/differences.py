"""
Two frozen label sets -> what the second has otherwise than the first.

Queries go by their id, judgements by their event, pairs by query and plain text: another
snapshot may give an old id to another text, or an old text another id, and a grade belongs to
a text. It compares what is frozen and judges nothing: which set is right is not its
business. Pure.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

from evaluator.labelset.format import (
    ADJUDICATION,
    Judgement,
    LabelSet,
    Pair,
    PoolEntry,
    Query,
    QueryClass,
)
from labeler.workspace.records import CARRIED_EVENT

Relation = Literal[
    "same set", "names it", "names another set", "names none", "is superseded by the first"
]
_CLASSES: tuple[QueryClass, ...] = get_args(QueryClass)


@dataclass(frozen=True, slots=True)
class SetFacts:
    """What one of the two sets is and holds. `by_class` counts its queries."""

    name: str
    sha256: str
    version: int
    frozen_at: str
    queries: int
    with_gold: int
    pairs: int
    graded: int
    events: int
    weight: float | None
    by_class: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Changed:
    """A value that is another one now: a field of a query, or a setting of the set."""

    name: str
    query_id: str | None
    old: Any
    new: Any


@dataclass(frozen=True, slots=True)
class GoldMoved:
    """A query of both sets whose gold is not the same chunks. Lost ones go by their old id."""

    query_id: str
    text: str
    gained: tuple[str, ...]
    lost: tuple[str, ...]
    old_class: str
    new_class: str


@dataclass(frozen=True, slots=True)
class Regraded:
    """A pair with another grade, None being unjudged, and every reason that is on record."""

    query_id: str
    chunk_id: str
    old: int | None
    new: int | None
    because: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GradeChange:
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


@dataclass(frozen=True, slots=True)
class Differences:
    """
    Everything in which two label sets differ, in lists that are empty where they do not.

    `grades_in` and `grades_out` count the graded pairs among those that only one pool has.
    """

    old: SetFacts
    new: SetFacts
    supersedes: Relation
    settings: tuple[Changed, ...]
    queries_in: tuple[Query, ...]
    queries_out: tuple[Query, ...]
    query_fields: tuple[Changed, ...]
    pairs_both: int
    pairs_in: tuple[Pair, ...]
    pairs_out: tuple[Pair, ...]
    grades_in: int
    grades_out: int
    pairs_renamed: int
    ids_reused: tuple[Pair, ...]
    regraded: tuple[Regraded, ...]
    judgements: tuple[GradeChange, ...]
    gold: tuple[GoldMoved, ...]
    class_moves: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True)
class _Pairing:
    """
    `new_by_old` holds every pair of the old pool that the new one has, under its new ids.

    `renamed` counts those whose chunk has another id now, `reused` holds the ids that stand
    in both pools for two texts; their pairs are among `gone` and `come`.
    """

    new_by_old: Mapping[Pair, Pair]
    gone: tuple[Pair, ...]
    come: tuple[Pair, ...]
    renamed: int
    reused: tuple[Pair, ...]


def differences(old: LabelSet, new: LabelSet) -> Differences:
    """What `new` has otherwise than `old`."""
    pairing = _pair_up(old.pool, new.pool)
    was = {query.query_id: query for query in old.queries}
    now = {query.query_id: query for query in new.queries}
    both = sorted(was.keys() & now.keys())
    gold = [_gold(old, new, now[query_id], pairing) for query_id in both]
    return Differences(
        old=_facts(old),
        new=_facts(new),
        supersedes=_relation(old, new),
        settings=tuple(_settings(old, new)),
        queries_in=tuple(now[query_id] for query_id in sorted(now.keys() - was.keys())),
        queries_out=tuple(was[query_id] for query_id in sorted(was.keys() - now.keys())),
        query_fields=tuple(_fields(was, now, both)),
        pairs_both=len(pairing.new_by_old),
        pairs_in=pairing.come,
        pairs_out=pairing.gone,
        grades_in=_graded(new, pairing.come),
        grades_out=_graded(old, pairing.gone),
        pairs_renamed=pairing.renamed,
        ids_reused=pairing.reused,
        regraded=tuple(_regraded(old, new, pairing)),
        judgements=tuple(_grade_changes(old.judgements, new.judgements)),
        gold=tuple(each for each in gold if each.gained or each.lost),
        class_moves=tuple(
            (each.query_id, each.old_class, each.new_class)
            for each in gold
            if each.old_class != each.new_class
        ),
    )


def _facts(labels: LabelSet) -> SetFacts:
    classes = Counter(labels.query_class(query.query_id) for query in labels.queries)
    weights = [query.weight for query in labels.queries if query.weight is not None]
    return SetFacts(
        name=labels.name,
        sha256=labels.sha256,
        version=int(labels.manifest.get("version") or 1),
        frozen_at=str(labels.manifest["frozen_at"]),
        queries=len(labels.queries),
        with_gold=len(labels.queries) - classes["no-gold"],
        pairs=len(labels.pool),
        graded=sum(map(len, labels.qrels.values())),
        events=len(labels.judgements),
        weight=sum(weights) if weights else None,
        by_class={name: classes[name] for name in _CLASSES},
    )


def _graded(labels: LabelSet, pairs: Sequence[Pair]) -> int:
    return sum(chunk_id in labels.qrels.get(query_id, ()) for query_id, chunk_id in pairs)


def _relation(old: LabelSet, new: LabelSet) -> Relation:
    if old.sha256 == new.sha256:
        return "same set"
    named, back = new.manifest["supersedes"], old.manifest["supersedes"]
    if named is not None and named.get("sha256") == old.sha256:
        return "names it"
    if back is not None and back.get("sha256") == new.sha256:
        return "is superseded by the first"
    return "names none" if named is None else "names another set"


def _settings(old: LabelSet, new: LabelSet) -> Iterator[Changed]:
    for (name, before), after in zip(_set_up(old).items(), _set_up(new).values(), strict=True):
        if before != after:
            yield Changed(name, None, before, after)


def _set_up(labels: LabelSet) -> dict[str, Any]:
    """What was decided about a set as a whole, under the words that people are told."""
    manifest, assessment = labels.manifest, labels.manifest["assessment"]
    return {
        "scale": dict(sorted(assessment["grades"].items())),
        "lowest grade of gold": assessment["min_grade"],
        "rule between assessors": assessment.get("rule"),
        "held-out rule": dict(manifest["held_out"]),
        "snapshot": manifest["snapshot"].get("digest"),
        "sampling design": manifest["sampling"],
        "declared header work": dict(manifest["header_work"]),
    }


def _fields(
    was: Mapping[str, Query], now: Mapping[str, Query], both: Sequence[str]
) -> Iterator[Changed]:
    """Field by field, so that all changed texts stand together."""
    for field in fields(Query):
        for query_id in both:
            before, after = (getattr(side[query_id], field.name) for side in (was, now))
            if before != after:
                yield Changed(field.name, query_id, before, after)


def _gold(old: LabelSet, new: LabelSet, query: Query, pairing: _Pairing) -> GoldMoved:
    query_id, gold = query.query_id, new.gold(query.query_id)
    now_by_old = {
        chunk_id: pairing.new_by_old.get((query_id, chunk_id)) for chunk_id in old.gold(query_id)
    }
    kept = {pair[1] for pair in now_by_old.values() if pair is not None}
    lost = [old_id for old_id, pair in now_by_old.items() if pair is None or pair[1] not in gold]
    return GoldMoved(
        query_id=query_id,
        text=query.text,
        gained=tuple(sorted(gold - kept)),
        lost=tuple(sorted(lost)),
        old_class=old.query_class(query_id),
        new_class=new.query_class(query_id),
    )


# Which pairs are the same


def _pair_up(old: Iterable[PoolEntry], new: Iterable[PoolEntry]) -> _Pairing:
    """
    Which pairs of two pools are the same.

    A pair under the same ids with the same text is itself. Of the rest, chunks of one query
    with one text are paired in the order of their ids.
    """
    old_text = {(entry.query_id, entry.chunk_id): entry.text_sha256 for entry in old}
    new_text = {(entry.query_id, entry.chunk_id): entry.text_sha256 for entry in new}
    same = {pair: pair for pair, text in old_text.items() if new_text.get(pair) == text}
    spare: dict[Pair, list[Pair]] = {}
    for pair in sorted(new_text.keys() - same.keys(), reverse=True):
        spare.setdefault((pair[0], new_text[pair]), []).append(pair)
    renamed: dict[Pair, Pair] = {}
    for pair in sorted(old_text.keys() - same.keys()):
        if left := spare.get((pair[0], old_text[pair])):
            renamed[pair] = left.pop()
    new_by_old = same | renamed
    gone = old_text.keys() - new_by_old.keys()
    come = new_text.keys() - set(new_by_old.values())
    return _Pairing(
        new_by_old=new_by_old,
        gone=tuple(sorted(gone)),
        come=tuple(sorted(come)),
        renamed=len(renamed),
        reused=tuple(sorted((old_text.keys() & new_text.keys()) - same.keys())),
    )


# Grades that are others, and the events that made them so


def _regraded(old: LabelSet, new: LabelSet, pairing: _Pairing) -> Iterator[Regraded]:
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


def _grade_changes(old: Iterable[Judgement], new: Iterable[Judgement]) -> Iterator[GradeChange]:
    """What each assessor did in only one of two lists of events, by name."""
    counts: dict[str, Counter[str]] = {}
    for event in _without(new, old):
        counts.setdefault(event.assessor, Counter())[_kind(event)] += 1
    for event in _without(old, new):
        counts.setdefault(event.assessor, Counter())["gone"] += 1
    for assessor, count in sorted(counts.items()):
        yield GradeChange(assessor, **count)


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
