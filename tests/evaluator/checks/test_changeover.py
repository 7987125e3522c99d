"""The same arms on a label set and on its successor."""

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from evaluator import InputError
from evaluator.checks.changeover import Changeover, changeover, compare_label_sets
from evaluator.checks.changeover_text import changeover_text
from evaluator.checks.shared_queries import read_run
from evaluator.cli.main import main
from evaluator.labelset.format import Query
from evaluator.run import run_experiment
from tests.small_world import (
    RUN_AT,
    arm,
    load_stand_in,
    small_chunks,
    small_qrels,
    small_queries,
    small_world,
)

ARMS = arm("plain") + arm("headed", header="title+path")

pytestmark = pytest.mark.usefixtures("cache")


def results(folder: Path, *, arms: str = ARMS, protocol: str = 'split = "all"', **how: Any) -> Path:
    """A run in its own small world."""
    world = small_world(folder, **how)
    world.write_experiment(arms=arms, protocol=protocol)
    return run_experiment(world.experiment, load_model=load_stand_in, clock=lambda: RUN_AT).path


def successor() -> dict[str, Any]:
    """Without q7, with q5 in other words, and with a new query that plain text answers."""
    queries = [
        replace(query, text="new api key") if query.query_id == "q5" else query
        for query in small_queries()
        if query.query_id != "q7"
    ]
    weights = {"log_count": 11, "inclusion_probability": 1.0, "weight": 11.0}
    new = Query("q10", "a note without a title", origin="log", **weights)  # type: ignore[arg-type]
    qrels = {q: grades for q, grades in small_qrels().items() if q != "q7"}
    return {"queries": [*queries, new], "qrels": {**qrels, "q10": {"plain#0": 1, "pay#1": 0}}}


@pytest.fixture
def old(tmp_path: Path) -> Path:
    return results(tmp_path / "old")


@pytest.fixture
def new(tmp_path: Path) -> Path:
    return results(tmp_path / "new", **successor())


def fields(found: Changeover) -> list[str]:
    return [one.field for one in found.differences]


def edited(folder: Path, change: Any) -> Path:
    """The same results with a record that something was done to."""
    path = folder / "record.json"
    record = json.loads(path.read_text(encoding="utf-8"))
    change(record)
    path.write_text(json.dumps(record), encoding="utf-8")
    return folder


def test_both_columns_are_those_of_the_two_records(old: Path, new: Path) -> None:
    """One of seven hits without a header on the old set, two of seven on the new one."""
    [contrast] = compare_label_sets(old, new).contrasts
    assert [1 / 7, 2 / 7] == pytest.approx([contrast.old.baseline, contrast.new.baseline])
    assert [6 / 7, 5 / 7] == pytest.approx([contrast.old.difference, contrast.new.difference])
    assert (1, 6, 0, 0) == tuple(
        getattr(contrast.old.cells, key) for key in ("both", "won", "lost", "neither")
    )
    assert ["R@2", "RR@5", "nDCG@5"] == list(contrast.other_measures)


def test_one_set_at_two_dates_tells_what_moved_from_noise(old: Path) -> None:
    """At the later date every first rank of the treatment is lost, and one of the baseline."""
    first = read_run(old)
    assert [] == [one for one in changeover(first, first).arms if one.difference or one.moved]
    hits = "Success@1"
    gone = {
        arm: {name: dict.fromkeys(values, 0.0) for name, values in tables.items()}
        for arm, tables in first.tables.items()
    }
    found = changeover(first, replace(first, tables=gone))
    assert () == found.contrasts
    assert {"plain", "headed"} == {one.arm for one in found.arms}
    for one in found.arms:
        before = first.tables[one.arm][one.measure]
        asked = [before[q] for q in first.record.headline.query_ids if q in before]
        assert (7, pytest.approx(-sum(asked) / 7)) == (one.n, one.difference)
        assert one.interval is None  # of fewer than 20 queries
    by_arm = {one.arm: one for one in found.arms if one.measure == hits}
    assert (2 / 2**7, True) == (by_arm["headed"].p, by_arm["headed"].moved)
    assert (1.0, False) == (by_arm["plain"].p, by_arm["plain"].moved)
    text = changeover_text(found)
    assert re.search(r"headed +Success@1 +7 +1.000 +0.000 +-1.000 +no interval +0.016 +moved", text)
    assert re.search(r"plain +Success@1 .* within the noise", text)
    assert "Nothing else differs between the two runs." in text


def test_other_queries_or_no_common_arm_of_one_set_are_refused(tmp_path: Path, old: Path) -> None:
    """Two runs of one set are of one population, and of arms that are the same."""
    other = results(tmp_path / "other", protocol='split = "tuning"')
    with pytest.raises(InputError, match="speak of other queries"):
        compare_label_sets(old, other)
    prefixes = {"doc_prefix": "d: "}
    arms = arm("plain", **prefixes) + arm("headed", header="title+path", **prefixes)
    with pytest.raises(InputError, match="No arm is defined alike"):
        compare_label_sets(old, results(tmp_path / "new", arms=arms))


def test_shared_queries_have_the_same_id_and_text(old: Path, new: Path) -> None:
    """Seven of nine stay; q5 has other words; of 148 searches q7's 7 and q5's 30 are gone."""
    found = compare_label_sets(old, new)
    shared = found.shared
    assert ["q1", "q2", "q3", "q4", "q6", "q8", "q9"] == list(shared.query_ids)
    assert (9, 9, 1, 0) == (
        shared.of_old.queries,
        shared.of_new.queries,
        shared.same_id_other_text,
        shared.judged_otherwise,
    )
    assert 111 / 148 == pytest.approx(shared.of_old.traffic_share)
    assert 111 / 152 == pytest.approx(shared.of_new.traffic_share)
    of_gold = found.contrasts[0].shared  # five log queries; the known-answer query is left out
    assert 5 == of_gold.n_gold
    assert of_gold.old == of_gold.new is not None


def test_the_shared_difference_is_per_search_where_the_headline_is(tmp_path: Path) -> None:
    """With the estimand traffic it is weighted, no p stands in the column and none is printed."""
    per_search = 'split = "all"\nestimand = "traffic"'
    found = compare_label_sets(
        results(tmp_path / "old", protocol=per_search),
        results(tmp_path / "new", protocol=per_search, **successor()),
    )
    [contrast] = found.contrasts
    won = {q["query_id"] for q in contrast_flips(tmp_path / "old")}
    weights = {q.query_id: q.weight or 0.0 for q in small_queries()}
    gold = ("q1", "q2", "q3", "q4", "q6")
    expected = sum(weights[q] for q in gold if q in won) / sum(weights[q] for q in gold)
    assert expected == pytest.approx(contrast.shared.old)
    assert (None, "searches of the log") == (contrast.old.p, contrast.old.interval_of)
    assert "\np " not in changeover_text(found)


def contrast_flips(folder: Path) -> list[Mapping[str, Any]]:
    """The queries that the header won, read from the tables rather than the comparison."""
    [path] = folder.glob("*.results/*/plain.tsv")
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()[1:]]
    return [{"query_id": row[0]} for row in rows if row[4] == "0.0"]


def test_the_jump_is_stated_when_all_else_is_equal(old: Path, new: Path) -> None:
    """Two more of fourteen: the queries changed, and nothing else."""
    found = compare_label_sets(old, new)
    assert [] == fields(found)
    assert (
        "Levels of Success@1 moved by +0.143 with plain and by 0.000 with headed because the "
        "queries changed, not the system."
    ) == found.contrasts[0].discontinuity
    assert "Nothing else differs between the two runs." in changeover_text(found)


def test_other_judgements_of_shared_queries_are_named(old: Path, tmp_path: Path) -> None:
    """A level also moves when a query that stayed was judged anew."""
    qrels = {**small_qrels(), "q1": {"leave#2": 1, "pay#1": 0}}
    found = compare_label_sets(old, results(tmp_path / "new", qrels=qrels))
    assert 1 == found.shared.judged_otherwise
    assert "(1 of the shared ones were judged otherwise)" in found.contrasts[0].discontinuity


def test_another_cut_is_not_another_judgement(old: Path, tmp_path: Path) -> None:
    """Every chunk has a new id and its old text and grade; then one of them has a new grade."""
    chunks = [replace(chunk, chunk_id=f"new-{chunk.chunk_id}") for chunk in small_chunks()]
    renamed = {q: {f"new-{c}": g for c, g in x.items()} for q, x in small_qrels().items()}
    found = compare_label_sets(old, results(tmp_path / "new", chunks=chunks, qrels=renamed))
    assert 0 == found.shared.judged_otherwise
    renamed["q1"]["new-pay#1"] = 1 - renamed["q1"]["new-pay#1"]
    found = compare_label_sets(old, results(tmp_path / "other", chunks=chunks, qrels=renamed))
    assert 1 == found.shared.judged_otherwise
    assert "by the chunks whose text is in both snapshots" in changeover_text(found)


@pytest.mark.parametrize(
    ("expected", "how"),
    [
        (
            "snapshot digest",
            {"chunks": [*small_chunks(), replace(small_chunks()[0], chunk_id="x")]},
        ),
        ("protocol depth", {"protocol": 'split = "all"\ndepth = 50'}),
        ("labels pool depth", {"pool_depth": 20}),
    ],
)
def test_whatever_else_differs_is_listed(
    old: Path, tmp_path: Path, expected: str, how: dict[str, Any]
) -> None:
    """The columns are then no pure changeover, and no level is said to have moved for a cause."""
    found = compare_label_sets(old, results(tmp_path / "new", **successor(), **how))
    assert [expected] == fields(found)
    assert found.contrasts[0].discontinuity is None
    assert f"- {expected}: " in changeover_text(found)


def test_lists_and_what_is_missing_are_told_in_words(old: Path, new: Path) -> None:
    """Of a successor that was imported nobody may know the depth of the pool."""

    def change(record: dict[str, Any]) -> None:
        record["labels"]["pool"] = {"depth": None, "found_by": ["bm25", "import:x.csv"]}

    text = changeover_text(compare_label_sets(old, edited(new, change)))
    assert "-> none\n" in text
    assert "-> bm25, import:x.csv" in text


def test_another_model_under_the_same_name_is_listed(old: Path, new: Path) -> None:
    """The arms are the same by definition, the weights behind the name are not."""

    def change(record: dict[str, Any]) -> None:
        for one in record["arms"]:
            one["model"]["identity"] = "sha256:other"

    found = compare_label_sets(old, edited(new, change))
    assert ["arm 'plain' model identity", "arm 'headed' model identity"] == fields(found)


def test_other_strings_spoil_only_their_own_contrast(tmp_path: Path) -> None:
    """The contrast whose arms stayed keeps its sentence; the other one lists the prefix."""
    third = '[[contrast]]\nbaseline = "plain"\ntreatment = "{}"\n'
    pairs = third.format("headed") + third.format("asked")
    found = compare_label_sets(
        results(tmp_path / "old", arms=ARMS + arm("asked", query_prefix="q: ") + pairs),
        results(
            tmp_path / "new",
            arms=ARMS + arm("asked", query_prefix="query: ") + pairs,
            **successor(),
        ),
    )
    assert ["arm 'asked' query_prefix"] == fields(found)
    assert [True, False] == [one.discontinuity is not None for one in found.contrasts]


def test_no_common_contrast_is_refused(old: Path, tmp_path: Path) -> None:
    """Arms of one name and another definition are not the same arms."""
    arms = arm("plain", query_prefix="q: ") + arm("headed", query_prefix="q: ", header="title")
    new = results(tmp_path / "new", arms=arms, **successor())
    with pytest.raises(InputError, match="No contrast has the same baseline and treatment"):
        compare_label_sets(old, new)


@pytest.mark.parametrize(
    ("expected", "difference", "p"),
    [
        ("The conclusions agree: headed is better (+0.857) on the", 0.5, 0.01),
        ("The conclusions differ in verdict: headed is", 0.5, 0.2),
        ("The conclusions differ in sign and verdict: headed is", -0.5, 0.01),
        ("Neither set tells the arms apart, and the signs agree: headed is not", 0.1, 0.4),
    ],
)
def test_conclusions_are_compared_by_sign_and_verdict(
    old: Path, new: Path, expected: str, difference: float, p: float
) -> None:
    """The old set says better, or nothing as the new one; two open questions are no answer."""

    def change(record: dict[str, Any]) -> None:
        record["contrasts"][0]["measures"]["Success@1"] |= {"difference": difference, "p": p}

    for run in (old, new) if expected.startswith("Neither") else (new,):
        edited(run, change)
    [contrast] = compare_label_sets(old, new).contrasts
    assert expected == contrast.conclusion[: len(expected)]
    assert ("differ" not in expected) == contrast.agree


def test_an_absent_label_set_is_said_to_be_absent(old: Path, new: Path) -> None:
    """Without the texts nobody knows what is shared; the columns stand all the same."""
    found = changeover(replace(read_run(old), labels=None), read_run(new))
    assert (None, None) == (found.shared, found.contrasts[0].shared)
    assert "What the sets share is not known" in changeover_text(found)


@pytest.mark.parametrize(
    ("expected", "change"),
    [
        ("away is missing", lambda record: record["arms"][0]["files"].update(per_query="away")),
        ("What the sets share is not known", lambda record: record["labels"].update(path="away")),
        ("path is 5 where text belongs", lambda record: record["labels"].update(path=5)),
        ("no arm 'away'", lambda record: record["contrasts"][0].update(baseline="away")),
    ],
)
def test_a_record_that_names_other_places_is_one_message(
    old: Path, new: Path, expected: str, change: Any
) -> None:
    """A table is needed; without the label set the rest stands, as where the set was moved."""
    edited(new, change)
    assert expected in CliRunner().invoke(main, ["changeover", str(old), str(new)]).output


def test_a_damaged_table_is_refused_by_name(old: Path, new: Path) -> None:
    """A value that is none, an empty file, and one that is no text."""
    table = new / "plain.tsv"
    for spoilt in (table.read_bytes().replace(b"1.0", b"one"), b"", b"query_id\xff\n"):
        table.write_bytes(spoilt)
        with pytest.raises(InputError, match=re.escape(f"{table} is no table by query")):
            compare_label_sets(old, new)


def test_the_command_prints_both_columns_or_json(old: Path, new: Path) -> None:
    """People get lines, programs the same result."""
    text = CliRunner().invoke(main, ["changeover", str(old), str(new)])
    data = CliRunner().invoke(main, ["changeover", str(old), str(new), "--json"])
    assert (0, 0) == (text.exit_code, data.exit_code)
    assert re.search(r"^difference +\+0\.857 +\+0\.714$", text.output, re.MULTILINE)
    assert json.loads(json.dumps(asdict(compare_label_sets(old, new)))) == json.loads(data.output)
