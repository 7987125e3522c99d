"""
Chunks <-> the rows of a Parquet file, in the order of their ids, with their digest.

Owns the columns of a snapshot and the line that each row is hashed as. It knows no
directory and no manifest.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import islice
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from evaluator import InputError
from evaluator.labelset.format import canonical_line
from evaluator.snapshot.chunk import Chunk

# Measured on 204,000 chunks, 50 scattered ids: the rows of their groups take 3 ms to decode,
# 5 ms with groups of 128 and 5 ms with snappy; zstd sets up a decoder per page, which takes longer.
_GROUP_ROWS = 64
_COMPRESSION = "lz4"
# Every open reads the footer, whose size goes by the groups: 0.2 s and 250 MB for this many.
_MOST_GROUPS = 32_768
BATCH_ROWS = 8192


def _schema(text: pa.DataType) -> pa.Schema:
    kinds = {
        "chunk_id": text,
        "doc_id": text,
        "text": text,
        "title": text,
        "headings": pa.list_(text),
        "source": text,
        "attributes": pa.map_(text, text),
    }
    return pa.schema([pa.field(name, kind, nullable=False) for name, kind in kinds.items()])


SCHEMA = _schema(pa.string())
_WIDE = _schema(pa.large_string())


def sorted_table(chunks: Iterable[Chunk]) -> pa.Table:
    """
    All chunks in the order of their ids.

    They are held as Arrow columns, at a fraction of what Python objects take, and with wide
    offsets, since all texts together may pass 2 GB. Raises InputError for no chunks at all
    and for repeated ids.
    """
    source = iter(chunks)
    batches: list[pa.RecordBatch] = []
    while taken := list(islice(source, BATCH_ROWS)):
        batches.append(_batch(taken, _WIDE))
    if not batches:
        raise InputError("There are no chunks. A snapshot needs at least one; nothing was written.")
    table = pa.Table.from_batches(batches)
    table = table.take(pc.sort_indices(table, sort_keys=[("chunk_id", "ascending")]))
    _refuse_repeated(table["chunk_id"])
    return table


def _refuse_repeated(chunk_ids: pa.ChunkedArray) -> None:
    counted = chunk_ids.value_counts()
    repeated = counted.filter(pc.greater(counted.field("counts"), 1)).field("values").to_pylist()
    if repeated:
        raise InputError(
            f"{len(repeated)} chunk ids stand for more than one chunk, among them "
            f"{', '.join(map(repr, sorted(repeated)[:5]))}. Each chunk needs an id of its own."
        )


def _batch(chunks: Sequence[Chunk], schema: pa.Schema) -> pa.RecordBatch:
    columns = [
        [chunk.chunk_id for chunk in chunks],
        [chunk.doc_id for chunk in chunks],
        [chunk.text for chunk in chunks],
        [chunk.title for chunk in chunks],
        [list(chunk.headings) for chunk in chunks],
        [chunk.source for chunk in chunks],
        [sorted(chunk.attributes.items()) for chunk in chunks],
    ]
    arrays = [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
    return pa.record_batch(arrays, schema=schema)


def chunks_of(batch: pa.RecordBatch) -> Iterator[Chunk]:
    """The rows of a batch as chunks."""
    for row in batch.to_pylist():
        row["headings"] = tuple(row["headings"])
        row["attributes"] = dict(row["attributes"])
        yield Chunk(**row)


def with_ids(table: pa.Table, chunk_ids: Set[str]) -> pa.Table:
    """The rows with these ids. Arrow itself imports pandas for a list: half a second, 70 MB."""
    flags = np.array([each in chunk_ids for each in table["chunk_id"].to_pylist()], dtype=bool)
    bits = pa.py_buffer(np.packbits(flags, bitorder="little"))
    return table.filter(pa.Array.from_buffers(pa.bool_(), len(flags), [None, bits]))


def write_rows(path: Path, table: pa.Table) -> str:
    """
    Write a sorted table as Parquet; returns the digest of its rows.

    In small groups of rows, since reading one row by its id decodes its group.
    """
    digest = hashlib.sha256()
    group_rows = _GROUP_ROWS
    while group_rows * _MOST_GROUPS < table.num_rows:
        group_rows *= 2
    with pq.ParquetWriter(
        path,
        SCHEMA,
        compression=_COMPRESSION,
        use_dictionary=False,
        write_statistics=["chunk_id"],
    ) as out:
        for batch in table.to_batches(max_chunksize=BATCH_ROWS):
            chunks = list(chunks_of(batch))
            for chunk in chunks:
                digest.update(digest_line(chunk))
            out.write_batch(_batch(chunks, SCHEMA), row_group_size=group_rows)
    return digest.hexdigest()


def digest_line(chunk: Chunk) -> bytes:
    """What the digest sees of a chunk, so that it does not depend on who wrote the Parquet file."""
    return canonical_line(
        {
            "chunk_id": chunk.chunk_id,
            "doc_id": chunk.doc_id,
            "text": chunk.text,
            "title": chunk.title,
            "headings": chunk.headings,
            "source": chunk.source,
            "attributes": dict(chunk.attributes),
        }
    ).encode()


def value_counts(column: pa.ChunkedArray) -> dict[str, int]:
    """How often each value occurs, in the order of the values."""
    counted = column.value_counts().to_pylist()
    return dict(sorted((entry["values"], entry["counts"]) for entry in counted))
