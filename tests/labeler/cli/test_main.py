"""The command: exit codes, what goes to which stream, and the chain from corpus to label set."""

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from evaluator.labelset.format import read_label_set
from evaluator.vectors import encoder as encode
from labeler.cli.main import main
from labeler.workspace.records import Event
from labeler.workspace.workspace import Workspace
from tests.labeler.small import AT
from tests.stand_in import stand_in_model

ROOT = Path(__file__).parents[3]
LOG = "query\n" + "notice\n" * 5 + "parking\n" * 3 + "NA\nlost token\n\n"
FREEZE = ["freeze", "w", "--name", "one", "--declared-by", "me", "--header-work"]
DOCUMENT = """# Leave

Tell your manager four weeks before leave begins.

# Parking

A place costs fourteen euros a month.
"""


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in, with a corpus and a log, and no real encoder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ONECAUSE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(encode, "load_model", lambda *_, **__: stand_in_model())
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "handbook.md").write_text(DOCUMENT)
    (tmp_path / "log.csv").write_text(LOG)
    (tmp_path / "known.csv").write_text(
        "query,need,doc_id,quotation\nhow much to park,Cost?,handbook.md,fourteen euros\n"
    )
    return tmp_path


def labeler(*arguments: str, code: int = 0) -> Result:
    result = CliRunner().invoke(main, list(arguments))
    assert code == result.exit_code, result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


def made(*options: str) -> Result:
    return labeler("init", "w", "--corpus", "docs", *options)


def test_the_chain_from_corpus_to_label_set(work: Path) -> None:
    """init, logs, sample, add, needs, pool, status, freeze; the digest is the only output."""
    digest = made("--salt", "00").stdout.strip()
    assert 64 == len(digest)
    assert "10 searches, 4 distinct queries" in labeler("logs", "w", "log.csv").stderr
    assert 3 == json.loads(labeler("sample", "w", "--size", "3", "--json").stdout)["drawn"]
    assert "1 query added, with 1 answer." in labeler("add", "w", "known.csv").stderr
    (work / "needs.csv").write_text("query,need\nnotice,How long before?\nnotcie,How long?\n")
    said = labeler("needs", "w", "needs.csv").stderr
    assert "Needs stated for 1 of 4 queries" in said
    assert "needs.csv: 1 need for no query here: notcie" in said
    assert "8 pairs, 7 of them new" in labeler("pool", "w", "--depth", "5").stderr
    workspace = Workspace.open(work / "w")
    for number, entry in enumerate(workspace.pool.entries()):
        event = Event(f"e{number}", entry.chunk_id, number % 2, "grade")
        assert workspace.judgements.record("ada", entry.query_id, [event], now=AT).stored
    workspace.close()
    status = json.loads(labeler("status", "w", "--json").stdout)
    assert (8, 8) == (status["pool"]["pairs"], status["pool"]["judged"])
    frozen = labeler(*FREEZE, "none")
    labels = read_label_set(work / "w" / "labels" / "one", sha256=frozen.stdout.strip())
    assert {"log", "known-item"} == {query.origin for query in labels.queries}
    assert "evaluator new w/labels/one --snapshot w/snapshot" in frozen.stderr
    assert digest == labels.manifest["snapshot"]["digest"]


def test_full_text_search_loads_no_encoder(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`pool --bm25` alone; the status shows source and depth."""
    made()
    (work / "more.csv").write_text("query\nwhat does a place cost\n")
    labeler("add", "w", "more.csv", "--origin", "authored")
    monkeypatch.setattr(encode, "load_model", lambda *_, **__: pytest.fail("loaded"))
    assert "bm25: 1 pair, 1 of them new" in labeler("pool", "w", "--bm25", "--depth", "7").stderr
    assert "bm25 (depth 7)" in labeler("status", "w").stdout
    assert (work / "w" / "search.sqlite").is_file()


def test_judgements_made_elsewhere_need_no_sample(work: Path) -> None:
    """init, import, freeze."""
    made()
    (work / "q.jsonl").write_text('{"id": "1", "text": "notice"}\n')
    (work / "qrels.tsv").write_text("1\thandbook.md#0\t1\n")
    imported = labeler("import", "w", "--queries", "q.jsonl", "--judgements", "qrels.tsv")
    assert "" == imported.stdout
    labeler(*FREEZE, "2026-01-01")
    manifest = read_label_set(work / "w" / "labels" / "one").manifest
    assert {
        "begun": True,
        "at": "2026-01-01",
        "declared_by": "me",
    } == manifest["header_work"]
    assert manifest["sampling"] is None


def test_guidelines_are_read_and_printed(work: Path) -> None:
    """The default first; a text that is there already changes nothing."""
    made()
    assert "To be about the same topic is not enough." in labeler("guidelines", "w").stdout
    (work / "g.md").write_text("# Relevant\n\nIt holds the answer.\n")
    assert "Kept." in labeler("guidelines", "w", "g.md").stderr
    assert "nothing was changed" in labeler("guidelines", "w", "g.md").stderr
    assert "# Relevant\n\nIt holds the answer.\n" == labeler("guidelines", "w").stdout


def test_people_are_listed_and_queries_assigned(work: Path) -> None:
    """Lists on standard output; a second assignment goes on as the first."""
    made()
    assert "Nobody is on the list yet" in labeler("assessors", "w").stderr
    labeler("assessors", "w", "--add", "Ada", "--may", "both", "--email", "ada@example.org")
    listed = labeler("assessors", "w", "--add", "Bob")
    assert "Ada (ada@example.org): may judge and freeze\nBob: may judge\n" == listed.stdout
    assert ["Ada"] == [
        each["assessor"]
        for each in json.loads(labeler("assessors", "w", "--remove", "Bob", "--json").stdout)
    ]
    labeler("assessors", "w", "--add", "Bob")
    (work / "q.csv").write_text("query_id,text\nq1,notice\nq2,parking\n")
    labeler("import", "w", "--queries", "q.csv")
    assigned = labeler("assign", "w", "--assessors", "Ada, Bob", "--overlap", "0.5")
    assert "Ada" in assigned.stdout
    assert "2 queries, 1 of them for two; 3 places are new, 0 were taken away." in assigned.stderr
    assert {"q1", "q2"} == json.loads(labeler("assign", "w", "--json").stdout).keys()
    (work / "q1.run").write_text("q1 Q0 handbook.md#0 1 1 x\n")
    labeler("pool", "w", "--run", "q1.run")
    assert "1 query has no chunk to judge yet" in labeler("assign", "w").stderr
    assert "assigned" in labeler("status", "w").stdout
    assert "may not judge" in labeler("assign", "w", "--assessors", "Cy", code=1).stderr


def test_a_dry_run_says_what_an_import_would_do(work: Path) -> None:
    """The same counts, without storing; what is in the way exits with 1 as in earnest."""
    made()
    (work / "book.csv").write_text("query,docid,Ada\nnotice,handbook.md#0,1\n")
    options = ["import", "w", "--queries", "book.csv", "--judgements", "book.csv", "--dry-run"]
    said = labeler(*options).stderr
    assert "read as Quepid book, queries by their text" in said
    assert "Would import 1 judgement (new here: 1 query, 1 pair). Nothing was stored." in said
    assert "Queries     0" in labeler("status", "w").stdout
    said = labeler("import", "w", "--judgements", "book.csv", "--dry-run", code=1).stderr
    assert "nothing was imported" in said
    assert "Imported 1 judgement (new here: 1 query, 1 pair)." in labeler(*options[:-1]).stderr
    (work / "bob.csv").write_text("query,docid,Bob\nnotice,handbook.md#0,0\n")
    command = ["import", "w", "--judgements", "bob.csv"]
    new = "1 judgement (new here: 0 queries, 0 pairs)."
    assert f"Would import {new}" in labeler(*command, "--dry-run").stderr
    assert f"Imported {new}" in labeler(*command).stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["status", "nowhere"], "labeler init nowhere --corpus PATH"),
        (["init", "w", "--corpus", "docs"], "not empty"),
        (["init", "v", "--corpus", "docs", "--grades", "yes,no"], "is no grade"),
        (["logs", "w", "gone.csv"], "gone.csv"),
        (["sample", "w"], "Read a query log first"),
        (["add", "w", "gone.csv"], "Cannot read gone.csv"),
        (["import", "w"], "Nothing to import"),
        (["pool", "w"], "no queries yet"),
        (["serve", "w", "--host", "0.0.0.0"], "without a sign-in"),
        (["serve", "docs", "--port", "70000"], "is no workspace"),
        ([*FREEZE, "none"], "Nothing was frozen"),
        ([*FREEZE, "maybe"], "say none"),
        ([*FREEZE, "none", "-o", "log.csv/a"], "log.csv/a cannot be written"),
    ],
)
@pytest.mark.usefixtures("work")
def test_what_a_person_can_mend_is_one_message(arguments: list[str], said: str) -> None:
    """Exit code 1, the message on standard error, nothing on standard output, no traceback."""
    made()
    result = labeler(*arguments, code=1)
    assert result.stderr.startswith("Error: ") or "\nError: " in result.stderr
    assert said in result.stderr
    assert "" == result.stdout


@pytest.mark.parametrize(
    "arguments",
    [["init", "w"], ["freeze", "w", "--name", "a"], ["grade"], ["sample", "w", "--size", "ten"]],
)
def test_wrong_usage_exits_with_two(arguments: list[str]) -> None:
    """A missing option, an unknown command, a number that is none; header work has no default."""
    labeler(*arguments, code=2)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(28, "No space", "w/x"), "w/x could not be read or written: No space left on"),
        (OSError(27, "Too large"), "w could not be read or written: File too large."),
        (sqlite3.DatabaseError("database disk image is malformed"), "written: database disk image"),
        (PermissionError(13, "denied", "w\x1b"), r"No permission to use w\u001b."),
        (
            UnicodeEncodeError("utf-8", "w\udcff/x", 1, 2, "surrogates not allowed"),
            r"'w\udcff/x' holds characters that utf-8 has no room for (surrogates not allowed).",
        ),
    ],
)
@pytest.mark.usefixtures("work")
def test_what_the_machine_refuses_is_one_message(
    error: Exception, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the file where it is known, the cause, and no traceback."""

    def broken(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("labeler.corpus.init.build_snapshot", broken)
    result = labeler("init", "w", "--corpus", "docs", code=1)
    assert said in result.stderr


@pytest.mark.usefixtures("work")
def test_a_workspace_that_another_program_writes_to_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """After a while, and as something that passes."""
    made()
    waiting = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *a, **k: waiting(*a, **{**k, "timeout": 0.1}))
    with closing(sqlite3.connect("w/work.sqlite", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        said = labeler("assessors", "w", "--add", "Ada", "--may", "both", code=1).stderr
    assert "Error: The workspace file is locked by another program, and nothing was" in said


@pytest.mark.usefixtures("work")
def test_a_full_disk_names_the_label_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the file that was being written is unknown or gone."""

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    made()
    Path("q.jsonl").write_text('{"id": "1", "text": "notice"}\n')
    Path("qrels.tsv").write_text("1\thandbook.md#0\t1\n")
    labeler("import", "w", "--queries", "q.jsonl", "--judgements", "qrels.tsv")
    monkeypatch.setattr("labeler.freezing.freeze.write_label_set", full)
    said = labeler(*FREEZE, "none", code=1).stderr
    assert "w/labels/one could not be read or written: No space left on device." in said


def test_what_was_left_out_is_said(work: Path) -> None:
    """Files that are no documents, many of a kind together, and a log line without a query."""
    (work / "docs" / "logo.png").write_bytes(b"\x89PNG")
    for number in range(21):
        (work / "docs" / f"{number:02}.svg").write_text("<svg/>")
    said = made().stderr
    assert "Skipped logo.png: not a document (.png)\n" in said
    assert "Skipped 21, not a document (.svg): 00.svg; 01.svg; 02.svg; 03.svg; 04.svg; and" in said
    assert "line 12" in labeler("logs", "w", "log.csv").stderr


def test_status_reads_like_text(work: Path) -> None:
    """Control characters of a query id cannot drive the terminal."""
    made()
    (work / "q.jsonl").write_text('{"id": "a\\u001b[31m", "text": "x"}\n')
    (work / "qrels.txt").write_text("a%1B[31m 0 handbook.md#0 0\n")
    labeler("import", "w", "--queries", "q.jsonl", "--judgements", "qrels.txt")
    shown = labeler("status", "w").stdout
    assert "Judged      1 pair, 0 can't tell" in shown
    assert "\x1b" not in shown
    assert "1 of 1 query has no relevant chunk: x (a\\u001b[31m)" in shown


def test_every_command_has_help_with_an_example() -> None:
    """The docstring is the help, also that of the group."""
    assert isinstance(main, click.Group)
    assert "Example: labeler" in str(main.help)
    for name, command in main.commands.items():
        assert "Example: labeler" in " ".join(str(command.help).split()), name
        assert labeler(name, "--help").stdout.startswith("Usage: ")


def test_help_answers_without_the_heavy_libraries() -> None:
    """No torch, Streamlit, pandas or numpy is loaded to parse a command line."""
    heavy = {"torch", "streamlit", "pandas", "numpy", "pyarrow"}
    code = f"import sys, labeler.cli.main, evaluator.cli.main; print({heavy} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert "set()" == done.stdout.strip()
