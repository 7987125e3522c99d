"""
How a benchmark states what it wanted and what it got, and how it keeps to one thread.

Times are CPU seconds of this process, user and system, taken in turn within one run: on a
shared machine the clock says more about the neighbours than about the code.
"""

import os
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

MARK = "GOAL"
_ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
# Where these are set, numpy takes matrix kernels that are not made for the processor.
_KERNELS = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")


@dataclass(frozen=True, slots=True)
class Goal:
    """One figure beside what it should be."""

    name: str
    goal: str
    figure: str
    met: bool


def report(goals: Iterable[Goal]) -> int:
    """
    Print a line for each goal, and 1 if any is missed, else 0.

    `python -m tests.bench` collects these lines.
    """
    missed = 0
    for goal in goals:
        verdict = "met" if goal.met else "MISSED"
        print(f"{MARK} {goal.name}: goal {goal.goal}, found {goal.figure}: {verdict}", flush=True)
        missed += not goal.met
    return 1 if missed else 0


def one_thread(environment: dict[str, str]) -> dict[str, str]:
    """The environment of a process that computes on one thread with its own kernels."""
    kept = {name: value for name, value in environment.items() if name not in _KERNELS}
    return kept | dict.fromkeys(_ONE_THREAD, "1")


def require_one_thread(module: str) -> None:
    """Start this module anew where the environment says otherwise: libraries read it once."""
    wanted = one_thread(dict(os.environ))
    if wanted != dict(os.environ):
        os.execve(sys.executable, [sys.executable, "-m", module, *sys.argv[1:]], wanted)


def cpu_seconds(*sides: Callable[[], object], rounds: int) -> tuple[float, ...]:
    """
    The least CPU seconds of each side, the sides taken in turn.

    Whoever shares the processor's caches makes a side dearer and never cheaper, so the least
    is nearest to what the code needs; medians of the same ratio swing by a fifth.
    """
    times: list[list[float]] = [[] for _ in sides]
    for _ in range(rounds):
        for side, found in zip(sides, times, strict=True):
            started = time.process_time()
            side()
            found.append(time.process_time() - started)
    return tuple(min(found) for found in times)


def ratio_goal(name: str, found: float, *, at_least: float = 0.0, at_most: float = 0.0) -> Goal:
    """A goal for a ratio, from below or from above."""
    if at_least:
        return Goal(name, f"at least {at_least:g}", f"{found:.2f}", found >= at_least)
    return Goal(name, f"at most {at_most:g}", f"{found:.2f}", found <= at_most)


def in_words(seconds: Sequence[float]) -> str:
    """CPU seconds with the digits that say something."""
    return ", ".join(f"{one:.3g}" for one in seconds)
