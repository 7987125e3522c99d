"""
Rows -> a frozen label set in a new directory.

Everything is written beside the directory and read back by the reader that everybody else uses;
only what it finds nothing wrong with is renamed into place. What goes into a set is its caller's
to decide.
"""

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from operator import attrgetter
from pathlib import Path
from typing import Any

from evaluator.labelset.format import (
    FORMAT,
    MANIFEST,
    Judgement,
    LabelSetError,
    PoolEntry,
    Qrels,
    Query,
    canonical_line,
    manifest_text,
    qrels_line,
    sha256_of_set,
    verify,
)


def write_label_set(
    directory: Path,
    *,
    queries: Iterable[Query],
    pool: Iterable[PoolEntry],
    judgements: Iterable[Judgement],
    qrels: Qrels,
    manifest: Mapping[str, Any],
    aside: Path | None = None,
) -> str:
    """
    Freeze a label set into a new directory and return its SHA-256.

    Everything is written beside the directory, flushed to disk, made read-only, verified and
    then renamed, so a label set is there whole or not at all. Pairs and judgements are
    written as they come, in the order of query and chunk and in time order; queries and
    qrels are sorted here. An existing directory is never touched: a correction is a new set.
    `aside` is a free path on the same disk to write at; without it one is made up.

    Raises LabelSetError when the directory exists or `verify` finds a problem.
    """
    _require_free(directory)
    directory.parent.mkdir(parents=True, exist_ok=True)
    if aside is None:
        aside = Path(tempfile.mkdtemp(prefix=f".{directory.name}.", dir=directory.parent))
    try:
        aside.mkdir(exist_ok=True)
        lines: Mapping[str, Iterable[str]] = {
            "queries.jsonl": map(_query_line, sorted(queries, key=attrgetter("query_id"))),
            "pool.jsonl": (canonical_line(entry._asdict()) for entry in pool),
            "judgements.jsonl": (canonical_line(event._asdict()) for event in judgements),
            "qrels.txt": _qrels_lines(qrels),
        }
        members = {member: _write(aside / member, some) for member, some in lines.items()}
        whole = {**manifest, "format": FORMAT, "members": members}
        _write(aside / MANIFEST, [manifest_text(json.loads(json.dumps(whole)))])
        if problems := verify(aside):
            raise LabelSetError(f"{directory} was not frozen:", problems)
        aside.chmod(0o755)
        _require_free(directory)  # another may have frozen it meanwhile
        os.rename(aside, directory)
        _sync(directory.parent)
    except (TypeError, ValueError) as error:
        if isinstance(error, LabelSetError):
            raise
        raise LabelSetError(f"{directory} was not frozen: {error}") from error
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return sha256_of_set(directory)


def _require_free(directory: Path) -> None:
    if os.path.lexists(directory):
        raise LabelSetError(
            f"{directory} exists and a frozen set is never overwritten. Choose another name; "
            "to correct a set, freeze a new one that supersedes it."
        )


def _query_line(query: Query) -> str:
    row = {name: getattr(query, name) for name in Query.__annotations__}
    variants = [{"text": text, "count": count} for text, count in query.variants]
    return canonical_line(row | {"variants": variants})


def _qrels_lines(qrels: Qrels) -> Iterator[str]:
    for query_id, grade_by_chunk in sorted(qrels.items()):
        for chunk_id, grade in sorted(grade_by_chunk.items()):
            yield qrels_line(query_id, chunk_id, grade)


def _write(path: Path, lines: Iterable[str]) -> dict[str, Any]:
    """
    Write lines into a read-only file and through to the disk; what the manifest states of it.

    Raises ValueError that names the line that no file can hold.
    """
    digest, size, rows = hashlib.sha256(), 0, 0
    with path.open("wb") as file:
        try:
            for line in lines:
                encoded = line.encode()
                digest.update(encoded)
                size += file.write(encoded)
                rows += 1
        except (TypeError, ValueError) as error:
            raise ValueError(f"{path.name}, line {rows + 1}: {error}") from error
        file.flush()
        os.fsync(file.fileno())
    path.chmod(0o444)
    return {"bytes": size, "rows": rows, "sha256": digest.hexdigest()}


def _sync(folder: Path) -> None:
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        os.fsync(handle)
        os.close(handle)
