"""A frozen sample against a newer log: what is carried, what came, what went, how far."""

import json
import math
import random
from dataclasses import replace

import pytest

from evaluator import InputError
from labeler.logs.queries import LogQuery
from labeler.sampling.age import Age, age_of, windows
from labeler.sampling.age_text import age_text
from labeler.sampling.draw import draw_sample
from labeler.sampling.successor import FormerSample, draw_successor
from labeler.workspace.sample_design import DesignName, SampleDesign


def log(**counts: int) -> list[LogQuery]:
    return [LogQuery(text, text, count) for text, count in counts.items()]


def known(
    queries: list[LogQuery], *, size: int, design: DesignName = "proportional", seed: int = 13
) -> FormerSample:
    sample = draw_sample(queries, size=size, seed=seed, design=design)
    return FormerSample("first", "ab", sample.design, {q.query_id: q for q in sample.queries})


THEN = log(vpn=50, leave=30, pay=10, bike=5, desk=5)
NOW = log(vpn=20, leave=60, token=110, pay=10)


def whole_age() -> Age:
    """The age of a set that holds all five queries of its log."""
    return age_of(known(THEN, size=5), NOW)


def test_the_traffic_that_is_carried_is_a_share_of_the_searches() -> None:
    """90 of the 200 searches now are for queries of the set; two of five have vanished."""
    age = whole_age()
    assert (1.0, 0.45) == (age.carried_then, age.carried_now)
    assert (100, 200, 4) == (age.searches_then, age.searches_now, age.distinct_now)
    assert (3, ["bike", "desk"]) == (age.still_asked, [moved.text for moved in age.vanished])
    assert pytest.approx(0.1) == age.vanished_weight
    assert ["vpn", "pay"] == [moved.text for moved in age.moved]


def test_new_frequent_queries_are_those_that_would_be_certain() -> None:
    """The one that has more than half of the searches, and was not there then."""
    (token,) = whole_age().would_be_certain
    assert ("token", 110, None, 0.55) == (token.text, token.searches, token.then, token.now)
    private = [LogQuery("a@example.org", "a@example.org", 300), *NOW]  # nobody has decided yet
    assert "[e-mail]" == age_of(known(THEN, size=5), private).would_be_certain[0].text


def test_the_distance_is_half_the_sum_of_the_differences() -> None:
    """Shares then .5 .3 .1 .05 .05, now 2/9 6/9 1/9 0 0."""
    (part,) = whole_age().parts
    expected = (abs(0.5 - 2 / 9) + abs(0.3 - 6 / 9) + abs(0.1 - 1 / 9) + 0.1) / 2
    assert ("certainty", 5, 3) == (part.name, part.queries, part.still_asked)
    assert pytest.approx(expected) == part.distance
    assert (1.0, 0.45) == (part.then, part.now)


def test_a_query_drawn_by_chance_stands_for_others() -> None:
    """Of equal queries half vanish: so does half of the traffic, whatever was drawn."""
    then = [LogQuery(f"q{n}", f"q{n}", 1) for n in range(400)]
    samples = (known(then, size=40, seed=seed) for seed in range(60))
    shares = [age_of(sample, then[:200]).vanished_weight or 0.0 for sample in samples]
    assert pytest.approx(0.5, abs=0.03) == sum(shares) / 60


def halves(seed: int) -> tuple[list[LogQuery], list[LogQuery]]:
    """One log whose searches fall into two windows by a coin."""
    coin = random.Random(seed)
    then, now = [], []
    for rank in range(400):
        count = int(800 / (rank + 1) ** 0.7) + 10
        first = sum(coin.random() < 0.5 for _ in range(count))
        then.append(LogQuery(f"q{rank}", f"q{rank}", first))
        now.append(LogQuery(f"q{rank}", f"q{rank}", count - first))
    return then, now


def test_two_windows_of_one_traffic_differ_as_by_chance() -> None:
    """The distance that chance alone gives is the one that is found."""
    windows = [halves(seed) for seed in range(6)]
    parts = [p for then, now in windows for p in age_of(known(then, size=100), now).parts]
    by_chance = sum(part.by_chance or 0.0 for part in parts)
    assert pytest.approx(by_chance, rel=0.2) == sum(part.distance or 0.0 for part in parts)


def test_a_successor_keeps_what_the_age_says() -> None:
    """The expectation is the same as the one that drawing it states."""
    then, now = halves(1)
    first = known(then, size=100, design="permanent")
    refresh = draw_successor(now, former=first, size=100, seed=1).design.refresh
    assert refresh is not None
    assert pytest.approx(refresh.expected_to_stay) == age_of(first, now).would_stay
    assert age_of(known(then, size=100), now).would_stay is None


def test_kinds_of_queries_are_compared_by_the_rules_for_texts() -> None:
    """Questions were a tenth of the traffic and are a half now."""
    then = [LogQuery("vpn", "vpn", 9), LogQuery("how do i pay", "how do i pay", 1)]
    now = [LogQuery("vpn", "vpn", 5), LogQuery("can i pay it", "can i pay it", 5)]
    kinds = {kinds.rule: kinds for kinds in age_of(known(then, size=2), now).kinds}
    assert (("keywords", 0.9, 0.5), ("question", 0.1, 0.5)) == kinds["type"].shares
    assert pytest.approx(0.4) == kinds["type"].distance
    assert kinds["type"].by_chance > 0


def test_a_set_of_the_most_frequent_stands_for_nothing_else() -> None:
    """No estimate of what vanished, of kinds or of a successor."""
    age = age_of(known(THEN, size=2, design="top"), NOW)
    assert (None, None, ()) == (age.vanished_weight, age.would_stay, age.kinds)
    assert 0.4 == age.carried_now


def test_nothing_in_common_is_said_too() -> None:
    """A set that is all gone has no distance within; a log of frequent queries is pointed out."""
    age = age_of(known(THEN, size=5), log(x=3, y=1))
    assert (0.0, 0, None) == (age.carried_now, age.still_asked, age.parts[0].distance)
    assert math.isclose(1.0, age.vanished_weight or 0)
    assert "-" in age_text(age, then="", now="")
    assert () == age.notes
    assert "fewer than 10 times" in whole_age().notes[0]
    with pytest.raises(InputError, match="Nothing in this log"):
        age_of(known(THEN, size=5), log(x=0))
    bare = replace(known(THEN, size=5), design=SampleDesign())
    with pytest.raises(InputError, match="does not say how many searches"):
        age_of(bare, NOW)


def test_the_age_reads_as_one_page() -> None:
    """Windows, shares, parts, distances, and queries by name."""
    text = age_text(whole_age(), then="2026-01-01 to 2026-01-31", now="window not stated")
    for line in (
        "Label set   first, 5 queries from a log",
        "Then        100 searches, 2026-01-01 to 2026-01-31",
        "Carried     100.0% of the searches then were for the set's queries, 45.0% are now",
        "  token: 55.00% now",
        "  vpn: 50.00% then, 10.00% now",
        "No longer asked: 2 queries",
    ):
        assert line in text.splitlines()
    assert "about 10.0% of the searches then, which are gone too" in " ".join(text.split())
    assert json.loads(json.dumps(whole_age().as_record()))["distance"].startswith("total variation")


def test_a_window_is_stated_only_if_every_log_states_it() -> None:
    """From the first day to the last."""
    january = {"first_at": "2026-01-01T08:00:00", "last_at": "2026-01-31"}
    march = {"first_at": "2026-03-01", "last_at": "2026-03-09T23:59:00"}
    assert ("2026-01-01 to 2026-03-09", "window not stated") == windows(
        SampleDesign(logs=(march, january)), [january, {"first_at": None, "last_at": None}]
    )
