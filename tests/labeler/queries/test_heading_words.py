"""Queries made from headings are told by their words; other people's are not."""

import json
import random

import pytest

from evaluator.labelset.format import Origin, Query
from evaluator.snapshot.chunk import Chunk
from labeler.queries.heading_words import (
    Vocabulary,
    WordingCheck,
    check_wording,
    read_vocabulary,
    wording_text,
)

BODIES = (
    "Tell your boss four weeks before your holiday begins and write it into the calendar.",
    "Unused holiday is paid out in July with your wages unless your boss says otherwise.",
    "A parking place costs fourteen euros a month and is taken from your wages.",
    "Visitors leave their car behind the packing hall and ring the bell.",
    "Install the client on your laptop and sign in with the token from your boss.",
    "If your laptop is lost ring the office and a token for another one is sent.",
)
PATHS = (
    ("Absence policy", "Entitlement", "Notice periods"),
    ("Absence policy", "Remuneration"),
    ("Facilities", "Parking permits"),
    ("Facilities", "Parking permits"),
    ("Remote access", "Client installation"),
    ("Remote access", "Incident reporting"),
)
CHUNKS = [
    Chunk(f"c{n}", f"d{n}", body, path[0], path[1:], "", {})
    for n, (body, path) in enumerate(zip(BODIES, PATHS, strict=True))
]
TYPED = (
    "holiday wages", "lost laptop", "parking costs", "boss holiday july", "client laptop",
    "visitors car hall", "token office", "calendar weeks", "write calendar", "ring bell",
    "parking month", "wages july", "laptop token", "packing hall", "car bell", "holiday weeks",
    "office ring", "place costs", "client token", "unused weeks", "fourteen euros", "month euros",
)  # fmt: skip


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    return read_vocabulary(CHUNKS)


def query(text: str, origin: Origin = "authored") -> Query:
    return Query(text, text, origin=origin)


def check(vocabulary: Vocabulary, *texts: str, log: tuple[str, ...] = TYPED) -> WordingCheck:
    return check_wording([query(text) for text in texts], vocabulary, log=log)


def test_the_score_can_be_checked_by_hand(vocabulary: Vocabulary) -> None:
    """Of the words that one body holds, two stand in headings: client and parking."""
    once = [word for word, chunks in vocabulary.bodies.items() if chunks == 1]
    assert pytest.approx(2 / len(once)) == vocabulary.expected[1]
    assert pytest.approx(1.0) == vocabulary.score(["entitlement"])
    assert pytest.approx((1 + 0) / 2 - 2 / len(once)) == vocabulary.score(["client", "calendar"])


def test_words_of_headings_alone_are_flagged(vocabulary: Vocabulary) -> None:
    """Not one of the 22 queries that people typed has so many."""
    found = check(vocabulary, "absence entitlement", "lost token")
    assert [True, False] == [each.flagged for each in found.queries]
    assert ("absence", "entitlement") == found.queries[0].in_headings
    record = json.loads(json.dumps(found.as_record()))
    assert ["absence entitlement"] == record["flagged"]
    assert record["rule"].startswith("score: the share of a query's content words")


def test_no_query_is_left_out(vocabulary: Vocabulary) -> None:
    """Not even one of words that are everywhere, which say nothing; a log's are not checked."""
    assert ["holiday"] == vocabulary.content_words("How is your holiday, it?! and and")
    queries = [query("absence entitlement"), query("what is it"), query("parking", "known-item")]
    found = check_wording([*queries, query("vpn", "log")], vocabulary, log=TYPED)
    by_text = {each.text: each for each in found.queries}
    assert {"absence entitlement", "what is it", "parking"} == by_text.keys()
    assert (None, None) == (by_text["what is it"].score, by_text["what is it"].as_high)


def test_a_query_is_compared_with_its_own_length(vocabulary: Vocabulary) -> None:
    """One word has no equals in a log of two-word queries; an empty snapshot has no words."""
    (found,) = check(vocabulary, "entitlement").queries
    assert (None, False) == (found.as_high, found.flagged)
    assert found.score is not None
    (found,) = check(read_vocabulary([]), "absence entitlement").queries
    assert (0.0, False) == (found.score, found.flagged)


def test_a_group_is_judged_as_a_whole(vocabulary: Vocabulary) -> None:
    """Three flags of four queries are not chance; known-answer queries are a group apart."""
    queries = [
        *map(query, ("absence entitlement", "access policy", "incident reporting", "lost token")),
        query("boss holiday", "known-item"),
    ]
    authored, known = check_wording(queries, vocabulary, log=TYPED).groups
    assert ("authored", 4, 3) == (authored.origin, authored.checked, authored.flagged)
    assert pytest.approx(0.2) == authored.by_chance
    assert pytest.approx(4 * 0.05**3 * 0.95 + 0.05**4) == authored.p
    assert (0, 1.0) == (known.flagged, known.p)


def test_a_log_is_not_flagged_against_itself(vocabulary: Vocabulary) -> None:
    """At most one in twenty is, whatever people typed."""
    coin = random.Random(5)
    words = [word for body in BODIES for word in vocabulary.content_words(body)]
    words += ["parking", "permits", "remote", "access", "notice"]
    typed = [" ".join(coin.sample(words, 2)) for _ in range(600)]
    found = check_wording(map(query, typed[300:]), vocabulary, log=typed[:300])
    assert sum(each.flagged for each in found.queries) <= 0.05 * 300 + 12


def test_without_a_log_nothing_is_flagged(vocabulary: Vocabulary) -> None:
    """Scores are listed, the highest first, for people to read."""
    found = check(vocabulary, "lost token", "absence entitlement", log=())
    assert not any(each.flagged for each in found.queries)
    lines = wording_text(found).splitlines()
    assert "no query log to compare with" in lines[0]
    assert lines[1].startswith("  +1.00 absence entitlement")


def test_the_check_reads_as_a_page(vocabulary: Vocabulary) -> None:
    """What it was compared with, the groups, the flagged, and what a flag is for."""
    lines = wording_text(check(vocabulary, "absence entitlement", "lost token", "a")).splitlines()
    assert "Compared with 22 queries of the log." == lines[0]
    assert "authored: 1 of 2 queries have more words of headings than 95%" in lines[1]
    assert lines[2].startswith("Not compared: 1 of 3 queries")
    assert (
        "  absence entitlement: 'absence entitlement' (in headings: absence, entitlement)"
        == lines[3]
    )
    assert lines[4].startswith("A flag is a reason to ask")
    nothing = check_wording([query("vpn", "log")], vocabulary, log=TYPED)
    assert "There are no known-answer or authored queries" in wording_text(nothing)
