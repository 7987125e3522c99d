"""
Every benchmark of this folder, each in its short form: `python -m tests.bench`, `make bench`.

Each runs alone as well (`python -m tests.bench.designs`) and then takes longer. At the end
all goals stand together; exits with 1 when one is missed or a benchmark breaks off.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

from tests.bench.goals import MARK, one_thread

FOLDER = Path(__file__).parent
# A benchmark takes --quick, or what stands here.
SHORT = {"freezing": ("--queries", "500")}


def benchmarks() -> list[str]:
    """The modules of this folder that can be run, by name."""
    found = (path for path in sorted(FOLDER.glob("*.py")) if path.stem != "__main__")
    return [path.stem for path in found if '__name__ == "__main__"' in path.read_text("utf-8")]


def run(name: str) -> tuple[int, list[str]]:
    """Run one benchmark, its output passed on; what it returned, and its goals."""
    print(f"\n# {name}\n", flush=True)
    goals: list[str] = []
    started = time.perf_counter()
    short = SHORT.get(name, ("--quick",))
    with subprocess.Popen(
        [sys.executable, "-m", f"tests.bench.{name}", *short],
        env=one_thread(dict(os.environ)),
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
            goals += [line.strip()] if line.startswith(MARK) else []
    print(f"({time.perf_counter() - started:.0f} s)", flush=True)
    return process.returncode, goals


def main() -> int:
    """Run them all, then print what each wanted and got."""
    found = {name: run(name) for name in benchmarks()}
    print("\n# Goals\n")
    for name, (code, goals) in found.items():
        for goal in goals or ["states no goal"]:
            print(f"{name}: {goal.removeprefix(MARK).strip()}")
        if code and not any(goal.endswith("MISSED") for goal in goals):
            print(f"{name}: broke off with exit code {code}")
    return int(any(code for code, _ in found.values()))


if __name__ == "__main__":
    sys.exit(main())
