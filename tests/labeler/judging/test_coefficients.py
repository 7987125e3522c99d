"""Agreement beyond chance, against published examples, other libraries and definitions."""

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats import inter_rater

from labeler.judging.coefficients import (
    FEWEST_QUERIES,
    AgreementEstimate,
    Counts,
    Metric,
    Numbers,
    QueryBootstrap,
    Weights,
    cohens_kappa,
    coincidences,
    krippendorffs_alpha,
)

# Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), sections B and C: four
# observers, twelve units, a dot where one is missing.
OBSERVERS = ["1 2 3 3 2 1 4 1 2 . . .", "1 2 3 3 2 2 4 1 2 5 . 3"]
OBSERVERS += [". 3 3 3 2 3 4 2 2 5 1 .", "1 2 3 3 2 4 4 1 2 5 1 ."]


def _counts(observers: list[str], scale: str) -> Counts:
    """How many observers gave each value of the scale to each unit."""
    units = zip(*(observer.split() for observer in observers), strict=True)
    return np.array([[unit.count(value) for value in scale.split()] for unit in units])


# Kappa


tables = st.integers(2, 4).flatmap(
    lambda size: st.lists(
        st.lists(st.integers(0, 12), min_size=size, max_size=size), min_size=size, max_size=size
    ).map(np.array)
)
weightings = st.sampled_from(["none", "linear"])


def _is_one_grade(table: NDArray[np.int64]) -> bool:
    used = np.flatnonzero(table.sum(axis=0) + table.sum(axis=1))
    return len(used) <= 1


@given(tables, weightings)
def test_kappa_is_what_another_library_says(table: Counts, weights: Weights) -> None:
    """scikit-learn and statsmodels agree, and there is a value exactly where it is defined."""
    kappa = float(cohens_kappa(table, weights=weights))
    assert np.isnan(kappa) == _is_one_grade(table)
    if not np.isnan(kappa):
        first, second = np.indices(table.shape).reshape(2, -1)
        other = cohen_kappa_score(
            first,
            second,
            weights=None if weights == "none" else "linear",
            sample_weight=table.ravel(),
        )
        assert kappa == pytest.approx(other, abs=1e-12)
        wt = "linear" if weights == "linear" else None
        other = inter_rater.cohens_kappa(table, wt=wt, return_results=False)
        assert kappa == pytest.approx(other, abs=1e-12)


# Alpha


def _alpha(counts: Counts, metric: Metric) -> float:
    return float(krippendorffs_alpha(coincidences(counts).sum(axis=0), metric=metric))


def test_alpha_of_the_published_examples() -> None:
    """0.095 for two observers and two values, 0.743 and 0.815 for four and five."""
    binary = _counts(["0 1 0 0 0 0 0 0 1 0", "1 1 1 0 0 1 0 0 0 0"], "0 1")
    many = _counts(OBSERVERS, "1 2 3 4 5")
    found = [_alpha(binary, "nominal"), _alpha(many, "nominal"), _alpha(many, "ordinal")]
    assert found == [pytest.approx(each, abs=5e-4) for each in (0.095, 0.743, 0.815)]


pair_counts = st.integers(2, 4).flatmap(
    lambda grades: st.lists(
        st.lists(st.integers(0, 2), min_size=grades, max_size=grades), min_size=1, max_size=7
    ).map(np.array)
)


@given(pair_counts, st.sampled_from(["nominal", "ordinal"]))
def test_alpha_is_what_another_library_says(counts: Counts, metric: Metric) -> None:
    """And there is a value exactly where two different grades meet."""
    alpha = _alpha(counts, metric)
    meeting = counts[counts.sum(axis=1) > 1].sum(axis=0)
    assert np.isnan(alpha) == (np.count_nonzero(meeting) < 2)
    if not np.isnan(alpha):
        other = krippendorff.alpha(value_counts=counts, level_of_measurement=metric)
        assert alpha == pytest.approx(other, abs=1e-12)


# Intervals


def _tables(queries: int) -> Counts:
    """A table per query: ten pairs each, with an agreement that differs between queries."""
    random = np.random.default_rng(5)
    agreed = random.uniform(0.4, 0.95, size=queries)
    shares = np.array([0.6, 0.4, 0.0, 0.0]) * agreed[:, None]
    shares[:, 2:] = (1 - agreed[:, None]) / 2
    both, neither, first, second = random.multinomial(10, shares).T
    return np.array([[both, first], [second, neither]]).transpose(2, 0, 1)


def _kappa_in_draws(tables: Counts, times: Counts) -> Numbers:
    return cohens_kappa(np.tensordot(times, tables, axes=1), weights="none")


def _estimate(tables: Counts, *, resamples: int = 1_000, seed: int = 1) -> AgreementEstimate:
    return QueryBootstrap(seed, resamples).estimate(
        lambda times: _kappa_in_draws(tables, times), queries=len(tables), undefined="one grade"
    )


def test_an_interval_is_what_another_library_says() -> None:
    """scipy's percentile bootstrap over queries comes to the same ends, up to its draws."""
    tables = _tables(40)
    other = stats.bootstrap(
        (np.arange(40),),
        lambda drawn: cohens_kappa(tables[drawn].sum(axis=0), weights="none"),
        vectorized=False,
        method="percentile",
        n_resamples=4_000,
        rng=np.random.default_rng(8),
    ).confidence_interval
    found = _estimate(tables, resamples=4_000)
    assert found.note is None
    assert found.interval == pytest.approx((other.low, other.high), abs=0.015)


@pytest.mark.parametrize("metric", ["nominal", "ordinal"])
def test_all_draws_at_once_are_as_one_after_the_other(metric: Metric) -> None:
    """Of four queries with six pairs each; draws without the first have one grade only."""
    random = np.random.default_rng(4)
    counts = random.multinomial(2, [0.5, 0.3, 0.2], size=24)
    counts[6:] = [2, 0, 0]
    query = np.repeat(np.arange(4), 6)
    times = random.multinomial(4, [0.25] * 4, size=60)
    stack = np.stack([coincidences(counts[query == each]).sum(axis=0) for each in range(4)])
    found = krippendorffs_alpha(np.tensordot(times, stack, axes=1), metric=metric)
    one_by_one = [_alpha(np.repeat(counts, drawn[query], axis=0), metric) for drawn in times]
    assert found == pytest.approx(one_by_one, abs=1e-12, nan_ok=True)
    assert 0 < np.isnan(found).sum() < len(found)


def test_an_interval_depends_on_the_seed_alone() -> None:
    """Once more with the same seed is the same, with another seed nearly."""
    tables = _tables(40)
    assert _estimate(tables) == _estimate(tables)
    assert _estimate(tables, seed=2).interval == pytest.approx(_estimate(tables).interval, abs=0.03)
    assert _estimate(tables, seed=2) != _estimate(tables)


def test_an_undefined_value_says_why() -> None:
    """No NaN and no polite 0 or 1; and no interval where there are few queries or one says all."""
    one_grade = np.array([[[10, 0], [0, 0]]] * 30)
    assert _estimate(one_grade) == AgreementEstimate(None, None, "one grade")
    assert _estimate(one_grade[:0]) == AgreementEstimate(None, None, "one grade")
    few = _estimate(_tables(FEWEST_QUERIES - 1))
    assert (few.interval, few.note) == (None, "no interval: 19 queries, fewer than 20")
    assert _estimate(_tables(FEWEST_QUERIES)).interval is not None


def test_a_value_that_hangs_on_one_query_has_no_interval() -> None:
    """A grade that one query of thirty has is missing from a third of all draws."""
    tables = np.array([[[10, 0], [0, 0]]] * 29 + [[[5, 1], [0, 4]]])
    found = _estimate(tables)
    assert found.value is not None
    assert found.interval is None
    assert (found.note or "").startswith("no interval: not defined in 3")


def test_full_agreement_has_no_interval() -> None:
    """Draws of queries that all agree cannot show how sure that is; 1 to 1 would be a claim."""
    found = _estimate(np.array([[[5, 0], [0, 5]]] * 30))
    assert found == AgreementEstimate(
        1.0, None, "no interval: every draw of queries gives the same"
    )
