"""
Arrow's columns to numpy's arrays and back, without a copy where that can be.

Arrow's own functions for this load pandas, which takes longer than most logs take to read.
Only for columns without missing values.
"""

from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Flags = NDArray[np.bool_]


def flags(array: Flags) -> pa.BooleanArray:
    """A column of truth values."""
    bits = pa.py_buffer(np.packbits(array, bitorder="little"))
    return pa.Array.from_buffers(pa.bool_(), len(array), [None, bits])


def numbers(array: NDArray[np.int64]) -> pa.Int64Array:
    """A column of whole numbers."""
    values = pa.py_buffer(np.ascontiguousarray(array, np.int64))
    return pa.Array.from_buffers(pa.int64(), len(array), [None, values])


def strings(texts: Iterable[str]) -> pa.StringArray:
    """A column of texts."""
    return encoded_strings([text.encode() for text in texts])


def encoded_strings(encoded: Sequence[bytes]) -> pa.StringArray:
    """A column of texts that are UTF-8 already."""
    ends = np.cumsum([0, *map(len, encoded)]).astype(np.int32)
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(b"".join(encoded))]
    return pa.Array.from_buffers(pa.string(), len(encoded), buffers)


def flags_of(column: pa.BooleanArray) -> Flags:
    """The truth values of a column."""
    bits = np.frombuffer(column.buffers()[1], np.uint8)
    found = np.unpackbits(bits, count=column.offset + len(column), bitorder="little")
    return found[column.offset :].view(np.bool_)


def numbers_of(column: pa.Array, kind: type[np.signedinteger] = np.int64) -> NDArray[np.int64]:
    """The whole numbers of a column, whose own type is `kind`."""
    if not len(column):
        return np.zeros(0, np.int64)
    values = np.frombuffer(column.buffers()[1], kind)
    return values[column.offset : column.offset + len(column)]


def offsets_of(texts: pa.StringArray) -> NDArray[np.int32]:
    """Where each text begins in the bytes of all, and where the last one ends."""
    if not len(texts):
        return np.zeros(1, np.int32)
    offsets = np.frombuffer(texts.buffers()[1], np.int32)
    return offsets[texts.offset : texts.offset + len(texts) + 1]


def bytes_of(texts: pa.StringArray) -> NDArray[np.uint8]:
    """The bytes of all texts, one after the other."""
    data = texts.buffers()[2]
    return np.zeros(0, np.uint8) if data is None else np.frombuffer(data, np.uint8)


def one_array(column: pa.ChunkedArray) -> pa.Array:
    """A column in one piece."""
    return column.chunk(0) if column.num_chunks == 1 else pa.concat_arrays(column.chunks)
