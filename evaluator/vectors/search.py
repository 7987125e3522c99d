"""
Unit vectors to rankings: exact search, and the edge to hnswlib.

Both rank by the inner product of unit vectors, which is their cosine. The module knows
vectors and chunk ids and nothing else; who is allowed in a ranking comes in as a mask.
"""

import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ranking = list[tuple[str, float]]

# Fixed, since another block shape gives other last bits.
_ROWS = 8192
_QUERIES = 512
_ROUNDS = 20
_TIMED = 100


def exact_search(
    queries: NDArray[np.float32],
    vectors: NDArray[np.float32],
    *,
    chunk_ids: Sequence[str],
    depth: int,
    allowed: NDArray[np.bool_] | None = None,
) -> list[Ranking]:
    """
    The nearest chunks of every query, best first, by comparing with all of them.

    `queries` is (q, d) and `vectors` (n, d), both float32; `chunk_ids` names the rows and
    is in ascending order; `allowed` is a mask over the rows. At most `depth` results
    each, fewer where there are fewer chunks.

    A blocked float32 product finds the candidates; their scores are then computed again
    in float64, row by row. So equal vectors have equal scores wherever they stand, ties
    are ordered by chunk id, and a ranking does not depend on how many queries were asked
    at once, on threads or on the processor's matrix kernels.
    """
    rows = np.arange(len(vectors)) if allowed is None else np.flatnonzero(allowed)
    depth = min(depth, len(rows))
    if depth == 0:
        return [[] for _ in range(len(queries))]
    rankings: list[Ranking] = []
    for start in range(0, len(queries), _QUERIES):
        some = queries[start : start + _QUERIES]
        for query, found in zip(some, _candidates(some, vectors, rows, depth), strict=True):
            rankings.append(_ranked(query, vectors, found, chunk_ids, depth))
    return rankings


@dataclass(frozen=True, slots=True)
class HnswIndex:
    """
    A built hnswlib graph: what it costs, and what it finds.

    `size_bytes` is the size of the saved file. Build with `build_hnsw`.
    """

    index: Any
    chunk_ids: Sequence[str]
    build_seconds: float
    size_bytes: int

    def search(
        self,
        queries: NDArray[np.float32],
        *,
        depth: int,
        allowed: NDArray[np.bool_] | None = None,
    ) -> list[Ranking | None]:
        """
        What the graph returns for every query, best first, equal scores by chunk id.

        None for a query whose graph search cannot reach `depth` chunks, as happens under
        a selective filter or among many equal vectors: the library cannot return a short
        list, and the caller falls back to exact search and says so.
        """
        within = len(self.chunk_ids) if allowed is None else int(allowed.sum())
        depth = min(depth, within)
        if depth == 0 or len(queries) == 0:
            return [[] for _ in range(len(queries))]
        allows = None if allowed is None else (lambda row: bool(allowed[row]))
        try:
            found = self.index.knn_query(queries, k=depth, num_threads=1, filter=allows)
        except RuntimeError:
            if len(queries) == 1:
                return [None]
            rows = range(len(queries))
            alone = (
                self.search(queries[row : row + 1], depth=depth, allowed=allowed) for row in rows
            )
            return [one[0] for one in alone]
        return [self._ranking(*one) for one in zip(*found, strict=True)]

    def _ranking(self, rows: NDArray[np.uint64], distances: NDArray[np.float32]) -> Ranking:
        found = [
            (self.chunk_ids[row], 1.0 - float(d)) for row, d in zip(rows, distances, strict=True)
        ]
        return sorted(found, key=lambda item: (-item[1], item[0]))


def build_hnsw(
    vectors: NDArray[np.float32],
    *,
    chunk_ids: Sequence[str],
    m: int,
    ef_construction: int,
    ef_search: int,
    seed: int,
) -> HnswIndex:
    """
    A graph over all vectors, the same bytes for the same input.

    One thread, a fixed seed, and rows added in the order of their chunk ids: with two
    threads or another order the graph, and some rankings, differ from build to build.
    `ef` is set after building, since the library's own default is 10.
    """
    import hnswlib

    index = hnswlib.Index(space="ip", dim=vectors.shape[1])
    started = time.perf_counter()
    index.init_index(
        max_elements=len(vectors), M=m, ef_construction=ef_construction, random_seed=seed
    )
    index.add_items(vectors, np.arange(len(vectors)), num_threads=1)
    build_seconds = time.perf_counter() - started
    index.set_ef(ef_search)
    return HnswIndex(index, chunk_ids, build_seconds, _saved_bytes(index))


@dataclass(frozen=True, slots=True)
class Latency:
    """
    Milliseconds that a graph takes for one query.

    `median` and `p95` are the medians over the rounds of each round's own; `spread` holds the
    5th and 95th percentile of the rounds' medians.
    """

    median: float
    p95: float
    spread: tuple[float, float]


def time_in_turns(
    asked: Sequence[tuple[HnswIndex, NDArray[np.float32]]], *, depth: int
) -> list[Latency]:
    """
    How long each graph takes for its own queries, in 20 rounds after one that warms the caches.

    In a round every graph is asked up to 100 queries, each alone as in production, and each round
    begins with another graph: what else the machine does falls on all of them alike. Encoding
    a query is not part of it. There must be a query.
    """
    rounds = np.zeros((_ROUNDS + 1, len(asked), 2))
    for turn in range(_ROUNDS + 1):
        for place in range(len(asked)):
            at = (turn + place) % len(asked)
            index, queries = asked[at]
            some = queries[:: -(-len(queries) // _TIMED)]
            times = [_milliseconds(index, some[row : row + 1], depth) for row in range(len(some))]
            rounds[turn, at] = np.percentile(times, (50, 95))
    medians, late = rounds[1:, :, 0], rounds[1:, :, 1]
    low, high = np.percentile(medians, (5, 95), axis=0)
    return [
        Latency(float(np.median(medians[:, at])), float(np.median(late[:, at])), spread)
        for at, spread in enumerate(zip(low.tolist(), high.tolist(), strict=True))
    ]


def has_room(size_bytes: int) -> bool:
    """Whether so much memory is free; true where the system does not tell."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return True
    free = next((line.split()[1] for line in lines if line.startswith("MemAvailable:")), None)
    return free is None or size_bytes < 1024 * int(free)


def _milliseconds(index: HnswIndex, query: NDArray[np.float32], depth: int) -> float:
    started = time.perf_counter()
    index.search(query, depth=depth)
    return 1000 * (time.perf_counter() - started)


def _candidates(
    queries: NDArray[np.float32],
    vectors: NDArray[np.float32],
    rows: NDArray[np.intp],
    depth: int,
) -> Iterator[NDArray[np.intp]]:
    """For every query the rows that may be among the best, and few others."""
    # Rounding moves a product of unit vectors by at most d * 2**-24, here twice.
    slack = np.float32(vectors.shape[1] * 2.0**-23)
    found: list[list[tuple[NDArray[np.intp], NDArray[np.float32]]]] = [[] for _ in queries]
    for start in range(0, len(rows), _ROWS):
        some = rows[start : start + _ROWS]
        scores = queries @ vectors[some].T
        for kept, own in zip(found, scores, strict=True):
            near = np.flatnonzero(own >= _least(own, depth) - slack)
            kept.append((some[near], own[near]))
    for kept in found:
        near, own = (np.concatenate(part) for part in zip(*kept, strict=True))
        yield near[own >= _least(own, depth) - slack]


def _least(scores: NDArray[np.float32], depth: int) -> np.float32:
    """The score that the last of the best has."""
    return np.float32(np.partition(scores, -depth)[-depth] if len(scores) > depth else scores.min())


def _ranked(
    query: NDArray[np.float32],
    vectors: NDArray[np.float32],
    rows: NDArray[np.intp],
    chunk_ids: Sequence[str],
    depth: int,
) -> Ranking:
    scores = (vectors[rows].astype(np.float64) * query.astype(np.float64)).sum(axis=1)
    order = np.lexsort((rows, -scores))[:depth]
    return [(chunk_ids[rows[place]], float(scores[place])) for place in order]


def _saved_bytes(index: Any) -> int:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "index"
        index.save_index(str(path))
        return path.stat().st_size
