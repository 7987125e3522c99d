"""
A report that is printed again: a look, where it names held-out queries.

Results that are only counted were looked at once, by the run; names and ranks of held-out
queries are examples, and whoever prints them may be somebody else.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from evaluator.labelset.format import MANIFEST, sha256_of_set
from evaluator.labelset.ledger import record_look


@dataclass(frozen=True, slots=True)
class _Labels:
    """A label set by its place and identity, without reading it."""

    path: Path
    sha256: str


def note_reprint(record: Mapping[str, Any], *, at: datetime) -> str | None:
    """
    Write the look at held-out queries into the ledger; gives what to say about it.

    None where the record names none. A record may lie far from its labels: then the look
    cannot be counted, which is said.
    """
    if not _names_held_out(record):
        return None
    labels, experiment = record["labels"], record["experiment"]
    path = Path(labels["path"])
    if not (path / MANIFEST).is_file() or sha256_of_set(path) != labels["sha256"]:
        return (
            f"Names held-out queries. The label set is not at {path}, so nobody counts this look."
        )
    looks = record_look(
        _Labels(path, labels["sha256"]),
        at=at,
        experiment=experiment["name"],
        sha256=experiment.get("sha256") or "",
        split=record["headline"]["split"],
        what="report printed again, held-out flips by name",
        headers=filter(None, (arm.get("header_sha256") for arm in record["arms"])),
    )
    return f"Names held-out queries: look {looks} that is known in this copy of the label set."


def _names_held_out(record: Mapping[str, Any]) -> bool:
    return any(
        flip.get("class") == "held-out"
        for contrast in record["contrasts"]
        for side in ("won", "lost")
        for flip in (contrast.get("flips") or {}).get(side, ())
    )
