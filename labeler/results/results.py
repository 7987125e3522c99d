"""
Results that the evaluator wrote into a workspace: where they lie, and their record.

Nothing here computes a figure. The digest of a record stands for the results, so that what is
noted about them belongs to those very bytes.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from evaluator import InputError
from evaluator.labelset.format import MANIFEST, sha256_of_set
from evaluator.record.model import RECORD_FORMAT, Record, record_of
from labeler.workspace.workspace import EXPERIMENTS, LABELS

_RECORD = "record.json"


@dataclass(frozen=True, slots=True)
class ResultsFolder:
    """One results directory: its record, and the record's SHA-256."""

    path: Path
    sha256: str
    record: Record


@dataclass(frozen=True, slots=True)
class LabelsHere:
    """The label set that results were made with, found in this workspace."""

    path: Path
    sha256: str
    manifest: Mapping[str, Any]


def find_results(work: Path) -> tuple[Path, ...]:
    """The results directories in WORK/experiments, and of experiments in WORK, newest first."""
    records = [*(work / EXPERIMENTS).rglob(_RECORD), *work.glob(f"*.results/*/{_RECORD}")]
    found = {path.parent: path.stat().st_mtime_ns for path in records}
    return tuple(sorted(found, key=lambda each: (-found[each], str(each))))


def find_experiments(work: Path) -> tuple[Path, ...]:
    """The files in WORK/experiments, and the one that the demo has in WORK itself."""
    return tuple(sorted([*work.glob("experiment.toml"), *(work / EXPERIMENTS).glob("*.toml")]))


def read_results(path: Path) -> ResultsFolder:
    """
    The results in a directory, read again only when the file is another one.

    Raises InputError for what `evaluator run` did not write.
    """
    file = path / _RECORD
    try:
        found = file.stat()
        return _as_written(file, found.st_mtime_ns, found.st_size)
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}.") from None


@lru_cache(maxsize=8)
def _as_written(file: Path, changed_ns: int, size: int) -> ResultsFolder:
    """What a file holds that was last changed at a moment, and has a size."""
    del changed_ns, size
    raw = file.read_bytes()
    try:
        found = json.loads(raw)
    except (ValueError, RecursionError):
        raise InputError(f"{file} is not JSON. Run the experiment again.") from None
    if not isinstance(found, dict) or found.get("format") != RECORD_FORMAT:
        raise InputError(
            f"{file} is no record of the format {RECORD_FORMAT}. "
            "Name a directory that evaluator run or compare wrote."
        )
    try:
        record = record_of(found)
    except InputError as error:
        raise InputError(f"{file} cannot be read. {error}") from None
    return ResultsFolder(file.parent, hashlib.sha256(raw).hexdigest(), record)


def labels_here(work: Path, results: ResultsFolder) -> LabelsHere | None:
    """The label set of some results, known by its digest; None where it is not in WORK/labels."""
    wanted = results.record.labels.sha256
    for manifest in sorted((work / LABELS).glob(f"[!.]*/{MANIFEST}")):
        if sha256_of_set(manifest.parent) == wanted:
            stated = json.loads(manifest.read_text(encoding="utf-8"))
            return LabelsHere(manifest.parent, str(wanted), stated)
    return None
