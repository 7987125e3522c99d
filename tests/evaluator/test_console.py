"""A command that is asked to end, at any moment of its life."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from evaluator.console import EVERY, INTERRUPTED, Commands, progress
from evaluator.files.whole import made_aside

AS_A_SHELL_HAS_IT = [("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129)]
ASKED_ON_LOADING = """
import os, signal, sys
class Asks:
    def find_spec(self, name, *_):
        if name == "{loads}":
            os.kill(os.getpid(), signal.{name})
sys.meta_path.insert(0, Asks())
from {package}.__main__ import main
main()
"""


def run(source: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", source, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("package", "loads", "name", "code"),
    [
        ("evaluator", "evaluator.cli.main", "SIGINT", 130),
        ("labeler", "labeler.cli.main", "SIGTERM", 143),
        ("labeler.app", "streamlit.web.cli", "SIGHUP", 129),
    ],
)
def test_what_is_stopped_while_it_is_loaded_says_one_line(
    package: str, loads: str, name: str, code: int
) -> None:
    """Instead of a traceback through modules that nobody knows."""
    source = ASKED_ON_LOADING.format(package=package, loads=loads, name=name)
    done = run(source)
    assert (code, "Interrupted.\n", "") == (done.returncode, done.stderr, done.stdout)


@pytest.mark.parametrize(("name", "code"), AS_A_SHELL_HAS_IT)
def test_what_is_stopped_at_work_tidies_up(name: str, code: int, tmp_path: Path) -> None:
    """One line, the exit code that shells know, nothing half made, and signals as they were."""
    before = signal.getsignal(getattr(signal, name))

    @click.group(cls=Commands)
    def main() -> None: ...

    @main.command()
    def work() -> None:
        with made_aside(tmp_path / "made") as aside:
            aside.write_text("half")
            os.kill(os.getpid(), getattr(signal, name))

    done = CliRunner().invoke(main, ["work"])
    assert (code, INTERRUPTED + "\n") == (done.exit_code, done.stderr)
    assert [] == list(tmp_path.iterdir())
    assert before is signal.getsignal(getattr(signal, name))


def test_a_signal_that_is_to_be_ignored_is_ignored() -> None:
    """As `nohup` wishes."""
    source = ASKED_ON_LOADING.format(package="evaluator", loads="evaluator.cli.main", name="SIGHUP")
    ignoring = "import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)" + source
    done = run(ignoring, "--version")
    assert (0, "") == (done.returncode, done.stderr)


def test_what_an_import_makes_of_being_stopped_is_one_line_too() -> None:
    """Python turns what happens while it makes a class into an error of its own."""

    @click.group(cls=Commands)
    def main() -> None: ...

    @main.command()
    def work() -> None:
        try:
            os.kill(os.getpid(), signal.SIGINT)
        except KeyboardInterrupt as asked:
            raise RuntimeError("Error calling __set_name__") from asked

    done = CliRunner().invoke(main, ["work"])
    assert (130, INTERRUPTED + "\n") == (done.exit_code, done.stderr)


def test_without_a_terminal_progress_is_a_line_now_and_then(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """How many of how many, how fast, and how long it takes; nothing for what is quickly done."""
    assert [0, 1] == list(progress([0, 1], label="Reading"))
    assert "" == capsys.readouterr().err
    monkeypatch.setenv(EVERY, "0")
    assert 4 == len(list(progress(range(4), label="Reading")))
    first, *_, last = capsys.readouterr().err.splitlines()
    assert first.startswith("Reading: 1 of 4 (25 %), ")
    assert last.startswith("Reading: 3 of 4 (75 %), ")
    assert last.endswith(" left")
    list(progress(iter("abc"), label="Reading"))
    assert "Reading: 2, " in capsys.readouterr().err
