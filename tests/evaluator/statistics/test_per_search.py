"""What a contrast says per search: two readings, their reasons, and their disagreements."""

import json
import math
from dataclasses import asdict, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator import InputError
from evaluator.labelset.format import Query
from evaluator.statistics.cells import four_cells, tango_interval
from evaluator.statistics.per_search import TrafficEstimate, traffic_by_group, traffic_estimate


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
    """A sample of up to twelve queries in two strata, and two arms on a part of it."""
    size = draw(st.integers(2, 12))
    value = st.sampled_from([0.0, 1.0, 0.5, 0.25])
    queries = tuple(
        _query(
            f"q{number:02}",
            draw(st.integers(1, 500)),
            draw(st.sampled_from([1.0, 0.9, 0.5, 0.2, 0.01])),
            stratum=draw(st.sampled_from(["a", "b"])),
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
    assert (5, 5, 1, 1) == (found.n, found.drawn, found.certain, found.changed_by_chance)
    assert pytest.approx((1 / 3, 1 / 3)) == (found.certain_share, found.largest_share)
    assert pytest.approx(600**2 / (200**2 + 4 * 100**2)) == found.effective_queries
    assert pytest.approx(0.0) == found.judged_queries.difference
    assert pytest.approx(tango_interval(four_cells(_hit("tail0"), _hit("head"))), abs=1e-9) == (
        found.judged_queries.interval
    )


def test_the_window_is_open_only_about_the_drawn_queries() -> None:
    """By hand: the head adds nothing; 4/3 x 0.9 x the squares of the tail about their mean."""
    found = traffic_estimate(MISSED, _hit("head", "tail0"), queries=SAMPLE)
    squares = 0.75**2 + 3 * 0.25**2

    assert pytest.approx(math.sqrt(4 / 3 * 0.9 * squares / 6**2)) == (
        found.this_log_window.standard_error
    )


def test_a_sample_by_permanent_numbers_has_a_variance_of_its_own() -> None:
    """Its size was left to chance, so the same figures leave more open."""
    found = traffic_estimate(MISSED, _hit("head"), queries=SAMPLE, sampling={"design": "permanent"})
    fixed = traffic_estimate(MISSED, _hit("head"), queries=SAMPLE, sampling={"design": "uniform"})

    assert pytest.approx(math.sqrt(0.9 * 4 * (1 / 6 / 3) ** 2)) == (
        found.this_log_window.standard_error
    )
    assert "Poisson" in found.this_log_window.method
    assert "Hartley and Rao" in fixed.this_log_window.method
    assert 0.0 == pytest.approx(fixed.this_log_window.standard_error)


def test_each_group_is_a_domain_of_the_whole_sample() -> None:
    """Its weights are renormalised, and all of the sample stands behind it."""
    groups = {query.query_id: "a" if query.query_id < "tail2" else "b" for query in SAMPLE}
    found = traffic_by_group(MISSED, _hit("head"), queries=SAMPLE, group_by_query=groups)
    pair = {"tail2": 0.0, "tail3": 0.0}

    assert traffic_estimate(pair, pair, queries=SAMPLE, domain="b") == found["b"]
    assert ("a", 3, 5, 0.5) == (
        found["a"].domain,
        found["a"].n,
        found["a"].drawn,
        found["a"].difference,
    )


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
    for name in ("this_log_window", "judged_queries"):
        found, other, again = (getattr(each, name) for each in (one, swapped, many))
        assert pytest.approx((-found.difference, found.standard_error), abs=1e-12) == (
            other.difference,
            other.standard_error,
        )
        assert pytest.approx(found.difference, abs=1e-7) == again.difference
        assert (found.interval is None) == (found.reason is not None)
        if found.interval is not None:
            lower, upper = found.interval
            assert -1 - 1e-9 <= lower <= found.difference + 1e-9
            assert found.difference - 1e-9 <= upper <= 1 + 1e-9
            assert pytest.approx((-upper, -lower), abs=1e-7) == other.interval
            assert pytest.approx((lower, upper), abs=1e-7) == again.interval
    json.dumps(asdict(one), allow_nan=False)


def test_a_census_leaves_the_window_without_width() -> None:
    """Nothing was left to the draw."""
    census = tuple(_query(query.query_id, query.log_count, 1.0) for query in SAMPLE)
    found = traffic_estimate(MISSED, _hit("head"), queries=census)

    assert (found.difference, found.difference) == found.this_log_window.interval
    assert 0.0 == found.this_log_window.standard_error
    assert any("no width" in note for note in found.notes)


def test_no_change_among_the_drawn_is_no_certainty() -> None:
    """Four unchanged queries do not show that the hundreds they stand for are unchanged."""
    found = traffic_estimate(MISSED, MISSED, queries=SAMPLE)

    assert (0.0, 0.0) == (found.difference, found.this_log_window.standard_error)
    assert found.this_log_window.interval is not None
    assert found.this_log_window.interval[1] > 0.2
    assert any("0 changed" in note for note in found.notes)


# What is missing, and why


@pytest.mark.parametrize(
    ("queries", "words"),
    [
        ((_query("head", 200, None), *TAIL), "1 query is without a weight ('head')"),
        ((_query("head", None, 1.0), *TAIL), "stand for another population"),
        ((_query("head", None, None, origin="known-item"), *TAIL), "not from the log ('head')"),
    ],
)
def test_without_all_weights_there_is_only_the_plain_mean(
    queries: tuple[Query, ...], words: str
) -> None:
    """A reason instead of a number; the judged queries keep theirs."""
    found = traffic_estimate(MISSED, _hit("head"), queries=queries)

    assert (None, None, None) == (found.difference, found.baseline, found.effective_queries)
    assert words in str(found.reason)
    assert (found.reason, None) == (
        found.this_log_window.reason,
        found.this_log_window.interval,
    )
    assert pytest.approx(0.2) == found.judged_queries.difference


@pytest.mark.parametrize(
    ("asked", "queries", "reason"),
    [
        (
            MISSED.keys(),
            [_query(q.query_id, q.log_count, None, weight=q.weight) for q in SAMPLE],
            "inclusion probability",
        ),
        (["tail0"], SAMPLE, "one query has no spread"),
        (["head", "head2"], (*SAMPLE, _query("head2", 150, 1.0)), "rarer queries"),
    ],
    ids=["no probabilities", "one query", "nothing drawn by chance"],
)
def test_a_window_that_cannot_be_told_says_why(
    asked: list[str], queries: list[Query], reason: str
) -> None:
    """The estimate stands without an interval."""
    values = dict.fromkeys(asked, 0.0)
    found = traffic_estimate(values, dict.fromkeys(asked, 1.0), queries=queries)

    assert 1.0 == pytest.approx(found.difference)
    assert found.this_log_window.interval is None
    assert reason in str(found.this_log_window.reason)


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
    """They are errors of the label set, not gaps in it; and values are shares."""
    with pytest.raises(InputError) as caught:
        traffic_estimate(MISSED, MISSED, queries=queries)
    assert words in str(caught.value)
    with pytest.raises(InputError, match="values from 0 to 1; look at 'head'"):
        traffic_estimate(MISSED, MISSED | {"head": 2.0}, queries=SAMPLE)


def test_queries_that_were_never_searched_for_have_no_traffic() -> None:
    """A group of them is no reason to end a run: it gets the mean of its queries and a word."""
    queries = (HEAD, *(_query(query.query_id, 0, 0.1) for query in TAIL))
    tail = {query.query_id: 0.0 for query in TAIL}
    found = traffic_estimate(tail, tail | {"tail0": 1.0}, queries=queries)

    assert (None, 0.25) == (found.difference, found.judged_queries.difference)
    assert "none of these queries was ever searched for" == found.reason


def test_notes_say_what_was_skipped_and_how_it_was_drawn() -> None:
    """Under equal probabilities one query can outweigh all others, and often is not drawn."""
    skipped = _query("odd", 10, 0.1, skip_reason="not a question")
    found = traffic_estimate(MISSED, _hit("head"), queries=(*SAMPLE, skipped))
    alike = tuple(_query(f"q{at}", count, 0.1) for at, count in enumerate((900, 5, 4, 1)))
    values = {query.query_id: 0.0 for query in alike}

    assert (5, 6) == (found.n, found.drawn)
    assert "1 of the drawn queries were skipped" in str(found.notes)
    assert "too narrow" not in str(found.notes)
    assert "4 queries drawn by chance weigh as 1 equal ones" in str(
        traffic_estimate(values, values, queries=alike).notes
    )


def _many(
    head: tuple[float, float], up: int, down: int, same: int, *, head_count: int
) -> TrafficEstimate:
    """One head query and a tail of hits and misses, each of which stands for ten searches."""
    arms = [head, *([(0.0, 1.0)] * up), *([(1.0, 0.0)] * down), *([(1.0, 1.0)] * same)]
    tail = [_query(f"q{number:03}", 1, 0.1) for number in range(1, len(arms))]
    queries = [_query("q000", head_count, 1.0), *tail]
    pairs = list(zip(queries, arms, strict=True))
    return traffic_estimate(
        {query.query_id: before for query, (before, _) in pairs},
        {query.query_id: after for query, (_, after) in pairs},
        queries=queries,
    )


def test_readings_that_disagree_are_called_out() -> None:
    """The head lost what the rest won: the sentence names both figures; else there is none."""
    found = _many((1.0, 0.0), 12, 2, 86, head_count=500)
    said = str(found.disagreement)

    assert said.startswith("The readings disagree in sign and verdict: traffic of")
    assert "-0.267 (below 0)" in said
    assert "judged queries +0.089" in said
    assert "asked often moved the other way" in said
    assert "names no population: quote the traffic" in said
    assert "disagree in verdict" in str(_many((0.0, 1.0), 6, 4, 90, head_count=400).disagreement)
    assert _many((0.0, 1.0), 30, 2, 68, head_count=20).disagreement is None
    assert _many((1.0, 1.0), 3, 2, 95, head_count=20).disagreement is None
