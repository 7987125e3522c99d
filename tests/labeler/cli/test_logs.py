"""The command that reads logs: what it says, what it refuses, what it keeps."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from labeler.cli.main import main
from labeler.workspace.workspace import Workspace
from tests.labeler.small import small_workspace

LOG = "query,count\nvpn,3\nVPN,1\nmail to ola@example.com,2\nmail to kari@example.com,5\n"


@pytest.fixture
def work(tmp_path: Path) -> Path:
    small_workspace(tmp_path / "work").close()
    (tmp_path / "log.csv").write_text(LOG, encoding="utf-8")
    return tmp_path / "work"


def logs(work: Path, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["logs", str(work), *arguments])


def stored(work: Path) -> dict[str, int]:
    return {query.text: query.count for query in Workspace.open(work).queries.log_queries()}


def test_the_columns_that_were_read_are_named(work: Path, tmp_path: Path) -> None:
    """A file with several likely columns leaves nobody guessing; one without has none to name."""
    (tmp_path / "plain.txt").write_text("vpn\nleave\n", encoding="utf-8")
    result = logs(work, str(tmp_path / "log.csv"), str(tmp_path / "plain.txt"), "--private", "drop")
    assert ["  Columns: query from 'query', count from 'count'."] == [
        line for line in result.stderr.splitlines() if "Columns" in line
    ]


def test_more_than_a_hundredth_of_broken_lines_is_refused(work: Path, tmp_path: Path) -> None:
    """A few lines can be most of the searches; with a word from somebody they are left out."""
    path = tmp_path / "head.csv"
    path.write_text("query,count\nvpn,1.234\nleave,2\n", encoding="utf-8")
    refused = logs(work, str(path))
    assert 1 == refused.exit_code
    assert "1 of 3 lines are broken, more than 1%. Nothing was stored." in refused.stderr
    assert "line 2: the count '1.234' is not a whole number" in refused.stderr
    assert {} == stored(work)
    assert 0 == logs(work, str(path), "--accept-broken").exit_code
    assert {"leave": 2} == stored(work)
    path.write_text("query,count\n" + "leave,2\n" * 99 + "vpn,1.234\n", encoding="utf-8")
    assert 0 == logs(work, str(path)).exit_code


def test_private_data_waits_for_a_decision(work: Path, tmp_path: Path) -> None:
    """Without one it is counted, no value is shown, and nothing of any file is stored."""
    other = tmp_path / "other.csv"
    other.write_text("query\nleave\n", encoding="utf-8")
    result = logs(work, str(other), str(tmp_path / "log.csv"))
    assert 1 == result.exit_code
    assert "e-mail address: 2 (7)" in result.stderr
    assert "--private drop" in result.stderr
    assert "example.com" not in result.output
    assert {} == stored(work)


@pytest.mark.parametrize(
    ("choice", "queries"),
    [
        ("drop", {"vpn": 4}),
        ("mask", {"vpn": 4, "mail to [e-mail]": 7}),
        ("keep", {"vpn": 4, "mail to ola@example.com": 2, "mail to kari@example.com": 5}),
    ],
)
def test_the_decision_is_carried_out_and_recorded(
    work: Path, tmp_path: Path, choice: str, queries: dict[str, int]
) -> None:
    """Masked queries that become equal are one query; the choice is part of the record."""
    assert 0 == logs(work, str(tmp_path / "log.csv"), "--private", choice).exit_code
    assert queries == stored(work)
    (record,) = Workspace.open(work).queries.logs()
    assert choice == record["private"]["choice"]
    assert {"e-mail address": {"queries": 2, "searches": 7}} == record["private"]["kinds"]
    said = CliRunner().invoke(main, ["status", str(work)]).stdout
    assert ("since the others held private data" in said) == (choice == "drop")


def test_what_makes_queries_equal_is_said(work: Path, tmp_path: Path) -> None:
    """The rule of normalising, or that there is none; then no spellings were put together."""
    path = str(tmp_path / "log.csv")
    assert "case folded" in logs(work, path).stderr
    result = logs(work, path, "--private", "drop", "--no-normalise")
    assert "as they stand" in result.stderr
    assert "spellings" not in result.stderr
    assert {"vpn": 3, "VPN": 1} == stored(work)


def test_a_file_is_read_as_the_options_say(work: Path, tmp_path: Path) -> None:
    """A tab is given by its name, what is private in one place only by a regular expression."""
    path = tmp_path / "tabs.log"
    path.write_text("what,query\tsearches\nbill K-123456\t1\nvpn, fast\t3\n", encoding="utf-8")
    options = ["--delimiter", "tab", "--query-column", "what,query"]
    options += ["--private", "mask", "--identifier", r"\bK-\d{6}\b"]
    assert "identifier: 1 (1); masked" in logs(work, str(path), *options).stderr
    assert {"bill [identifier]": 1, "vpn, fast": 3} == stored(work)


def test_a_preview_keeps_nothing(work: Path, tmp_path: Path) -> None:
    """Columns with their first cells, the guess, and placeholders for what is private."""
    result = logs(work, str(tmp_path / "log.csv"), "--preview")
    assert 0 == result.exit_code
    assert "query query" in result.stdout
    assert "mail to [e-mail]" in result.stdout
    assert {} == stored(work)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--delimiter", "::"], "not one character"),
        (["--identifier", "("], "cannot be read"),
        (["--identifier", "x*"], "fits every query"),
        (["--region", "Norway"], "two letters"),
        (["--query-parameter", "q"], "is for logs of web servers"),
    ],
)
def test_options_that_cannot_be_are_refused(
    work: Path, tmp_path: Path, arguments: list[str], message: str
) -> None:
    """With a sentence and no traceback."""
    result = logs(work, str(tmp_path / "log.csv"), *arguments)
    assert result.exit_code in (1, 2)
    assert message in result.stderr


def test_a_long_log_shows_how_far_it_is(
    work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file is named while it is read."""
    monkeypatch.setattr("labeler.cli.logs._SHOW_FROM", 0)
    result = logs(work, str(tmp_path / "log.csv"), "--private", "drop")
    assert "Reading log.csv" in result.stderr


def test_several_logs_are_stored_together_or_not_at_all(work: Path, tmp_path: Path) -> None:
    """A file that is there already keeps the others out; the status lists what was stored."""
    for name, text in (("a.csv", "query\nleave\nleave\n"), ("b.csv", "query\nvpn\n")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    a, b = str(tmp_path / "a.csv"), str(tmp_path / "b.csv")
    assert 0 == logs(work, b).exit_code
    result = logs(work, a, b)
    assert 1 == result.exit_code
    assert "b.csv has been read into this workspace already. Nothing was stored" in result.stderr
    assert {"vpn": 1} == stored(work)
    assert 0 == logs(work, a).exit_code
    status = CliRunner().invoke(main, ["status", str(work)]).stdout
    assert "Log         b.csv: 1 search, 1 distinct query\n" in status
    assert "Log         a.csv: 2 searches, 1 distinct query\n" in status


def test_spellings_that_became_one_query_are_said(work: Path, tmp_path: Path) -> None:
    """How many, the most frequent of them with counts, and how to keep them apart."""
    path = str(tmp_path / "log.csv")
    said = logs(work, path, "--private", "drop").stderr
    assert "2 spellings became 1 query: letter case and blanks do not count" in said
    assert "--no-normalise keeps them apart" in said
    assert "'vpn' (3), 'VPN' (1)" in said
