"""
Two frozen label sets -> what the second has otherwise than the first.

Queries go by their id, pairs by query and plain text (`labeler.pairing`), judgements by
their event. It compares what is frozen and judges nothing: which set is right is not its
business. Pure.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, get_args

from evaluator.labelset.format import LabelSet, Query, QueryClass
from labeler.sets.pairing import Pair, Pairing, pair_up
from labeler.sets.regrading import Given, Regraded, given, regraded

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
    judgements: tuple[Given, ...]
    gold: tuple[GoldMoved, ...]
    class_moves: tuple[tuple[str, str, str], ...]

    def as_record(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)


def differences(old: LabelSet, new: LabelSet) -> Differences:
    """What `new` has otherwise than `old`."""
    pairing = pair_up(old.pool, new.pool)
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
        regraded=tuple(regraded(old, new, pairing)),
        judgements=tuple(given(old.judgements, new.judgements)),
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


def _gold(old: LabelSet, new: LabelSet, query: Query, pairing: Pairing) -> GoldMoved:
    query_id, gold = query.query_id, new.gold(query.query_id)
    now_by_old = {
        chunk_id: pairing.new_by_old.get((query_id, chunk_id)) for chunk_id in old.gold(query_id)
    }
    still = {pair[1] for pair in now_by_old.values() if pair is not None}
    return GoldMoved(
        query_id=query_id,
        text=query.text,
        gained=tuple(sorted(gold - still)),
        lost=tuple(
            sorted(
                chunk_id
                for chunk_id, pair in now_by_old.items()
                if pair is None or pair[1] not in gold
            )
        ),
        old_class=old.query_class(query_id),
        new_class=new.query_class(query_id),
    )
