"""
What chunks, queries and judgements cost at n, 2n and 4n, with the exponent that fits.

CPU seconds of exact search and of a graph's build by chunks, of search, measures and intervals
by queries, and of freezing and reading by judgements. An exponent of 1 is linear. The graph is
printed without a goal: hnswlib's build is known to cost more than that.
"""

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evaluator.contrasts.figures import measure_figures
from evaluator.measures.values import per_query
from evaluator.vectors.search import build_hnsw, exact_search
from tests.bench.encoding import DIMENSION, SEED, unit
from tests.bench.freezing import frozen, make_workspace, read
from tests.bench.goals import Goal, alone, at_most, cpu_seconds

STEPS = (1, 2, 4)
CHUNKS, QUERIES, JUDGED = 25_000, 500, 500
FEW_CHUNKS, FEW_QUERIES, DEPTH = 10_000, 200, 100
MEASURES = ["Success@5", "RR@10", "nDCG@10"]
LINEAR = 1.15  # what is noise on a shared machine


def goals(quick: bool) -> Iterator[Goal]:
    """The exponents of all but the graph's build; the long form takes four times as much."""
    scale = 1 if quick else 4
    exponent("a graph by chunks", FEW_CHUNKS, graph)
    for name, base, cost in (
        ("exact search by chunks", CHUNKS, chunks),
        ("search, measures and tests by queries", QUERIES, queries),
        ("freezing and reading by judged queries", JUDGED, judgements),
    ):
        yield at_most(f"exponent of {name}", LINEAR, exponent(name, base * scale, cost))


def exponent(name: str, base: int, cost: Callable[[int], float]) -> float:
    """The slope of the logarithm of the cost over that of n, by least squares."""
    sizes = [base * step for step in STEPS]
    found = [cost(size) for size in sizes]
    slope = float(np.polyfit(np.log(sizes), np.log(found), 1)[0])
    each = ", ".join(f"{n:,}: {s:.2f}" for n, s in zip(sizes, found, strict=True))
    print(f"{name}, CPU s at {each}; exponent {slope:.2f}", flush=True)
    return slope


def chunks(number: int) -> float:
    """Exact search of some queries over that many chunks."""
    asked, vectors, ids = _vectors(FEW_QUERIES), _vectors(number), _ids(number)
    return _least(lambda: exact_search(asked, vectors, chunk_ids=ids, depth=DEPTH))


def graph(number: int) -> float:
    """A graph over that many chunks."""
    vectors, ids = _vectors(number), _ids(number)
    how = {"m": 16, "ef_construction": 200, "ef_search": 128, "seed": SEED}
    return cpu_seconds(lambda: build_hnsw(vectors, chunk_ids=ids, **how), rounds=1)[0]


def queries(number: int) -> float:
    """Search for that many queries over some chunks, their measures, and two arms compared."""
    asked, vectors, ids = _vectors(number), _vectors(FEW_CHUNKS), _ids(FEW_CHUNKS)
    names = _ids(number)
    qrels = {name: {ids[row * 7 % FEW_CHUNKS]: 1} for row, name in enumerate(names)}

    def whole() -> None:
        found = exact_search(asked, vectors, chunk_ids=ids, depth=DEPTH)
        runs = dict(zip(names, found, strict=True)), dict(zip(names, found[::-1], strict=True))
        arms = [
            per_query(run, qrels, measures=MEASURES, query_ids=names, min_grade=1) for run in runs
        ]
        for measure in MEASURES:
            measure_figures(measure, arms[0][measure], arms[1][measure])

    return _least(whole)


def judgements(number: int) -> float:
    """Freezing a workspace of that many judged queries, and reading the set."""
    with tempfile.TemporaryDirectory() as name:
        make_workspace(Path(name), number, chunks=FEW_CHUNKS)
        return sum(alone(side, Path(name)).cpu_seconds for side in (frozen, read))


def _least(side: Callable[[], object]) -> float:
    return cpu_seconds(side, rounds=3)[0]


def _vectors(number: int) -> NDArray[np.float32]:
    random = np.random.default_rng(SEED + number)
    return unit(random.standard_normal((number, DIMENSION), dtype=np.float32))


def _ids(number: int) -> list[str]:
    return [f"{row:07}" for row in range(number)]
