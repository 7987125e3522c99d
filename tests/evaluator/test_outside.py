"""Runs made elsewhere: what their comparison says beside its figures."""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from evaluator.outside import compare_files
from evaluator.report import html_report, markdown_report, terminal_summary

OUTPUTS = (terminal_summary, markdown_report, html_report)
QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"c": 1, "d": 0}, "q3": {"e": 1}}
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
) -> dict[str, Any]:
    """The record of a good run against another one."""
    judged = folder / "qrels.txt"
    judged.write_text(
        "".join(
            f"{q} 0 {c} {grade}\n" for q, grades in qrels.items() for c, grade in grades.items()
        )
    )
    good, other = run_file(folder / "good.run", GOOD), run_file(folder / "other.run", treatment)
    return compare_files(good, other, qrels=judged, measures=measures, **how)


def shown(output: Output, record: Mapping[str, Any]) -> str:
    """The words of an output on one line, whatever its markup."""
    text = re.sub(r"<[^>]+>", "", output(record)) if output is html_report else output(record)
    return re.sub(r"\s+", " ", re.sub(r"[\\`*]", "", text))


# What was scored as 0


@pytest.mark.parametrize("output", OUTPUTS)
def test_queries_that_score_0_without_results_are_named(tmp_path: Path, output: Output) -> None:
    """Allowing them is no reason to hide them: they pull the figures down."""
    text = shown(output, compared(tmp_path, {"q1": "abx", "q2": "cdy"}, allow_missing=True))
    assert "QUERIES WITHOUT RESULTS" in text
    assert "other: 1 of 3 queries score 0: q3." in text


@pytest.mark.parametrize("output", OUTPUTS)
def test_queries_that_nobody_asked_for_are_named(tmp_path: Path, output: Output) -> None:
    """Two more are mostly a run for another set of queries."""
    record = compared(tmp_path, {**GOOD, "q8": "a", "q9": "b"})
    assert "other: 2 queries were not asked for: q8, q9" in shown(output, record)


@pytest.mark.parametrize("output", OUTPUTS)
def test_lists_that_end_before_the_cutoff_are_named(tmp_path: Path, output: Output) -> None:
    """At a cutoff that no list reaches, every list of both runs is short."""
    record = compared(tmp_path, {**GOOD, "q2": "c"})
    assert "other: 1 list is shorter than 2: q2" in shown(output, record)
    huge = shown(output, compared(tmp_path, GOOD | {"q3": "ez"}, measures=["Success@1000000"]))
    for name in ("good", "other"):
        assert f"{name}: 3 lists are shorter than 1000000: q1, q2, q3" in huge


def test_lists_that_end_before_the_cutoff_of_another_measure_are_named(tmp_path: Path) -> None:
    """Three chunks are enough for the first measure and not for the second."""
    record = compared(tmp_path, {**GOOD, "q2": "cd"}, measures=["Success@2", "nDCG@3"])
    assert "other: 1 list is shorter than 3: q2" in shown(terminal_summary, record)
