"""The commands on which queries are judged, as a person types them."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from labeler.cli.main import main
from labeler.logs.columns import Shape
from labeler.workspace.workspace import Workspace
from tests.labeler.sampling.test_successor import frozen, logged
from tests.labeler.small import small_workspace


def labeler(*arguments: object) -> Result:
    return CliRunner().invoke(main, list(map(str, arguments)))


def test_a_sample_is_drawn_and_its_design_printed(tmp_path: Path) -> None:
    """Design to standard output, what happened to standard error."""
    workspace = logged(tmp_path)
    done = labeler("sample", tmp_path, "--size", 3, "--by", "length")
    assert 0 == done.exit_code, done.output
    assert done.stdout.startswith("Drawn       3 of 5 distinct queries")
    assert "1 word" in done.stdout
    assert "3 queries drawn.\n" == done.stderr
    assert 3 == len(workspace.queries.all())


def test_looking_keeps_nothing(tmp_path: Path) -> None:
    """So that designs can be compared before one is kept, which can be drawn again."""
    workspace = logged(tmp_path)
    top = ("sample", tmp_path, "--design", "top", "--size")
    done = labeler(*top, 2, "--look")
    assert "no estimate for the traffic" in " ".join(done.stdout.split())
    assert "Nothing was kept.\n" == done.stderr
    assert [] == workspace.queries.all()
    assert "2 queries drawn.\n" == labeler(*top, 2).stderr
    assert "They replace an earlier sample of 2, its pool" in labeler(*top, 3).stderr
    assert 3 == len(workspace.queries.all())


def test_a_column_of_the_log_makes_strata(tmp_path: Path) -> None:
    """With the file named again; as JSON for other programs."""
    logged(tmp_path)
    options = ("--by", "column:source", "--log", tmp_path / "log.csv", "--json")
    design = json.loads(labeler("sample", tmp_path, "--size", 4, *options).stdout)
    assert ["column:source"] == design["by"]
    assert {"help", "shop"} == set(design["allocation"])


def test_a_successor_says_what_stays(tmp_path: Path) -> None:
    """In a new workspace, from the set that lies in the old one."""
    labels = frozen(logged(tmp_path / "old"), design="permanent")
    logged(tmp_path / "new")
    done = labeler("sample", tmp_path / "new", "--size", 3, "--refresh", labels)
    assert 0 == done.exit_code, done.output
    assert "0 of " in done.stdout
    assert " are new; 0 are no longer asked." in done.stdout
    removed = labeler("sample", tmp_path / "new", "--refresh", labels, "--former", tmp_path)
    assert (2, True) == (removed.exit_code, "--former was removed" in removed.stderr)


def test_a_plan_needs_no_workspace() -> None:
    """A question and its answer."""
    done = labeler("plan", "--flip-share", 0.1, "--difference", 0.03)
    assert "All queries: 920 with gold" in done.stdout
    assert "  4,600 queries to judge" in done.stdout
    record = json.loads(labeler("plan", "--flip-share", 0.1, "--queries", 480, "--json").stdout)
    assert 2400 == record["held_out"]["queries"]


def test_a_plan_takes_its_shares_from_a_place(tmp_path: Path) -> None:
    """Half of the documents are held out there; what was said on the command line wins."""
    labels = frozen(logged(tmp_path))
    for place in (tmp_path, labels):
        done = labeler("plan", place, "--flip-share", 0.5, "--queries", 100, "--json")
        question = json.loads(done.stdout)["question"]
        assert (0.5, 1.0) == (question["held_out_share"], question["gold_share"])
    done = labeler("plan", labels, "--flip-share", 0.5, "--queries", 100, "--held-out-share", 0.1)
    assert "a chance of 0.1" in done.stdout
    assert "What is there now can detect" in done.stdout


def test_a_graded_plan_needs_its_spread() -> None:
    """Wrong usage is told as such."""
    graded = ("plan", "--flip-share", 0.3, "--difference", 0.1, "--measure", "graded")
    assert 2 == labeler(*graded).exit_code
    assert "by simulation" in labeler(*graded, "--sd", 0.25).stdout


def test_the_age_of_a_set_is_told_by_a_log(tmp_path: Path) -> None:
    """For people and as JSON."""
    labels = frozen(logged(tmp_path))
    newer = tmp_path / "newer.csv"
    newer.write_text("query\n" + "vpn\n" * 5 + "token\n" * 15)
    done = labeler("age", labels, newer)
    assert 0 == done.exit_code, done.output
    assert "Now         20 searches for 2 queries" in done.stdout
    record = json.loads(labeler("age", labels, newer, "--json").stdout)
    assert (0.25, ["token"]) == (
        record["carried_now"],
        [moved["text"] for moved in record["would_be_certain"]],
    )


def test_the_age_is_told_by_the_log_of_a_web_server(tmp_path: Path) -> None:
    """With the options that a first log is read with."""
    labels = frozen(logged(tmp_path))
    newer = tmp_path / "access.log"
    line = '1.2.3.4 - - [0{}/Feb/2027:10:00:00 +0000] "GET /s?q={} HTTP/1.1" {} 10 "-" "{}"\n'
    asked = [("vpn", 200, "curl"), ("token", 200, "curl"), ("vpn", 404, "curl"), ("a", 200, "bot")]
    newer.write_text("".join(line.format(at, *each) for at, each in enumerate(asked, 1)))
    options = ("--query-parameter", "q", "--status", "2xx", "--skip-agent", "bot")
    done = labeler("age", labels, newer, *options)
    assert 0 == done.exit_code, done.output
    assert "Now         2 searches for 2 queries, 2027-02-01 to 2027-02-02" in done.stdout


def test_all_commands_that_read_logs_have_the_same_options() -> None:
    """Whatever may be said of a log when it is read first may be said of a newer one."""
    for name in ("logs", "age"):
        assert Shape.__dataclass_fields__.keys() <= {p.name for p in main.commands[name].params}


def test_authors_declare_what_they_have_seen(tmp_path: Path) -> None:
    """And are asked for it where they do not."""
    workspace = small_workspace(tmp_path)
    (tmp_path / "a.csv").write_text("query\nnotice period\n")
    (tmp_path / "b.csv").write_text("query\nlost token\n")
    one = labeler("add", tmp_path, tmp_path / "a.csv", "--origin", "authored", "--seen", "none")
    two = labeler("add", tmp_path, tmp_path / "b.csv", "--origin", "authored")
    assert ("Not declared" in one.stderr, "Not declared" in two.stderr) == (False, True)
    assert ["none"] == list(workspace.queries.seen().values())
    assert 2 == labeler("add", tmp_path, tmp_path / "a.csv", "--seen", "none").exit_code


def test_the_wording_of_added_queries_is_checked(tmp_path: Path) -> None:
    """The result is printed, and kept for the manifest."""
    logged(tmp_path)
    (tmp_path / "a.csv").write_text("query\nnotice period\n")
    labeler("add", tmp_path, tmp_path / "a.csv", "--origin", "authored", "--seen", "none")
    done = labeler("wording", tmp_path)
    assert 0 == done.exit_code, done.output
    assert "Compared with 5 queries of the log." in done.stdout
    assert 5 == (Workspace.open(tmp_path).queries.wording() or {})["reference"]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["sample", "{work}", "--by", "colour"], 1, "No rule 'colour'"),
        (["sample", "{work}", "--design", "best"], 2, "Invalid value"),
        (["plan", "--flip-share", "0.1"], 1, "Give --difference"),
        (["plan", "{work}/gone", "--flip-share", "0.1", "--queries", "9"], 1, "neither a label"),
        (["age", "{work}", "{work}/log.csv"], 1, "manifest.json"),
    ],
)
def test_what_cannot_be_done_is_one_message(
    tmp_path: Path, arguments: list[str], code: int, message: str
) -> None:
    """Exit code 1 or 2, no traceback."""
    logged(tmp_path)
    done = labeler(*(argument.format(work=tmp_path) for argument in arguments))
    assert code == done.exit_code
    assert message in done.stderr
