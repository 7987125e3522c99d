"""
Vectors that a search system stored, read by chunk id: NumPy with ids, or rows with both.

It reads no more than it is asked for and judges nothing.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evaluator import InputError
from evaluator.files.chunk_records import IDS, plain_id_field
from evaluator.files.records import read_rows

Vectors = dict[str, NDArray[np.float64]]
_NAMES = ("vector", "embedding", "embeddings", "values")


def read_vectors(
    path: Path, chunk_ids: Sequence[str], *, ids: Path | None = None, most: int
) -> Vectors:
    """
    The stored vectors of the first `most` of these chunks that the file comes to.

    A `.npy` file needs `ids`, one chunk id per line in the order of its rows; JSON Lines,
    JSON and Parquet hold rows of an id and a vector. Raises InputError where the file is
    neither, and where it holds none of the chunks.
    """
    if not path.is_file():
        raise InputError(f"There is no file of vectors {path}.")
    pairs = _numpy(path, ids) if path.suffix == ".npy" else _rows(path)
    wanted = set(chunk_ids)
    seen: Vectors = {}
    for chunk_id, vector in pairs:
        if chunk_id in wanted:
            seen[chunk_id] = vector
        if len(seen) == min(most, len(wanted)):
            break
    if not seen:
        raise InputError(
            f"{path} holds no vector of {len(wanted)} chunks that were looked for "
            f"({', '.join(chunk_ids[:3])}). Are its ids those of the snapshot?"
        )
    return {chunk_id: seen[chunk_id] for chunk_id in chunk_ids if chunk_id in seen}


def _numpy(path: Path, ids: Path | None) -> Iterator[tuple[str, NDArray[np.float64]]]:
    if ids is None:
        raise InputError(f"{path} holds no ids. Name a file with one chunk id per line: --ids.")
    try:
        vectors = np.load(path, mmap_mode="r", allow_pickle=False)
        names = ids.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        raise InputError(f"There is no file of ids {ids}.") from None
    except ValueError as error:
        raise InputError(f"{path} or {ids} cannot be read: {error}.") from None
    if vectors.ndim != 2 or len(vectors) != len(names):
        raise InputError(
            f"{path} has the shape {vectors.shape}, {ids} has {len(names)} ids. Expected one row "
            "of numbers for each id."
        )
    return ((name, np.asarray(vectors[row], np.float64)) for row, name in enumerate(names))


def _rows(path: Path) -> Iterator[tuple[str, NDArray[np.float64]]]:
    for row in read_rows(path):
        if row.problem:
            raise InputError(f"{path}, {row.place}: {row.problem}.")
        chunk_id = row.values.get(plain_id_field(row.values))
        value = next((row.values[name] for name in _NAMES if name in row.values), None)
        yield str(chunk_id), _vector(path, row.place, value, row.values)


def _vector(
    path: Path, place: str, value: object, values: Mapping[str, object]
) -> NDArray[np.float64]:
    try:
        vector = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        vector = np.zeros(0)
    if vector.ndim != 1 or not len(vector) or not plain_id_field(values):
        raise InputError(
            f"{path}, {place}: expected an id ({', '.join(IDS)}) and a list of numbers "
            f"({', '.join(_NAMES)}), found {', '.join(map(repr, values)) or 'no fields'}."
        )
    return vector
