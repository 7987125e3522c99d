"""Runs made elsewhere: what their comparison says beside its figures."""

import re
from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from evaluator import InputError
from evaluator.outside.compare import compare_files, compare_in_memory
from evaluator.record.model import Record
from evaluator.report.report import html_report, markdown_report, terminal_report
from tests.small_world import small_world

OUTPUTS = (terminal_report, markdown_report, html_report)
QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"c": 1, "d": 0}, "q3": {"e": 1}}
QUERIES = [f"q{number}" for number in range(1, 10)]
GOOD = {"q1": "abx", "q2": "cdy", "q3": "ezw"}

Output = Callable[[Mapping[str, Any]], str]


def run_file(path: Path, chunks_by_query: Mapping[str, Sequence[str]]) -> Path:
    """A TREC run of these chunks, best first."""
    path.write_text(
        "".join(
            f"{query_id} Q0 {chunk_id} {rank} {100 - rank} made-up\n"
            for query_id, chunks in chunks_by_query.items()
            for rank, chunk_id in enumerate(chunks, 1)
        )
    )
    return path


def compared(
    folder: Path,
    treatment: Mapping[str, Sequence[str]],
    *,
    qrels: Mapping[str, Mapping[str, int]] = QRELS,
    measures: Sequence[str] = ("Success@2",),
    **how: Any,
) -> Record:
    """The record of a good run against another one."""
    judged = folder / "qrels.txt"
    judged.write_text(
        "".join(
            f"{q} 0 {c} {grade}\n" for q, grades in qrels.items() for c, grade in grades.items()
        )
    )
    good, other = run_file(folder / "good.run", GOOD), run_file(folder / "other.run", treatment)
    return compare_files(good, other, qrels=judged, measures=measures, **how)


def shown(output: Output, record: Record) -> str:
    """The words of an output on one line, whatever its markup."""
    text = output(record)
    text = re.sub(r"<[^>]+>", "", text) if output is html_report else text
    return re.sub(r"\s+", " ", re.sub(r"[\\`*]", "", text))


# What must be said of the runs


@pytest.mark.parametrize(
    ("said", "treatment", "how"),
    [
        (
            ["QUERIES WITHOUT RESULTS", "other: 1 of 3 queries score 0: q3."],
            {"q1": "abx", "q2": "cdy"},
            {"allow_missing": True},
        ),
        (
            ["other: 2 queries were not asked for: q8, q9"],
            {**GOOD, "q8": "a", "q9": "b"},
            {},
        ),
        (["other: 1 list is shorter than 2: q2"], {**GOOD, "q2": "c"}, {}),
        (
            [f"{name}: 3 lists are shorter than 1000000: q1, q2, q3" for name in ("good", "other")],
            {**GOOD, "q3": "ez"},
            {"measures": ["Success@1000000"]},
        ),
        (
            [
                "UNKNOWN CHUNKS: 6 of 6 ids in the first 2 are in no judgement",
                "other finds m, n, p, q, s and 1 more.",
            ],
            {"q1": "mno", "q2": "pqr", "q3": "stu"},
            {},
        ),
        (
            [
                "83.3% with good and 0.0% with other.",
                "other has nothing judged in its first 2: nobody looked.",
            ],
            {"q1": "cd", "q2": "ab", "q3": "ab"},
            {},
        ),
        (
            ["Only relevant chunks are recorded"],
            GOOD,
            {"qrels": {"q1": {"a": 1}, "q2": {"c": 1}, "q3": {"e": 1}}},
        ),
    ],
)
def test_what_would_mislead_is_said_in_every_output(
    tmp_path: Path, said: Sequence[str], treatment: Mapping[str, str], how: dict[str, Any]
) -> None:
    """Queries that score 0 or were not asked for, short lists, and what nobody judged."""
    record = compared(tmp_path, treatment, **how)
    for output in OUTPUTS:
        text = shown(output, record)
        assert [] == [part for part in said if part not in text]
        assert any("UNKNOWN" in part for part in said) == ("UNKNOWN CHUNKS" in text)


@pytest.mark.parametrize("output", OUTPUTS)
def test_ranks_against_the_scores_are_told(tmp_path: Path, output: Output) -> None:
    """Two of three lists are turned round, as a list by distance is."""
    turned = {"q1": "ab", "q2": "cd"}
    lines = [f"{q} Q0 {c} {r} {r} x\n" for q, cs in turned.items() for r, c in enumerate(cs, 1)]
    distances = tmp_path / "distances.run"
    distances.write_text("".join(lines) + "q3 Q0 e 1 1 x\n")
    compared(tmp_path, GOOD)
    record = compare_files(tmp_path / "good.run", distances, qrels=tmp_path / "qrels.txt")
    text = shown(output, record)
    assert "distances: the rank column has another order than the scores, which decide" in text
    assert "for 2 of 3 queries, such as q1. Are they distances?" in text
    assert "good: the rank column" not in text


def test_equal_scores_on_both_sides_of_the_cutoff_are_told(tmp_path: Path) -> None:
    """Which chunk is within the first 2 is then no choice of the score's."""
    compared(tmp_path, GOOD)
    scores = {"q1": (3, 2, 2), "q2": (2, 2, 1), "q3": (1, 1)}
    lines = [
        f"{q} Q0 {c} {rank} {score} x\n"
        for q, found in scores.items()
        for rank, (c, score) in enumerate(zip(GOOD[q], found, strict=False), 1)
    ]
    (tmp_path / "ties.run").write_text("".join(lines))
    record = compare_files(
        tmp_path / "good.run",
        tmp_path / "ties.run",
        qrels=tmp_path / "qrels.txt",
        measures=["Success@2"],
    )
    told = [text for text in record.contrasts[0].notices if "same score" in text]
    assert [
        "ties: 1 list has the same score at ranks 2 and 3 (q1); the rank column decides, then "
        "the order of the lines"
    ] == told


def test_chunk_ids_that_only_look_like_judged_ones_are_told(tmp_path: Path) -> None:
    """A table program took the letter case; the chunks count as misses, which is no system's."""
    record = compared(tmp_path, {"q1": "Axy", "q2": "cdy", "q3": "Ezw"})
    told = "other: 2 chunk ids in the first 2 only look like those of the labels ('A' for 'a')"
    notices = record.contrasts[0].notices
    assert [f"{told}, and count as misses"] == [text for text in notices if "look like" in text]


def test_a_frozen_set_knows_the_chunks_of_its_pool(tmp_path: Path) -> None:
    """A chunk that is in the pool of any query is one of the corpus."""
    world = small_world(tmp_path)
    good = run_file(tmp_path / "good.run", {q: ["leave#0", "x"] for q in QUERIES})
    other = run_file(tmp_path / "other.run", {q: ["x", "y"] for q in QUERIES})
    record = compare_files(good, other, labels=world.labels, measures=["Success@2"])
    text = shown(terminal_report, record)
    assert "UNKNOWN CHUNKS: 16 of 16 ids in the first 2 are in no pool" in text
    chunks = record.contrasts[0].chunks
    assert chunks is not None
    assert [8, 16] == [chunks.runs[name].unknown for name in ("good", "other")]


def test_hardly_any_known_chunk_is_stamped_like_none(tmp_path: Path) -> None:
    """One id that happens to be equal does not make it the same corpus."""
    qrels = {f"q{n}": {f"c{n}": 1, f"d{n}": 0} for n in range(30)}
    good = run_file(tmp_path / "good.run", {q: list(grades) for q, grades in qrels.items()})
    foreign = {q: [f"x{q}", f"y{q}"] for q in qrels} | {"q0": ["c0", "y"]}
    other = run_file(tmp_path / "other.run", foreign)
    (tmp_path / "q.txt").write_text(
        "".join(f"{q} 0 {c} {g}\n" for q, grades in qrels.items() for c, g in grades.items())
    )
    record = compare_files(good, other, qrels=tmp_path / "q.txt", measures=["Success@2"])
    assert "UNKNOWN CHUNKS: 59 of 60 ids" in shown(terminal_report, record)


def test_ids_outside_a_named_snapshot_are_refused(tmp_path: Path) -> None:
    """The first few and how many, run by run; chunks of the snapshot pass."""
    world = small_world(tmp_path)
    good = run_file(tmp_path / "good.run", {q: ["leave#0", "pay#0"] for q in QUERIES})
    other = run_file(tmp_path / "other.run", {q: ["leave#0", f"leave-{q}"] for q in QUERIES})
    where = world.folder / "snapshot"
    with pytest.raises(InputError) as refused:
        compare_files(good, other, labels=world.labels, snapshot=where)
    assert "other: 9 of 10 chunk ids are not in" in str(refused.value)
    assert "leave-q1, leave-q2, leave-q3, leave-q4, leave-q5 and 4 more" in str(refused.value)
    assert "good:" not in str(refused.value)
    fine = run_file(tmp_path / "fine.run", {q: ["pay#0", "leave#0"] for q in QUERIES})
    assert compare_files(good, fine, labels=world.labels, snapshot=where)


# What the figures mean


def test_the_headline_speaks_of_log_queries_as_that_of_an_experiment_does(tmp_path: Path) -> None:
    """The known-answer query is asked, and reported apart from the eight that people searched."""
    world = small_world(tmp_path)
    good = run_file(tmp_path / "good.run", {q: ["leave#0", "x"] for q in QUERIES})
    other = run_file(tmp_path / "other.run", {q: ["supply#0", "leave#0"] for q in QUERIES})
    record = compare_files(good, other, labels=world.labels, measures=["Success@1"])
    head, [contrast] = record.headline, record.contrasts
    assert ("log", 8, 7) == (head.origin, head.n, head.n_gold)
    assert (0, 1) == (contrast.cells["1"].won, contrast.cells["1"].lost)
    assert contrast.by_origin is not None
    assert {"known-item": 1, "log": 0} == {o: c.won for o, c in contrast.by_origin.items()}
    assert contrast.traffic is not None
    assert 7 == contrast.traffic.n
    text = shown(terminal_report, record)
    assert "of 8 judged log queries that have gold" in text
    assert "reported apart: queries of origin known-item, 1" in text
    good.write_text(good.read_text().replace("made-up", "renamed"))
    [again] = compare_files(good, other, labels=world.labels, measures=["RR@2"]).contrasts
    assert again.earlier_choices is not None
    assert [("Success@1", 7)] == [(one.measure, one.n) for one in again.earlier_choices]


def test_a_plain_file_says_nothing_of_origins(tmp_path: Path) -> None:
    """All its queries are asked and spoken of."""
    world = small_world(tmp_path)
    qrels = world.labels / "qrels.txt"
    good = run_file(tmp_path / "good.run", {q: ["leave#0", "x"] for q in QUERIES})
    other = run_file(tmp_path / "other.run", {q: ["supply#0", "x"] for q in QUERIES})
    record = compare_files(good, other, qrels=qrels, measures=["Success@1"])
    assert ("judged", 9) == (record.headline.origin, record.headline.n)
    assert "reported apart" not in terminal_report(record)


@pytest.mark.parametrize("output", OUTPUTS)
def test_grade_and_gain_are_said_once(tmp_path: Path, output: Output) -> None:
    """Success depends on the grade of gold, and nDCG on the gain of a grade."""
    qrels = {"q1": {"a": 2, "b": 1}, "q2": {"c": 2}, "q3": {"e": 2}}
    record = compared(tmp_path, GOOD, qrels=qrels, measures=["Success@2", "nDCG@2"], min_grade=2)
    text = shown(output, record)
    assert 1 == text.count("Gold is grade 2 or more (rel=2). nDCG: linear gain.")
    without = shown(output, compared(tmp_path, GOOD))
    assert 1 == without.count("Gold is grade 1 or more (rel=1).")
    assert "nDCG: linear gain" not in without


# In a notebook

Scored = namedtuple("Scored", "query_id doc_id score")
Graded = namedtuple("Graded", "query_id doc_id relevance iteration")
OTHER = {"q1": "xab", "q2": "cdy", "q3": "zwe"}


def scores(chunks_by_query: Mapping[str, str]) -> dict[str, dict[str, float]]:
    """Grades of a list, best first, as pytrec_eval takes them."""
    return {q: {c: 9.0 - at for at, c in enumerate(ids)} for q, ids in chunks_by_query.items()}


def pyterrier(nested: Mapping[str, Mapping[str, float]], value: str) -> pd.DataFrame:
    """The columns of PyTerrier, lines of any order, ranks from 0."""
    rows = [
        (q, c, number, rank)
        for q, found in nested.items()
        for rank, (c, number) in enumerate(found.items())
    ]
    return pd.DataFrame(rows[::-1], columns=["qid", "docno", value, "rank"])


SHAPES: dict[str, Callable[[Mapping[str, Mapping[str, Any]], str], Any]] = {
    "dictionaries": lambda nested, _: nested,
    "ranx": lambda nested, _: SimpleNamespace(to_dict=lambda: nested),
    "pyterrier": pyterrier,
    "pandas": lambda nested, value: (
        pyterrier(nested, "grade" if value == "label" else value)
        .rename(columns={"qid": "query_id", "docno": "chunk_id"})
        .drop(columns="rank")
    ),
    "ir_datasets": lambda nested, value: (
        Graded(q, c, number, "0") if value == "label" else Scored(q, c, number)
        for q, found in nested.items()
        for c, number in found.items()
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_runs_and_qrels_go_in_as_they_are(shape: str, tmp_path: Path) -> None:
    """The figures are those of the files, and the tables and the first screen come with them."""
    good, other = (SHAPES[shape](scores(ids), "score") for ids in (GOOD, OTHER))
    found = compare_in_memory(
        {"good": good, "other": other}, qrels=SHAPES[shape](QRELS, "label"), measures=["Success@2"]
    )
    expected = compared(tmp_path, OTHER)
    assert expected.contrasts == found.record.contrasts
    assert expected.arms == found.record.arms
    assert [1, 1, 0] == list(found.per_query.query("arm == 'other'")["value"])
    assert ["q3"] == list(found.flips["query_id"])
    assert "other: 1 of 3" not in repr(found)
    page = found._repr_html_()
    assert "0.667" in page
    assert "&lt;details&gt;" not in page
    assert page.startswith("<iframe sandbox")


def test_a_comparison_in_memory_is_entered_in_the_ledger(tmp_path: Path) -> None:
    """Like one of files, so that an earlier choice is told; lists of equal scores go by rank."""
    world = small_world(tmp_path)
    good = {q: {"leave#0": 2.0, "x": 1.0} for q in QUERIES}
    tied = [Scored(q, c, 1.0) for q in QUERIES for c in ("pay#0", "leave#0")]
    frame = pd.DataFrame(tied).assign(rank=[2, 1] * 9)
    compare_in_memory({"good": good, "t": tied}, labels=world.labels, measures=["Success@1"])
    again = compare_in_memory({"good": good, "t": tied}, labels=world.labels, measures=["RR@2"])
    assert again.record.contrasts[0].earlier_choices
    by_rank = compare_in_memory(
        {"good": good, "t": frame}, labels=world.labels, measures=["Success@1"]
    )
    assert [0.0] == list(set(by_rank.contrasts["difference"]))


@pytest.mark.parametrize(
    ("run", "said"),
    [
        ([Scored("q1", "a", float("nan"))], "row 1 .* score nan is not a finite number"),
        ([Scored("q1", "a", "0.9")], "score '0.9' is not a finite number"),
        ([Scored("q1", "a", 1.0)] * 2, "row 2 .* stands a second time under the query"),
        ([Scored(1.0, "a", 1.0)], "the id 1.0 is not text"),
        (pd.DataFrame({"query": ["q1"], "score": [1.0]}), "has the columns query, score"),
        ({}, "holds no results"),
        ([("q1", "a", 1.0)], "has the columns of no names"),
    ],
)
def test_a_run_in_memory_that_is_none_is_refused(run: Any, said: str) -> None:
    """With the row, what was found and what is expected."""
    with pytest.raises(InputError, match=said):
        compare_in_memory({"good": scores(GOOD), "other": run}, qrels=QRELS)


def test_a_grade_is_a_whole_number() -> None:
    """A half, or two grades of one pair, decides nothing."""
    runs = {"good": scores(GOOD), "other": scores(OTHER)}
    with pytest.raises(InputError, match=r"grade 0\.5 is not a whole number"):
        compare_in_memory(runs, qrels={"q1": {"a": 0.5}})
    twice = [Graded("q1", "a", 1, "0"), Graded("q1", "a", 0, "0")]
    with pytest.raises(InputError, match=r"row 2 .* grade 0, and 1 above"):
        compare_in_memory(runs, qrels=twice)
    with pytest.raises(InputError, match="Give either labels or qrels"):
        compare_in_memory(runs)
