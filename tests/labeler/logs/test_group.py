"""Texts to queries: in memory and through temporary files the same, and reversible."""

import random
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator import InputError
from labeler.logs import group as grouping
from labeler.logs.group import Grouped, Keys, group, normalised
from labeler.logs.private import Guard

WORDS = (
    *("vpn", "VPN", " vpn", "Sick  Leave", "sick leave", "straße", "STRASSE", "é", "e\u0301"),
    *("a@b.no", "A@b.no", "[e-mail]", "1E+20", "1e+20", "10.0.0.12", "日本", "12 34"),
)
texts = st.one_of(st.sampled_from(WORDS), st.text(min_size=1, max_size=6))
searches = st.lists(
    st.tuples(texts.filter(lambda text: text.isprintable() and text.strip()), st.integers(0, 9)),
    max_size=30,
)


def on_disk(found: Iterator[tuple[str, int]], keys: Keys) -> Grouped:
    """The queries, where three texts are too many for memory."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grouping, "TEXTS_IN_MEMORY", 3)
        return group(found, keys)


@settings(max_examples=40, deadline=None)
@given(searches, st.booleans(), st.sampled_from([None, "drop", "mask", "keep"]))
def test_both_ways_give_the_same(
    found: list[tuple[str, int]], normalise: bool, choice: str | None
) -> None:
    """Queries, variants, counts, what is private and what is rounded."""
    memory, disk = (Keys(Guard(choice), normalise) for _ in range(2))
    expected, got = group(found, memory), on_disk(iter(found), disk)
    assert tuple(expected.queries) == tuple(got.queries) == tuple(got.queries)
    assert (expected.searches, expected.raw) == (got.searches, got.raw)
    assert (expected.rounded, len(expected.queries)) == (got.rounded, len(got.queries))
    assert memory.guard.report() == disk.guard.report()


@settings(max_examples=60, deadline=None)
@given(searches, st.booleans())
def test_normalising_can_be_undone(found: list[tuple[str, int]], normalise: bool) -> None:
    """The variants of all queries are the raw texts with their counts, each under its key."""
    counts: Counter[str] = Counter()
    for text, count in found:
        counts[text] += count
    queries = group(found, Keys(normalise=normalise)).queries
    assert counts == {text: n for query in queries for text, n in query.variants}
    for query in queries:
        assert query.count == sum(n for _, n in query.variants)
        assert query.text == query.variants[0][0]
        assert all(query.query == (normalised(t) if normalise else t) for t, _ in query.variants)


@given(searches, st.randoms(use_true_random=False))
def test_the_order_of_lines_does_not_matter(
    found: list[tuple[str, int]], order: random.Random
) -> None:
    """Shuffled lines give the same queries, shown forms and counts; no search is lost."""
    first = group(found, Keys())
    order.shuffle(found)
    assert tuple(first.queries) == tuple(group(found, Keys()).queries)
    assert sum(n for _, n in found) == first.searches


def test_an_error_of_the_reader_comes_through() -> None:
    """It is not hidden behind an error of duckdb."""

    def failing() -> Iterator[tuple[str, int]]:
        yield from zip("abcdef", range(6), strict=True)
        raise InputError("the file ended too early")

    with pytest.raises(InputError, match="the file ended too early"):
        on_disk(failing(), Keys())


def test_several_logs_wait_at_once() -> None:
    """One does not disturb the queries of another, however they are gone through."""
    first, second = (
        on_disk(iter([(text, 1) for text in letters]), Keys()) for letters in ("abcda", "efgh")
    )
    pairs = list(zip(first.queries, second.queries, strict=True))
    assert list("abcd") == [one.text for one, _ in pairs]
    assert list("efgh") == [other.text for _, other in pairs]
    assert list("abcd") == [query.text for query in first.queries]
