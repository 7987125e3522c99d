"""Kinds of queries by their text alone."""

import pytest

from labeler.logs.queries import LogQuery
from labeler.sampling.strata import Strata, query_length, query_type, text_strata


@pytest.mark.parametrize(
    "text",
    [
        *("Can I bring my dog", "vpn token lost?", 'who owns the moulds ?"', "is the office open"),
        *("wie beantrage ich Urlaub", "hvordan søke ferie", "när får jag lön", "où est la cantine"),
        *("¿dónde está la cantina?", "如何申请休假？", "كيف أطلب إجازة؟"),
    ],
)
def test_a_question_is_known_by_its_mark_or_its_first_words(text: str) -> None:
    """In several languages, with or without a mark."""
    assert "question" == query_type(text)


@pytest.mark.parametrize(
    "text",
    [
        *("", "?", "vpn", "museum?", "who guidelines", "what if", "can opener electric"),
        *("will and testament", "leave how to", "is", "howitzer range table"),
    ],
)
def test_other_queries_are_keywords(text: str) -> None:
    """A wildcard, a title and an organisation are no questions."""
    assert "keywords" == query_type(text)


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("", "1 word"),
        ("???", "1 word"),
        ("don't", "1 word"),
        ("curcumin / cancer cure", "2 or 3 words"),
        ("how do i pay", "4 to 7 words"),
        ("one two three four five six seven", "4 to 7 words"),
        ("one two three four five six seven eight", "8 words or more"),
    ],
)
def test_length_is_counted_in_words(text: str, length: str) -> None:
    """Signs between words do not count."""
    assert length == query_length(text)


def test_no_rule_makes_one_stratum_without_a_name() -> None:
    """Which is how a log is drawn from unless asked otherwise."""
    queries = [LogQuery("a", "a", 1), LogQuery("b", "b", 1)]
    assert {"": queries} == Strata().split(queries) == text_strata(queries, by=[]).split(queries)
