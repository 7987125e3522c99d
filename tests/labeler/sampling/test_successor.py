"""A successor keeps as many queries as it can, and its probabilities are those it states."""

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator import InputError
from evaluator.labelset.format import LabelSet, Query
from labeler.logs.queries import LogQuery
from labeler.sampling.designs import DesignName
from labeler.sampling.draw import Sample, draw_sample
from labeler.sampling.former_sample import KnownSample
from labeler.sampling.strata import Strata, text_strata
from labeler.sampling.successor import draw_successor, inclusion_chances

DRAWS = 1500
COORDINATED = ("proportional", "permanent", "uniform")
THEN = [
    LogQuery(f"query {n}", f"query {n}", count)
    for n, count in enumerate([60, 20, 9, 8, 7, 6, 5, 5, 4, 3, 3, 2, 2, 1, 1, 1, 1, 1, 1, 1])
]
# some asked more, some less, some no longer, and some that nobody asked then
NOW = [
    LogQuery(f"query {n}", f"query {n}", count)
    for n, count in enumerate([30, 40, 9, 2, 0, 6, 15, 5, 4, 8, 3, 0, 4, 1, 1, 3, 1, 0, 0, 1])
] + [LogQuery(f"new {n}", f"new {n}", count) for n, count in enumerate([12, 3, 1, 1])]


def known(sample: Sample, name: str = "then") -> KnownSample:
    return KnownSample(
        name, f"sha {name}", sample.design, {query.query_id: query for query in sample.queries}
    )


def drawn_then(seed: int, *, size: int = 8, design: DesignName = "proportional") -> KnownSample:
    sample = draw_sample(THEN, size=size, seed=seed, design=design)
    return known(sample, f"then {seed}")


def chances(sample: KnownSample, log: Sequence[LogQuery]) -> dict[str, Fraction]:
    asked = [query for query in log if query.count > 0]
    return {q: Fraction(*p) for q, p in inclusion_chances(sample, asked, strata=Strata()).items()}


@pytest.mark.parametrize("design", COORDINATED)
def test_over_former_draws_each_query_comes_as_often_as_its_probability(
    design: DesignName,
) -> None:
    """1,500 former samples, each with its successor: within 5 sigma for every query."""
    hit: Counter[str] = Counter()
    sizes = 0
    stated: dict[str, float] = {}
    for seed in range(DRAWS):
        former = drawn_then(seed, design=design)
        successor = draw_successor(NOW, former=former, former_log=THEN, size=8, seed=seed)
        hit.update(query.text for query in successor.queries)
        stated |= {q.text: q.inclusion_probability or 0.0 for q in successor.queries}
        sizes += len(successor.queries)
    assert math.isclose(8, sum(stated.values()))
    assert abs(sizes / DRAWS - 8) < 0.2
    for text, p in stated.items():
        assert abs(hit[text] / DRAWS - p) <= 5 * math.sqrt(p * (1 - p) / DRAWS), text


@pytest.mark.parametrize("design", COORDINATED)
def test_the_overlap_is_the_largest_there_can_be(design: DesignName) -> None:
    """The sum of the smaller of both probabilities; independent samples share far fewer."""
    most = 0.0
    overlap, expected, independent = [], [], []
    for seed in range(DRAWS):
        former = drawn_then(seed, design=design)
        successor = draw_successor(NOW, former=former, former_log=THEN, size=8, seed=seed)
        if seed == 0:
            then, now = chances(former, THEN), chances(known(successor), NOW)
            most = float(sum(min(p, then.get(query, Fraction(0))) for query, p in now.items()))
        overlap.append(successor.design["refresh"]["stay"])
        expected.append(successor.design["refresh"]["expected_to_stay"])
        other = draw_sample(NOW, size=8, seed=seed + DRAWS)
        texts = {query.text for query in former.query_by_id.values()}
        independent.append(sum(query.text in texts for query in other.queries))
    assert pytest.approx(most, abs=0.12) == sum(overlap) / DRAWS
    assert pytest.approx(most, abs=0.12) == sum(expected) / DRAWS
    assert sum(independent) / DRAWS < most - 1


@pytest.mark.parametrize("design", COORDINATED)
@given(seed=st.integers(0, 10_000))
@settings(max_examples=20)
def test_an_unchanged_log_keeps_every_query(design: DesignName, seed: int) -> None:
    """A sample by searches is its own successor; a uniform one keeps what is still due."""
    former = drawn_then(seed, design=design)
    successor = draw_successor(THEN, former=former, former_log=THEN, size=8, seed=seed + 1)
    if design == "uniform":
        then, now = chances(former, THEN), chances(known(successor), THEN)
        sure = {q for q in now if now[q] >= then[q] and former.drawn(q) is not None}
        assert sure <= {query.text for query in successor.queries}
    else:
        assert former.query_by_id.keys() == {query.query_id for query in successor.queries}
        refresh = successor.design["refresh"]
        assert (0, 0) == (refresh["come"], refresh["go"])


@given(st.integers(0, 10_000), st.integers(5, 12))
@settings(max_examples=30)
def test_a_query_that_is_asked_for_more_is_not_lost(seed: int, size: int) -> None:
    """Its number was below its probability, which has grown."""
    former = drawn_then(seed)
    successor = draw_successor(NOW, former=former, former_log=THEN, size=size, seed=3)
    then, now = chances(former, THEN), chances(known(successor), NOW)
    texts = {query.text for query in successor.queries}
    for query in former.query_by_id.values():
        if query.text in now and now[query.text] >= then[query.text]:
            assert query.text in texts


def test_a_chain_of_permanent_samples_needs_no_former_log() -> None:
    """The seed alone gives the numbers, in the first successor and in the next."""
    first = drawn_then(5, design="permanent")
    second = draw_successor(NOW, former=first, size=8, seed=99)
    third = draw_successor(THEN, former=known(second), size=8, seed=7)
    assert ("5", False) == tuple(second.design["refresh"][key] for key in ("salt", "stretched"))
    assert first.query_by_id.keys() == {query.query_id for query in third.queries}


def test_a_chain_of_other_samples_takes_fresh_numbers() -> None:
    """The old ones say which queries are in the sample, so they are no longer random."""
    second = draw_successor(NOW, former=drawn_then(5), former_log=THEN, size=8, seed=5)
    third = draw_successor(THEN, former=known(second), former_log=NOW, size=8, seed=5)
    salts = {sample.design["refresh"]["salt"] for sample in (second, third)}
    assert 2 == len(salts)
    assert third.design["refresh"]["stretched"]


def test_what_changed_is_counted() -> None:
    """Those that stay, come, go, and are no longer asked, add up."""
    former = drawn_then(1)
    successor = draw_successor(NOW, former=former, former_log=THEN, size=8, seed=1)
    refresh = successor.design["refresh"]
    texts = {query.text for query in former.query_by_id.values()}
    assert refresh["stay"] == sum(query.text in texts for query in successor.queries)
    assert len(successor.queries) == refresh["stay"] + refresh["come"]
    assert 8 == refresh["stay"] + refresh["go"]
    gone = {"query 4", "query 11", "query 17", "query 18"}
    assert refresh["no_longer_asked"] == len(texts & gone)
    assert ("then 1", "sha then 1") == (refresh["labels"], refresh["sha256"])


def test_strata_of_both_samples_are_respected() -> None:
    """Former probabilities are those within the former strata, by the same rule."""
    log = [LogQuery(t, t, 3) for t in (f"how do i {n}" for n in range(20))]
    log += [LogQuery(t, t, 2) for t in (f"word{n}" for n in range(40))]
    strata = text_strata(log, by=["type"])
    former = known(draw_sample(log, size=20, seed=4, strata=strata))
    successor = draw_successor(log, former=former, former_log=log, size=20, seed=1, strata=strata)
    assert former.query_by_id.keys() == {query.query_id for query in successor.queries}
    assert {"keywords: rest", "question: rest"} == {q.stratum for q in successor.queries}


def test_the_most_frequent_have_no_successor() -> None:
    """There is no probability to coordinate with."""
    former = drawn_then(1, design="top")
    with pytest.raises(InputError, match="no inclusion probabilities"):
        draw_successor(NOW, former=former, former_log=THEN, size=8, seed=1)


def test_the_former_log_must_be_there_and_be_the_right_one() -> None:
    """Else queries that were not drawn then would come too often."""
    former = drawn_then(1)
    with pytest.raises(InputError, match="--former WORK"):
        draw_successor(NOW, former=former, size=8, seed=1)
    with pytest.raises(InputError, match="This is not the log that label set then 1 was drawn"):
        draw_successor(NOW, former=former, former_log=NOW, size=8, seed=1)


def by_last_digit(queries: Sequence[LogQuery]) -> Strata:
    return Strata(("month",), ("by month",), {q.query: q.query[-1] for q in queries})


def test_strata_that_the_text_does_not_tell_are_asked_for() -> None:
    """A column of the former log is not kept with its queries; wrong strata are found out."""
    former = known(draw_sample(THEN, size=12, seed=1, strata=by_last_digit(THEN)))
    with pytest.raises(InputError, match="stratified by month"):
        draw_successor(NOW, former=former, former_log=THEN, size=8, seed=1)
    wrong = Strata(("month",), ("by month",), {q.query: "x" for q in THEN})
    with pytest.raises(InputError, match="and would be in 'x' now"):
        draw_successor(NOW, former=former, former_log=THEN, former_strata=wrong, size=8, seed=1)


def test_an_unchanged_log_in_strata_keeps_every_query() -> None:
    """Also where only the former log's files tell the strata."""
    strata = by_last_digit(THEN)
    for seed in range(50):
        former = known(draw_sample(THEN, size=12, seed=seed, strata=strata))
        successor = draw_successor(
            THEN,
            former=former,
            former_log=THEN,
            former_strata=strata,
            size=12,
            seed=seed + 1,
            strata=strata,
        )
        assert former.query_by_id.keys() == {query.query_id for query in successor.queries}


def label_set(*queries: Query, sampling: object = None) -> LabelSet:
    manifest = {"name": "first", "sampling": sampling}
    return LabelSet(Path("first"), "ab", manifest, queries, {}, {})


def test_a_set_without_a_log_is_no_sample() -> None:
    """Imported and authored queries have neither age nor successor."""
    with pytest.raises(InputError, match="was not drawn from a log"):
        KnownSample.of_labels(label_set(Query("q1", "x"), sampling=None))


def test_a_newer_log_is_read_as_the_former_one_was() -> None:
    """With the same choice about private data; a set that does not say was read as usual."""
    private = {"choice": "mask", "identifiers": ["K-1"], "regions": ["DE"]}
    logs = [{"normalising": "none", "private": private}]
    assert {
        "normalise": False,
        "private": "mask",
        "identifiers": ("K-1",),
        "regions": ("DE",),
    } == KnownSample("", "", {"logs": logs}, {}).reading
    assert {"normalise": True, "private": None, "identifiers": (), "regions": ()} == KnownSample(
        "", "", {}, {}
    ).reading


def test_a_set_knows_its_queries_by_their_hash() -> None:
    """Whatever else it holds, and however many digits its ids have."""
    (drawn,) = draw_sample([LogQuery("vpn", "VPN", 2)], size=1, seed=1).queries
    other = Query("known-item-1", "VPN", origin="known-item")
    sample = KnownSample.of_labels(label_set(drawn, other, sampling={"method": "m"}))
    assert ("proportional", drawn, None) == (sample.kind, sample.drawn("vpn"), sample.drawn("VPN"))
