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
from itertools import accumulate, pairwise

import numpy as np

from evaluator.statistics.intervals import Floats

Gain = Callable[[int], float]

BOUNDED = ("Success", "R", "RR", "P", "AP", "nDCG")
"""The measures whose extremes are computed."""
STEPPED = ("Success", "R", "RR", "P")
"""Those of them for which the fewest chunks that turn a sign are known."""
ASSIGNMENTS = 65_536
"""How many ways to judge one query are tried for AP before there is an outer bound instead."""


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


def difference_range(family: str, lists: Lists) -> tuple[float, float, bool]:
    """
    The least and the most that treatment minus baseline can be for this query, and if exactly.

    Otherwise (AP alone, with many unjudged chunks) it holds every possible value and may be
    wider. Gold that neither list holds is not covered: it could make R, AP and nDCG smaller.
    """
    (most, exact), (least, mirrored) = (_most(family, one) for one in (lists, lists.swapped))
    return -least, most, exact and mirrored


def lowering_steps(family: str, lists: Lists) -> list[tuple[float, str]]:
    """
    Unjudged chunks that lower treatment minus baseline, if gold, and each one's lowering.

    In the order in which few of them lower most; no later step lowers more than an earlier
    one, so steps of several queries can be merged by size. Only for measures in STEPPED.
    """
    if family in ("R", "P"):
        return list(_steps_of_share(family, lists))
    gain = partial(_gain, family)
    first = -_most(family, lists.swapped)[0]
    now = _top(gain, lists.treatment, lists) - _top(gain, lists.baseline, lists)
    if now - first <= 1e-12:
        return []
    chunk_id = min(
        (c for c in lists.unjudged if c in lists.baseline),
        key=lambda c: (_with_one(gain, lists, c), c),
    )
    return [(now - first, chunk_id)]


def _most(family: str, lists: Lists) -> tuple[float, bool]:
    """The most that treatment minus baseline can be, and whether it can be reached."""
    if family == "AP":
        return _most_of_ap(lists)
    if family in ("R", "P"):
        return _most_of_share(family, lists), True
    if family == "nDCG":
        return _most_of_ndcg(lists), True
    gain = partial(_gain, family)
    now = _top(gain, lists.treatment, lists) - _top(gain, lists.baseline, lists)
    # What counts is the best gold chunk alone. Of any set of chunks the one that is best in
    # the treatment could stay by itself: the others can only help the baseline.
    found = (_with_one(gain, lists, c) for c in lists.unjudged if c in lists.treatment)
    return max([now, *found]), True


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


def _most_of_share(family: str, lists: Lists) -> float:
    """
    With x, y and z more gold in baseline, treatment and both: (ahead + y - x) / (gold + x + y + z).

    It falls with x and rises with y; z makes it smaller in size, which helps only below 0. P is
    divided by k instead.
    """
    n = _counts(lists)
    ahead, gold = n.ahead + len(n.only_treatment), n.gold + len(n.only_treatment)
    if family == "P":
        return ahead / lists.k
    return _ratio(ahead, gold if ahead >= 0 else gold + len(n.shared))


def _steps_of_share(family: str, lists: Lists) -> Iterator[tuple[float, str]]:
    """First the chunks of the baseline alone; then shared ones, while there is a gain to dilute."""
    n = _counts(lists)
    ahead, gold = n.ahead, n.gold
    for chunk_id, taken in (*((c, 1) for c in n.only_baseline), *((c, 0) for c in n.shared)):
        lowering = _ratio(ahead, gold) - _ratio(ahead - taken, gold + 1)
        ahead, gold = ahead - taken, gold + 1
        if family == "P":
            lowering = taken / lists.k
        if lowering > 1e-12:
            yield lowering, chunk_id


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _most_of_ap(lists: Lists) -> tuple[float, bool]:
    """
    By trying every way to judge; where there are too many, an upper bound.

    Gold of the baseline alone helps the baseline, and enlarges what both are divided by. It
    can be left out unless every way to judge the treatment's chunks leaves a loss.
    """
    gold = sum(map(lists.is_gold, lists.grades))
    known = [c for c in {*lists.baseline, *lists.treatment} if lists.is_gold(c)]
    in_treatment, most = [c for c in lists.unjudged if c in lists.treatment], -1.0
    for unjudged in (in_treatment, lists.unjudged):
        if most >= 0:
            break
        ways = 2 ** len(unjudged)
        if ways > ASSIGNMENTS:
            before = float(_precisions(lists.baseline, known).sum())
            after = float(_precisions(lists.treatment, [*known, *in_treatment]).sum())
            widest = gold + len(lists.unjudged)
            if after < before:
                return (after - before) / widest, False
            return min((after - before) / max(1, gold), 1 - before / widest), False
        chunks = [*known, *unjudged]
        weights = _precisions(lists.treatment, chunks) - _precisions(lists.baseline, chunks)
        chosen = np.ones((ways, len(chunks)))
        chosen[:, len(known) :] = np.arange(ways)[:, None] >> np.arange(len(unjudged)) & 1
        divisors = gold - len(known) + chosen.sum(axis=1)
        sums = ((chosen @ weights) * chosen).sum(axis=1)
        most = float((sums / np.maximum(1, divisors)).max())
    return most, True


def _precisions(ids: Sequence[str], chunks: Sequence[str]) -> Floats:
    """
    What each pair of gold chunks adds to the sum of precisions: 1 over the later one's rank.

    Above the diagonal and on it, where a chunk is paired with itself.
    """
    ranks = np.array([ids.index(c) + 1 if c in ids else math.inf for c in chunks])
    return np.triu(1 / np.maximum.outer(ranks, ranks))


def _most_of_ndcg(lists: Lists) -> float:
    """
    The most of nDCG's difference, with linear gain.

    Of the unjudged chunks those that the treatment ranks highest above the baseline get the
    highest grades, so only the number of chunks with each grade or more is to be found. The
    chunks between two grades that were given can share one of them without loss, so any scale
    that has 0, `min_grade` and these gives the same. The ratio of difference and ideal is made
    largest by Dinkelbach's method, Management Science 13:492-498 (1967).
    """
    before, after = _discounts(lists.baseline), _discounts(lists.treatment)
    gains = {c: after.get(c, 0.0) - before.get(c, 0.0) for c in (*lists.grades, *lists.unjudged)}
    known = math.fsum(grade * gains[c] for c, grade in lists.grades.items())
    by_number = [0.0, *accumulate(sorted((gains[c] for c in lists.unjudged), reverse=True))]
    ideal = [0.0, *accumulate(1 / math.log2(rank + 1) for rank in range(1, lists.k + 1))]
    has_gold = any(map(lists.is_gold, lists.grades))
    if not has_gold and not lists.unjudged:
        return 0.0
    levels = sorted({*lists.grades.values(), lists.min_grade, lists.max_grade, 0})
    most, ratio = -1.0, -math.inf
    while most > ratio + 1e-12:
        ratio = most

        def excess(sums: tuple[float, float], ratio: float = ratio) -> float:
            return sums[0] - ratio * sums[1]

        # By the number of chunks with at least a grade: the best sums of this grade and above.
        best = [(known, 0.0)] * len(by_number)
        for below, level in reversed([*pairwise(levels)]):
            judged = sum(grade >= level for grade in lists.grades.values())
            sums = [
                (
                    difference + (level - below) * by_number[number],
                    whole + (level - below) * ideal[min(lists.k, judged + number)],
                )
                for number, (difference, whole) in enumerate(best)
            ]
            if not has_gold and level <= lists.min_grade:
                sums[0] = -math.inf, 1.0
            best = list(accumulate(sums, partial(max, key=excess)))
        difference, whole = best[-1]
        most = difference / whole
    # A query that stays without gold scores 0 in both arms, whatever its lower grades.
    return most if has_gold else max(0.0, most)


def _discounts(ids: Sequence[str]) -> dict[str, float]:
    return {chunk_id: 1 / math.log2(rank + 1) for rank, chunk_id in enumerate(ids, 1)}
