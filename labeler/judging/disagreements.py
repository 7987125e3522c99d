"""
The pairs on which assessors differ, for a person to decide.

The queue names pairs and keeps what was said of them apart, so that who adjudicates can
judge first and look then. Pure: which grade counts in the end is `adjudicate`'s.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from evaluator.labelset.format import ADJUDICATION, Judgement, Pair


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A pair on which grades differ, and by how many assessors; not what they gave."""

    query_id: str
    chunk_id: str
    assessors: int


class Disagreements:
    """
    The pairs to adjudicate, and what was said of each, shut until it is asked for.

    Who adjudicates reads the chunk first, as the assessors did. So the queue itself, its
    `repr` and whatever is made from its `pairs` hold no grade and no name.
    """

    __slots__ = ("_judgements_by_pair", "pairs")

    def __init__(
        self,
        pairs: Sequence[Disagreement],
        judgements_by_pair: Mapping[Pair, tuple[Judgement, ...]],
    ) -> None:
        self.pairs = tuple(pairs)
        self._judgements_by_pair = judgements_by_pair

    def opened(self, query_id: str, chunk_id: str) -> tuple[Judgement, ...]:
        """What stands on one pair of the queue, by assessor, "can't tell" among it."""
        return self._judgements_by_pair[query_id, chunk_id]


def find_disagreements(standing: Iterable[Judgement]) -> Disagreements:
    """
    The pairs on which standing grades differ, the furthest apart first.

    Furthest is by the distance between highest and lowest, then by the mean distance
    between any two grades, so that an even split comes before a single dissenter; then by
    query and chunk. Known answers take part, since an assessor who contradicts one shows a
    mistake of either. "Can't tell" differs from nothing.
    """
    by_pair: dict[Pair, list[Judgement]] = {}
    for judgement in standing:
        if judgement.method == ADJUDICATION:
            continue
        by_pair.setdefault((judgement.query_id, judgement.chunk_id), []).append(judgement)
    spread_by_pair = {
        pair: _spread([j.grade for j in judgements if j.grade is not None])
        for pair, judgements in by_pair.items()
    }
    queue = sorted(
        (pair for pair, (widest, _) in spread_by_pair.items() if widest),
        key=lambda pair: ([-distance for distance in spread_by_pair[pair]], pair),
    )
    return Disagreements(
        [Disagreement(*p, sum(j.grade is not None for j in by_pair[p])) for p in queue],
        {p: tuple(sorted(by_pair[p], key=lambda j: j.assessor)) for p in queue},
    )


def _spread(grades: Sequence[int]) -> tuple[int, float]:
    distances = [abs(one - other) for one, other in combinations(grades, 2)]
    return (max(distances), sum(distances) / len(distances)) if distances else (0, 0.0)
