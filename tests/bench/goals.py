"""
What the benchmarks share: how a goal is stated, and how CPU seconds and memory are taken.

Times are CPU seconds, user and system, taken in turn within one run: on a shared machine the
clock says more about the neighbours than about the code.
"""

import resource
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

MARK = "GOAL"


@dataclass(frozen=True, slots=True)
class Goal:
    """One figure beside what it should be."""

    name: str
    goal: str
    figure: str
    met: bool


@dataclass(frozen=True, slots=True)
class Use:
    """What one function took in a process of its own, and what it gave back."""

    cpu_seconds: float
    peak_mb: float
    answer: object


def report(goals: Iterable[Goal]) -> int:
    """Print a line for each goal, and 1 if any is missed, else 0."""
    missed = 0
    for goal in goals:
        verdict = "met" if goal.met else "MISSED"
        print(f"{MARK} {goal.name}: goal {goal.goal}, found {goal.figure}: {verdict}", flush=True)
        missed += not goal.met
    return 1 if missed else 0


def at_least(name: str, wanted: float, found: float) -> Goal:
    """A goal for a figure that should be large."""
    return Goal(name, f"at least {wanted:g}", f"{found:.4g}", found >= wanted)


def at_most(name: str, wanted: float, found: float) -> Goal:
    """A goal for a figure that should be small."""
    return Goal(name, f"at most {wanted:g}", f"{found:.4g}", found <= wanted)


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


def alone(side: Callable[[Path], object], path: Path) -> Use:
    """What a function of a path takes in a fresh process; imports count for memory only."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        use = pool.submit(_used, side, path).result()
    print(f"{side.__name__:16}{use.cpu_seconds:8.2f} CPU s {use.peak_mb:7.0f} MB", flush=True)
    return use


def _used(side: Callable[[Path], object], path: Path) -> Use:
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    before = [resource.getrusage(kind) for kind in kinds]
    answer = side(path)
    after = [resource.getrusage(kind) for kind in kinds]
    seconds = sum(used.ru_utime + used.ru_stime for used in after)
    seconds -= sum(used.ru_utime + used.ru_stime for used in before)
    return Use(seconds, sum(used.ru_maxrss for used in after) / 1024, answer)
