"""
The store's part on the pool: the pairs to judge, and what found each of them.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evaluator import InputError
from evaluator.labelset.format import PoolEntry
from labeler.workspace import frozen_rows, rows
from labeler.workspace.connection import Database
from labeler.workspace.pairs import entries, lets_through
from labeler.workspace.queries import AskedTables


class PoolTables(AskedTables):
    """The pool of a workspace."""

    def add_pool(self, entries: Sequence[PoolEntry], *, source: Mapping[str, Any]) -> int:
        """Add pairs and what found them; returns how many pairs were new."""
        return self.add_pools([(entries, source)])[0]

    def add_pools(
        self, found: Sequence[tuple[Sequence[PoolEntry], Mapping[str, Any]]]
    ) -> list[int]:
        """The same for several sources at once: all of them are stored, or none."""
        with self.write() as db:
            return [insert_pool(db, entries, source) for entries, source in found]

    def add_found(self, assessor: str, query_id: str, chunk_id: str) -> bool:
        """
        Put a chunk that an assessor's own search found into the query's pool.

        It is found by `assessor:NAME` and by what else found it, and everybody who judges the
        query gets it among the others. Returns whether it is new there. Raises InputError
        for a query or chunk that is not there, and for a chunk that the query's filter hides
        from its asker.
        """
        query = self.query(query_id)
        chunk_by_id = self.snapshot.fetch([chunk_id])
        if chunk_id not in chunk_by_id:
            raise InputError(f"There is no chunk {chunk_id!r} in the snapshot of {self.path}.")
        if query.filter and not lets_through(query.filter, chunk_by_id[chunk_id]):
            raise InputError(
                f"The chunk {chunk_id!r} is outside what the asker of {query_id!r} could search."
            )
        source = f"assessor:{assessor}"
        found = entries([(query_id, chunk_id)], source=source, chunk_by_id=chunk_by_id)
        record = {"source": source, "kind": "assessor", "depth": None}
        return self.add_pool(found, source=record) > 0

    def pool(self, query_id: str | None = None) -> list[PoolEntry]:
        """The pairs to judge, of one query or of all, each with all that found it."""
        return list(self.pairs(query_id))

    def pairs(self, query_id: str | None = None) -> Iterator[PoolEntry]:
        """The same one after the other, by query and chunk."""
        return frozen_rows.pool_entries(self._db.conn, query_id)

    def pool_sizes(self) -> dict[str, int]:
        """How many pairs each query has."""
        return dict(self._db.execute("SELECT query_id, count(*) FROM pool GROUP BY query_id"))

    def doc_by_chunk(self) -> dict[str, str]:
        """The document of each pooled chunk."""
        return dict(self._db.execute("SELECT chunk_id, doc_id FROM pool"))

    def sha256_by_chunk(self) -> dict[str, str]:
        """The hash of the text of each pooled chunk, as it was when it was pooled."""
        return dict(self._db.execute("SELECT chunk_id, text_sha256 FROM pool"))

    def pool_sources(self) -> list[dict[str, Any]]:
        return pool_sources(self._db)


def pool_sources(db: Database) -> list[dict[str, Any]]:
    found = db.query("SELECT record FROM pool_sources ORDER BY source")
    return [rows.from_json(row["record"], dict, place="pool_sources.record") for row in found]


def insert_pool(db: Database, entries: Sequence[PoolEntry], source: Mapping[str, Any]) -> int:
    """Add pairs of one source within the caller's transaction; returns how many were new."""
    before = db.table("pool").count
    db.conn.executemany(
        "INSERT OR IGNORE INTO pool VALUES (?, ?, ?, ?)",
        ((e.query_id, e.chunk_id, e.doc_id, e.text_sha256) for e in entries),
    )
    db.conn.executemany(
        "INSERT OR IGNORE INTO pool_found VALUES (?, ?, ?)",
        ((e.query_id, e.chunk_id, name) for e in entries for name in e.found_by),
    )
    known = [each for each in pool_sources(db) if each["source"] == source["source"]]
    record = rows.joined(source, known[0] if known else None)
    db.execute(
        "INSERT OR REPLACE INTO pool_sources VALUES (?, ?)",
        [source["source"], json.dumps(record)],
    )
    return int(db.table("pool").count - before)
