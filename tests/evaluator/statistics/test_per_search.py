"""What a contrast says per search: the weighted mean, its interval, and what is missing."""

import json
import math
from dataclasses import asdict, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator import InputError
from evaluator.contrasts.figures import cells_by_group
from evaluator.labelset.format import Query
from evaluator.statistics.intervals import tango_interval
from evaluator.statistics.per_search import traffic_estimate


def _query(query_id: str, count: int | None, probability: float | None, **more: object) -> Query:
    weight = None if count is None or not probability else count / probability
    fields: dict[str, object] = {
        "query_id": query_id,
        "text": query_id,
        "log_count": count,
        "inclusion_probability": probability,
        "weight": weight,
    }
    return Query(**(fields | more))  # type: ignore[arg-type]


# The head carries a third of the traffic; the four others stand for a hundred searches each.
HEAD = _query("head", 200, 1.0)
TAIL = tuple(_query(f"tail{number}", 10, 0.1) for number in range(4))
SAMPLE = (HEAD, *TAIL)
MISSED = {query.query_id: 0.0 for query in SAMPLE}


def _hit(*query_ids: str) -> dict[str, float]:
    return {query_id: float(query_id in query_ids) for query_id in MISSED}


@st.composite
def contrasts(
    draw: st.DrawFn,
) -> tuple[dict[str, float], dict[str, float], tuple[Query, ...]]:
    """A sample of up to forty queries, and two arms on a part of it."""
    size = draw(st.integers(2, 40))
    value = st.sampled_from([0.0, 1.0, 0.5, 0.25])
    queries = tuple(
        _query(
            f"q{number:02}",
            draw(st.integers(1, 500)),
            draw(st.sampled_from([1.0, 0.9, 0.5, 0.2, 0.01])),
        )
        for number in range(size)
    )
    inside = draw(st.lists(st.sampled_from(queries), min_size=1, unique_by=lambda q: q.query_id))
    before = {query.query_id: draw(value) for query in inside}
    return before, {query_id: draw(value) for query_id in before}, queries


# The estimate


def test_searches_weigh_and_queries_do_not() -> None:
    """The head won and one of the tail lost: 200 searches up, 100 down, of 600."""
    found = traffic_estimate(_hit("tail0"), _hit("head"), queries=SAMPLE)

    assert pytest.approx((100 / 600, 200 / 600, 100 / 600)) == (
        found.baseline,
        found.treatment,
        found.difference,
    )
    assert (5, pytest.approx(1 / 3)) == (found.n, found.largest_share)
    assert pytest.approx(600**2 / (200**2 + 4 * 100**2)) == found.effective_queries


def test_each_group_is_a_domain_of_its_own() -> None:
    """Its weights are renormalised."""
    groups = {query.query_id: "a" if query.query_id < "tail2" else "b" for query in SAMPLE}
    cells = cells_by_group(MISSED, _hit("head"), queries=SAMPLE, group_by_query=groups)
    found = {group: one.traffic for group, one in cells.items() if one.traffic}
    pair = {"tail2": 0.0, "tail3": 0.0}

    assert traffic_estimate(pair, pair, queries=SAMPLE) == found["b"]
    assert (3, 0.5) == (found["a"].n, found["a"].difference)


# The intervals


@settings(deadline=None, max_examples=40)
@given(contrasts(), st.integers(2, 50))
def test_an_estimate_lies_in_its_interval_and_has_no_direction_or_unit_of_its_own(
    contrast: tuple[dict[str, float], dict[str, float], tuple[Query, ...]], times: int
) -> None:
    """Swapped arms negate and mirror it; searches counted many times over change nothing."""
    before, after, queries = contrast
    scaled = tuple(
        replace(q, log_count=(q.log_count or 0) * times, weight=(q.weight or 0) * times)
        for q in queries
    )
    one = traffic_estimate(before, after, queries=queries)
    swapped = traffic_estimate(after, before, queries=queries)
    many = traffic_estimate(before, after, queries=scaled)
    assert pytest.approx(-(one.difference or 0)) == swapped.difference
    assert pytest.approx(one.difference, abs=1e-7) == many.difference
    assert (one.interval is None) == (one.reason is not None)
    if one.interval and swapped.interval and one.difference is not None:
        lower, upper = one.interval
        assert -1 <= lower <= one.difference + 1e-9
        assert one.difference - 1e-9 <= upper <= 1
        assert pytest.approx((-upper, -lower), abs=1e-7) == swapped.interval
        assert pytest.approx((lower, upper), abs=1e-7) == many.interval
    json.dumps(asdict(one), allow_nan=False)


def test_paraphrases_count_as_one() -> None:
    """Forty queries in twenty pairs have the estimate and the interval of twenty."""
    twenty = [_query(f"q{at:02}", 10, 0.1) for at in range(20)]
    pairs = [replace(q, query_id=q.query_id + x, group=q.query_id) for q in twenty for x in "ab"]
    found = [
        traffic_estimate(
            {q.query_id: 0.0 for q in queries},
            {q.query_id: float(q.query_id[:3] < "q06") for q in queries},
            queries=queries,
        )
        for queries in (twenty, pairs)
    ]
    assert (20, 40) == (found[0].n, found[1].n)
    assert found[0] == replace(found[1], n=20)
    assert found[0].interval == pytest.approx(tango_interval(20, 6, 0))
    assert found[0].rules_out_zero
    assert not replace(found[0], p_holm=0.0625).rules_out_zero


@given(contrasts())
def test_test_and_interval_agree_on_nothing(
    contrast: tuple[dict[str, float], dict[str, float], tuple[Query, ...]],
) -> None:
    """The p per search is that of the interval, so 0 lies outside where it is below 5%."""
    before, after, queries = contrast
    found = traffic_estimate(before, after, queries=queries)
    assert (found.interval is None) == (found.p is None)
    if found.p is not None and abs(found.p - 0.05) > 1e-9:
        assert (found.p < 0.05) == found.rules_out_zero


# What is missing, and why


@pytest.mark.parametrize(
    ("queries", "words"),
    [
        ((_query("head", 200, None), *TAIL), "1 query is without a weight ('head')"),
        ((_query("head", None, 1.0), *TAIL), "stand for another population"),
        ((_query("head", None, None, origin="known-item"), *TAIL), "not from the log ('head')"),
    ],
)
def test_without_all_weights_there_is_no_estimate(queries: tuple[Query, ...], words: str) -> None:
    """A reason instead of a number."""
    found = traffic_estimate(MISSED, _hit("head"), queries=queries)

    assert (None, None, None) == (found.difference, found.baseline, found.effective_queries)
    assert words in str(found.reason)


def test_an_estimate_without_an_interval_says_why() -> None:
    """It looks at the design alone: too few queries, or weights that lie on few of them."""
    found = traffic_estimate(MISSED, _hit("head"), queries=SAMPLE)
    assert (None, None) == (found.interval, found.rules_out_zero)
    assert "5 independent queries or groups are fewer than 20" == found.reason
    queries = [_query(f"q{at:02}", 900 if at == 0 else 10, 0.1) for at in range(40)]
    values = {query.query_id: 0.0 for query in queries}
    found = traffic_estimate(values, values, queries=queries)
    assert (0.0, None) == (found.difference, found.interval)
    assert "the weights are worth 2.0 equal ones, fewer than 15" == found.reason


def test_skipped_queries_are_counted() -> None:
    """They were drawn and are not in the estimate."""
    queries = (*SAMPLE, _query("odd", 10, 0.1, skip_reason="not a question"))
    found = traffic_estimate(MISSED, _hit("head"), queries=queries)

    assert (5, 1) == (found.n, found.skipped)


@pytest.mark.parametrize(
    ("queries", "words"),
    [
        (TAIL, "1 query is not in the label set: 'head'"),
        ((_query("head", 200, 1.5), *TAIL), "inclusion probability 1.5"),
        ((_query("head", 200, 0.0), *TAIL), "inclusion probability 0.0"),
        ((_query("head", 200, 0.5, weight=200.0), *TAIL), "has the weight 200.0, but"),
        ((_query("head", None, None, weight=math.nan), *TAIL), "has the weight nan"),
        ((_query("head", None, None, weight=-1.0), *TAIL), "has the weight -1.0"),
    ],
)
def test_contradictions_are_refused(queries: tuple[Query, ...], words: str) -> None:
    """They are errors of the label set, not gaps in it."""
    with pytest.raises(InputError) as caught:
        traffic_estimate(MISSED, MISSED, queries=queries)
    assert words in str(caught.value)


def test_values_are_shares() -> None:
    """The score interval rests on a measure that lies between 0 and 1."""
    with pytest.raises(InputError, match="values from 0 to 1; look at 'head'"):
        traffic_estimate(MISSED, MISSED | {"head": 2.0}, queries=SAMPLE)


def test_queries_that_were_never_searched_for_have_no_traffic() -> None:
    """A group of them is no reason to end a run."""
    queries = (HEAD, *(_query(query.query_id, 0, 0.1) for query in TAIL))
    tail = {query.query_id: 0.0 for query in TAIL}
    found = traffic_estimate(tail, tail | {"tail0": 1.0}, queries=queries)

    assert (None, "none of these queries was ever searched for") == (
        found.difference,
        found.reason,
    )
