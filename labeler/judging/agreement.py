"""
How far the assessors agree, how sure that is, what they gave, and the pairs to decide.

Grades come in, numbers come out. A number that is not defined is None and says why.
"Can't tell" is no grade and is counted apart. The arithmetic is `coefficients`';
time and pace are `pace`'s.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations

import numpy as np

from evaluator.labelset.format import ADJUDICATION, Given, Judgement, Pair
from labeler.judging.coefficients import (
    FEWEST_QUERIES,
    RESAMPLES,
    AgreementEstimate,
    Counts,
    Metric,
    QueryBootstrap,
    Statistic,
    Weights,
    cohens_kappa,
    coincidences,
    krippendorffs_alpha,
    raw_agreement,
)
from labeler.workspace.records import KNOWN_ANSWER

_SEED = 13  # so that the same judgements always have the same intervals


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """
    Two assessors on the pairs that both of them graded.

    `unsure` counts the pairs that both looked at and at least one could not tell; they are
    in no other number. `kappa` is weighted as the report says.
    """

    assessors: tuple[str, str]
    queries: int
    pairs: int
    same: int
    unsure: int
    raw: AgreementEstimate
    kappa: AgreementEstimate


@dataclass(frozen=True, slots=True)
class Prevalence:
    """How many of all grades given were this one. A pair graded twice counts twice."""

    grade: int
    count: int
    share: AgreementEstimate


@dataclass(frozen=True, slots=True)
class AgreementReport:
    """
    Everything that is said of the agreement between assessors.

    `pairs` were graded by anybody, `shared_pairs` by two or more, in `shared_queries`; on
    `same_pairs` of these all gave one grade.
    """

    pairs: int
    shared_pairs: int
    same_pairs: int
    shared_queries: int
    unsure: int
    alpha: AgreementEstimate
    alpha_metric: Metric
    kappa_weights: Weights
    by_pair: tuple[PairAgreement, ...]
    prevalence: tuple[Prevalence, ...]
    seed: int
    resamples: int
    fewest_queries: int = FEWEST_QUERIES


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


def measure_agreement(
    given: Iterable[tuple[str, Iterable[tuple[str, Given]]]],
    *,
    scale: Sequence[int],
    seed: int = _SEED,
    resamples: int = RESAMPLES,
) -> AgreementReport:
    """
    Agreement between the assessors, from what they gave to the pairs of each query, by chunk.

    Known answers are left out.

    On a scale of two grades kappa is unweighted and alpha nominal. On a longer one kappa
    has linear weights, by steps on the scale, and alpha is ordinal. Quadratic weights would
    nearly forgive a difference of one step, which may be the step that makes a chunk gold,
    and they rise with the number of grades alone.

    Sources: Cohen (1960); Cicchetti and Allison (1971) for linear weights; Brenner and
    Kliebsch (1996) against quadratic ones; Krippendorff (2011). Intervals are percentiles of
    a bootstrap over queries.
    """
    looked = _looked_at(given)
    column = {grade: place for place, grade in enumerate(sorted(scale))}
    bootstrap = QueryBootstrap(seed, resamples)
    graded = [each for each in looked if _grades(each.given)]
    shared = [each for each in graded if len(_grades(each.given)) > 1]
    weights: Weights = "none" if len(column) <= 2 else "linear"
    metric: Metric = "nominal" if len(column) <= 2 else "ordinal"
    return AgreementReport(
        pairs=sum(each.times for each in graded),
        shared_pairs=sum(each.times for each in shared),
        same_pairs=sum(each.times for each in shared if len(set(_grades(each.given))) == 1),
        shared_queries=len({each.query_id for each in shared}),
        unsure=sum(each.times * (grade is None) for each in looked for _, grade in each.given),
        alpha=_alpha(shared, column, metric, bootstrap),
        alpha_metric=metric,
        kappa_weights=weights,
        by_pair=tuple(
            _pair_agreement(assessors, together, weights, bootstrap)
            for assessors, together in sorted(_together(looked, column).items())
        ),
        prevalence=_prevalence(graded, column, bootstrap),
        seed=seed,
        resamples=resamples,
    )


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


# Who said what


@dataclass(frozen=True, slots=True)
class _GivenTogether:
    """What was given to some pairs of a query, by assessor, and to how many of them."""

    query_id: str
    given: Given
    times: int


def _looked_at(given: Iterable[tuple[str, Iterable[tuple[str, Given]]]]) -> list[_GivenTogether]:
    """By query; many pairs of one are alike, and are counted."""
    times = Counter(
        (query_id, tuple(one for one in to_pair if one[0] != KNOWN_ANSWER))
        for query_id, pairs in given
        for _, to_pair in pairs
    )
    return [
        _GivenTogether(*key, n)
        for key, n in sorted(times.items(), key=lambda each: each[0][0])
        if key[1]
    ]


def _grades(given: Given) -> list[int]:
    return [grade for _, grade in given if grade is not None]


@dataclass(slots=True)
class _Together:
    """What two assessors gave to the same pairs: a table of grades per query."""

    table_by_query: dict[str, Counts] = field(default_factory=dict)
    unsure: int = 0


def _together(
    looked: Sequence[_GivenTogether], column: Mapping[int, int]
) -> dict[tuple[str, str], _Together]:
    together: dict[tuple[str, str], _Together] = {}
    for each in looked:
        for (one, first), (other, second) in combinations(each.given, 2):
            both = together.setdefault((one, other), _Together())
            if first is None or second is None:
                both.unsure += each.times
                continue
            table = both.table_by_query.setdefault(each.query_id, _zeros(len(column), len(column)))
            table[column[first], column[second]] += each.times
    return together


def _zeros(*shape: int) -> Counts:
    return np.zeros(shape, dtype=np.int64)


# The numbers


def _pair_agreement(
    assessors: tuple[str, str], together: _Together, weights: Weights, bootstrap: QueryBootstrap
) -> PairAgreement:
    tables = [together.table_by_query[query_id] for query_id in sorted(together.table_by_query)]
    stack = np.stack(tables) if tables else _zeros(0, 1, 1)

    def estimate(coefficient: Statistic, *, undefined: str) -> AgreementEstimate:
        return bootstrap.estimate(
            lambda times: coefficient(np.tensordot(times, stack, axes=1)),
            queries=len(tables),
            undefined=undefined if tables else "no pair that both graded",
        )

    return PairAgreement(
        assessors=assessors,
        queries=len(tables),
        pairs=int(stack.sum()),
        same=int(stack.sum(axis=0).trace()),
        unsure=together.unsure,
        raw=estimate(raw_agreement, undefined=""),
        kappa=estimate(
            partial(cohens_kappa, weights=weights),
            undefined="both gave one and the same grade throughout",
        ),
    )


def _alpha(
    shared: Sequence[_GivenTogether],
    column: Mapping[int, int],
    metric: Metric,
    bootstrap: QueryBootstrap,
) -> AgreementEstimate:
    query_ids = sorted({each.query_id for each in shared})
    place = {query_id: number for number, query_id in enumerate(query_ids)}
    query = np.array([place[each.query_id] for each in shared], dtype=np.intp)
    times_met = np.array([each.times for each in shared], dtype=np.int64)
    counts = _zeros(len(shared), len(column))
    for row, each in zip(counts, shared, strict=True):
        for grade in _grades(each.given):
            row[column[grade]] += 1
    stack = np.zeros((len(query_ids), len(column), len(column)))
    np.add.at(stack, query, coincidences(counts) * times_met[:, None, None])
    return bootstrap.estimate(
        lambda times: krippendorffs_alpha(np.tensordot(times, stack, axes=1), metric=metric),
        queries=len(query_ids),
        undefined="one and the same grade throughout" if shared else "no pair with two grades",
    )


def _prevalence(
    graded: Sequence[_GivenTogether], column: Mapping[int, int], bootstrap: QueryBootstrap
) -> tuple[Prevalence, ...]:
    by_query: dict[str, Counts] = {}
    for each in graded:
        counts = by_query.setdefault(each.query_id, _zeros(len(column)))
        for grade in _grades(each.given):
            counts[column[grade]] += each.times
    stack = np.stack(list(by_query.values())) if by_query else _zeros(0, len(column))

    def share_of(place: int) -> Statistic:
        return lambda times: (times @ stack[:, place]) / (times @ stack.sum(axis=1))

    shares = bootstrap.estimates(
        [share_of(place) for place in column.values()], queries=len(stack), undefined="no grade yet"
    )
    return tuple(
        Prevalence(grade=grade, count=int(count), share=share)
        for grade, count, share in zip(column, stack.sum(axis=0), shares, strict=True)
    )


# The pairs to decide


def _spread(grades: Sequence[int]) -> tuple[int, float]:
    distances = [abs(one - other) for one, other in combinations(grades, 2)]
    return (max(distances), sum(distances) / len(distances)) if distances else (0, 0.0)
