"""A run's contrast under other readings of its labels, from the experiment to the record."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evaluator.contrasts.doubts import by_assessor, own_labels
from evaluator.contrasts.pair import ArmPair
from evaluator.labelset.format import (
    ADJUDICATION,
    Judgement,
    LabelSet,
    Query,
    Verdict,
    read_label_set,
)
from evaluator.outside.compare import compare_files
from evaluator.record.model import record_json
from evaluator.trec import read_run
from tests.small_world import World, run_record, run_world, small_queries, small_world

SEVEN = [f"q{number}" for number in range(1, 8)]

pytestmark = pytest.mark.usefixtures("cache")


def contrast(world: World, **how: Any) -> Mapping[str, Any]:
    found: Mapping[str, Any] = run_record(world, **how)["contrasts"][0]
    return found


# Clusters


def test_paraphrases_are_one_in_every_test_of_the_contrast(tmp_path: Path) -> None:
    """Six queries are won; as two needs and one by itself they are no more than three."""
    groups = {q: {"group": "leave" if q in ("q1", "q2", "q3") else "rest"} for q in SEVEN[:6]}
    world = small_world(tmp_path, queries=small_queries(**groups))
    found = contrast(world)
    primary = found["measures"]["Success@1"]
    assert (3, 3 / 7, None) == (
        primary["clusters"],
        primary["largest_share"],
        primary["interval"],
    )
    few = "no interval, since 3 independent queries or groups are fewer than 20"
    assert few == primary["interval_method"]
    assert primary["ignoring_clusters"]["p"] < primary["p"]
    assert 2 * 0.5**6 == primary["ignoring_clusters"]["p"]
    for name in ("R@2", "RR@5", "nDCG@5"):
        assert "cluster sign flip, " in found["measures"][name]["test"]
    assert primary["p"] == found["other_ranking"]["measures"]["Success@1"]["p"]


def test_a_group_of_one_is_no_cluster(tmp_path: Path) -> None:
    """Nor are paraphrases of which the headline asks only one."""
    world = small_world(tmp_path, queries=small_queries(q1={"group": "x"}, q9={"group": "x"}))
    primary = contrast(world)["measures"]["Success@1"]
    assert "exact McNemar, queries unweighted" == primary["test"]
    assert "ignoring_clusters" not in primary


def test_shared_documents_are_a_line_beside_the_contrast(tmp_path: Path) -> None:
    """leave answers three queries and pay one: seven queries, five documents."""
    found = contrast(small_world(tmp_path))
    assert 5 == found["shared_documents"]["clusters"]
    assert 3 / 7 == found["shared_documents"]["largest_share"]
    assert "exact McNemar, queries unweighted" == found["measures"]["Success@1"]["test"]


# Labels


def test_doubts_are_those_of_the_primary_ranking(tmp_path: Path) -> None:
    """Every unjudged chunk stands first in one of the arms' lists."""
    world = small_world(tmp_path)
    results = run_world(world)
    doubts = record_json(results.record)["contrasts"][0]["doubts"]
    runs = [read_run(results.path / f"{name}.run") for name in ("plain", "headed")]
    qrels = read_label_set(world.labels).qrels
    first = {q: {ranked[q][0][0] for ranked in runs} - qrels[q].keys() for q in [*SEVEN, "q8"]}
    assert {q: sorted(c) for q, c in first.items() if c} == doubts["unjudged"]
    assert sum(map(len, first.values())) == doubts["unjudged_pairs"]


def test_a_headline_per_search_has_its_range_per_search(tmp_path: Path) -> None:
    """The weights are the searches, as in the headline."""
    world = small_world(tmp_path)
    world.write_experiment(protocol='split = "all"\nestimand = "traffic"')
    found = contrast(world)
    assert found["doubts"]["per_search"]
    sign = found["doubts"]["sign"]
    assert found["traffic"]["difference"] == pytest.approx(sign["difference"])


def test_strata_stand_beside_sources_and_classes(tmp_path: Path) -> None:
    """Each with its own n and interval; with one stratum there is nothing to compare."""
    assert {} == contrast(small_world(tmp_path / "one"))["by_stratum"]
    head = {q: {"stratum": "head"} for q in ("q1", "q2", "q5")}
    world = small_world(tmp_path / "two", queries=small_queries(**head))
    strata = contrast(world)["by_stratum"]
    assert {"(none)": 4, "head": 3} == {name: cells["n"] for name, cells in strata.items()}
    assert all(cells["interval"] is None for cells in strata.values())  # of a few queries each


def test_the_words_that_queries_share_with_their_gold_are_counted(tmp_path: Path) -> None:
    """By class, over the queries of the headline."""
    overlap = run_record(small_world(tmp_path))["overlap"]
    assert 7 == overlap["all"]["queries"]
    assert {"held-out", "tuning"} == set(overlap["groups"])


# Runs made elsewhere


def test_runs_made_elsewhere_get_the_same_scrutiny(tmp_path: Path) -> None:
    """Groups, classes, strata, doubts, words and flips, from the runs and the label set."""
    groups = {"q1": {"group": "x", "stratum": "head"}, "q2": {"group": "x"}}
    world = small_world(tmp_path, queries=small_queries(**groups))
    made = run_world(world).path
    record = record_json(
        compare_files(
            made / "plain.run",
            made / "headed.run",
            labels=world.labels,
            measures=["Success@1"],
            snapshot=world.folder / "snapshot",
        )
    )
    [found] = record["contrasts"]
    assert 6 == found["measures"]["Success@1"]["clusters"]
    assert {"by_class", "by_stratum", "by_origin", "by_source"} <= set(found)
    assert {"held-out", "tuning"} == set(found["by_class"])
    assert found["doubts"]["unjudged_pairs"]
    assert 7 == record["overlap"]["all"]["queries"]
    [flip] = [flip for flip in found["flips"]["won"] if flip["query_id"] == "q4"]
    assert "Pay" == flip["chunk"]["title"]
    assert flip["outranked_by"]


def test_held_out_flips_of_runs_made_elsewhere_open_on_request(tmp_path: Path) -> None:
    """They are not in the record at all until somebody asks."""
    world = small_world(tmp_path)
    made = run_world(world).path
    runs = made / "plain.run", made / "headed.run"
    classes = [
        {flip["class"] for flip in record["contrasts"][0]["flips"]["won"]}
        for record in (
            record_json(
                compare_files(
                    *runs, labels=world.labels, measures=["Success@1"], open_held_out=opened
                )
            )
            for opened in (False, True)
        )
    ]
    assert [{"tuning"}, {"tuning", "held-out"}] == classes


def test_two_assessors_have_a_row_each(tmp_path: Path) -> None:
    """With one assessor his or her labels are the labels."""
    assert [] == contrast(small_world(tmp_path / "one"))["assessors"]
    rows = contrast(small_world(tmp_path / "two", assessors=["ann", "bob"]))["assessors"]
    assert [("ann", 8, 7, 6), ("bob", 8, 7, 6)] == [
        (row["assessor"], row["queries"], row["with_gold"], row["cells"]["won"]) for row in rows
    ]


MOMENT = "2026-11-20T10:00:00.000Z"


def event(
    assessor: str,
    query_id: str,
    chunk_id: str,
    grade: int | None,
    verdict: Verdict = "grade",
    *,
    method: str | None = None,
) -> Judgement:
    return Judgement("e", query_id, chunk_id, assessor, grade, verdict, MOMENT, method=method)


def pair() -> ArmPair:
    """The treatment brings g up in both queries; the labels call it gold."""
    return ArmPair(
        baseline={"q1": [("x", 2.0), ("g", 1.0)], "q2": [("x", 2.0), ("g", 1.0)]},
        treatment={"q1": [("g", 2.0), ("x", 1.0)], "q2": [("g", 2.0), ("x", 1.0)]},
        qrels={"q1": {"g": 1, "x": 0}, "q2": {"g": 1, "x": 0}},
        min_grade=1,
        max_grade=1,
        query_ids=["q1", "q2"],
        gold_ids=["q1", "q2"],
        primary="Success@1",
        measures=["Success@1"],
        k=1,
    )


def test_the_last_event_of_a_person_stands_and_adjudication_is_nobodys() -> None:
    """Undone and unsure leave nothing, and what settled a disagreement is left out."""
    events = [
        event("ann", "q1", "g", 0),
        event("ann", "q1", "g", 1),
        event("ann", "q1", "x", 1),
        event("ann", "q1", "x", None, "undone"),
        event("bob", "q1", "g", None, "unsure"),
        event("bob", "q2", "g", 0),
        event("cy", "q1", "g", 1, method=ADJUDICATION),
    ]
    assert {"ann": {"q1": {"g": 1}}, "bob": {"q2": {"g": 0}}} == own_labels(events)


def test_a_verdict_can_hang_on_one_assessor() -> None:
    """By ann's labels both queries are won; bob calls x the answer and sees one lost."""
    events = [
        *(event("ann", q, c, grade) for q in ("q1", "q2") for c, grade in (("g", 1), ("x", 0))),
        event("bob", "q2", "g", 0),
        event("bob", "q2", "x", 1),
    ]
    ann, bob = by_assessor(pair(), events)
    assert ann.measure
    assert bob.measure
    assert ("ann", 2, 2, 1.0) == (
        ann.assessor,
        ann.queries,
        ann.with_gold,
        ann.measure.difference,
    )
    assert bob.cells
    assert (1, -1.0, 1) == (bob.queries, bob.measure.difference, bob.cells.lost)


def test_an_assessor_who_found_no_gold_has_no_figures() -> None:
    """The row stays, so that nobody is left out in silence."""
    events = [event("ann", "q1", "g", 1), event("bob", "q1", "g", 0)]
    _, bob = by_assessor(pair(), events)
    assert (1, 0, None) == (bob.queries, bob.with_gold, bob.measure)


def test_one_persons_labels_are_the_labels() -> None:
    """Nothing is repeated under a name, and judgements of other queries make no second person."""
    events = [event("ann", "q1", "g", 1), event("bob", "q9", "g", 1)]
    assert () == by_assessor(pair(), events)


def test_paraphrases_are_one_by_an_assessors_own_labels_too() -> None:
    """The labels find gold in one of two paraphrases, ann in both: that is one need won."""
    queries = (Query("q1", "leave", group="leave"), Query("q2", "holiday", group="leave"))
    qrels = {"q1": {"g": 1, "x": 0}, "q2": {"g": 0, "x": 0}}
    labels = LabelSet(Path("labels"), "", {}, queries, qrels, {})
    found = replace(pair(), qrels=qrels, gold_ids=["q1"], label_set=labels)
    events = [*(event("ann", q, "g", 1) for q in ("q1", "q2")), event("bob", "q1", "g", 1)]
    ann, bob = by_assessor(found, events)
    assert ann.measure
    assert bob.measure
    assert (2, 1, 1.0) == (ann.measure.n, ann.measure.clusters, ann.measure.p)
    assert 1 == bob.measure.n
