"""Texts to queries: in memory and through duckdb the same, and reversible."""

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator import InputError
from labeler.logs.arrows import numbers, strings
from labeler.logs.bulk import Batch
from labeler.logs.group import group_in_memory, group_on_disk
from labeler.logs.keys import Keys, normalised
from labeler.logs.private import Choice, Guard

WORDS = (
    *("vpn", "VPN", " vpn", "Sick  Leave", "sick leave", "straße", "STRASSE", "é", "e\u0301"),
    *("a@b.no", "A@b.no", "[e-mail]", "1E+20", "1e+20", "10.0.0.12", "x\x00y", "日本", "12 34"),
)
texts = st.one_of(st.sampled_from(WORDS), st.text(min_size=1, max_size=6))
searches = st.lists(texts.filter(lambda text: text.isprintable() and text.strip()), max_size=30)


def batches(words: list[str], *, counted: bool) -> Iterator[Batch]:
    """The searches a few at a time: one each, some counted already, or all."""
    for start in range(0, max(len(words), 1), 7):
        some = words[start : start + 7]
        if counted:
            counts = Counter(some)
            yield Batch(strings(counts), numbers(np.array([*counts.values()], np.int64)))
        else:
            yield Batch(strings(some))
    if not counted:
        yield Batch(strings(["vpn", "only here"]), numbers(np.array([50, 3])))


@settings(max_examples=60, deadline=None)
@given(searches, st.booleans(), st.booleans(), st.sampled_from([None, "drop", "mask", "keep"]))
def test_both_ways_give_the_same(
    words: list[str], counted: bool, normalise: bool, choice: Choice | None
) -> None:
    """Queries, variants, counts, what is private and what is rounded."""
    counts = Counter(words) + Counter({} if counted else {"vpn": 50, "only here": 3})
    memory, disk = (Keys(Guard(choice), normalise) for _ in range(2))
    expected = group_in_memory(counts, memory)
    found = group_on_disk(batches(words, counted=counted), disk)
    assert tuple(expected.queries) == tuple(found.queries)
    assert tuple(found.queries) == tuple(found.queries)
    assert (expected.searches, expected.raw) == (found.searches, found.raw)
    assert expected.rounded == found.rounded
    assert len(expected.queries) == len(found.queries)
    assert memory.guard.report() == disk.guard.report()


@settings(max_examples=60, deadline=None)
@given(searches, st.booleans())
def test_normalising_can_be_undone(words: list[str], normalise: bool) -> None:
    """The variants of all queries are the raw texts with their counts, each under its key."""
    queries = group_in_memory(Counter(words), Keys(normalise=normalise)).queries
    assert Counter(words) == {text: n for query in queries for text, n in query.variants}
    for query in queries:
        assert query.count == sum(n for _, n in query.variants)
        assert query.text == query.variants[0][0]
        assert all(query.query == (normalised(t) if normalise else t) for t, _ in query.variants)


def test_an_error_of_the_reader_comes_through() -> None:
    """It is not hidden behind an error of duckdb."""

    def failing() -> Iterator[Batch]:
        yield Batch(strings(["vpn"]))
        raise InputError("the file ended too early")

    with pytest.raises(InputError, match="the file ended too early"):
        group_on_disk(failing(), Keys())


def test_several_logs_wait_at_once() -> None:
    """One does not disturb the queries of another, however they are gone through."""
    first = group_on_disk(iter([Batch(strings(["a", "b", "a"]))]), Keys())
    second = group_on_disk(iter([Batch(strings(["c"]))]), Keys())
    pairs = list(zip(first.queries, second.queries, strict=False))
    assert [("a", "c")] == [(one.text, other.text) for one, other in pairs]
    assert ["a", "b"] == [query.text for query in first.queries]
