"""The whole comparison at the sizes that people have, against independent computations."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar

from evaluator.outside.record import OutsideLabels, compare_runs
from evaluator.record.model import record_json, record_of
from evaluator.report.report import html_report, markdown_report, terminal_report

K, DEPTH, CHUNKS = 5, 20, 300

Run = dict[str, list[tuple[str, float]]]
Qrels = dict[str, dict[str, int]]


def synthetic(queries: int, *, seed: int) -> tuple[Run, Run, Qrels]:
    """Two noisy rankings; the treatment lifts gold a little; a third of the rest was judged."""
    random = np.random.default_rng(seed)
    ids = np.array([f"c{number:03}" for number in range(CHUNKS)])
    baseline: Run = {}
    treatment: Run = {}
    qrels: Qrels = {}
    for number in range(queries):
        query_id = f"q{number:04}"
        gold = random.choice(CHUNKS, size=random.integers(1, 4), replace=False)
        shared = random.normal(size=CHUNKS)
        for run, lift in ((baseline, 2.0), (treatment, 2.25)):
            scores = shared + 0.5 * random.normal(size=CHUNKS)
            scores[gold] += lift
            best = np.argsort(-scores)[:DEPTH]
            run[query_id] = [(str(ids[at]), float(scores[at])) for at in best]
        judged = [c for c, _ in (*baseline[query_id][:8], *treatment[query_id][:2])]
        qrels[query_id] = dict.fromkeys(judged, 0) | dict.fromkeys(ids[gold].tolist(), 1)
    return baseline, treatment, qrels


def by_hand(run: Run, qrels: Qrels) -> dict[str, np.ndarray[Any, Any]]:
    """Success, R and RR at K of every query, in plain Python."""
    rows = []
    for query_id, grades in sorted(qrels.items()):
        gold = {c for c, grade in grades.items() if grade > 0}
        first = [c for c, _ in run[query_id][:K]]
        ranks = [rank for rank, c in enumerate(first, 1) if c in gold]
        rows.append((float(bool(ranks)), len(ranks) / len(gold), 1 / ranks[0] if ranks else 0.0))
    return dict(zip(("Success@5", "R@5", "RR@5"), np.array(rows).T, strict=True))


@pytest.mark.parametrize("queries", [200, 2000])
def test_the_comparison_holds_at_every_size(queries: int) -> None:
    """Levels, cells, p-values and intervals agree with computations made elsewhere."""
    baseline, treatment, qrels = synthetic(queries, seed=queries)
    record = record_json(
        compare_runs(
            {"a": baseline, "b": treatment},
            OutsideLabels(Path("made-up"), qrels, 1),
            measures=["Success@5", "R@5", "RR@5", "nDCG@5"],
        )[0]
    )
    [contrast] = record["contrasts"]
    before, after = by_hand(baseline, qrels), by_hand(treatment, qrels)
    for name, values in before.items():
        found = contrast["measures"][name]
        assert queries == found["n"]
        assert (values.mean(), after[name].mean()) == pytest.approx(
            (found["baseline"], found["treatment"])
        )
    won = int((after["Success@5"] > before["Success@5"]).sum())
    lost = int((after["Success@5"] < before["Success@5"]).sum())
    cells = contrast["cells"]["5"]
    assert (won, lost) == (cells["won"], cells["lost"])
    table = [[cells["both"], lost], [won, cells["neither"]]]
    assert mcnemar(table, exact=True).pvalue == pytest.approx(
        contrast["measures"]["Success@5"]["p"]
    )
    for name in ("R@5", "RR@5"):
        found, differences = contrast["measures"][name], after[name] - before[name]
        by_t_test = stats.ttest_rel(after[name], before[name]).pvalue
        assert by_t_test == pytest.approx(found["p"], abs=0.02)
        half = 1.96 * stats.sem(differences)
        ends = differences.mean() - half, differences.mean() + half
        assert ends == pytest.approx(found["interval"], abs=0.2 * half)
    doubts = contrast["doubts"]
    low, high = doubts["primary_range"]["interval"]
    assert low <= cells["difference"] <= high
    assert doubts["unjudged_pairs"] == sum(map(len, doubts["unjudged"].values()))
    for output in (terminal_report, markdown_report, html_report):
        assert not re.search(r"\bnan\b", output(record_of(record)), re.IGNORECASE)
    json.dumps(record, allow_nan=False)


def test_a_run_against_a_twin_shows_no_difference() -> None:
    """Not NaN: p is 1, every interval holds 0, and every note says so."""
    baseline, _, qrels = synthetic(200, seed=1)
    record = record_json(
        compare_runs({"a": baseline, "b": dict(baseline)}, OutsideLabels(Path("x"), qrels, 1))[0]
    )
    [contrast] = record["contrasts"]
    for found in contrast["measures"].values():
        assert (0.0, 1.0) == (found["difference"], found["p"])
        assert "no difference" in found["note"]
        low, high = found["interval"]
        assert low <= 0 <= high
    assert [0.0, 0.0] == contrast["doubts"]["primary_range"]["interval"]
    assert 0 == contrast["doubts"]["sign"]["chunks"]
    json.dumps(record, allow_nan=False)
    for output in (terminal_report, markdown_report, html_report):
        assert not re.search(r"\bnan\b", output(record_of(record)), re.IGNORECASE)
