"""
A report that is printed again: a look, where it names held-out queries.

Results that are only counted were looked at once, by the run; names and ranks of held-out
queries are examples, and whoever prints them may be somebody else.
"""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from evaluator.labelset.format import MANIFEST, sha256_of_set
from evaluator.labelset.ledger import record_look
from evaluator.record.model import Record


@dataclass(frozen=True, slots=True)
class _Labels:
    """A label set by its place and identity, without reading it."""

    path: Path
    sha256: str


def note_reprint(record: Record, *, at: datetime) -> str | None:
    """
    Write the look at held-out queries into the ledger; gives what to say about it.

    None where the record names none. A record may lie far from its labels: then the look
    cannot be counted, which is said.
    """
    if not _names_held_out(record):
        return None
    labels, experiment = record.labels, record.experiment
    path, sha256 = Path(labels.path), labels.sha256
    if sha256 is None or not (path / MANIFEST).is_file() or sha256_of_set(path) != sha256:
        return (
            f"Names held-out queries. The label set is not at {path}, so nobody counts this look."
        )
    looks = record_look(
        _Labels(path, sha256),
        at=at,
        experiment=experiment.name,
        sha256=experiment.sha256 or "",
        split=record.headline.split,
        what="report printed again, held-out flips by name",
        headers=filter(None, (arm.header_sha256 for arm in record.arms)),
    )
    return f"Names held-out queries: look {looks} that is known in this copy of the label set."


def _names_held_out(record: Record) -> bool:
    return any(
        flip.class_ == "held-out"
        for contrast in record.contrasts
        for flip in (*contrast.flips.won, *contrast.flips.lost)
    )
