"""
A second process that writes the pairs and events of a workspace while the first one checks them.

Both read the workspace file for themselves, as of one moment: whoever starts the scribe keeps
everybody from storing anything until the scribe has begun to read. It loads next to nothing,
so that it is there at once and small. From top to bottom: the one side, and the other.
"""

import json
import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, cast

from evaluator.labelset import write_lines, write_rows
from labeler.frozen_rows import event_lines, pair_rows, unknown_sources


class Scribe:
    """A process that is ready to read a workspace file."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._said, self._told = cast(Any, process.stdout), cast(Any, process.stdin)

    def begin(self, folder: Path) -> None:
        """Write what stands in the file at this moment into a folder; back when it is read from."""
        with suppress(BrokenPipeError):  # what became of it is told at the end
            self._told.write(json.dumps(os.fspath(folder)) + "\n")
            self._told.flush()
        self._said.readline()

    def written(self) -> Mapping[str, Mapping[str, Any]]:
        """What is to be stated of each member, once it is written. Raises what was met there."""
        found: dict[str, Any] = json.loads(self._said.read() or "{}")
        if "os" in found:
            raise OSError(*found["os"])
        if not found or "error" in found:
            code = self._process.wait()
            ended = f"the process that writes pairs and events ended early ({code})"
            raise ValueError(found.get("error", ended))
        return found


@contextmanager
def scribe_for(workspace_file: Path) -> Iterator[Scribe | None]:
    """
    A scribe until the block ends, whatever it then still has to write; None if there can be none.

    It is in a process group of its own, so that whoever started it alone is interrupted at a
    terminal.
    """
    command = [sys.executable or "", "-P", "-m", __name__, str(workspace_file)]
    pipe = subprocess.PIPE
    try:
        process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, process_group=0)
    except OSError:
        yield None
        return
    with process:
        try:
            assert process.stdout is not None
            same_code = process.stdout.readline() == f"{_here()}\n"
            yield Scribe(process) if same_code else None
        finally:
            process.kill()
            assert process.stdin is not None
            with suppress(BrokenPipeError):
                process.stdin.close()


def _here() -> str:
    return ascii(os.path.realpath(__file__))


def main(workspace_file: str) -> int:
    """Write the members into the folder that is named on a line of standard input."""
    database = sqlite3.connect(workspace_file, isolation_level=None)
    print(_here(), flush=True)
    if not (folder := sys.stdin.readline()):
        return 1
    threading.Thread(target=_end_with_starter, daemon=True).start()
    try:
        try:
            database.execute("BEGIN")
            database.execute("SELECT 1 FROM pool LIMIT 1").fetchall()
        finally:
            print(flush=True)
        found = _write(database, Path(json.loads(folder)))
    except OSError as error:
        found = {"os": [error.errno, error.strerror, error.filename]}
    except (sqlite3.Error, TypeError, ValueError) as error:
        found = {"error": str(error)}
    print(json.dumps(found), flush=True)
    return 0


def _write(database: sqlite3.Connection, folder: Path) -> dict[str, Any]:
    folder.mkdir(exist_ok=True)
    if strange := unknown_sources(database):
        raise ValueError(f"pairs were found by {', '.join(strange)}, of which nothing is recorded")
    pool, judgements = folder / "pool.jsonl", folder / "judgements.jsonl"
    return {
        pool.name: write_rows(pool, pair_rows(database)),
        judgements.name: write_lines(judgements, event_lines(database)),
    }


def _end_with_starter() -> None:
    """Nothing more is said on standard input: its end is the end of whoever waits."""
    while os.read(sys.stdin.fileno(), 1):
        pass
    os._exit(1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
