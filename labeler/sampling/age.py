"""
How old a frozen sample has become: its queries against a newer log.

Shares of searches, since windows are seldom equally long. It counts and compares; when a
set is too old is for people to say. It reads no files.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from evaluator import InputError
from evaluator.labelset.format import Query
from labeler.logs.private import Guard
from labeler.logs.queries import LogQuery
from labeler.sampling.draw import effective_queries
from labeler.sampling.strata import TEXT_RULES
from labeler.sampling.successor import FormerSample
from labeler.sampling.systematic import split_certainty
from labeler.workspace.sample_design import SampleDesign

DISTANCE = "total variation: half the sum of the absolute differences of shares, from 0 to 1"
BY_CHANCE = (
    "about the distance if nothing had changed and every search were an independent draw; "
    "searches of one person are not, and queries are in a sample for having been frequent then, "
    "so it is a lower bound"
)


@dataclass(frozen=True, slots=True)
class Moved:
    """A query with its share of the searches, then and now; `then` is None where not known."""

    text: str
    searches: int
    then: float | None
    now: float


@dataclass(frozen=True, slots=True)
class AgedPart:
    """
    One part of the sample: its queries' share of all searches, and how they moved within it.

    `distance` compares the queries' shares within the part, each weighted by one over its
    inclusion probability, since it stands for queries that were not drawn.
    """

    name: str
    queries: int
    still_asked: int
    then: float
    now: float
    distance: float | None
    by_chance: float | None


@dataclass(frozen=True, slots=True)
class Kinds:
    """Kinds of queries by one rule: (kind, share then, as the sample estimates it, and now)."""

    rule: str
    shares: tuple[tuple[str, float, float], ...]
    distance: float
    by_chance: float


@dataclass(frozen=True, slots=True)
class Age:
    """
    What has changed between the log that a sample was drawn from and a newer one.

    `carried` is the share of searches that are for the set's queries. `vanished_weight`
    estimates which share of the searches then was for queries that nobody asks now.
    `would_be_certain` are queries outside the set that are so frequent now that a sample of
    the same size takes them whatever happens. `would_stay` is how many of the set's queries
    a successor of the same size keeps on average; None without permanent numbers.
    """

    labels: str
    sha256: str
    queries: int
    searches_then: int
    searches_now: int
    distinct_now: int
    carried_then: float
    carried_now: float
    still_asked: int
    vanished_weight: float | None
    would_stay: float | None
    parts: tuple[AgedPart, ...]
    kinds: tuple[Kinds, ...]
    would_be_certain: tuple[Moved, ...]
    vanished: tuple[Moved, ...]
    moved: tuple[Moved, ...]
    notes: tuple[str, ...]

    def as_record(self) -> dict[str, Any]:
        """Plain values for JSON, with what the distances are."""
        return asdict(self) | {"distance": DISTANCE, "by_chance": BY_CHANCE}


@dataclass(frozen=True, slots=True)
class _Both:
    """A drawn query with its searches now."""

    query: Query
    now: int

    @property
    def then(self) -> int:
        return self.query.log_count or 0

    @property
    def stands_for(self) -> float:
        return 1 / (self.query.inclusion_probability or 1.0)


def age_of(sample: FormerSample, log: Sequence[LogQuery]) -> Age:
    """
    The age of a sample by a newer log.

    Raises InputError if nothing in the log was searched for, or the set does not say how much.
    """
    asked = [query for query in log if query.count > 0]
    if not asked:
        raise InputError("Nothing in this log was searched for, so it cannot say how old a set is.")
    searches, before = sum(query.count for query in asked), sample.design.searches
    if not before:
        raise InputError(f"Label set {sample.name} does not say how many searches its log held.")
    count_by_id = {
        drawn.query_id: query.count
        for query in asked
        if (drawn := sample.drawn(query.query)) is not None
    }
    both = [_Both(query, count_by_id.get(i, 0)) for i, query in sample.query_by_id.items()]
    gone = [each for each in both if not each.now]
    return Age(
        labels=sample.name,
        sha256=sample.sha256,
        queries=len(both),
        searches_then=before,
        searches_now=searches,
        distinct_now=len(asked),
        carried_then=sum(each.then for each in both) / before,
        carried_now=sum(each.now for each in both) / searches,
        still_asked=len(both) - len(gone),
        vanished_weight=_weight_of(gone, both),
        would_stay=_would_stay(sample, asked),
        parts=tuple(_parts(both, before, searches)),
        kinds=tuple(_kinds(both, asked)),
        would_be_certain=_new_heads(sample, asked, searches),
        vanished=_moved(gone, before, searches),
        moved=_moved([each for each in both if each.now], before, searches),
        notes=tuple(_notes(asked)),
    )


def _weight_of(some: Iterable[_Both], every: Iterable[_Both]) -> float | None:
    weights = [each.query.weight for each in every]
    if None in weights:
        return None
    return math.fsum(each.query.weight or 0 for each in some) / math.fsum(
        weight or 0 for weight in weights
    )


def _would_stay(sample: FormerSample, asked: Sequence[LogQuery]) -> float | None:
    """The sum over the set's queries of the smaller of 1 and new over former probability."""
    if sample.salt is None:
        return None
    size = min(sample.design.size, len(asked))
    certain, rest = split_certainty(asked, size=size)
    left, total = size - len(certain), sum(query.count for query in rest)
    chances = [(query, 1.0) for query in certain]
    chances += [(query, left * query.count / total) for query in rest]
    return math.fsum(
        min(1.0, now / (drawn.inclusion_probability or 1.0))
        for query, now in chances
        if (drawn := sample.drawn(query.query)) is not None
    )


def _parts(both: Sequence[_Both], before: int, searches: int) -> Iterator[AgedPart]:
    members: dict[str, list[_Both]] = defaultdict(list)
    for each in both:
        members[each.query.stratum or ""].append(each)
    for name, group in sorted(members.items()):
        distance, by_chance = _within(group)
        yield AgedPart(
            name=name,
            queries=len(group),
            still_asked=sum(each.now > 0 for each in group),
            then=sum(each.then for each in group) / before,
            now=sum(each.now for each in group) / searches,
            distance=distance,
            by_chance=by_chance,
        )


def _within(group: Sequence[_Both]) -> tuple[float | None, float | None]:
    """
    How far the shares within a part have moved, and how far chance alone would move them.

    By chance: counts then and now as Poisson numbers of one rate, the difference of shares
    as normal, whose mean absolute value is sqrt(2 / pi) standard deviations.
    """
    then = math.fsum(each.stands_for * each.then for each in group)
    now = math.fsum(each.stands_for * each.now for each in group)
    if not then or not now:
        return None, None
    ratio = now / then
    distance = math.fsum(
        abs(each.stands_for * (each.then / then - each.now / now)) for each in group
    )
    by_chance = math.fsum(
        each.stands_for / then * math.sqrt((each.then + each.now) / ratio) for each in group
    )
    return distance / 2, min(1.0, math.sqrt(2 / math.pi) * by_chance / 2)


def _kinds(both: Sequence[_Both], asked: Sequence[LogQuery]) -> Iterator[Kinds]:
    """For each rule about texts: shares by weight then, and as counted now."""
    weights = [each.query.weight for each in both]
    if None in weights:
        return
    worth = effective_queries(each.query for each in both) or 1.0
    for rule, (_, kind) in TEXT_RULES.items():
        then: dict[str, float] = defaultdict(float)
        now: dict[str, float] = defaultdict(float)
        for each in both:
            then[kind(each.query.text)] += each.query.weight or 0.0
        for query in asked:
            now[kind(query.text)] += query.count
        all_then, all_now = math.fsum(then.values()), math.fsum(now.values())
        shares = [
            (name, then[name] / all_then, now[name] / all_now) for name in sorted({*then, *now})
        ]
        chance = math.fsum(math.sqrt(before * (1 - before) / worth) for _, before, _ in shares)
        yield Kinds(
            rule=rule,
            shares=tuple(shares),
            distance=math.fsum(abs(before - after) for _, before, after in shares) / 2,
            by_chance=math.sqrt(2 / math.pi) * chance / 2,
        )


def _new_heads(sample: FormerSample, asked: Sequence[LogQuery], searches: int) -> tuple[Moved, ...]:
    """Their texts without private data, since nobody has decided yet what may be seen."""
    certain, _ = split_certainty(asked, size=sample.design.size)
    masked = Guard().masked
    return tuple(
        Moved(masked(query.text), query.count, None, query.count / searches)
        for query in certain
        if sample.drawn(query.query) is None
    )


def _moved(some: Iterable[_Both], before: int, searches: int) -> tuple[Moved, ...]:
    """Queries of the set whose share has moved, those first that moved most."""
    moved = [
        Moved(each.query.text, each.now, each.then / before, each.now / searches)
        for each in some
        if each.then * searches != each.now * before
    ]
    return tuple(sorted(moved, key=lambda m: (-abs(m.now - (m.then or 0.0)), m.text)))


def _notes(asked: Sequence[LogQuery]) -> Iterator[str]:
    least = min(query.count for query in asked)
    if least > 1:
        yield (
            f"No query of the newer log was asked for fewer than {least} times, so it may hold "
            "frequent queries only; what counts as no longer asked may be asked more rarely."
        )


def windows(design: SampleDesign, records: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """The days that the former and the newer log span, as far as they say."""
    return _span(design.logs), _span(records)


def _span(records: Sequence[Mapping[str, Any]]) -> str:
    first = [str(record["first_at"])[:10] for record in records if record.get("first_at")]
    last = [str(record["last_at"])[:10] for record in records if record.get("last_at")]
    if not records or len(first) < len(records) or len(last) < len(records):
        return "window not stated"
    return f"{min(first)} to {max(last)}"
