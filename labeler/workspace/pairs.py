"""
Rankings -> the pairs to judge, and the order in which an assessor meets them.

A pool is cut from rankings by depth alone; the order is drawn anew for every assessor
and query, from a digest, so that it tells nothing of rank or origin. Pure: rankings,
snapshot and seed come in, and no model is known here.
"""

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence

from evaluator import InputError
from evaluator.labelset.format import PoolEntry, Query, text_sha256
from evaluator.snapshot.chunk import Chunk
from evaluator.snapshot.snapshot import Snapshot
from evaluator.text.messages import brief, some_ids
from evaluator.trec import Run


def make_pool(run: Run, *, depth: int, source: str, snapshot: Snapshot) -> list[PoolEntry]:
    """
    The first `depth` chunks of every ranking as pairs, each with the hash of its plain text.

    A deeper pool holds every pair of a shallower one. Raises InputError for chunk ids that the
    snapshot does not have, which means that the run was made over another chunk set.
    """
    pairs = [(query_id, chunk_id) for query_id in run for chunk_id, _ in run[query_id][:depth]]
    return entries(pairs, source=source, chunk_by_id=known_chunks(snapshot, pairs, source=source))


def entries(
    pairs: Iterable[tuple[str, str]], *, source: str, chunk_by_id: Mapping[str, Chunk]
) -> list[PoolEntry]:
    """The pairs (query id, chunk id) as pool entries found by one source, sorted."""
    sha256_by_id = {chunk_id: text_sha256(chunk.text) for chunk_id, chunk in chunk_by_id.items()}
    return [
        PoolEntry(
            query_id, chunk_id, chunk_by_id[chunk_id].doc_id, sha256_by_id[chunk_id], (source,)
        )
        for query_id, chunk_id in sorted(set(pairs))
    ]


def known_chunks(
    snapshot: Snapshot, pairs: Iterable[tuple[str, str]], *, source: str
) -> dict[str, Chunk]:
    """The chunks of the pairs by id. Raises InputError listing those that are not there."""
    chunk_ids = sorted({chunk_id for _, chunk_id in pairs})
    chunk_by_id = snapshot.fetch(chunk_ids)
    missing = [chunk_id for chunk_id in chunk_ids if chunk_id not in chunk_by_id]
    if missing:
        raise InputError(
            f"{source}: {len(missing)} of {len(chunk_ids)} chunk ids are not in the snapshot "
            f"{snapshot.name!r}: {some_ids(missing)}. "
            "A run must rank the chunks of this very snapshot, by their chunk ids."
        )
    return chunk_by_id


def require_known(query_ids: Collection[str], *, known: Collection[str], source: str) -> None:
    """Raise InputError unless all queries are those of the workspace, with the others' names."""
    if strangers := sorted(set(query_ids) - set(known)):
        raise InputError(
            f"{source}: {len(strangers)} of {len(query_ids)} query ids are not in the workspace: "
            f"{some_ids(strangers)}. Add these queries first, or leave them out of the file."
        )


def lets_through(filters: Mapping[str, str], chunk: Chunk) -> bool:
    """Whether a query's filter allows the chunk: its attributes have all the filter's values."""
    return all(chunk.attributes.get(name) == value for name, value in filters.items())


def judging_order(
    chunk_ids: Sequence[str], *, assessor: str, query_id: str, seed: str
) -> list[str]:
    """
    The chunks of one query in the order in which one assessor meets them.

    Sorted by the SHA-256 of seed, assessor, query and chunk: a shuffle that depends on
    nothing else, so that it is the same after a restart, differs between assessors, and
    keeps the order of the rest when the pool grows.
    """

    def key(chunk_id: str) -> str:
        return hashlib.sha256(f"{seed}:{assessor}:{query_id}:{chunk_id}".encode()).hexdigest()

    return sorted(chunk_ids, key=key)


def of_one_text(
    queries: Iterable[Query], qrels: Mapping[str, Mapping[str, int]], *, least: int
) -> list[str]:
    """
    The texts of queries that are asked alike and have other gold, with the queries' ids.

    `qrels` are grades by chunk by query, and gold is a grade of `least` or more.
    """
    by_text: dict[str, dict[str, frozenset[str]]] = {}
    for query in queries:
        grades = qrels.get(query.query_id) or {}
        gold = frozenset(chunk_id for chunk_id, grade in grades.items() if grade >= least)
        by_text.setdefault(query.text, {})[query.query_id] = gold
    return [
        f"{brief(text)} ({', '.join(gold_by_id)})"
        for text, gold_by_id in by_text.items()
        if len(set(gold_by_id.values())) > 1
    ]
