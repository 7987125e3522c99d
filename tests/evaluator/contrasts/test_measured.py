"""What headers cost per query, per turn and per year, and what was offered and embedded."""

from typing import Any

import pytest

from evaluator import InputError
from evaluator.experiment.experiment import read_experiment
from evaluator.record.model import record_json, record_of
from evaluator.report.report import markdown_report, terminal_report
from evaluator.run import WrittenRun
from evaluator.trec import read_run
from tests.evaluator.example_record import example_record
from tests.small_world import World, arm, run_world, small_chunks
from tests.stand_in import stand_in_model

ARMS = arm("plain") + arm("headed", header="title+path")

pytestmark = pytest.mark.usefixtures("cache")


def run(world: World, costs: str = "", **how: Any) -> WrittenRun:
    world.write_experiment(arms=f"[costs]\n{costs}\n{ARMS}")
    return run_world(world, **how)


def headed(found: WrittenRun) -> Any:
    return record_json(found.record)["arms"][1]["costs"]


def test_the_tax_is_that_of_the_chunks_really_retrieved(finished: WrittenRun) -> None:
    """Counted again from the run file: words of the headers of the first chunks of each query."""
    words = {
        chunk.chunk_id: len(" > ".join(dict.fromkeys([chunk.title, *chunk.headings])).split())
        for chunk in small_chunks()
    }
    rankings = read_run(finished.path / "headed.run")
    asked = finished.record.headline.query_ids
    for k in (1, 2):
        expected = sum(words[c] for q in asked for c, _ in rankings[q][:k]) / len(asked)
        assert expected == pytest.approx(headed(finished)["header_tokens_per_query"][str(k)])
    assert "exact" == headed(finished)["header_tokens_of"]


def test_turns_and_years_multiply_the_tax(world: World) -> None:
    """A million queries, each read in three turns: three million times the tax of one query."""
    usage = "queries_per_turn = 1.5\nturns_kept = 3\nqueries_per_year = 1000000"
    bill = headed(run(world, usage))
    one = bill["header_tokens_per_query"]["2"]
    assert 4.5 * one == pytest.approx(bill["header_tokens_per_turn"]["2"])
    assert 3_000_000 * one == pytest.approx(bill["header_tokens_per_year"]["2"])


def test_without_a_traffic_there_is_no_year(finished: WrittenRun) -> None:
    """A guess would be quoted."""
    bill = headed(finished)
    assert "header_tokens_per_year" not in bill
    assert bill["header_tokens_per_query"] == bill["header_tokens_per_turn"]


def test_headers_that_only_the_encoder_sees_are_not_taxed(world: World) -> None:
    """All three are 0; the closure still holds, since the headers were retrieved."""
    found = run(world, "headers_enter_context = false\nqueries_per_year = 1000000")
    bill = headed(found)
    for per in ("query", "turn", "year"):
        assert {"1": 0, "2": 0} == bill[f"header_tokens_per_{per}"]
    assert bill["header_tokens_mean"] > 0
    assert [] == [
        row for row in record_json(found.record)["contrasts"][0]["closure"] if not row["met"]
    ]
    assert "do not enter the generator's context" in markdown_report(found.record)


def test_offered_and_embedded_tokens_are_apart(world: World) -> None:
    """A model of ten tokens embeds ten of what is longer; the gap equals the header offered."""
    found = run(world, load_model=lambda name, **_: stand_in_model(name=name, max_tokens=10))
    plain, treated = (one["costs"] for one in record_json(found.record)["arms"])
    assert treated["embedded_tokens_mean"] <= 10 < treated["input_tokens_mean"]
    gap = treated["input_tokens_mean"] - plain["input_tokens_mean"]
    assert treated["header_tokens_mean"] == pytest.approx(gap)


def test_every_cost_names_its_ranking() -> None:
    """Graph and latency are hnsw's, header tokens those of the protocol's ranking."""
    text = markdown_report(record_of(example_record()))
    for line in (
        "index with its vectors, hnsw",
        "index build, hnsw",
        "query latency, median, hnsw",
        "header tokens per query at k = 5, exact",
        "header tokens per turn at k = 5, exact",
        "header tokens per year at k = 5, exact",
    ):
        assert f"| {line} |" in text
    assert "Queries per turn: 1; what a query brought is read in 3 turns." in text
    assert "Queries per year: 1,200,000." in text
    assert "header tokens per year at k = 5, exact" in terminal_report(record_of(example_record()))


def test_the_four_cells_have_margins() -> None:
    """What each change does at each level of the other, the interaction in the corner."""
    text = markdown_report(record_of(example_record()))
    for line in (
        "| Success | k = 5 | k = 10 | larger k less smaller |",
        "| `plain` | 0.620 | 0.760 | +0.140 |",
        "| `headed` | 0.790 | 0.840 | +0.050 |",
        "| treatment less baseline | +0.170 | +0.080 | interaction -0.090 |",
        "Main effects: treatment +0.125, k +0.095. Subtracted, not tested.",
    ):
        assert line in text


def test_times_move_only_beyond_what_the_machine_can_show() -> None:
    """Rounds that overlap are no change of latency, nor is one build of half as much again."""
    record = example_record()
    baseline, treatment = (arm["costs"] for arm in record["arms"])
    treatment |= {"query_ms_p50": 0.63, "query_ms_p95": 1.88, "build_seconds": 5.8}
    text = markdown_report(record_of(record))
    assert "0.61 ms | 0.63 ms | no change that this machine can show |" in text
    assert "0.94 ms | 1.9 ms |  |" in text
    assert "5.80 s | no change that one build can show |" in text
    treatment |= {"query_ms_p50": 1.22, "query_ms_spread": [1.1, 1.3], "build_seconds": 7.8}
    assert 3.9 == baseline["build_seconds"]
    text = markdown_report(record_of(record))
    assert "0.61 ms | 1.2 ms | +100.0% |" in text
    assert "7.80 s | +100.0% |" in text
    for costs in (baseline, treatment):
        costs |= {"query_ms_p50": None, "query_ms_p95": None, "query_ms_spread": None}
    assert "latency" not in markdown_report(record_of(record)).split("## Arms")[-1][:4000]


@pytest.mark.parametrize(
    ("part", "line"),
    [
        ("queries_per_turn is 0.", "queries_per_turn = 0"),
        ("turns_kept is 1.5.", "turns_kept = 1.5"),
        ("Did you mean 'queries_per_year'?", "queries_per_yaer = 1"),
        ("headers_enter_context is 1.", "headers_enter_context = 1"),
    ],
)
def test_what_is_wrong_in_the_costs_is_named(world: World, part: str, line: str) -> None:
    """With the table and the value."""
    world.write_experiment(arms=f"[costs]\n{line}\n{ARMS}")
    with pytest.raises(InputError, match=r"\[costs\]") as caught:
        read_experiment(world.experiment)
    assert part in str(caught.value)
