"""
One fixed chunk set on disk: a directory with `chunks.parquet` and `manifest.json`.

Owns the format, its digest and its one way of coming into being: aside, flushed, renamed.
Opening reads the manifest and the Parquet footer only; texts are read when asked for.
It does not know how chunks are cut or what is measured on them.
"""

import hashlib
import json
import os
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from evaluator import InputError
from evaluator.files.whole import flush, made_aside
from evaluator.labelset.format import text_sha256, utc_text
from evaluator.snapshot.chunk import Chunk, Skipped
from evaluator.snapshot.table import (
    BATCH_ROWS,
    SCHEMA,
    chunks_of,
    digest_line,
    sorted_table,
    value_counts,
    with_ids,
    write_rows,
)

FORMAT = "onecause-snapshot/1"
CHUNKS, MANIFEST = "chunks.parquet", "manifest.json"
_HALF = re.compile("[\ud800-\udfff]")
_REQUIRED: Mapping[str, type] = {
    "format": str,
    "name": str,
    "digest": str,
    "chunks": int,
    "documents": int,
    "sources": dict,
    "chunker": dict,
    "corpus": str,
    "created_at": str,
}


class Snapshot:
    """An opened chunk set. Safe to share between threads: every read opens the file anew."""

    def __init__(self, path: Path, manifest: Mapping[str, Any], footer: pq.FileMetaData) -> None:
        self.path = path
        self.manifest = manifest
        self._footer = footer

    def __len__(self) -> int:
        return int(self.manifest["chunks"])

    @property
    def digest(self) -> str:
        """Hex SHA-256 over the canonical lines of all rows in `chunk_id` order."""
        return str(self.manifest["digest"])

    @property
    def name(self) -> str:
        return str(self.manifest["name"])

    def chunks(self) -> Iterator[Chunk]:
        """All chunks in `chunk_id` order, streamed."""
        with self._file() as file:
            for batch in file.iter_batches(batch_size=BATCH_ROWS):
                yield from chunks_of(batch)

    def fetch(self, chunk_ids: Sequence[str]) -> dict[str, Chunk]:
        """The chunks with these ids; an unknown id is simply absent."""
        batches = self._batches(chunk_ids)
        return {chunk.chunk_id: chunk for batch in batches for chunk in chunks_of(batch)}

    def texts(self, chunk_ids: Sequence[str]) -> dict[str, str]:
        """The texts of the chunks with these ids, and nothing else of them."""
        columns = ["chunk_id", "text"]
        texts = {
            chunk_id: text
            for batch in self._batches(chunk_ids, columns=columns)
            for chunk_id, text in zip(*(batch[name].to_pylist() for name in columns), strict=True)
        }
        pa.default_memory_pool().release_unused()  # all texts of a large set are gone through
        return texts

    def _batches(
        self, chunk_ids: Sequence[str], *, columns: Sequence[str] | None = None
    ) -> list[pa.RecordBatch]:
        """
        The rows with these ids.

        Rows lie in the order of their ids and each row group states its last one, so
        only the groups that can hold an id are read.
        """
        beyond = len(self._last_ids)
        groups = sorted(
            {bisect_left(self._last_ids, chunk_id) for chunk_id in chunk_ids} - {beyond}
        )
        if not groups:
            return []
        with self._file() as file:
            table = file.read_row_groups(groups, columns=columns, use_threads=False)
        found: list[pa.RecordBatch] = with_ids(table, set(chunk_ids)).to_batches()
        return found

    def fetch_unchanged(self, sha256_by_id: Mapping[str, str]) -> dict[str, Chunk]:
        """Those of these chunks whose text has the digest that is given with the id."""
        return {
            chunk_id: chunk
            for chunk_id, chunk in self.fetch(list(sha256_by_id)).items()
            if text_sha256(chunk.text) == sha256_by_id[chunk_id]
        }

    def set_aside(self) -> dict[str, str]:
        """Why, by id, for chunks of the corpus that no snapshot can hold, such as empty texts."""
        return {each["chunk_id"]: each["reason"] for each in self.manifest.get("set_aside", ())}

    def chunk_ids(self) -> Iterator[str]:
        """All ids in order, without reading any text."""
        with self._file() as file:
            for batch in file.iter_batches(batch_size=BATCH_ROWS, columns=["chunk_id"]):
                yield from batch.column(0).to_pylist()

    @property
    def derived(self) -> Mapping[str, Any] | None:
        """The parent, rule, seed and size of a sampled snapshot; None for a whole one."""
        found: Mapping[str, Any] | None = self.manifest.get("derived")
        return found

    def documents(self) -> dict[str, int]:
        """How many chunks each document has, by `doc_id`, in order of the ids."""
        with self._file() as file:
            return value_counts(file.read(["doc_id"])["doc_id"])

    def _file(self) -> pq.ParquetFile:
        return pq.ParquetFile(self.path / CHUNKS, metadata=self._footer, memory_map=True)

    @cached_property
    def _last_ids(self) -> list[str]:
        footer = self._footer
        return [
            footer.row_group(group).column(0).statistics.max
            for group in range(footer.num_row_groups)
        ]


def write_snapshot(
    directory: Path,
    chunks: Iterable[Chunk],
    *,
    name: str,
    chunker: Mapping[str, Any],
    corpus: str,
    created_at: datetime,
    set_aside: Sequence[Skipped] = (),
    derived: Mapping[str, Any] | None = None,
) -> Snapshot:
    """
    Write the chunks, sorted by id, as a new snapshot directory.

    `set_aside` is looked at when all chunks are taken, so it may grow meanwhile. The manifest
    lists the ready chunks in it: judgements of them are no mistake. `derived` says which
    snapshot these chunks are a sample of. The digest is of the chunks alone.

    It is written beside its place, flushed and renamed, so that there is a whole snapshot
    or none. Raises InputError for an existing directory, no chunks at all, and repeated ids.
    """
    require_absent(directory)
    table = sorted_table(chunks)
    with made_aside(directory) as aside:
        aside.mkdir()
        manifest = {
            "format": FORMAT,
            "name": name,
            "digest": write_rows(aside / CHUNKS, table),
            "chunks": table.num_rows,
            "documents": pc.count_distinct(table["doc_id"]).as_py(),
            "sources": value_counts(table["source"]),
            "chunker": dict(chunker),
            "corpus": corpus,
            "created_at": utc_text(created_at),
            "set_aside": _listed(set_aside),
            **({} if derived is None else {"derived": dict(derived)}),
        }
        text = json.dumps(manifest, ensure_ascii=False, indent=2, sort_keys=True) + "\n"
        (aside / MANIFEST).write_text(text, encoding="utf-8")
        for path in (aside / CHUNKS, aside / MANIFEST, aside):
            flush(path)
        require_absent(directory)
        aside.rename(directory)
        flush(directory.parent)
    return read_snapshot(directory)


def require_absent(directory: Path) -> None:
    """Raise InputError where something is that a new snapshot would overwrite."""
    if os.path.lexists(directory):
        raise InputError(
            f"{directory} exists already. A snapshot is never overwritten; name another."
        )


def read_snapshot(directory: Path, *, digest: str | None = None, verify: bool = False) -> Snapshot:
    """
    Open a snapshot without reading its texts.

    `digest` is compared with the manifest's; `verify=True` also computes it anew from all
    rows. Raises InputError when the directory is no snapshot, is damaged, or is another one.
    """
    manifest = _read_manifest(directory)
    path = directory / CHUNKS
    try:
        footer = pq.read_metadata(path)
    except FileNotFoundError:
        raise InputError(f"{directory} has a manifest but no {CHUNKS}. Restore the file.") from None
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(f"{path} cannot be read as Parquet: {error}. Restore the file.") from None
    if not footer.schema.to_arrow_schema().equals(SCHEMA):
        raise InputError(f"{path} has other columns than a snapshot. Restore the file.")
    if footer.num_rows != manifest["chunks"]:
        raise InputError(
            f"{path} has {footer.num_rows} chunks, its manifest says {manifest['chunks']}. "
            "Restore the directory as it was written."
        )
    if digest is not None and digest != manifest["digest"]:
        raise InputError(
            f"{directory} is another chunk set (expected digest {digest[:12]}, found "
            f"{manifest['digest'][:12]}). Name the snapshot that the digest was taken from."
        )
    snapshot = Snapshot(directory, manifest, footer)
    if verify:
        _verify(snapshot)
    return snapshot


def _read_manifest(directory: Path) -> dict[str, Any]:
    """The manifest of a snapshot directory. Raises InputError where it is none, or damaged."""
    path = directory / MANIFEST
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise InputError(
            f"{directory} is not a snapshot: there is no {MANIFEST} in it. "
            "Make one with `labeler init`."
        ) from None
    except ValueError as error:
        raise InputError(f"{path} is not JSON: {error}. Restore the file.") from None
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        found = manifest.get("format") if isinstance(manifest, dict) else None
        raise InputError(f"{path} has format {found!r}. Expected {FORMAT!r}.")
    wrong = [key for key, kind in _REQUIRED.items() if not isinstance(manifest.get(key), kind)]
    wrong += [] if _is_list_of_reasons(manifest.get("set_aside", [])) else ["set_aside"]
    wrong += [] if _is_derived(manifest.get("derived")) else ["derived"]
    if wrong:
        raise InputError(f"{path}: {', '.join(wrong)} missing or not as written. Restore the file.")
    return manifest


def _is_list_of_reasons(value: Any) -> bool:
    """Whether it is what `_listed` makes. Manifests of an older version have no such list."""
    return isinstance(value, list) and all(
        isinstance(each, dict)
        and isinstance(each.get("chunk_id"), str)
        and isinstance(each.get("reason"), str)
        for each in value
    )


def _is_derived(value: Any) -> bool:
    """Whether it names a parent, as samples do; whole snapshots have no such entry."""
    if value is None:
        return True
    parent = value.get("parent") if isinstance(value, dict) else None
    return isinstance(parent, dict) and isinstance(parent.get("digest"), str)


def _listed(set_aside: Sequence[Skipped]) -> list[dict[str, str]]:
    """Ids and reasons; an id with half a surrogate pair is in no file that could name it."""
    return [
        {"chunk_id": each.chunk_id, "reason": each.reason}
        for each in set_aside
        if each.chunk_id is not None and not _HALF.search(each.chunk_id)
    ]


def _verify(snapshot: Snapshot) -> None:
    digest = hashlib.sha256()
    for chunk in snapshot.chunks():
        digest.update(digest_line(chunk))
    if digest.hexdigest() != snapshot.digest:
        raise InputError(
            f"{snapshot.path / CHUNKS} does not match its manifest (expected "
            f"{snapshot.digest[:12]}, found {digest.hexdigest()[:12]}): it was edited after it "
            "was written. Restore the file."
        )
