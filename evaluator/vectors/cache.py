"""
Vectors kept on disk, so that no string is encoded twice by the same model.

One SQLite file per model, precision and engine; one row per string, under the SHA-256
of its UTF-8 bytes, with the time it took. It knows nothing of how vectors are made. Losing
the file costs time and nothing else.
"""

import hashlib
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np
import platformdirs
from numpy.typing import NDArray

from evaluator import InputError

# SQLite allows 999 parameters in the oldest versions still about.
_AT_ONCE = 900

_SCHEMA = """
CREATE TABLE IF NOT EXISTS made_by (text TEXT PRIMARY KEY);
CREATE TABLE IF NOT EXISTS vectors (
    key BLOB PRIMARY KEY, vector BLOB NOT NULL, seconds REAL NOT NULL, cpu_seconds REAL
);
"""


class Took(NamedTuple):
    """What one vector took: seconds by the clock, and of all processors together."""

    seconds: float
    cpu_seconds: float


def cache_folder() -> Path:
    """Where vectors are kept: ONECAUSE_CACHE, else the user's cache directory."""
    chosen = os.environ.get("ONECAUSE_CACHE")
    return Path(chosen).expanduser() if chosen else platformdirs.user_cache_path("onecause")


class VectorCache:
    """
    The vectors that one model made, open for reading and adding.

    Several processes may use the same file; a string that two of them encode at once is
    kept once.
    """

    def __init__(self, made_by: str, *, dimension: int) -> None:
        name = hashlib.sha256(made_by.encode()).hexdigest()[:24]
        self.path = cache_folder() / "vectors" / f"{name}.sqlite"
        self._width = 4 * dimension
        with self._explained():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(self.path, timeout=60)
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = NORMAL")
            self._connection.executescript(_SCHEMA)
            self._connection.execute("INSERT OR IGNORE INTO made_by VALUES (?)", [made_by])
            self._connection.commit()

    def find(self, texts: Sequence[str]) -> Iterator[tuple[int, NDArray[np.float32], Took]]:
        """Position, vector and time of every text that is kept."""
        position_by_key = {_key(text): position for position, text in enumerate(texts)}
        keys = list(position_by_key)
        with self._explained():
            for start in range(0, len(keys), _AT_ONCE):
                some = keys[start : start + _AT_ONCE]
                marks = ",".join("?" * len(some))
                rows = self._connection.execute(
                    "SELECT key, vector, seconds, cpu_seconds FROM vectors "
                    f"WHERE key IN ({marks}) AND cpu_seconds IS NOT NULL",
                    some,
                )
                for key, vector, *took in rows:
                    if len(vector) == self._width:
                        yield position_by_key[key], np.frombuffer(vector, "<f4"), Took(*took)

    def keep(self, made: Iterable[tuple[str, NDArray[np.float32], Took]]) -> None:
        """Add text, vector and time of some strings, all or none of them."""
        rows = [(_key(text), vec.astype("<f4").tobytes(), *took) for text, vec, took in made]
        with self._explained(), self._connection:
            self._connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?)", rows)

    def close(self) -> None:
        self._connection.close()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise InputError(
                f"The vector cache {self.path} cannot be used: {error}. Delete that file, or set "
                "ONECAUSE_CACHE to a folder that can be written. Only encoding time is lost."
            ) from None


@contextmanager
def open_cache(made_by: str, *, dimension: int) -> Iterator[VectorCache]:
    """The cache of one model, closed afterwards."""
    with closing(VectorCache(made_by, dimension=dimension)) as cache:
        yield cache


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()
