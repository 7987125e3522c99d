"""
Long work as a command of its own, which goes on when a page is loaded again or the server ends.

A job is a folder: what is to be run, what it said, how it ended. A small process beside the
command writes there; the pages only read, and ask for an end by a file. One job has a name, and
the next of that name takes the folder over.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from evaluator import InputError
from evaluator.console import EVERY
from evaluator.files.whole import made_aside
from evaluator.labelset.format import utc_text

_WORDS, _SAID, _ANSWER, _ENDED = "words.json", "said.txt", "answer.txt", "ended.json"
_STOP, _ALIVE = "stop", "alive"
_LOOK_EVERY = 0.2  # seconds
_GIVEN_UP_AFTER = 20.0  # seconds without a sign of life
_KILL_AFTER = 10.0  # seconds after it was asked to end
_MOST_SAID = 200_000  # bytes that a page reads of what was said
_beside: list["subprocess.Popen[bytes]"] = []  # the processes of this server's jobs
_PROGRESS = re.compile(r".* \((?P<share>[0-9]{1,3}) %\), .* left")


@dataclass(frozen=True, slots=True)
class Job:
    """
    A command as it stands: `code` is None while it runs, and -1 where it ended without a word.

    `said` are its lines for people, `answer` what it printed as data.
    """

    title: str
    words: tuple[str, ...]
    started_at: str
    code: int | None
    said: tuple[str, ...]
    answer: str
    stopping: bool

    @property
    def share(self) -> float | None:
        """How much of the step that is running is done, where it says so."""
        found = _PROGRESS.fullmatch(self.said[-1]) if self.said else None
        return min(int(found["share"]), 100) / 100 if found else None

    @property
    def told(self) -> list[str]:
        """What it said but for how far it was."""
        return [line for line in self.said if not _PROGRESS.fullmatch(line)]


def start(folder: Path, title: str, words: Sequence[str]) -> None:
    """
    Run `python -m` with these words in the background.

    Raises InputError while a job of this name is running.
    """
    before = read(folder)
    if before is not None and before.code is None:
        raise InputError(f"{before.title} is still running. Wait for its end, or stop it.")
    with made_aside(folder) as aside:
        aside.mkdir()
        told = {"title": title, "words": list(words), "started_at": utc_text(datetime.now(UTC))}
        (aside / _WORDS).write_text(json.dumps(told), encoding="utf-8")
        (aside / _ALIVE).touch()
        shutil.rmtree(folder, ignore_errors=True)
        aside.rename(folder)
    _beside[:] = [each for each in _beside if each.poll() is None]
    quiet = subprocess.DEVNULL
    _beside.append(
        subprocess.Popen(
            [sys.executable, "-P", "-m", __name__, str(folder.resolve())],
            stdin=quiet,
            stdout=quiet,
            stderr=quiet,
            start_new_session=True,  # Ctrl-C in the server's terminal is not meant for it
        )
    )


def stop(folder: Path) -> None:
    """Ask the job to end. It tidies up what it has half made."""
    with suppress(FileNotFoundError):
        (folder / _STOP).touch()


def forget(folder: Path) -> None:
    """Take away what is known of a job that has ended."""
    shutil.rmtree(folder, ignore_errors=True)


def read(folder: Path) -> Job | None:
    """The job of a folder as it stands now, None where there is none."""
    try:
        told = json.loads((folder / _WORDS).read_text(encoding="utf-8"))
        quiet = time.time() - (folder / _ALIVE).stat().st_mtime
    except (FileNotFoundError, ValueError):
        return None
    code: int | None = None
    if (folder / _ENDED).exists():
        code = int(json.loads((folder / _ENDED).read_text(encoding="utf-8")))
    elif quiet > _GIVEN_UP_AFTER:
        code = -1
    return Job(
        title=told["title"],
        words=tuple(told["words"]),
        started_at=told["started_at"],
        code=code,
        said=tuple(line for line in _tail(folder / _SAID).splitlines() if line.strip()),
        answer=_tail(folder / _ANSWER),
        stopping=(folder / _STOP).exists(),
    )


def _tail(file: Path) -> str:
    if not file.exists():
        return ""
    with file.open("rb") as opened:
        opened.seek(max(0, file.stat().st_size - _MOST_SAID))
        return opened.read().decode("utf-8", errors="replace")


def main(folder: Path) -> None:
    """Run the command of a job's folder and write down how it ended."""
    words = json.loads((folder / _WORDS).read_text(encoding="utf-8"))["words"]
    environment = {**os.environ, EVERY: "1", "PYTHONUTF8": "1"}
    with (folder / _SAID).open("wb") as said, (folder / _ANSWER).open("wb") as answer:
        command = [sys.executable, "-P", "-m", *words]
        running = subprocess.Popen(command, stdout=answer, stderr=said, env=environment)
        asked_at: float | None = None
        while (code := running.poll()) is None:
            (folder / _ALIVE).touch()
            if asked_at is None and (folder / _STOP).exists():
                asked_at = time.monotonic()
                running.send_signal(signal.SIGINT if os.name == "posix" else signal.SIGTERM)
            elif asked_at is not None and time.monotonic() - asked_at > _KILL_AFTER:
                running.kill()
            time.sleep(_LOOK_EVERY)
    with made_aside(folder / _ENDED) as aside:
        aside.write_text(json.dumps(code), encoding="utf-8")
        aside.rename(folder / _ENDED)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
