"""
Reading a query log of a million lines: CPU and memory against a script that counts lines.

A made-up log (Zipf 1.02; spellings, blanks, years, words beyond ASCII, quoted cells, some
addresses) is read by csv and Counter, with a rule written in a minute and with this project's
rule, and by `read_log`, every query gone through once, as storing them does.
"""

import csv
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from labeler.logs.group import normalised
from labeler.logs.read import read_log
from tests.bench.goals import Goal, alone, at_most

LINES, QUICK = 1_000_000, 600_000
DISTINCT = 3_000_000  # of which a million draws meet a twelfth
ZIPF = 1.02
AT_ONCE = 200_000
MOST_CPU = 4.0  # times that of the script
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


def minute_script(path: Path) -> tuple[int, int]:
    """Searches and distinct queries by a script as it is written in a minute."""
    blanks = re.compile(r"\s+")
    return _counted(path, lambda query: blanks.sub(" ", query.lower()).strip().rstrip("?"))


def same_rule(path: Path) -> tuple[int, int]:
    """Searches and distinct queries, counted line by line after this project's rule."""
    return _counted(path, normalised)


def _counted(path: Path, normalise: Callable[[str], str]) -> tuple[int, int]:
    counts: Counter[str] = Counter()
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.reader(file)
        column = next(rows).index("query")
        for row in rows:
            counts[normalise(row[column])] += 1
    return counts.total(), len(counts)


def this_project(path: Path) -> tuple[int, int]:
    """Searches and distinct queries by this project, from the queries themselves."""
    counts = [query.count for query in read_log(path).queries]
    return sum(counts), len(counts)


def goals(quick: bool) -> Iterator[Goal]:
    """Write a log and read it on the three ways, each in a process of its own."""
    lines = QUICK if quick else LINES
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "searches.csv")
        write_log(path, lines)
        print(f"{lines:,} lines, {path.stat().st_size / 1e6:.0f} MB", flush=True)
        script, rule, ours = (alone(s, path) for s in (minute_script, same_rule, this_project))
    yield at_most("CPU of read_log / script", MOST_CPU, ours.cpu_seconds / script.cpu_seconds)
    yield at_most("peak MB", MOST_MEMORY, ours.peak_mb)
    yield Goal("counts", str(rule.answer), str(ours.answer), ours.answer == rule.answer)
