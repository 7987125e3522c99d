"""
Which queries an experiment asks, and which of them its headline speaks of.

It owns the split, the origins and the denominators. Nothing is dropped in silence: every
query of the label set that is not asked is counted in a note.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from evaluator import InputError
from evaluator.experiment.protocol import Protocol
from evaluator.labelset.format import LabelSet, Query, QueryClass
from evaluator.text.messages import some_ids


@dataclass(frozen=True, slots=True)
class Population:
    """
    `asked` are all judged queries of the split, whatever their origin; `asked_gold` those
    of them that have gold. The headline speaks of `query_ids` (n) and, of these, of
    `gold_ids` (n_gold), all of one `origin`.
    """

    split: str
    stamp: str | None
    origin: str
    asked: tuple[Query, ...]
    asked_gold: tuple[str, ...]
    query_ids: tuple[str, ...]
    gold_ids: tuple[str, ...]
    class_by_query: Mapping[str, QueryClass]
    notes: tuple[str, ...]

    @property
    def looks_at_held_out(self) -> bool:
        """Whether results of held-out queries are computed."""
        return any(self.class_by_query[query.query_id] == "held-out" for query in self.asked)


def choose_population(labels: LabelSet, protocol: Protocol) -> Population:
    """
    The queries of the protocol's split.

    A query without gold lies on neither side of the held-out rule, so it is asked only
    with split "all". Log queries make the headline where there are any with gold; else the
    one other origin that the split holds, under its name. Raises InputError when the split
    holds no query with gold.
    """
    class_by_query = {q.query_id: labels.query_class(q.query_id) for q in labels.queries}
    judged = [q for q in labels.queries if _is_judged(q, labels)]
    asked = [q for q in judged if protocol.split in ("all", class_by_query[q.query_id])]
    gold = [q for q in asked if class_by_query[q.query_id] != "no-gold"]
    if not gold:
        counts = Counter(class_by_query[q.query_id] for q in judged)
        listed = ", ".join(f"{n} {name}" for name, n in sorted(counts.items())) or "none"
        raise InputError(
            f'Split "{protocol.split}" of label set {labels.name} holds no query with gold '
            f"(judged queries: {listed}). Choose another split, or judge more queries."
        )
    spoken = spoken_origins(q.origin for q in gold)
    chosen = [q.query_id for q in asked if q.origin in spoken]
    if protocol.estimand == "traffic":
        _require_weights([q for q in gold if q.origin in spoken], labels)
    return Population(
        split=protocol.split,
        stamp=_stamp(protocol),
        origin=" and ".join(sorted(spoken)),
        asked=tuple(asked),
        asked_gold=tuple(q.query_id for q in gold),
        query_ids=tuple(chosen),
        gold_ids=tuple(q for q in chosen if class_by_query[q] != "no-gold"),
        class_by_query=class_by_query,
        notes=(
            *_unjudged(labels),
            *_outside(judged, asked, class_by_query),
            *reported_apart(asked, spoken),
        ),
    )


def spoken_origins(with_gold: Iterable[str]) -> set[str]:
    """The origins that a headline speaks of: the log where it has gold, else whatever has."""
    found = set(with_gold)
    return {"log"} if "log" in found else found


def reported_apart(asked: Iterable[Query], spoken: Collection[str]) -> list[str]:
    """A note on the queries of every other origin, with their number."""
    apart = Counter(q.origin for q in asked if q.origin not in spoken)
    return [f"reported apart: queries of origin {name}, {n}" for name, n in sorted(apart.items())]


def _require_weights(queries: Sequence[Query], labels: LabelSet) -> None:
    without = [query.query_id for query in queries if query.weight is None]
    if without:
        raise InputError(
            f'The estimand "traffic" needs a weight for every query; label set {labels.name} has '
            f"none for {len(without)} of {len(queries)} ({some_ids(without)}). Only queries drawn "
            'from a log have one: choose estimand = "judged-queries".'
        )


def _is_judged(query: Query, labels: LabelSet) -> bool:
    return query.skip_reason is None and bool(labels.qrels.get(query.query_id))


def _stamp(protocol: Protocol) -> str | None:
    if protocol.split == "tuning":
        return "TUNING DOCUMENTS"
    if protocol.split == "all" and not protocol.nothing_tuned:
        return "INCLUDES TUNING DOCUMENTS"
    return None


def _unjudged(labels: LabelSet) -> list[str]:
    unjudged = [q.query_id for q in labels.queries if not _is_judged(q, labels)]
    if not unjudged:
        return []
    listed = some_ids(unjudged)
    return [f"{len(unjudged)} queries were skipped or never judged and are not asked: {listed}"]


def _outside(
    judged: Sequence[Query], asked: Sequence[Query], class_by_query: Mapping[str, QueryClass]
) -> list[str]:
    outside = Counter(class_by_query[q.query_id] for q in judged)
    outside.subtract(class_by_query[q.query_id] for q in asked)
    return [
        f"{count} queries without gold lie on neither side of the held-out rule and are not asked"
        if name == "no-gold"
        else f"{count} {name} queries lie outside the split and are not asked"
        for name, count in sorted((+outside).items())
    ]
