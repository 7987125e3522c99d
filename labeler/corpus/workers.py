"""
The documents of a folder -> their chunks, by one process or several.

A document is read and cut without a look at any other, so the number of processes changes
neither the chunks nor their order. It writes nothing.
"""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, replace
from multiprocessing.connection import wait
from pathlib import Path

from evaluator import InputError
from evaluator.snapshot.chunk import Chunk, Skipped
from evaluator.vectors.tokens import load_tokenizer
from labeler.corpus.choices import CorpusChoices
from labeler.corpus.chunker import split_document
from labeler.corpus.documents import Document, read_document

# Starting a process takes about as long as reading a few hundred pages.
_WORTH_WORKERS = 2000
_BATCH = 32


@dataclass(frozen=True, slots=True)
class Splitter:
    """Everything that decides what a document's chunks are; small enough to send to a process."""

    root: Path
    reading: CorpusChoices
    path_by_document: Mapping[str, tuple[str, ...]]
    budget: int
    overlap: int
    tokenizer: str


@dataclass(frozen=True, slots=True)
class Split:
    """
    One document, or why there is none, and its chunks.

    Of its sections only the first is kept, which says whether it has text.
    """

    document: Document | Skipped
    chunks: tuple[Chunk, ...]


def worth_workers(documents: int) -> int:
    """How many processes to use when nobody said: one for a small corpus, else one a core."""
    return (os.cpu_count() or 1) if documents >= _WORTH_WORKERS else 1


@contextmanager
def splits(
    doc_ids: Sequence[str], splitter: Splitter, *, workers: int
) -> Iterator[Iterable[Split]]:
    """
    Every document split, in the order of the ids.

    On leaving, also by an error or Ctrl-C, what was not begun is given up and the processes
    end. Raises InputError when one of them dies.
    """
    if workers == 1:
        count = load_tokenizer(splitter.tokenizer).count
        yield (_split(doc_id, splitter, count) for doc_id in doc_ids)
        return
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(workers, context, initializer=_begin, initargs=(splitter,))
    try:
        with _deaf_to_ctrl_c():
            found = pool.map(_split_here, doc_ids, chunksize=_BATCH)
        yield found
    except BrokenProcessPool:
        raise InputError(
            f"One of {workers} processes that read documents died, mostly for want of memory. "
            "Try again with --workers 1."
        ) from None
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def _deaf_to_ctrl_c() -> Iterator[None]:
    """
    Processes that start in the block never hear of it, not even while they load.

    It reaches every process of a terminal; the one that was started ends the others. What is
    asked of that one meanwhile it hears behind the block.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


# What one process works with, loaded once when it begins.
_here: list[tuple[Splitter, Callable[[str], int]]] = []


def _begin(splitter: Splitter) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _here[:] = [(splitter, load_tokenizer(splitter.tokenizer).count)]


def _end_with_parent() -> None:
    """End this process when the one that started it is killed; the pool itself would not."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _split_here(doc_id: str) -> Split:
    return _split(doc_id, *_here[0])


def _split(doc_id: str, splitter: Splitter, count: Callable[[str], int]) -> Split:
    document = read_document(
        splitter.root, doc_id, splitter.reading, path_by_document=splitter.path_by_document
    )
    if isinstance(document, Skipped):
        return Split(document, ())
    chunks = tuple(
        split_document(document, budget=splitter.budget, overlap=splitter.overlap, count=count)
    )
    return Split(replace(document, sections=document.sections[:1]), chunks)
