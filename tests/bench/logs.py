"""
Reading a query log of a million lines: CPU and memory against a script that counts lines.

A made-up log (Zipf 1.02; spellings, blanks, years, words beyond ASCII, quoted cells, some
addresses) is read in turn, each time in a fresh process, by

- naive: csv and Counter, each line normalised in the usual way: lower case, runs of blanks
  to one by a compiled pattern, trimmed, question marks off;
- same rule: csv and Counter, each line normalised by this project's rule;
- read_log: queries with variants, counts, window, private data, digest, and all that a record
  holds, every query gone through once, as storing them does.

Run from the repository root:

    python -m tests.bench.logs [--lines N] [--rounds N] [--quick]

Exits with 1 when a stated goal is missed, or when the counts are not the same.
"""

import argparse
import csv
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from tests.bench.goals import Goal, ratio_goal, report, require_one_thread

LINES, QUICK = 1_000_000, 400_000
DISTINCT = 3_000_000  # of which a million draws meet a twelfth
ZIPF = 1.02
AT_ONCE = 200_000
MOST_CPU = 4.0  # times that of naive
MOST_MEMORY = 400  # MiB
SYLLABLES = "ka to mi re so la ne du vi pa lo ste gra fen bor ti ul sek ran hod".split()  # noqa: SIM905
BEYOND_ASCII = ("størrelse", "æra", "naïve", "straße", "año", "東京", "crème")


def write_log(path: Path, lines: int, *, seed: int = 7) -> None:
    """A log with a header and so many searches."""
    random = np.random.default_rng(seed)
    reached = np.cumsum(1 / np.arange(1, DISTINCT + 1) ** ZIPF)
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write("timestamp,session,query\n")
        for start in range(0, lines, AT_ONCE):
            n = min(AT_ONCE, lines - start)
            ranks = np.searchsorted(reached / reached[-1], random.random(n)).tolist()
            forms = np.minimum(random.geometric(0.75, n) - 1, 5).tolist()
            for at, (rank, form) in enumerate(zip(ranks, forms, strict=True), start):
                day = f"2026-{1 + at // 800_000 % 12:02d}-{1 + at // 28_800 % 28:02d}"
                time = f"{day}T{at // 1_200 % 24:02d}:{at // 20 % 60:02d}:{at % 60:02d}Z"
                file.write(f"{time},{at * 2_654_435_761 % (1 << 32):08x},{_cell(rank, form)}\n")


def _word(number: int) -> str:
    """One of four thousand words."""
    return "".join(SYLLABLES[number // 20**place % 20] for place in range(3))


def _cell(rank: int, form: int) -> str:
    """A query in one of its spellings, quoted where it has to be."""
    mixed = rank * 2_654_435_761 % (1 << 32)
    text = f"{_word(mixed % 4_000)} {_word(mixed // 4_000 % 4_000)}"
    if rank >= 20_000:
        text += f" {_word(rank % 4_000)}"
    if rank % 12 == 5:
        text += f" {1990 + rank % 40}"
    if rank % 16 == 3:
        text = f"{BEYOND_ASCII[rank % len(BEYOND_ASCII)]} {text}"
    if rank % 150 == 7:
        text = text.replace(" ", ", ", 1)
    if rank % 5_000 == 11:
        text = f"{text.replace(' ', '.')}@example.com"
    forms = (text, text.upper(), text.title(), text + " ", text.capitalize() + "?", f"  {text}")
    return f'"{forms[form]}"' if "," in text else forms[form]


def naive(path: Path) -> tuple[int, int]:
    """Searches and distinct queries by a script as it is written in a minute."""
    blanks = re.compile(r"\s+")
    return _counted(path, lambda query: blanks.sub(" ", query.lower()).strip().rstrip("?"))


def same_rule(path: Path) -> tuple[int, int]:
    """Searches and distinct queries, counted line by line after this project's rule."""
    from labeler.logs.group import normalised

    return _counted(path, normalised)


def _counted(path: Path, normalise: Callable[[str], str]) -> tuple[int, int]:
    counts: Counter[str] = Counter()
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.reader(file)
        column = next(rows).index("query")
        for row in rows:
            counts[normalise(row[column])] += 1
    return counts.total(), len(counts)


def read(path: Path) -> tuple[int, int]:
    """Searches and distinct queries by this project, from the queries themselves."""
    from labeler.logs.read import read_log

    searches = distinct = 0
    for query in read_log(path).queries:
        searches += query.count
        distinct += 1
    return searches, distinct


SIDES: dict[str, Callable[[Path], tuple[int, int]]] = {
    "naive": naive,
    "same rule": same_rule,
    "read_log": read,
}


def measure(side: str, path: Path) -> tuple[float, float, str]:
    """CPU seconds, peak MiB and answer of one side in a process of its own, start included."""
    command = [sys.executable, "-m", "tests.bench.logs", "--side", side, "--log", str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        answer = process.stdout.read().strip()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{side} broke off")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, answer


def goals(found: dict[str, tuple[float, float, str]]) -> Iterator[Goal]:
    """What is wanted of the figures."""
    seconds, memory, answer = found["read_log"]
    ratio = seconds / found["naive"][0]
    print(f"read_log: {seconds:.2f} CPU s, naive: {found['naive'][0]:.2f} CPU s")
    yield ratio_goal("CPU of read_log / naive", ratio, at_most=MOST_CPU)
    yield Goal("peak MiB", f"at most {MOST_MEMORY}", f"{memory:.0f}", memory <= MOST_MEMORY)
    same = found["same rule"][2]
    yield Goal("counts", same, answer, answer == same)


def main() -> int:
    """Write a log, measure the sides in turn, and say whether the goals are met."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--lines", type=int, default=LINES)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--side", choices=SIDES, help=argparse.SUPPRESS)
    parser.add_argument("--log", type=Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.side:
        searches, distinct = SIDES[chosen.side](chosen.log)
        print(f"{searches:,} searches, {distinct:,} queries")
        return 0
    lines = QUICK if chosen.quick else chosen.lines
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "searches.csv")
        write_log(path, lines)
        print(f"{lines:,} lines, {path.stat().st_size / 1e6:.0f} MB", flush=True)
        found = {side: min(measure(side, path) for _ in range(chosen.rounds)) for side in SIDES}
    return report(goals(found))


if __name__ == "__main__":
    require_one_thread("tests.bench.logs")
    sys.exit(main())
