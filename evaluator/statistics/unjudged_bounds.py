"""
What the chunks that nobody judged could do to the difference of one query.

It owns the arithmetic of assigning grades to the unjudged chunks among the first k of either
arm. A chunk that both arms return takes one value in both, so the doubts of the two arms
must not be added up as if they were apart. It knows one query at a time and no record.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

Gain = Callable[[int], float]

EXACT = ("Success", "R", "RR")
"""The measures whose extremes are computed exactly; for nDCG there is an outer bound."""


@dataclass(frozen=True, slots=True)
class Lists:
    """
    The first k chunks of both arms for one query, and what was judged of it.

    A list may be shorter than k. `grades` holds only real grades, 0 and up; a chunk without
    one is unjudged. `max_grade` is the highest that an assessor could give.
    """

    baseline: Sequence[str]
    treatment: Sequence[str]
    k: int
    grades: Mapping[str, int]
    min_grade: int
    max_grade: int

    @property
    def swapped(self) -> "Lists":
        """The same with the arms in each other's place."""
        return replace(self, baseline=self.treatment, treatment=self.baseline)

    @property
    def unjudged(self) -> list[str]:
        """The chunks in either list that nobody judged, by id."""
        return sorted({*self.baseline, *self.treatment} - self.grades.keys())

    def is_gold(self, chunk_id: str) -> bool:
        return self.grades.get(chunk_id, -1) >= self.min_grade


def difference_range(family: str, lists: Lists) -> tuple[float, float]:
    """
    The least and the most that treatment minus baseline can be for this query.

    Exact for Success, R and RR; for nDCG an interval that holds every possible value and may
    be wider. Gold that neither list holds is not covered: it could make R and nDCG smaller.
    """
    return -_most(family, lists.swapped), _most(family, lists)


def lowering_steps(family: str, lists: Lists) -> list[tuple[float, str]]:
    """
    Unjudged chunks that lower treatment minus baseline, if gold, and each one's lowering.

    In the order in which few of them lower most; no later step lowers more than an earlier
    one, so steps of several queries can be merged by size. Only for the exact measures.
    """
    if family == "R":
        return list(_steps_of_r(lists))
    gain = partial(_gain, family)
    first = -_most(family, lists.swapped)
    now = _top(gain, lists.treatment, lists) - _top(gain, lists.baseline, lists)
    if now - first <= 1e-12:
        return []
    chunk_id = min(
        (c for c in lists.unjudged if c in lists.baseline),
        key=lambda c: (_with_one(gain, lists, c), c),
    )
    return [(now - first, chunk_id)]


def _most(family: str, lists: Lists) -> float:
    if family == "R":
        return _most_of_r(lists)
    if family == "nDCG":
        bound = _most_of_ndcg(lists)
        # A query that stays without gold scores 0 in both arms, whatever its lower grades.
        return bound if any(map(lists.is_gold, lists.grades)) else max(0.0, bound)
    gain = partial(_gain, family)
    now = _top(gain, lists.treatment, lists) - _top(gain, lists.baseline, lists)
    # What counts is the best gold chunk alone. Of any set of chunks the one that is best in
    # the treatment could stay by itself: the others can only help the baseline.
    found = (_with_one(gain, lists, c) for c in lists.unjudged if c in lists.treatment)
    return max([now, *found])


def _gain(family: str, rank: int) -> float:
    return 1.0 if family == "Success" else 1.0 / rank


def _top(gain: Gain, ids: Sequence[str], lists: Lists) -> float:
    return max((gain(rank) for rank, c in enumerate(ids, 1) if lists.is_gold(c)), default=0.0)


def _with_one(gain: Gain, lists: Lists, chunk_id: str) -> float:
    """Treatment minus baseline if this chunk were gold."""
    after, before = (
        max(_top(gain, ids, lists), gain(ids.index(chunk_id) + 1) if chunk_id in ids else 0.0)
        for ids in (lists.treatment, lists.baseline)
    )
    return after - before


@dataclass(frozen=True, slots=True)
class _Counts:
    """Gold known of the query; gold in treatment less baseline; unjudged by where they are."""

    gold: int
    ahead: int
    only_baseline: list[str]
    only_treatment: list[str]
    shared: list[str]


def _counts(lists: Lists) -> _Counts:
    unjudged, a, b = lists.unjudged, set(lists.baseline), set(lists.treatment)
    return _Counts(
        gold=sum(map(lists.is_gold, lists.grades)),
        ahead=sum(map(lists.is_gold, b)) - sum(map(lists.is_gold, a)),
        only_baseline=[c for c in unjudged if c not in b],
        only_treatment=[c for c in unjudged if c not in a],
        shared=[c for c in unjudged if c in a and c in b],
    )


def _most_of_r(lists: Lists) -> float:
    """
    With x, y and z more gold in baseline, treatment and both: (ahead + y - x) / (gold + x + y + z).

    It falls with x and rises with y; z makes it smaller in size, which helps only below 0.
    """
    n = _counts(lists)
    ahead, gold = n.ahead + len(n.only_treatment), n.gold + len(n.only_treatment)
    return _ratio(ahead, gold if ahead >= 0 else gold + len(n.shared))


def _steps_of_r(lists: Lists) -> Iterator[tuple[float, str]]:
    """First the chunks of the baseline alone; then shared ones, while there is a gain to dilute."""
    n = _counts(lists)
    ahead, gold = n.ahead, n.gold
    for chunk_id, taken in (*((c, 1) for c in n.only_baseline), *((c, 0) for c in n.shared)):
        lowering = _ratio(ahead, gold) - _ratio(ahead - taken, gold + 1)
        ahead, gold = ahead - taken, gold + 1
        if lowering > 1e-12:
            yield lowering, chunk_id


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _most_of_ndcg(lists: Lists) -> float:
    """
    An upper bound of nDCG's difference, with linear gain.

    The greatest difference of the undiscounted sums over the smallest ideal that any
    assignment leaves (over the greatest one, if the difference is below 0), and at most what
    lifts the treatment to 1.
    """
    before, after = _discounts(lists.baseline), _discounts(lists.treatment)
    grades, unjudged = lists.grades, lists.unjudged
    known = {c: after.get(c, 0.0) - before.get(c, 0.0) for c in (*grades, *unjudged)}
    most = sum(grade * known[c] for c, grade in grades.items())
    most += lists.max_grade * sum(max(0.0, known[c]) for c in unjudged)
    least_ideal = _ideal([*grades.values()], lists.k)
    greatest_ideal = _ideal([*grades.values(), *[lists.max_grade] * len(unjudged)], lists.k)
    if greatest_ideal == 0 or most == 0:
        return 0.0
    if most < 0:
        return most / greatest_ideal
    floor = sum(grade * before.get(c, 0.0) for c, grade in grades.items()) / greatest_ideal
    return min(most / least_ideal if least_ideal else 1.0, 1.0 - floor)


def _discounts(ids: Sequence[str]) -> dict[str, float]:
    return {chunk_id: 1 / math.log2(rank + 1) for rank, chunk_id in enumerate(ids, 1)}


def _ideal(grades: Sequence[int], k: int) -> float:
    best = sorted(grades, reverse=True)[:k]
    return sum(grade / math.log2(rank + 1) for rank, grade in enumerate(best, 1))
