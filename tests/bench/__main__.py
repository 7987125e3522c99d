"""
The benchmarks, all of them in their short form or some at length.

    python -m tests.bench
    python -m tests.bench coverage logs

Each benchmark is a module with a function `goals(quick)`; it runs in a process of its own, on
one thread. Exits with 1 when a goal is missed or a benchmark breaks off.
"""

import argparse
import os
import subprocess
import sys
import time
from importlib import import_module

from tests.bench.goals import MARK, report

NAMES = ("coverage", "encoding", "freezing", "load", "logs", "scaling", "snapshots")
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
# Where these are set, numpy takes matrix kernels that are not made for the processor.
KERNELS = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")


def run(name: str, *, quick: bool) -> tuple[int, list[str]]:
    """Run one benchmark, its output passed on; what it returned, and its goals."""
    print(f"\n# {name}\n", flush=True)
    kept = {key: value for key, value in os.environ.items() if key not in KERNELS}
    command = [sys.executable, "-m", "tests.bench", name, "--here"]
    goals: list[str] = []
    started = time.perf_counter()
    with subprocess.Popen(
        command + ["--quick"] * quick,
        env=kept | dict.fromkeys(ONE_THREAD, "1"),
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
    """Run what was asked for, then print what each wanted and got."""
    parser = argparse.ArgumentParser(description="Run the benchmarks.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(NAMES)}")
    parser.add_argument("--quick", action="store_true", help="the short form of those named")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if unknown := set(given.names) - set(NAMES):
        parser.error(f"no benchmark is called {', '.join(sorted(unknown))}")
    if given.here:
        return report(import_module(f"tests.bench.{given.names[0]}").goals(given.quick))
    quick = given.quick or not given.names
    found = {name: run(name, quick=quick) for name in given.names or NAMES}
    print("\n# Goals\n")
    for name, (code, goals) in found.items():
        for goal in goals:
            print(f"{name}: {goal.removeprefix(MARK).strip()}")
        if code and not any(goal.endswith("MISSED") for goal in goals):
            print(f"{name}: broke off with exit code {code}")
    return int(any(code for code, _ in found.values()))


if __name__ == "__main__":
    sys.exit(main())
