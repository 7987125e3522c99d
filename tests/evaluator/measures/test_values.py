"""Measures: small rankings worked by hand, and the traps between rankings and means."""

import math
import shutil

import pytest

from evaluator import InputError
from evaluator.measures.names import at_cutoff, cutoff_of, is_hit, measure_name
from evaluator.measures.values import (
    answers,
    mean_over,
    negatives_recorded,
    per_query,
    require_answers,
)
from evaluator.trec import Run

QRELS = {
    "leave": {"split": 1, "spam": -2, "notice": 2, "off": 0},
    "pay": {"rates": 0, "junk": -1},
    "key": {"rotate": 3, "revoke": 1},
}
RUN: Run = {
    "leave": [("spam", 0.9), ("split", 0.8), ("notice", 0.7), ("new", 0.6)],
    "pay": [("rates", 0.9), ("junk", 0.8)],
    "key": [("revoke", 0.9), ("other", 0.8), ("rotate", 0.7)],
}


def _values(*measures: str, run: Run = RUN, min_grade: int = 1) -> dict[str, dict[str, float]]:
    return per_query(run, QRELS, measures=measures, query_ids=["leave", "key"], min_grade=min_grade)


@pytest.mark.parametrize(
    ("measure", "leave", "key"),
    [
        ("Success@1", 0.0, 1.0),
        ("Success@3", 1.0, 1.0),
        ("R@1", 0.0, 0.5),
        ("R@3", 1.0, 1.0),
        ("RR@1", 0.0, 1.0),
        ("RR@3", 0.5, 1.0),
    ],
)
def test_a_measure_is_what_its_name_says(measure: str, leave: float, key: float) -> None:
    """Any gold in the first k, the share of it, and one over its first rank, worked by hand."""
    assert {measure: {"leave": leave, "key": key}} == _values(measure)


def test_hits_and_shares_never_fall_as_the_cutoff_grows() -> None:
    """And there is a hit exactly where some gold was found."""
    found = _values(*(f"{name}@{k}" for name in ("Success", "R") for k in range(1, 5)))
    for query_id in ("leave", "key"):
        hits, shares = (
            [found[f"{name}@{k}"][query_id] for k in range(1, 5)] for name in ("Success", "R")
        )
        assert (sorted(hits), sorted(shares)) == (hits, shares)
        assert [share > 0 for share in shares] == [hit == 1 for hit in hits]


def test_ndcg_gains_the_grade_and_nothing_for_a_negative_one() -> None:
    """Linear gain over log2 of rank plus one, against the best order of all grades."""
    leave = (1 / math.log2(3) + 2 / 2) / (2 + 1 / math.log2(3))
    key = (1 + 3 / 2) / (3 + 1 / math.log2(3))

    values = _values("nDCG@3")["nDCG@3"]

    assert pytest.approx(leave) == values["leave"]
    assert pytest.approx(key) == values["key"]


def test_a_higher_threshold_moves_into_the_names_and_changes_what_is_gold() -> None:
    """Gold from grade 2 on: `split` and `revoke` no longer count, nDCG keeps its name."""
    values = _values("Success@2", "R@3", "nDCG@3", min_grade=2)

    assert ["Success(rel=2)@2", "R(rel=2)@3", "nDCG@3"] == list(values)
    assert {"leave": 0.0, "key": 0.0} == values["Success(rel=2)@2"]


def test_judged_counts_adjudicated_grades_of_zero_or_more() -> None:
    """Of spam (-2), split, notice and a chunk nobody saw, two are judged."""
    values = per_query(
        RUN, QRELS, measures=["Judged@4", "Judged@10"], query_ids=["leave", "pay"], min_grade=1
    )

    assert {"leave": 0.5, "pay": 0.5} == values["Judged@4"]
    assert values["Judged@4"] == values["Judged@10"]


def test_equal_scores_keep_the_order_of_the_ranking() -> None:
    """The standard evaluator would put `z` before `a`; the ranking says otherwise."""
    run: Run = {"leave": [("split", 1.0), ("z", 1.0)], "key": [("z", 1.0), ("rotate", 1.0)]}

    assert {"leave": 1.0, "key": 0.0} == _values("Success@1", run=run)["Success@1"]


def test_a_mean_is_over_the_queries_given() -> None:
    """One left out by the run, or without gold, counts as a miss; an empty set has no mean."""
    hits = _values("Success@3", run={"key": RUN["key"], "leave": []})["Success@3"]

    assert {"leave": 0.0, "key": 1.0} == hits
    assert 0.5 == mean_over(hits, ["leave", "key"])
    assert pytest.approx(1 / 3) == mean_over(hits, ["leave", "pay", "key"])
    with pytest.raises(InputError, match="no query"):
        mean_over(hits, [])


def test_a_run_that_cannot_be_measured_is_refused() -> None:
    """No answer, no query, no gold, a chunk that would count twice, and a division by nothing."""
    with pytest.raises(InputError, match=r"1 of 3 queries .* \(pay\)"):
        per_query(RUN, QRELS, measures=["R@5"], query_ids=["leave", "pay", "key"], min_grade=1)
    with pytest.raises(InputError, match="ranks a chunk twice for query 'key'"):
        _values("R@5", run={**RUN, "key": [("rotate", 2.0), ("rotate", 1.0)]})
    gold: Run = {"leave": [("split", 1.0)], "key": [("rotate", 1.0)]}
    with pytest.raises(InputError, match="Accuracy@5 is not defined for a list"):
        _values("Success@5", "Accuracy@5", run=gold)
    with pytest.raises(InputError, match="answers none of the 2 queries"):
        _values("Success@5", run={"stranger": [("a", 1.0)]})
    with pytest.raises(InputError, match="set of queries is empty"):
        per_query(RUN, QRELS, measures=["Success@5"], query_ids=[], min_grade=1)


def test_missing_answers_stop_unless_they_are_allowed() -> None:
    """The message names the queries and lookalikes; going on takes an explicit word."""
    run: Run = {"key": RUN["key"], "stranger": [("a", 1.0)]}

    with pytest.raises(InputError, match=r"2 of 3 queries \(leave, pay\).*--allow-missing"):
        require_answers(run, ["leave", "pay", "key"], name="b")
    allowed = require_answers(run, ["leave", "pay", "key"], name="b", allow_missing=True)

    assert (("leave", "pay"), ("stranger",)) == (allowed.unanswered, allowed.unknown)
    assert allowed == answers(run, ["leave", "pay", "key"])
    # Accents in another form look alike in a message, so they are written as numbers.
    with pytest.raises(
        InputError, match=r"only look like theirs: 'cafe\\u0301 1' for 'caf\\xe9 01'"
    ):
        require_answers({"cafe\u0301 1": [("a", 1.0)]} | run, ["caf\xe9 01", "key"], name="b")


@pytest.mark.parametrize("cutoff", ["0", "2.5", "ten", "True", "99999999999"])
def test_a_cutoff_that_is_no_whole_number_of_one_or_more_is_refused(cutoff: str) -> None:
    """The message says what was found and what was expected."""
    with pytest.raises(InputError, match="expected a whole number of 1 or more") as error:
        measure_name(f"Success@{cutoff}", min_grade=1)

    assert f"has the cutoff {cutoff};" in str(error.value)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Sucess@5", "Did you mean 'Success@5'?"),
        ("hit_rate@5", "Did you mean 'Success@5'?"),
        ("recall@5", "'Success@5' (any gold chunk in the first k) or 'R@5'"),
        ("Success", "needs a cutoff, for example 'Success@5'"),
        ("R(rel=two)@5", "is not the name of a measure"),
        ("R(rels=2)@5", "unsupported params found: ['rels']"),
        ("SDCG@5", "needs max_rel"),
        ("alpha_nDCG@5", "no installed package computes it"),
        ("Success(rel=2)@5", "another threshold than the label set"),
        ("nDCG(gains={1:1.5})@5", "has 1.5 among its grades and gains; expected whole numbers"),
        ("nDCG(gains={1:3000000000})@5", "from 0 to 1,000,000"),
    ],
)
def test_a_measure_that_cannot_be_used_says_why(name: str, said: str) -> None:
    """Each message ends with what to write instead, where that can be guessed."""
    with pytest.raises(InputError) as error:
        measure_name(name, min_grade=1)

    assert said in str(error.value)


def test_every_measure_has_one_printed_name_and_parts_to_ask_for() -> None:
    """Aliases fall together and the threshold is never left unsaid; cutoff, and what is a hit."""
    names = ("MRR@10", "Recall@5", "Success(rel=2)@5", "NDCG", "AP")
    printed = ["RR(rel=2)@10", "R(rel=2)@5", "Success(rel=2)@5", "nDCG", "AP(rel=2)"]
    assert printed == [measure_name(name, min_grade=2) for name in names]
    assert (5, None) == (cutoff_of("Success(rel=2)@5"), cutoff_of("AP"))
    assert "Success(rel=2)@10" == at_cutoff("Success(rel=2)@5", 10)
    hits = {name: is_hit(name) for name in ("Success(rel=2)@5", "R@5")}
    assert {"Success(rel=2)@5": True, "R@5": False} == hits
    assert not is_hit("Success(judged_only=True)@5")  # its cells would stand for others
    with pytest.raises(InputError, match="min_grade is 0"):
        measure_name("Success@5", min_grade=0)


def test_negatives_are_recorded_when_something_was_judged_and_found_wanting() -> None:
    """A pooled -1 is no judgement, so a set of gold and -1 records no negatives."""
    assert negatives_recorded(QRELS, min_grade=1)
    assert not negatives_recorded({"q": {"a": 1, "b": -1}}, min_grade=1)


def test_strange_ids_reach_the_library_and_come_back() -> None:
    """White space, a NUL and other scripts in ids change no value."""
    qrels = {"q 1\n": {"a b": 1, "c\x00d": 0}, "Frage ä": {"日本": 1}}
    run: Run = {"q 1\n": [("c\x00d", 1.0), ("a b", 0.5)], "Frage ä": [("日本", 1.0)]}

    values = per_query(run, qrels, measures=["RR@5"], query_ids=list(qrels), min_grade=1)

    assert {"q 1\n": 0.5, "Frage ä": 1.0} == values["RR@5"]


@pytest.mark.skipif(shutil.which("perl") is None, reason="ERR is computed by a Perl program")
def test_measures_that_read_numbers_only_take_any_query_id() -> None:
    """ERR by hand: grade 1 of at most 4 on rank 1 stops 1 of 16 readers, grade 3 later 7 of 16."""
    stops = [1 / 16, 0.0, 7 / 16]
    err = stops[0] + (1 - stops[0]) * stops[2] / 3
    assert err == pytest.approx(_values("ERR@5")["ERR@5"]["key"], abs=1e-5)


@pytest.mark.parametrize(
    ("measure", "grade", "said"),
    [
        ("nDCG@5", 3_000_000_000, "'key', chunk 'a' has grade 3000000000, and measure 'Success@5'"),
        ("ERR@5", 5, "measure 'ERR@5' takes grades up to 4"),
        ("nDCG(dcg='exp-log2')@5", 5, "takes grades up to 4. Mend the grade, or leave"),
    ],
)
@pytest.mark.skipif(shutil.which("perl") is None, reason="ERR is computed by a Perl program")
def test_a_grade_that_a_library_cannot_take_is_refused(measure: str, grade: int, said: str) -> None:
    """One reserves memory for each grade up to it, the other ends at what is beyond its scale."""
    with pytest.raises(InputError) as error:
        per_query(
            {"key": [("a", 1.0)]},
            {"key": {"a": grade}},
            measures=["Success@5", measure],
            query_ids=["key"],
            min_grade=1,
        )

    assert said in str(error.value)
