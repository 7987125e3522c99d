"""Samples proportional to traffic: exact probabilities, and nothing depends on line order."""

import hashlib
import json
import math
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator import InputError
from labeler.logs.queries import LogQuery
from labeler.sampling import draw as sampling
from labeler.sampling.designs import CENSUS
from labeler.sampling.draw import Sample, draw_sample, query_ids
from labeler.sampling.systematic import draw_start, split_certainty, systematic
from labeler.workspace.sample_design import DrawnPart, SampleDesign, SampleWindow

counts_lists = st.lists(st.integers(0, 200), min_size=1, max_size=40).filter(any)
sizes = st.integers(1, 45)
seeds = st.integers(0, 2**32)


def log(*counts: int) -> list[LogQuery]:
    return [LogQuery(f"query {n}", f"Query {n}", count) for n, count in enumerate(counts)]


def probabilities(sample: Sample) -> list[float]:
    return [query.inclusion_probability or 0 for query in sample.queries]


def test_the_window_of_several_logs_heeds_their_zones() -> None:
    """The times of logs are compared as moments, not as texts."""
    logs = [
        {"first_at": "2026-01-02T01:00:00+09:00", "last_at": "2026-01-02T02:00:00+09:00"},
        {"first_at": "2026-01-01T17:00:00", "last_at": "2026-01-01T20:00:00-05:00"},
    ]
    design = draw_sample([LogQuery("a", "a", 1)], size=1, seed=1, logs=logs).design
    assert SampleWindow(logs[0]["first_at"], logs[1]["last_at"]) == design.window


def test_a_small_sample_can_be_checked_by_hand() -> None:
    """Of 4 with counts 6, 2, 1, 1 and size 2, the first is certain and the rest share one draw."""
    sample = draw_sample(log(6, 2, 1, 1), size=2, seed=13)
    head, tail = sorted(sample.queries, key=lambda query: query.stratum or "")
    assert ("Query 0", 1.0, 6.0) == (head.text, head.inclusion_probability, head.weight)
    assert (tail.log_count or 0) / 4 == tail.inclusion_probability
    assert 4.0 == tail.weight


def test_certainty_is_repeated_over_the_rest() -> None:
    """Once 100 is taken, 5 is certain among the rest although it was not before."""
    certain, rest = split_certainty(log(100, 5, 2, 1, 1), size=3)
    assert [100, 5] == [query.count for query in certain]
    assert [2, 1, 1] == [query.count for query in rest]


@given(counts_lists, sizes)
def test_nobody_in_the_rest_would_be_drawn_once_or_more(counts: list[int], size: int) -> None:
    """After the split every n x / X of the rest is below 1, and was not for who was taken."""
    queries = [query for query in log(*counts) if query.count]
    certain, rest = split_certainty(queries, size=size)
    left, total = size - len(certain), sum(query.count for query in rest)
    assert all(left * query.count < total for query in rest)
    if certain:
        least = min(query.count for query in certain)
        assert (left + 1) * least >= total + least


@given(st.lists(st.integers(1, 12), min_size=2, max_size=8), st.integers(1, 7))
def test_over_all_starts_the_probabilities_are_exact(counts: list[int], size: int) -> None:
    """Systematic sampling hits each position in exactly n x of the X starts, n in each."""
    total = sum(counts)
    if any(size * count >= total for count in counts):
        return
    hit = Counter[int]()
    for start in range(total):
        chosen = systematic(counts, size=size, start=start)
        assert size == len(set(chosen))
        hit.update(chosen)
    assert [Fraction(size * count, total) for count in counts] == [
        Fraction(hit[position], total) for position in range(len(counts))
    ]


@given(counts_lists, sizes, seeds)
def test_the_weights_give_back_the_searches(counts: list[int], size: int, seed: int) -> None:
    """The Horvitz-Thompson total of the counts is the number of searches for every sample."""
    sample = draw_sample(log(*counts), size=size, seed=seed)
    weights = [query.weight or 0 for query in sample.queries]
    assert math.isclose(sum(counts), math.fsum(weights), rel_tol=1e-12)
    pairs = zip(sample.queries, probabilities(sample), strict=True)
    assert weights == [(query.log_count or 0) / p for query, p in pairs]


def test_another_seed_draws_another_sample() -> None:
    """The tail differs, the certainty stratum does not."""
    queries = log(500, *[3] * 200)
    one, two = (draw_sample(queries, size=20, seed=seed) for seed in (1, 2))
    drawn = [{query.text for query in sample.queries} for sample in (one, two)]
    assert "Query 0" in drawn[0] & drawn[1]
    assert drawn[0] != drawn[1]


def test_the_draw_does_not_change_with_versions() -> None:
    """Pinned: the order is a SHA-256 of seed and query, and the start one of the seed."""
    sample = draw_sample(log(50, *range(1, 30)), size=6, seed=13)
    assert [
        ("q-d9e38dd9d168", "Query 28"),
        ("q-5cc3b0e9a57a", "Query 26"),
        ("q-3848954a5434", "Query 6"),
        ("q-85d242f7c344", "Query 0"),
        ("q-fe87fd65c091", "Query 19"),
        ("q-25a746c02c3a", "Query 16"),
    ] == [(query.query_id, query.text) for query in sample.queries]
    assert 0 == draw_start(13, below=1)


def test_the_start_can_be_any_number() -> None:
    """Over seeds it reaches the first and the last of the whole numbers below the total."""
    starts = {draw_start(seed, below=7) for seed in range(200)}
    assert set(range(7)) == starts


@pytest.mark.parametrize("size", [3, 4, 1000])
def test_a_log_that_is_small_enough_is_taken_whole(size: int) -> None:
    """Everything comes with probability 1, and the design says so."""
    sample = draw_sample(log(5, 1, 1, 0), size=size, seed=1)
    assert [1.0, 1.0, 1.0] == probabilities(sample)
    assert CENSUS == sample.design.method
    assert (size, 3, 1.0) == (
        sample.design.size,
        sample.design.drawn,
        sample.design.share_of_traffic,
    )


def test_queries_never_searched_for_are_not_drawn() -> None:
    """They are no part of the traffic; how many there are is said."""
    sample = draw_sample(log(3, 0, 2, 0), size=10, seed=1)
    assert {"Query 0", "Query 2"} == {query.text for query in sample.queries}
    assert (2, 2) == (sample.design.population, sample.design.never_searched)


@pytest.mark.parametrize(
    ("queries", "size", "message"),
    [
        (log(1, 2), 0, "A sample of 0 queries"),
        (log(1, 2), -3, "A sample of -3 queries"),
        ([], 5, "no log queries"),
        (log(0, 0), 5, "count 0"),
        (log(2, -1), 5, "below 0"),
        ([*log(1), *log(1)], 5, "more than once"),
    ],
)
def test_what_cannot_be_drawn_is_refused(queries: list[LogQuery], size: int, message: str) -> None:
    """Each refusal says what is wrong with the log or with the size."""
    with pytest.raises(InputError, match=message):
        draw_sample(queries, size=size, seed=1)


def test_the_design_says_how_it_was_drawn() -> None:
    """It holds what the frozen manifest needs, and is JSON."""
    design = draw_sample(log(90, 4, 3, 2, 1), size=3, seed=7, logs=[{"sha256": "ab"}]).design
    assert (7, 3, 5, 100) == (design.seed, design.size, design.population, design.searches)
    assert (1, 3, 0.6) == (design.certainty, design.drawn, design.share_of_queries)
    assert {"certainty": DrawnPart(1, 90, 1), "rest": DrawnPart(4, 10, 2)} == design.strata
    assert "Hartley and Rao" in design.variance
    stored = json.loads(json.dumps(design.to_json()))
    assert (design, [{"sha256": "ab"}]) == (SampleDesign.from_json(stored), stored["logs"])


def test_the_query_keeps_its_spellings() -> None:
    """Text, variants and count go into the sample as they are in the log."""
    variants = (("VPN", 3), ("vpn", 1))
    (query,) = draw_sample([LogQuery("vpn", "VPN", 4, variants)], size=1, seed=1).queries
    digest = hashlib.sha256(b"vpn").hexdigest()
    assert ("VPN", 4, variants, "log") == (
        query.text,
        query.log_count,
        query.variants,
        query.origin,
    )
    assert f"q-{digest[:12]}" == query.query_id


def test_ids_grow_where_two_queries_share_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two hashes that begin alike are told apart by more digits."""
    monkeypatch.setattr(sampling, "_ID_DIGITS", 0)
    ids = query_ids(["a", "b", "c", "d"])
    assert 4 == len(set(ids.values()))
