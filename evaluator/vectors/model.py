"""
What an encoder is to us, and how its vectors are made once and kept.

A `Model` is a handful of plain functions and facts. This module sorts texts into
batches, times them and keeps the vectors; it knows nothing of any encoder library, nor of
arms, queries or chunks.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluator import InputError
from evaluator.console import Progress
from evaluator.vectors.cache import Took, VectorCache, open_cache
from evaluator.vectors.weights import Precision

Encoder = Callable[[Sequence[str]], NDArray[np.float32]]
TokenCounter = Callable[[Sequence[str]], NDArray[np.int64]]


@dataclass(frozen=True, slots=True)
class Model:
    """
    An encoder and what must be known of it to compare two of its runs.

    `encode` maps n strings to an (n, dimension) float32 array of unit vectors.
    `count_tokens` counts without truncation and with the special tokens, which is what
    is offered to the model; it reads `max_tokens` of them at most (None: no limit).
    `prompts` are those that the model's own configuration names; they are recorded and
    never applied. `characters_read` gives how many leading characters of a text lie
    before the cut, where the tokenizer can tell. `notice` is a word on what this machine
    makes of the precision.
    """

    source: str
    identity: str
    encode: Encoder
    count_tokens: TokenCounter
    max_tokens: int | None
    dimension: int
    precision: Precision
    prompts: Mapping[str, str]
    engine: str = ""
    characters_read: Callable[[str], int] | None = None
    batch_tokens: int = 1024
    notice: str = ""


class BrokenVectors(InputError):
    """A model gave vectors that are no numbers; `texts` are the strings that it gave them for."""

    def __init__(self, message: str, texts: Set[str]) -> None:
        super().__init__(message)
        self.texts = texts


@dataclass(frozen=True, slots=True)
class Encoded:
    """
    Vectors in the order of the texts, float32 of shape (n, dimension), and their cost.

    `seconds` is the wall time it took to make them and `cpu_seconds` the time of this
    process on all processors, both as measured when they were made, even if that was in an
    earlier run. Wall seconds of a busy machine compare with nothing. `reused` and `made` count
    distinct strings.
    """

    vectors: NDArray[np.float32]
    seconds: float
    cpu_seconds: float
    reused: int
    made: int


def encode_cached(
    model: Model, texts: Sequence[str], *, progress: Progress | None = None
) -> Encoded:
    """
    The vectors of some texts, each distinct string encoded once and once only.

    Strings that this model has encoded before come from the cache. The others are sorted
    by token count and encoded in batches of about `model.batch_tokens`: sorting by
    characters, as the library does, still pads a third of the tokens of mixed text. What
    was made is kept batch by batch, so that a run that is stopped, or killed, goes on there.
    """
    distinct = list(dict.fromkeys(texts))
    vectors = np.zeros((len(distinct), model.dimension), dtype=np.float32)
    times = np.zeros((len(distinct), 2))
    made_by = " | ".join([model.identity, model.precision, model.engine, str(model.dimension)])
    with open_cache(made_by, dimension=model.dimension) as cache:
        known = np.zeros(len(distinct), dtype=bool)
        for row, vector, took in cache.find(distinct):
            vectors[row], times[row], known[row] = vector, took, True
        missing = np.flatnonzero(~known)
        for rows, made, took_each in _make(
            model, distinct, missing, cache=cache, progress=progress
        ):
            vectors[rows], times[rows] = made, took_each
    row_by_text = {text: row for row, text in enumerate(distinct)}
    seconds, cpu_seconds = times.sum(axis=0).tolist()
    return Encoded(
        vectors=vectors[[row_by_text[text] for text in texts]]
        if len(distinct) < len(texts)
        else vectors,
        seconds=seconds,
        cpu_seconds=cpu_seconds,
        reused=int(known.sum()),
        made=len(missing),
    )


def token_batches(
    counts: NDArray[np.int64], *, budget: int, max_tokens: int | None = None
) -> list[NDArray[np.intp]]:
    """
    Row numbers in batches whose longest text times size stays within the budget.

    Longest first, so that a shortage of memory shows at once and the time left is not
    promised too early. A text longer than the budget gets a batch of its own.
    """
    lengths = counts if max_tokens is None else np.minimum(counts, max_tokens)
    order = np.argsort(-lengths, kind="stable")
    batches: list[NDArray[np.intp]] = []
    start = 0
    while start < len(order):
        size = max(1, budget // max(1, int(lengths[order[start]])))
        batches.append(order[start : start + size])
        start += size
    return batches


# Making what is missing


def _make(
    model: Model,
    texts: Sequence[str],
    missing: NDArray[np.intp],
    *,
    cache: VectorCache,
    progress: Progress | None,
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.float32], NDArray[np.float64]]]:
    if not len(missing):
        return
    counts = model.count_tokens([texts[row] for row in missing])
    batches = token_batches(counts, budget=model.batch_tokens, max_tokens=model.max_tokens)
    shown = (
        progress(batches, label=f"Encoding {len(missing):,} texts", total=len(batches))
        if progress
        else batches
    )
    for batch in shown:
        rows = missing[batch]
        started, cpu_started = time.perf_counter(), time.process_time()
        vectors = _checked(model, model.encode([texts[row] for row in rows]), texts, rows)
        spent = time.perf_counter() - started, time.process_time() - cpu_started
        took = _shared(spent, counts[batch])
        cache.keep(
            (texts[row], vector, Took(*each))
            for row, vector, each in zip(rows, vectors, took.tolist(), strict=True)
        )
        yield rows, vectors, took


def _shared(spent: tuple[float, float], counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """The two times of a batch, laid on its texts by their tokens; one row for each text."""
    weights = np.maximum(counts, 1)
    return np.asarray(np.outer(weights / weights.sum(), spent), dtype=np.float64)


def _checked(
    model: Model, vectors: NDArray[np.float32], texts: Sequence[str], rows: NDArray[np.intp]
) -> NDArray[np.float32]:
    broken = rows[~np.isfinite(vectors).all(axis=1)]
    if len(broken):
        raise BrokenVectors(
            f"Model {model.source!r} gave vectors that hold NaN or infinity. "
            "Its files may be damaged; compare them with their source.",
            {texts[row] for row in broken},
        )
    return np.ascontiguousarray(vectors, dtype=np.float32)
