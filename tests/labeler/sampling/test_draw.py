"""Samples proportional to traffic: exact probabilities, and nothing depends on line order."""

import hashlib
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator import InputError
from labeler.logs.queries import LogQuery
from labeler.sampling import draw as sampling
from labeler.sampling.draw import draw_sample, query_ids
from labeler.workspace.sample_design import DrawnPart, SampleDesign

counts_lists = st.lists(st.integers(0, 200), min_size=1, max_size=40).filter(any)


def log(*counts: int) -> list[LogQuery]:
    return [LogQuery(f"query {n}", f"Query {n}", count) for n, count in enumerate(counts)]


def test_a_small_sample_can_be_checked_by_hand() -> None:
    """Of 4 with counts 6, 2, 1, 1 and size 2, the first is certain and the rest share one draw."""
    sample = draw_sample(log(6, 2, 1, 1), size=2, seed=13)
    head, tail = sorted(sample.queries, key=lambda query: query.stratum or "")
    assert ("Query 0", 1.0, 6.0) == (head.text, head.inclusion_probability, head.weight)
    assert (tail.log_count or 0) / 4 == tail.inclusion_probability
    assert 4.0 == tail.weight


@given(counts_lists, st.integers(1, 45), st.integers(0, 2**32))
def test_the_weights_give_back_the_searches(counts: list[int], size: int, seed: int) -> None:
    """The Horvitz-Thompson total of the counts is the number of searches for every sample."""
    queries = draw_sample(log(*counts), size=size, seed=seed).queries
    weights = [query.weight or 0 for query in queries]
    assert math.isclose(sum(counts), math.fsum(weights), rel_tol=1e-12)
    assert weights == [(q.log_count or 0) / (q.inclusion_probability or 0) for q in queries]


def test_the_draw_does_not_change_with_versions() -> None:
    """Pinned: the order is a SHA-256 of seed and query, and the start one of the seed."""
    drawn = draw_sample(log(50, *range(1, 30)), size=6, seed=13).queries
    assert ["Query 28", "Query 26", "Query 6", "Query 0", "Query 19", "Query 16"] == [
        query.text for query in drawn
    ]
    assert "q-d9e38dd9d168" == drawn[0].query_id
    again = draw_sample(log(50, *range(1, 30)), size=6, seed=14).queries
    assert {query.text for query in drawn} != {query.text for query in again}


@pytest.mark.parametrize(
    ("queries", "size", "message"),
    [
        (log(1, 2), 0, "A sample of 0 queries"),
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
    assert ("VPN", 4, variants) == (query.text, query.log_count, query.variants)
    assert ("log", f"q-{hashlib.sha256(b'vpn').hexdigest()[:12]}") == (query.origin, query.query_id)


def test_ids_grow_where_two_queries_share_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two hashes that begin alike are told apart by more digits."""
    monkeypatch.setattr(sampling, "_ID_DIGITS", 0)
    ids = query_ids(["a", "b", "c", "d"])
    assert 4 == len(set(ids.values()))
