"""
How far the assessors agree, how sure that is, and what they gave.

Judgements come in, numbers come out. A number that is not defined is None and says why.
"Can't tell" is no grade and is counted apart. The arithmetic is `labeler.coefficients`';
time and pace are `labeler.pace`'s, and the pairs to decide `labeler.disagreements`'.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations

import numpy as np

from evaluator.labelset import ADJUDICATION, Judgement
from labeler.adjudicate import KNOWN_ANSWER
from labeler.coefficients import (
    FEWEST_QUERIES,
    RESAMPLES,
    Counts,
    Estimate,
    Metric,
    QueryBootstrap,
    Statistic,
    Weights,
    cohens_kappa,
    coincidences,
    krippendorffs_alpha,
    raw_agreement,
)

_Pair = tuple[str, str]


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
    raw: Estimate
    kappa: Estimate


@dataclass(frozen=True, slots=True)
class Prevalence:
    """How many of all grades given were this one. A pair graded twice counts twice."""

    grade: int
    count: int
    share: Estimate


@dataclass(frozen=True, slots=True)
class AssessorGrades:
    """What one assessor gave: how often each grade, and how often "can't tell"."""

    assessor: str
    count_by_grade: Mapping[int, int]
    unsure: int


@dataclass(frozen=True, slots=True)
class AgreementReport:
    """
    Everything that is said of the agreement between assessors.

    `pairs` were graded by anybody, `shared_pairs` by two or more, in `shared_queries`.
    """

    pairs: int
    shared_pairs: int
    shared_queries: int
    unsure: int
    alpha: Estimate
    alpha_metric: Metric
    kappa_weights: Weights
    by_pair: tuple[PairAgreement, ...]
    prevalence: tuple[Prevalence, ...]
    by_assessor: tuple[AssessorGrades, ...]
    seed: int
    resamples: int
    fewest_queries: int = FEWEST_QUERIES


def measure_agreement(
    standing: Iterable[Judgement], *, scale: Sequence[int], seed: int, resamples: int = RESAMPLES
) -> AgreementReport:
    """
    Agreement between the assessors, from what stands of each; known answers are left out.

    On a scale of two grades kappa is unweighted and alpha nominal. On a longer one kappa
    has linear weights, by steps on the scale, and alpha is ordinal. Quadratic weights would
    nearly forgive a difference of one step, which may be the step that makes a chunk gold,
    and they rise with the number of grades alone.

    Sources: Cohen (1960); Cicchetti and Allison (1971) for linear weights; Brenner and
    Kliebsch (1996) against quadratic ones; Krippendorff (2011). Intervals are percentiles of
    a bootstrap over queries.
    """
    looked = _looked_at(standing)
    column = {grade: place for place, grade in enumerate(sorted(scale))}
    bootstrap = QueryBootstrap(seed, resamples)
    graded = {pair: found for pair, seen in looked.items() if (found := _grades(seen))}
    shared = {pair: grades for pair, grades in graded.items() if len(grades) > 1}
    weights: Weights = "none" if len(column) <= 2 else "linear"
    metric: Metric = "nominal" if len(column) <= 2 else "ordinal"
    return AgreementReport(
        pairs=len(graded),
        shared_pairs=len(shared),
        shared_queries=len({query_id for query_id, _ in shared}),
        unsure=sum(grade is None for seen in looked.values() for grade in seen.values()),
        alpha=_alpha(shared, column, metric, bootstrap),
        alpha_metric=metric,
        kappa_weights=weights,
        by_pair=tuple(
            _pair_agreement(assessors, together, weights, bootstrap)
            for assessors, together in sorted(_together(looked, column).items())
        ),
        prevalence=_prevalence(graded, column, bootstrap),
        by_assessor=_by_assessor(looked, column),
        seed=seed,
        resamples=resamples,
    )


# Who said what


def _looked_at(standing: Iterable[Judgement]) -> dict[_Pair, dict[str, int | None]]:
    """Grade by assessor by pair, None for "can't tell", in the order of query and chunk."""
    looked: dict[_Pair, dict[str, int | None]] = {}
    for j in standing:
        if j.assessor != KNOWN_ANSWER and j.method != ADJUDICATION:
            looked.setdefault((j.query_id, j.chunk_id), {})[j.assessor] = j.grade
    return dict(sorted(looked.items()))


def _grades(seen: Mapping[str, int | None]) -> list[int]:
    return [grade for grade in seen.values() if grade is not None]


@dataclass(slots=True)
class _Together:
    """What two assessors gave to the same pairs: a table of grades per query."""

    table_by_query: dict[str, Counts] = field(default_factory=dict)
    unsure: int = 0


def _together(
    looked: Mapping[_Pair, Mapping[str, int | None]], column: Mapping[int, int]
) -> dict[tuple[str, str], _Together]:
    together: dict[tuple[str, str], _Together] = {}
    for (query_id, _), seen in looked.items():
        for one, other in combinations(sorted(seen), 2):
            both = together.setdefault((one, other), _Together())
            first, second = seen[one], seen[other]
            if first is None or second is None:
                both.unsure += 1
                continue
            table = both.table_by_query.setdefault(query_id, _zeros(len(column), len(column)))
            table[column[first], column[second]] += 1
    return together


def _by_assessor(
    looked: Mapping[_Pair, Mapping[str, int | None]], column: Mapping[int, int]
) -> tuple[AssessorGrades, ...]:
    counts: dict[str, Counter[int | None]] = {}
    for seen in looked.values():
        for assessor, grade in seen.items():
            counts.setdefault(assessor, Counter())[grade] += 1
    return tuple(
        AssessorGrades(name, {grade: counts[name][grade] for grade in column}, counts[name][None])
        for name in sorted(counts)
    )


def _zeros(*shape: int) -> Counts:
    return np.zeros(shape, dtype=np.int64)


# The numbers


def _pair_agreement(
    assessors: tuple[str, str], together: _Together, weights: Weights, bootstrap: QueryBootstrap
) -> PairAgreement:
    tables = [together.table_by_query[query_id] for query_id in sorted(together.table_by_query)]
    stack = np.stack(tables) if tables else _zeros(0, 1, 1)

    def estimate(coefficient: Statistic, *, undefined: str) -> Estimate:
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
    shared: Mapping[_Pair, Sequence[int]],
    column: Mapping[int, int],
    metric: Metric,
    bootstrap: QueryBootstrap,
) -> Estimate:
    query_ids = sorted({query_id for query_id, _ in shared})
    place = {query_id: number for number, query_id in enumerate(query_ids)}
    query = np.array([place[query_id] for query_id, _ in shared], dtype=np.intp)
    counts = _zeros(len(shared), len(column))
    for row, grades in zip(counts, shared.values(), strict=True):
        for grade in grades:
            row[column[grade]] += 1
    stack = np.zeros((len(query_ids), len(column), len(column)))
    np.add.at(stack, query, coincidences(counts))
    return bootstrap.estimate(
        lambda times: krippendorffs_alpha(np.tensordot(times, stack, axes=1), metric=metric),
        queries=len(query_ids),
        undefined="one and the same grade throughout" if shared else "no pair with two grades",
    )


def _prevalence(
    graded: Mapping[_Pair, Sequence[int]], column: Mapping[int, int], bootstrap: QueryBootstrap
) -> tuple[Prevalence, ...]:
    by_query: dict[str, Counts] = {}
    for (query_id, _), grades in graded.items():
        counts = by_query.setdefault(query_id, _zeros(len(column)))
        for grade in grades:
            counts[column[grade]] += 1
    stack = np.stack(list(by_query.values())) if by_query else _zeros(0, len(column))

    def share_of(place: int) -> Statistic:
        return lambda times: (times @ stack[:, place]) / (times @ stack.sum(axis=1))

    return tuple(
        Prevalence(
            grade=grade,
            count=int(stack[:, place].sum()),
            share=bootstrap.estimate(share_of(place), queries=len(stack), undefined="no grade yet"),
        )
        for grade, place in column.items()
    )
