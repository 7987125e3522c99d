"""The designs: exact probabilities where there are any, and none where there are not."""

import math
import random
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeler.logs.queries import LogQuery
from labeler.sampling.design_text import design_text
from labeler.sampling.designs import CENSUS, DESIGNS
from labeler.sampling.draw import draw_sample, stratum_name
from labeler.sampling.strata import Strata, text_strata
from labeler.sampling.systematic import PERMANENT_NUMBERS, permanent_number
from labeler.workspace.sample_design import DesignName, DrawnPart, SampleWindow
from tests.labeler.sampling.test_draw import log

counts_lists = st.lists(st.integers(0, 60), min_size=1, max_size=25).filter(any)
names = st.sampled_from(sorted(DESIGNS))
DRAWS = 3000
JANUARY = {"first_at": "2026-01-01", "last_at": "2026-01-31"}
MARCH = {"first_at": "2026-03-01", "last_at": "2026-03-31"}
WEST = {"first_at": "2026-01-01T17:00:00", "last_at": "2026-01-01T20:00:00-05:00"}
EAST = {"first_at": "2026-01-02T01:00:00+09:00", "last_at": "2026-01-01T23:00:00"}


def in_two_strata(queries: list[LogQuery]) -> Strata:
    """Even and odd numbers."""
    kind = {q.query: "even" if int(q.query[6:]) % 2 == 0 else "odd" for q in queries}
    return Strata(("parity",), ("by parity",), kind)


def test_a_sample_that_chance_left_empty_says_so() -> None:
    """None of three was below its number, and yet nothing was certain."""
    samples = (draw_sample(log(1, 1, 1), size=1, seed=n, design="permanent") for n in range(99))
    empty = next(sample for sample in samples if not sample.queries)
    assert DESIGNS["permanent"].variance == empty.design.variance
    text = design_text(empty.design)
    assert "by chance        3         3      100.0%              0" in text


@pytest.mark.parametrize("design", ["proportional", "permanent", "uniform"])
@pytest.mark.parametrize("stratified", [False, True])
def test_each_query_comes_as_often_as_its_probability(design: DesignName, stratified: bool) -> None:
    """Over 3,000 seeds, within 5 sigma, and no query has two probabilities."""
    queries = log(30, 9, 8, 8, 5, 4, 3, 2, 1, 1, 1, 1)
    strata = in_two_strata(queries) if stratified else Strata()
    hit: Counter[str] = Counter()
    stated: dict[str, float] = {}
    for seed in range(DRAWS):
        sample = draw_sample(queries, seed=seed, size=5, design=design, strata=strata)
        for query in sample.queries:
            hit[query.text] += 1
            p = query.inclusion_probability or 0
            assert p == stated.setdefault(query.text, p)
    assert math.isclose(5, sum(stated.values()))
    for text, p in stated.items():
        assert abs(hit[text] / DRAWS - p) <= 5 * math.sqrt(p * (1 - p) / DRAWS), text


@given(counts_lists, st.integers(1, 30), names, st.randoms(use_true_random=False))
def test_the_order_of_queries_does_not_matter(
    counts: list[int], size: int, design: DesignName, order: random.Random
) -> None:
    """For every design a sample depends on the seed and on the counts alone."""
    queries = log(*counts)
    first = draw_sample(queries, size=size, seed=7, design=design)
    order.shuffle(queries)
    assert first == draw_sample(queries, size=size, seed=7, design=design)


@given(counts_lists, st.integers(2, 30), st.integers(0, 99))
def test_strata_give_what_was_allotted(counts: list[int], size: int, seed: int) -> None:
    """The sample of each stratum has its target, and weights give back its searches."""
    queries = log(*counts)
    sample = draw_sample(queries, size=size, seed=seed, strata=in_two_strata(queries))
    for name, allotted in sample.design.allocation.items():
        drawn = [q for q in sample.queries if (q.stratum or "").rpartition(": ")[0] == name]
        assert allotted.target == allotted.drawn == len(drawn)
        weight = math.fsum(query.weight or 0 for query in drawn)
        assert math.isclose(allotted.searches, weight, rel_tol=1e-12)


def test_certainty_is_decided_inside_each_stratum() -> None:
    """Half the searches of a small stratum that gives two, and 3 of 1,006 in the whole log."""
    queries = log(300, 3, 200, 1, 250, 1, 250, 1)
    sample = draw_sample(queries, size=6, seed=1, strata=in_two_strata(queries))
    assert "odd: certainty" == {query.text: query.stratum for query in sample.queries}["Query 1"]
    assert {
        "even: certainty": DrawnPart(4, 1000, 4),
        "even: rest": DrawnPart(0, 0, 0),
        "odd: certainty": DrawnPart(1, 3, 1),
        "odd: rest": DrawnPart(3, 3, 1),
    } == sample.design.strata


def test_strata_are_drawn_apart() -> None:
    """Two strata with the same queries do not start at the same place."""
    queries = [LogQuery(f"{half} {n}", f"{half} {n}", 1) for half in "ab" for n in range(50)]
    strata = Strata(("half",), ("",), {q.query: q.query[0] for q in queries})
    both = 0
    for seed in range(200):
        texts = {q.text for q in draw_sample(queries, size=20, seed=seed, strata=strata).queries}
        both += sum(f"b {text[2:]}" in texts for text in texts if text.startswith("a "))
    assert abs(both / 200 - 10 * 10 / 50) < 0.3


def test_the_most_frequent_have_no_weight() -> None:
    """No design drew these queries, so they stand for no others."""
    sample = draw_sample(log(9, 8, 7, 1, 1), size=3, seed=1, design="top")
    assert {"Query 0", "Query 1", "Query 2"} == {query.text for query in sample.queries}
    assert {(None, None, "top")} == {
        (query.inclusion_probability, query.weight, query.stratum) for query in sample.queries
    }
    assert sample.design.effective_queries is None
    assert "no estimate for the traffic" in sample.design.cannot_say


def test_ties_at_the_end_of_the_most_frequent_go_by_the_seed() -> None:
    """Of ten queries searched for equally often any may be taken, always the same for a seed."""
    samples = (draw_sample(log(5, *[1] * 10), size=2, seed=s, design="top") for s in range(60))
    last = {q.text for sample in samples for q in sample.queries if q.log_count == 1}
    assert 5 < len(last)


@pytest.mark.parametrize("design", sorted(DESIGNS))
def test_everything_is_a_census_under_any_design(design: DesignName) -> None:
    """When no query is left out, nothing is left to chance; else the design says what it cannot."""
    for size in (3, 1000):
        sample = draw_sample(log(3, 1, 1, 0), size=size, seed=1, design=design)
        assert [1.0] * 3 == [query.inclusion_probability for query in sample.queries]
        whole = sample.design
        assert (CENSUS, size, 3) == (whole.method, whole.size, whole.drawn)
        assert (3, 1, 1.0) == (whole.population, whole.never_searched, whole.share_of_traffic)
        assert whole.variance.startswith("none")
    part = draw_sample(log(*range(1, 40)), size=10, seed=1, design=design).design
    assert (design, DESIGNS[design].cannot_say) == (part.design, part.cannot_say)


def test_a_uniform_sample_is_worth_few_queries_for_the_traffic() -> None:
    """480 of 3,000 by a power law are worth less than half of a proportional sample."""
    queries = log(*[1 + int(900 / rank**0.7) for rank in range(1, 3001)])
    designs: tuple[DesignName, ...] = ("proportional", "uniform")
    samples = (draw_sample(queries, size=480, seed=5, design=design) for design in designs)
    proportional, uniform = (sample.design.effective_queries or 0 for sample in samples)
    assert 0 < uniform < proportional / 2


def test_permanent_numbers_are_pinned() -> None:
    """The same query has the same number in every version, another one with another salt."""
    assert "0xa72d" == hex(permanent_number("vpn", salt="13"))[:6]
    assert permanent_number("vpn", salt="13") != permanent_number("vpn", salt="14")
    assert 0 <= permanent_number("", salt="") < PERMANENT_NUMBERS


@given(counts_lists, st.integers(1, 20))
def test_a_permanent_number_below_the_probability_is_drawn(counts: list[int], size: int) -> None:
    """Decided in whole numbers, so that the stated probability is the one that was used."""
    queries = log(*counts)
    sample = draw_sample(queries, size=size, seed=3, design="permanent")
    rest = sample.design.strata.get("rest", DrawnPart(0, 0, 0))
    left = size - sample.design.certainty
    for query in sample.queries:
        if query.stratum == "rest":
            number = Fraction(permanent_number(query.text.lower(), salt="3"), PERMANENT_NUMBERS)
            assert number < Fraction(left * (query.log_count or 0), rest.searches)


def test_a_stratum_and_its_part_are_one_name() -> None:
    """Readable, and taken apart again even if the stratum's name has a colon."""
    for stratum in ("", "question", "a: b / c"):
        parts = stratum_name(stratum, "rest").rpartition(": ")
        assert (stratum, "rest") == (parts[0], parts[2])
    assert ("certainty", "x: rest") == (stratum_name("", "certainty"), stratum_name("x", "rest"))


@pytest.mark.parametrize(
    ("logs", "expected"),
    [
        ((MARCH, JANUARY), SampleWindow("2026-01-01", "2026-03-31")),
        ((WEST, EAST), SampleWindow(EAST["first_at"], WEST["last_at"])),
        ((JANUARY, {"first_at": None, "last_at": None}), SampleWindow()),
        ((), SampleWindow()),
    ],
)
def test_the_window_is_that_of_all_logs(
    logs: tuple[dict[str, str | None], ...], expected: SampleWindow
) -> None:
    """With their zones; unknown as soon as one log does not say when it was."""
    assert expected == draw_sample(log(2, 1), size=1, seed=1, logs=logs).design.window


def test_text_strata_can_be_crossed() -> None:
    """Every rule is in the design, every stratum has the names of both."""
    queries = [LogQuery(t, t, 1) for t in ("how do i pay", "pay", "pay slip", "can i pay it late")]
    strata = text_strata(queries, by=["type", "length"])
    design = draw_sample(queries, size=3, seed=1, strata=strata).design
    names = {"keywords / 1 word", "keywords / 2 or 3 words", "question / 4 to 7 words"}
    assert names == set(design.allocation)
    assert (("type", "length"), 2) == (design.by, len(design.rules))
