"""Answers judged end to end: read from a file, compared like hits, printed beside."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from scipy.stats import binomtest

from evaluator import InputError
from evaluator.checks.reproduce import reproduce
from evaluator.cli.main import main
from evaluator.contrasts.answers import answer_figures, read_verdicts
from evaluator.record.model import record_json
from evaluator.report.report import html_report, markdown_report, terminal_report
from tests.small_world import World, arm, run_world

ARMS = ("plain", "headed")
QUERIES = tuple(f"q{n}" for n in range(1, 10))
# Right in plain and in headed, query by query; nobody judged q7 in the plain arm.
PAIRS = ((0, 1), (0, 1), (1, 1), (1, 0), (0, 1), (0, 0), (None, 1), (1, 1), (0, 1))
JUDGED = dict(zip(QUERIES, PAIRS, strict=True))

pytestmark = pytest.mark.usefixtures("cache")


def rows() -> list[dict[str, Any]]:
    return [
        {"query_id": query_id, "arm": name, "verdict": verdict}
        for query_id, pair in JUDGED.items()
        for name, verdict in zip(ARMS, pair, strict=True)
        if verdict is not None
    ]


def write(folder: Path, lines: Any = None, *, name: str = "answers.csv") -> Path:
    path = folder / name
    if lines is None:
        lines = ["query_id,arm,verdict"]
        lines += [f"{row['query_id']},{row['arm']},{row['verdict']}" for row in rows()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def read(path: Path) -> Any:
    return read_verdicts(path, arms=ARMS, query_ids=QUERIES).by_arm


@pytest.mark.parametrize("lines", [[], ["q1,plain,1", "q2,headed,1"]])
def test_verdicts_that_compare_nothing_are_refused(tmp_path: Path, lines: list[str]) -> None:
    """Whoever names a file wants its comparison, and would not miss one that is not printed."""
    said = f"holds {len(lines)} verdicts, and for no query those of two"
    with pytest.raises(InputError, match=said):
        read(write(tmp_path, ["query_id,arm,verdict", *lines]))


def test_verdicts_are_read_in_words_and_in_digits(tmp_path: Path) -> None:
    """CSV with digits and JSON Lines with words are the same verdicts."""
    words = {1: "correct", 0: "Incorrect"}
    lines = [json.dumps(row | {"verdict": words[row["verdict"]]}) for row in rows()]
    digits, spelled = read(write(tmp_path)), read(write(tmp_path, lines, name="answers.jsonl"))
    assert digits == spelled
    assert {"q1": 1, "q2": 1, "q3": 1, "q4": 0} == dict(list(digits["headed"].items())[:4])
    assert "q7" not in digits["plain"]


@pytest.mark.parametrize(
    ("part", "line"),
    [
        ("there is no arm 'heded'. Did you mean \"headed\"?", "q1,heded,1"),
        ("there is no query 'q77' in the label set", "q77,plain,1"),
        ("the verdict is 'maybe', expected 1 or 0", "q1,plain,maybe"),
        ("the verdict is '', expected 1 or 0", "q1,plain,"),
        ("a second verdict on query 'q2' in arm 'plain'", "q2,plain,1"),
        ("2 cells under a header of 3", "q1,plain"),
    ],
)
def test_what_is_no_verdict_is_refused(tmp_path: Path, part: str, line: str) -> None:
    """With its place, and all of them at once."""
    path = write(tmp_path, ["query_id,arm,verdict", "q2,plain,0", line])
    with pytest.raises(InputError) as caught:
        read(path)
    assert f"- line 3: {part}" in str(caught.value)


def test_a_file_without_the_columns_is_refused(tmp_path: Path) -> None:
    """Those that it has are named."""
    with pytest.raises(InputError, match="no query_id and no verdict among id, arm, ok"):
        read(write(tmp_path, ["id,arm,ok", "q1,plain,1"]))
    with pytest.raises(InputError, match="no file of answer verdicts"):
        read(tmp_path / "none.csv")


def test_only_queries_with_both_verdicts_are_compared(tmp_path: Path) -> None:
    """Of the eight log queries seven: three won, one lost, gold or not; the test is exact."""
    by_arm = read(write(tmp_path))
    found = answer_figures(*(by_arm[name] for name in ARMS), query_ids=QUERIES[:8])
    assert found is not None
    assert (7, 2, 3, 1, 1) == (
        *(found.n, found.both, found.won),
        *(found.lost, found.neither),
    )
    assert (8, 1) == (found.asked, found.without_a_verdict)
    assert binomtest(3, 4).pvalue == pytest.approx(found.mcnemar_exact_p)
    assert answer_figures({}, {}, query_ids=QUERIES) is None


def test_answers_stand_beside_and_never_in_the_headline(world: World) -> None:
    """The record has them with the contrast; every report says so under the headline."""
    typed = run_world(world, answers=write(world.folder)).record
    record = record_json(typed)
    [contrast] = record["contrasts"]
    assert 2 / 7 == pytest.approx(contrast["answers"]["difference"])
    assert {"plain": 8, "headed": 9} == record["answers"]["verdicts"]
    assert "Success@1" == contrast["primary"]["measure"]
    for text in (terminal_report(typed), markdown_report(typed), html_report(typed)):
        flat = " ".join(text.replace("\N{NO-BREAK SPACE}", " ").split())
        assert "Answers judged end to end: 0.714 correct" in flat
    assert "1 of 8 queries have no verdict in one of the arms" in markdown_report(typed)
    claim = next(line for line in markdown_report(typed).splitlines() if line.startswith("**"))
    assert "Success@1" in claim
    assert "0.714" not in claim


def test_an_experiment_may_name_its_answers(world: World) -> None:
    """A path from its folder; a run without them has none."""
    write(world.folder)
    assert "answers" not in record_json(run_world(world).record)["contrasts"][0]
    arms = arm("plain") + arm("headed", header="title+path")
    world.write_experiment(arms=f'[answers]\npath = "answers.csv"\n{arms}')
    found = run_world(world)
    assert 7 == record_json(found.record)["contrasts"][0]["answers"]["n"]
    assert reproduce(found.path).difference is None


def test_a_changed_verdict_is_seen(world: World) -> None:
    """A run keeps its verdicts, so a figure made from them can be computed again."""
    results = run_world(world, answers=write(world.folder)).path
    kept = results / "observed.json"
    kept.write_text(kept.read_text().replace('"q4": 0', '"q4": 1'))
    found = reproduce(results).difference
    assert found is not None
    assert found.path.startswith("contrasts[0].answers.")


def test_runs_made_elsewhere_have_answers_too(world: World) -> None:
    """Arms are named as the runs are, and the queries are the headline's there too."""
    results = run_world(world).path
    how = ["compare", str(results / "plain.run"), str(results / "headed.run")]
    how += ["--labels", str(world.labels), "--answers", str(write(world.folder))]
    done = CliRunner().invoke(main, [*how, "--json", "--measure", "Success@1"])
    assert 0 == done.exit_code, done.output
    found = json.loads(done.stdout)["contrasts"][0]["answers"]
    assert (7, 3, 1) == (found["n"], found["won"], found["lost"])
