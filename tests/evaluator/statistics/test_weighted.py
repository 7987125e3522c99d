"""The arithmetic of weighted differences, against enumeration and another implementation."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

from evaluator.statistics.cells import PairedCells, paired_standard_error, tango_interval
from evaluator.statistics.weighted import (
    hajek_mean,
    hartley_rao_variance,
    over_the_draw,
    over_the_queries,
    poisson_variance,
    score_interval,
)
from labeler.sampling.systematic import systematic
from tests.bench.designs import Case, outcome, proportional, samples_of, steps, zipf

wholes = st.integers(0, 40)


def test_the_variance_is_that_of_hartley_and_rao() -> None:
    """Their sum over pairs, with the sample's sum of p for the population's sum of p squared."""
    random = np.random.default_rng(2)
    residuals, p = random.normal(size=9), random.uniform(0.05, 0.95, size=9)
    pairs = itertools.combinations(range(9), 2)
    expected = sum(
        (1 - p[i] - p[j] + p.sum() / 9) * (residuals[i] - residuals[j]) ** 2 for i, j in pairs
    )

    assert pytest.approx(expected / 8, rel=1e-12) == hartley_rao_variance(
        residuals, probabilities=p, strata=np.zeros(9, np.int64)
    )


def test_the_variance_of_queries_drawn_by_themselves_is_unbiased() -> None:
    """Over all subsets with their chances, exactly the spread of the expanded totals."""
    values, p = np.array([1.0, -0.5, 1.0, 0.0, 0.25]), np.array([1.0, 0.7, 0.5, 0.4, 0.1])
    chances, totals, variances = [], [], []
    for subset in itertools.product((False, True), repeat=5):
        drawn = np.array(subset)
        chances.append(np.where(drawn, p, 1 - p).prod())
        totals.append((values[drawn] / p[drawn]).sum())
        variances.append(poisson_variance(values[drawn] / p[drawn], probabilities=p[drawn]))
    mean = np.dot(chances, totals)

    assert pytest.approx(values.sum()) == mean
    assert pytest.approx(np.dot(chances, (np.array(totals) - mean) ** 2)) == np.dot(
        chances, variances
    )


def test_strata_and_domains_agree_with_another_package() -> None:
    """The figures are those of samplics 0.6.1, Taylor linearisation of a domain's ratio mean."""
    number = np.arange(24)
    differences = np.array([1.0, 0, 0, -1, 0, 1, 0, 0.5] * 3)
    weights, strata, inside = np.array(1.0 + number % 7), number // 8, number % 3 != 0
    shares = np.where(inside, weights, 0.0) / weights[inside].sum()
    residuals = shares * (differences - (shares * differences).sum())
    without = hartley_rao_variance(residuals, probabilities=np.full(24, 1e-12), strata=strata)
    fractions = np.array([0.5, 0.25, 0.1])[strata]
    corrected = hartley_rao_variance(residuals, probabilities=fractions, strata=strata)

    assert pytest.approx(0.14754098360655737) == hajek_mean(differences[inside], weights[inside])
    assert pytest.approx(0.21460387952457152) == np.sqrt(without)
    assert pytest.approx(0.18725199029885467) == np.sqrt(corrected)


def test_a_stratum_with_one_random_query_is_measured_from_zero() -> None:
    """Its spread cannot be seen; its own square stands in for it."""
    residuals = np.array([0.3, 0.1, -0.4])
    probabilities = np.array([0.2, 0.5, 0.5])
    found = hartley_rao_variance(
        residuals, probabilities=probabilities, strata=np.array([0, 1, 1], np.int64)
    )

    assert pytest.approx(0.8 * 0.09 + 2 * 0.5 * 2 * 0.0625) == found


@pytest.mark.parametrize(
    ("number", "up", "down", "lower", "upper"),
    [
        (480, 44 / 480, 16 / 480, "0x1.c477e94ad3b42p-6", "0x1.75e3bd991ff9cp-4"),
        (57.25, 0.1, 0.3, "-0x1.6ac1e30733a24p-2", "-0x1.3b4a0e7212a32p-5"),
        (5, 0.0, 0.0, "-0x1.bce8f8a3b7820p-2", "0x1.bce8f8a3b7820p-2"),
    ],
)
def test_the_score_interval_is_the_same_to_the_last_bit(
    number: float, up: float, down: float, lower: str, upper: str
) -> None:
    """A record is reproduced bit by bit, so neither end may move by a rounding."""
    expected = float.fromhex(lower), float.fromhex(upper)
    assert expected == score_interval(number, up, down)


@settings(deadline=None)
@given(wholes, wholes, st.integers(1, 40))
def test_whole_queries_give_the_paired_figures(won: int, lost: int, rest: int) -> None:
    """Standard error and interval of the four cells."""
    cells = PairedCells(won + lost + rest, 0, won, lost)
    differences = np.array([1.0] * won + [-1.0] * lost + [0.0] * rest)
    found = over_the_queries(differences)

    assert pytest.approx(paired_standard_error(cells), abs=1e-12) == found.standard_error
    assert pytest.approx(tango_interval(cells), abs=1e-9) == (found.lower, found.upper)


def test_the_ends_are_where_the_score_test_just_rejects() -> None:
    """With a fraction of a hit too, by maximising the likelihood itself."""
    moved = np.array([0.0, 1, 0.5, 0, -1, 1, 0, 0, 0.25, 1, 0, 0])
    up, down = (float(np.maximum(0, sign * moved).mean()) for sign in (1, -1))
    found = over_the_queries(moved)
    number = (up + down - (up - down) ** 2) / float(found.standard_error) ** 2

    def score(difference: float) -> float:
        def minus_log_likelihood(share: float) -> float:
            chances = (share + difference, share, 1 - 2 * share - difference)
            logs = [math.log(max(chance, 1e-300)) for chance in chances]
            return -sum(np.multiply((up, down, 1 - up - down), logs))

        bounds = max(0.0, -difference), (1 - difference) / 2
        share = optimize.minimize_scalar(
            minus_log_likelihood, bounds=bounds, method="bounded", options={"xatol": 1e-12}
        ).x
        variance = (2 * share + difference - difference**2) / number
        return float((up - down - difference) / math.sqrt(variance))

    assert pytest.approx(1.959964, abs=1e-4) == score(float(found.lower))
    assert pytest.approx(-1.959964, abs=1e-4) == score(float(found.upper))


def test_samples_side_by_side_give_what_each_gives_alone() -> None:
    """Leading axes are separate samples: a simulation runs the code that makes the reports."""
    random = np.random.default_rng(5)
    differences = random.choice([-1.0, 0.0, 0.0, 0.5, 1.0], size=(3, 30))
    of_each = {
        "weights": random.uniform(1, 9, (3, 30)),
        "probabilities": np.minimum(random.uniform(0.1, 1.1, (3, 30)), 1),
        "strata": random.integers(0, 2, (3, 30)),
        "inside": random.random((3, 30)) < 0.6,
    }
    together = over_the_draw(differences, **of_each)
    for row in range(3):
        alone = over_the_draw(differences[row], **{name: of_each[name][row] for name in of_each})
        for name in ("lower", "upper", "standard_error"):
            assert pytest.approx(getattr(alone, name)) == getattr(together, name)[row]


def test_the_simulation_draws_as_the_sampler_does() -> None:
    """Same sizes, same start, same positions."""
    sizes = np.random.default_rng(1).integers(1, 9, size=50)
    for start in range(0, int(sizes.sum()), 7):
        assert systematic(sizes.tolist(), size=5, start=start) == steps(sizes, 5, start).tolist()


@pytest.mark.parametrize(("kind", "domain"), [("hits", "fifth"), ("graded", "all")])
def test_the_intervals_hold_in_a_small_simulation(kind: str, domain: str) -> None:
    """Near 95% of 1,000 samples; the whole grid is in the benchmark of designs."""
    counts = zipf(2_000, 0.8)
    design = proportional(counts, 200)
    drawn = samples_of(design, 1_000, seed=1)
    case = Case(0.25, "head", kind, domain)
    found = outcome(design, counts, drawn, case, seed=3)

    assert abs(found.bias) < 0.1
    assert 0.92 < found.window < 0.98
