"""What the reports say of doubts, clusters, rankings and flips."""

import re
from typing import Any

import pytest

from evaluator.contrasts.figures import cell_figures, measure_figures
from evaluator.record.typed_json import to_json
from evaluator.statistics.cells import paired_cells
from tests.evaluator.example_record import example_record
from tests.evaluator.report.outputs import (
    Output,
    example_with,
    shown,
    terminal_report,
    terminal_summary,
)


def in_pairs(n: int, won: int, lost: int) -> Any:
    """Success@5 over n queries in pairs, of which these flip."""
    values = [1.0] * won + [-1.0] * lost + [0.0] * (n - won - lost)
    before = {f"q{number:03}": float(value < 0) for number, value in enumerate(values)}
    after = {f"q{number:03}": float(value > 0) for number, value in enumerate(values)}
    clusters = {query_id: f"c{number // 2}" for number, query_id in enumerate(before)}
    return to_json(measure_figures("Success@5", before, after, seed=13, cluster_by_query=clusters))


# The first screen


@pytest.mark.parametrize(
    "said",
    [
        "Nobody judged 171 pairs of query and chunk in the first 5 of either arm. Judging them "
        "could make the difference in Success@5 anything from -0.180 to +0.215; over all queries, "
        "also those without gold, -0.190 to +0.245. That is the doubt from the labels alone; "
        "chance comes on top.",
        "laptop stolen abroad (tuning): gold handbook/security.md#8 (header 0, body 88 tokens with "
        "plain; header 9, body 88 tokens with headed). Before it: 1. handbook/other.md#1 (Another "
        "title: Words of what stands before it ...); 2. handbook/closed.md#0 (a held-out "
        "document). Guess: misleading path, near tie.",
        "Sensitivity, no verdict: with queries that share a gold document as one",
    ],
)
def test_doubts_are_told_in_full(output: Output, said: str) -> None:
    """How far the difference could go, what became of a lost query, and shared documents."""
    assert said in shown(output, example_record())


def test_a_source_that_loses_is_on_the_first_screen_where_it_is_beyond_chance() -> None:
    """By Holm's p over all sources; below the first screen the number of sources that lost."""
    assert "Of 3 sources" not in shown(terminal_summary, example_record())
    groups = {
        "a": to_json(cell_figures(paired_cells(40, 20, 0, 12))),
        "b": to_json(cell_figures(paired_cells(9, 1, 3, 0))),
    }
    found = example_record()
    found["contrasts"][0]["by_source"] = groups
    text = shown(terminal_summary, found)
    assert "Of 2 sources, 1 lost more queries than it won: a (p = 9.8e-4), p adjusted by" in text
    del groups["a"]
    assert "Of 1 source, none lost more queries than it won." in shown(terminal_report, found)


def test_labels_without_negatives_say_so(output: Output) -> None:
    """No range is made up for them."""
    found = example_record()
    found["contrasts"][0]["doubts"] = {"reason": "negatives not recorded", "ranges": {}}
    text = shown(output, found)
    assert "Negatives are not recorded" in text
    assert "could make the difference" not in text


def test_clusters_decide_the_headline(output: Output) -> None:
    """The test is named in the headline, the number of clusters and the largest beside it."""
    found = example_with(measures={"Success@5": in_pairs(80, 20, 4)})
    text = shown(output, found)
    assert "cluster sign flip, p = 0.039" in text
    assert "80 queries in 40 clusters, the largest with 2.5% of them." in text
    assert "With every query by itself: p = 0.002" in text
    found["contrasts"][0]["measures"]["Success@5"]["ignoring_clusters"]["interval"] = None
    assert "With every query by itself: p = 0.002, no interval." in shown(output, found)


def test_too_few_clusters_have_a_test_and_no_interval(output: Output) -> None:
    """And the reason stands beside the headline."""
    text = shown(output, example_with(measures={"Success@5": in_pairs(38, 20, 4)}))
    assert "(no interval; cluster sign flip, p = 0.039)" in text
    assert "no interval, since 19 independent queries or groups are fewer than 20." in text


# Rankings


def test_a_headline_per_search_names_other_rankings_as_unweighted(output: Output) -> None:
    """Their figures count every query once, which the headline does not."""
    found = example_record()
    found["experiment"]["protocol"]["estimand"] = "traffic"
    found["contrasts"][0]["other_ranking"]["measures"]["Success@5"] |= {"p": 0.2}
    text = shown(output, found)
    assert "p = 0.200, queries unweighted." in text
    assert "Every query counts once, though the headline weighs them" in text


# Flips


def test_won_queries_and_the_rules_stand_in_the_appendix(long_output: Output) -> None:
    """With the first words of what outranked them; the table to read has its title alone."""
    text = shown(long_output, example_record())
    assert "harbour lease end date (tuning): gold contracts/harbour.html#2" in text
    assert "near tie: in the arm that misses, the gold chunk's score lies below" in text
    assert text.index("1. Another title; 2. a held-out") < text.index("Words of what stands")


def test_a_flip_that_fits_no_rule_says_so(output: Output) -> None:
    """A guess is never made up."""
    found = example_record()
    found["contrasts"][0]["flips"]["lost"][0]["causes"] = []
    assert "Guess: no rule fits." in shown(output, found)
    found["contrasts"][0]["flips"]["rules"] = {"near tie": "the only one that can be tried"}
    assert "no rule fits" not in shown(output, found)


# Labels


def test_near_quotations_are_warned_of(long_output: Output) -> None:
    """From four fifths of the words on, over all queries."""
    assert "forgives everything" not in shown(long_output, example_record())
    found = example_record()
    found["overlap"]["all"] = {"queries": 200, "mean_share": 0.8, "near_quotes": 150}
    assert "Such a set forgives everything" in shown(long_output, found)


def test_each_assessor_has_a_row(output: Output) -> None:
    """With the number of queries; one without gold stays in the table."""
    found = example_record()
    found["contrasts"][0]["assessors"][1] |= {"measure": None, "cells": None, "with_gold": 0}
    text = shown(output, found)
    assert "A. Reed" in text
    assert "no gold" in text


def test_equal_arms_are_no_difference_and_never_nan(output: Output) -> None:
    """Nothing changed: every figure is a figure."""
    same = {f"q{number}": number / 80 for number in range(80)}
    hits = {query_id: float(value > 0.3) for query_id, value in same.items()}
    pairs = {query_id: f"c{number // 2}" for number, query_id in enumerate(same)}
    found = example_with(
        measures={
            "Success@5": to_json(
                measure_figures("Success@5", hits, hits, seed=1, cluster_by_query=pairs)
            ),
            "R@5": to_json(measure_figures("R@5", same, same, seed=1, cluster_by_query=pairs)),
        },
        cells={"5": to_json(cell_figures(paired_cells(80, 50, 0, 0)))},
    )
    text = shown(output, found)
    assert "no difference" in text
    assert not re.search(r"\bnan\b", text, re.IGNORECASE)
