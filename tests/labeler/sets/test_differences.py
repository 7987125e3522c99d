"""Two label sets side by side: what came, what went, who changed what, and what it did to gold."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from evaluator.labelset.format import ADJUDICATION, LabelSet, Query
from labeler.cli.main import main
from labeler.sets.differences import Changed, GradeChange, differences
from labeler.sets.differences_text import differences_text
from tests.labeler.frozen import QUERIES, event, frozen
from tests.labeler.small import GRADED, TEXTS

FIRST = (
    event("q1", "leave.md#0", "ada", 1, event_id="a"),
    event("q1", "vpn.md#1", "ada", 0, event_id="b"),
    event("q1", "vpn.md#1", "bob", 1, event_id="c"),
    event("q2", "parking.md#0", "ada", None, event_id="d"),
)


@pytest.fixture
def first(tmp_path: Path) -> LabelSet:
    return frozen(tmp_path / "first", FIRST)


def test_a_set_differs_in_nothing_from_itself(first: LabelSet) -> None:
    """And says that it is one set, in one line."""
    found = differences(first, first)
    assert ("same set", (), ()) == (found.supersedes, found.settings, found.regraded)
    assert ((), ()) == (found.judgements, found.gold)
    assert "This is the same label set twice." in differences_text(found)


def test_grades_are_told_with_who_changed_them(tmp_path: Path, first: LabelSet) -> None:
    """Judged again, undone, adjudicated and newly graded, each by name."""
    later = (
        event("q1", "leave.md#0", "ada", 0),
        event("q1", "vpn.md#1", "bob", None, verdict="undone"),
        event("q1", "vpn.md#1", "cy", 1, method=ADJUDICATION),
        event("q2", "parking.md#0", "ada", 1),
    )
    second = frozen(tmp_path / "second", FIRST + later, supersedes=first)
    found = differences(first, second)
    assert "names it" == found.supersedes
    assert [
        ("q1", "leave.md#0", 1, 0, ("ada: 0",)),
        ("q1", "vpn.md#1", 0, 1, ("bob: undone", "cy, adjudicating: 1")),
        ("q2", "parking.md#0", None, 1, ("ada: 1",)),
    ] == [(r.query_id, r.chunk_id, r.old, r.new, r.because) for r in found.regraded]
    assert (
        GradeChange("ada", grades=2),
        GradeChange("bob", undone=1),
        GradeChange("cy", decisions=1),
    ) == (found.judgements)
    text = differences_text(found)
    assert "q1, leave.md#0: 1 -> 0 (ada: 0)" in text
    assert "Grades of pairs in both sets: 2 changed, 1 newly graded, 0 no longer graded" in text


def test_another_rule_is_a_reason(tmp_path: Path, first: LabelSet) -> None:
    """Nobody judged, and a grade is another one all the same."""
    found = differences(first, frozen(tmp_path / "second", FIRST, rule="highest"))
    assert [("vpn.md#1", 0, 1, ("rule majority -> highest",))] == [
        (r.chunk_id, r.old, r.new, r.because) for r in found.regraded
    ]
    assert ["rule between assessors"] == [each.name for each in found.settings]
    assert "names none" == found.supersedes


def test_a_sample_that_one_set_lacks_is_told_by_what_names_it(first: LabelSet) -> None:
    """And not with all that is recorded of a design."""
    without = replace(first, sha256="0" * 64, manifest=dict(first.manifest) | {"sampling": None})
    text = differences_text(differences(first, without))
    assert "  sampling design: proportional, size 1, seed 13 -> nothing" in text


def test_two_samples_are_told_apart_value_by_value(first: LabelSet) -> None:
    """Down to what differs within a record of a record, and not record by record."""
    sampling = {
        "design": "proportional",
        "share_of_traffic": 0.58832372,
        "by": [],
        "logs": [{"file": "log.csv", "private": {"choice": "keep"}}],
    }
    masked = {
        **sampling,
        "share_of_traffic": 0.6,
        "by": ["type", "month"],
        "logs": [{"file": "log.csv", "private": {"choice": "mask"}}],
    }
    old, new = (
        replace(first, sha256=digest * 64, manifest=dict(first.manifest) | {"sampling": design})
        for digest, design in (("0", sampling), ("1", masked))
    )
    lines = differences_text(differences(old, new)).splitlines()
    assert [
        "  sampling design, by: nothing -> type, month",
        "  sampling design, logs 1, private, choice: keep -> mask",
        "  sampling design, share_of_traffic: 0.5883 -> 0.6",
    ] == [line for line in lines if line.startswith("  sampling")]


def test_what_it_did_to_gold_and_classes(tmp_path: Path, first: LabelSet) -> None:
    """Gained and lost gold by query, and the class that it moved to."""
    later = (event("q1", "leave.md#0", "ada", 0), event("q2", "parking.md#0", "ada", 1))
    found = differences(first, frozen(tmp_path / "second", FIRST + later))
    assert [("q1", (), ("leave.md#0",)), ("q2", ("parking.md#0",), ())] == [
        (each.query_id, each.gained, each.lost) for each in found.gold
    ]
    rule = first.held_out_rule
    side = "held-out" if rule.holds_out("leave.md") else "tuning"
    assert ("q1", side, "no-gold") in found.class_moves
    assert (1, 1) == (found.old.with_gold, found.new.with_gold)


def test_queries_come_and_go_and_change(tmp_path: Path, first: LabelSet) -> None:
    """Texts, needs and weights of those that stay are compared field by field."""
    changed = replace(QUERIES[0], need="how long before", inclusion_probability=0.25, weight=120.0)
    third = Query("q3", "<script>", origin="authored")
    kept = [each for each in FIRST if each.query_id == "q1"]
    found = differences(first, frozen(tmp_path / "second", kept, queries=(changed, third)))
    assert (["q3"], ["q2"]) == (
        [query.query_id for query in found.queries_in],
        [query.query_id for query in found.queries_out],
    )
    assert Changed("need", "q1", None, "how long before") in found.query_fields
    assert Changed("weight", "q1", 60.0, 120.0) in found.query_fields
    assert (("q2", "parking.md#0"),) == found.pairs_out
    assert "weights add up to 60 -> 120" in differences_text(found)


def test_a_pair_goes_by_its_text(tmp_path: Path, first: LabelSet) -> None:
    """The same text under another id is the same pair; another text under an id is not."""
    texts = {**TEXTS, "leave.md#0": "Quite another text.", "leave.md#9": TEXTS["leave.md#0"]}
    events = (
        event("q1", "leave.md#9", "ada", 1, event_id="a"),
        *FIRST[1:],
        event("q1", "leave.md#0", "ada", 0),
    )
    found = differences(first, frozen(tmp_path / "second", events, texts=texts, snapshot="1" * 64))
    assert (1, (("q1", "leave.md#0"),)) == (found.pairs_renamed, found.ids_reused)
    assert () == found.regraded
    assert () == found.gold
    assert ["snapshot"] == [each.name for each in found.settings]


def test_scale_and_threshold_are_told(tmp_path: Path, first: LabelSet) -> None:
    """Each changed meaning by its grade."""
    second = frozen(tmp_path / "second", FIRST, grades=GRADED, min_grade=2)
    text = differences_text(differences(first, second))
    assert "  scale, 1: relevant -> slightly" in text
    assert "  scale, 3: nothing -> fully relevant" in text
    assert "  lowest grade of gold: 1 -> 2" in text
    assert "  notice: lost leave.md#0" in text


def test_the_command_prints_text_or_json(tmp_path: Path, first: LabelSet) -> None:
    """Exit 0 also where there are differences; 1 for what is no label set."""
    frozen(tmp_path / "second", FIRST[:2])
    command = ["diff", str(first.path), str(tmp_path / "second")]
    done = CliRunner().invoke(main, command)
    assert 0 == done.exit_code
    assert "bob: 1 of the old set gone" in done.output
    found = json.loads(CliRunner().invoke(main, [*command, "--json"]).output)
    assert ["q2", "parking.md#0"] in found["pairs_out"]
    strange = CliRunner().invoke(main, ["diff", str(first.path), str(tmp_path)])
    assert 1 == strange.exit_code
    assert f"{tmp_path} is no label set: it has no manifest.json." in strange.output
