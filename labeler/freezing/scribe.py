"""
A second process that writes the pairs and events of a workspace while the first one checks them.

Both read the workspace file for themselves, as of one moment: whoever starts the scribe keeps
everybody from storing anything until the scribe has begun to read. It loads next to nothing,
so that it is there at once and small. Whatever it meets, it ends without a word: whoever then
writes everything alone meets it too, and can tell. From top to bottom: the one side, and the
other.
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

from evaluator.labelset import format as labelset
from labeler.workspace.frozen_rows import event_lines, pair_rows


class Scribe:
    """A process that is ready to read a workspace file."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._said, self._told = cast(Any, process.stdout), cast(Any, process.stdin)

    def begin(self, folder: Path) -> None:
        """Write what stands in the file at this moment into a folder; back when it is read from."""
        with suppress(BrokenPipeError):
            self._told.write(json.dumps(os.fspath(folder)) + "\n")
            self._told.flush()
        self._hear()

    def written(self) -> Mapping[str, Mapping[str, Any]]:
        """What is to be stated of each member, once it is written."""
        found: dict[str, Any] = json.loads(self._hear())
        return found

    def _hear(self) -> str:
        line: str = self._said.readline()
        if not line:
            raise ChildProcessError("the process that writes pairs and events ended early")
        return line


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
        process = subprocess.Popen(
            command,
            stdin=pipe,
            stdout=pipe,
            stderr=subprocess.DEVNULL,
            text=True,
            process_group=0,
        )
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
    """The code that is run: another's may write other rows."""
    return ascii([os.path.realpath(file) for file in (__file__, labelset.__file__)])


def main(workspace_file: str) -> int:
    """Write the members into the folder that is named on a line of standard input."""
    database = sqlite3.connect(workspace_file, isolation_level=None)
    print(_here(), flush=True)
    if not (named := sys.stdin.readline()):
        return 1
    threading.Thread(target=_end_with_starter, daemon=True).start()
    database.execute("BEGIN")
    database.execute("SELECT 1 FROM pool LIMIT 1").fetchall()
    print(flush=True)
    (folder := Path(json.loads(named))).mkdir(exist_ok=True)
    pool, judgements = folder / "pool.jsonl", folder / "judgements.jsonl"
    found = {
        pool.name: labelset.write_pairs(pool, pair_rows(database)),
        judgements.name: labelset.write_lines(judgements, event_lines(database)),
    }
    print(json.dumps(found), flush=True)
    return 0


def _end_with_starter() -> None:
    """Nothing more is said on standard input: its end is the end of whoever waits."""
    while os.read(sys.stdin.fileno(), 1):
        pass
    os._exit(1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
