"""The pairs to judge, and what found each of them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from evaluator.files.whole import file_sha256
from evaluator.labelset.format import PoolEntry
from labeler.workspace import rows
from labeler.workspace.connection import Connection


class Pool:
    """The pool of a workspace."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def add(self, entries: Sequence[PoolEntry], *, source: Mapping[str, Any]) -> int:
        """Add pairs and the source that found them; returns how many pairs were new."""
        with self._db.write():
            before = self._db.count("pool")
            self._db.execute_many(
                "INSERT OR IGNORE INTO pool VALUES (?, ?, ?, ?)",
                ((e.query_id, e.chunk_id, e.doc_id, e.text_sha256) for e in entries),
            )
            self._db.execute_many(
                "INSERT OR IGNORE INTO pool_found VALUES (?, ?, ?)",
                ((e.query_id, e.chunk_id, name) for e in entries for name in e.found_by),
            )
            known = [each for each in self.sources() if each["source"] == source["source"]]
            record = rows.joined(source, known[0] if known else None)
            self._db.execute(
                "INSERT OR REPLACE INTO pool_sources VALUES (?, ?)",
                *(source["source"], json.dumps(record)),
            )
            return self._db.count("pool") - before

    def add_all(self, found: Sequence[tuple[Sequence[PoolEntry], Mapping[str, Any]]]) -> list[int]:
        """The same for several sources at once: all of them are stored, or none."""
        with self._db.write():
            return [self.add(entries, source=source) for entries, source in found]

    def entries(self, query_id: str | None = None) -> Iterator[PoolEntry]:
        """The pairs, of one query or of all, by query and chunk, each with all that found it."""
        where = "" if query_id is None else "WHERE p.query_id = ?"
        found = self._db.execute(
            "SELECT p.query_id, p.chunk_id, doc_id, text_sha256, source FROM pool AS p "
            f"LEFT JOIN pool_found USING (query_id, chunk_id) {where} ORDER BY 1, 2, source",
            *([] if query_id is None else [query_id]),
        )
        for pair, of_pair in groupby(found, key=itemgetter(0, 1, 2, 3)):
            sources = tuple(row[4] for row in of_pair if row[4] is not None)
            yield PoolEntry._make([*pair, sources])

    def sizes(self) -> dict[str, int]:
        """How many pairs each query has."""
        return dict(self._db.execute("SELECT query_id, count(*) FROM pool GROUP BY query_id"))

    def doc_by_chunk(self) -> dict[str, str]:
        """The document of each pooled chunk."""
        return dict(self._db.execute("SELECT chunk_id, doc_id FROM pool"))

    def sha256_by_chunk(self) -> dict[str, str]:
        """The hash of the text of each pooled chunk, as it was when it was pooled."""
        return dict(self._db.execute("SELECT chunk_id, text_sha256 FROM pool"))

    def sources(self) -> list[dict[str, Any]]:
        """The record of every source that filled the pool."""
        found = self._db.execute("SELECT record FROM pool_sources ORDER BY source")
        return [rows.from_json(record, dict, place="pool_sources.record") for (record,) in found]

    def source_record(self, kind: str, path: Path, *, content: str | None = None) -> dict[str, Any]:
        """
        How a file that fills the pool is named there: kind and file name, and its digest.

        Another file of the same name gets the beginning of its digest, so that one name never
        means two files. `content` is the digest of what an imported file says: a file that says
        the same in other bytes, or under another name, is the first one again.
        """
        sha256 = file_sha256(path)
        record = {"kind": kind, "file": path.name, "sha256": sha256, "depth": None}
        if content is not None:
            record["content_sha256"] = content
        sources = self.sources()
        for known in (s for s in sources if s.get("kind") == kind == "import"):
            same = content is not None and known.get("content_sha256") == content
            if same or known.get("sha256") == sha256:
                return {key: known[key] for key in ("source", *record) if key in known}
        source = f"{kind}:{path.name}"
        if any(s["source"] == source and s.get("sha256") != sha256 for s in sources):
            source = f"{source}@{sha256[:8]}"
        return {"source": source, **record}
