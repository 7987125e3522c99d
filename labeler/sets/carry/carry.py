"""
A frozen label set -> a new workspace on another snapshot.

It finds the texts, refuses a workspace that differs in what was decided at its making, and
stores what `plan` planned, all of it or nothing.
"""

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluator import InputError
from evaluator.labelset.format import LabelSet, read_label_set, text_sha256
from evaluator.snapshot.chunk import Chunk
from evaluator.snapshot.snapshot import Snapshot
from labeler.sets.carry.plan import LEAST, Carried, plan_carry, source_name
from labeler.sets.frozen import judged_on
from labeler.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Carry:
    """A label set, what of it would be stored, and whether its old texts were at hand."""

    labels: LabelSet
    carried: Carried
    least: float
    had_texts: bool

    def as_record(self) -> dict[str, Any]:
        """Counts, as the pool of the new workspace and every set frozen from it state them."""
        carried = self.carried
        return {
            "labels": {"name": self.labels.name, "sha256": self.labels.sha256},
            "least_overlap": self.least if self.had_texts else None,
            "pairs": len(carried.pool),
            "judged_pairs": {
                how: carried.count(how) for how in ("exact", "overlap", "ambiguous", "lost")
            },
            "in_another_document": carried.elsewhere,
        }


def prepare(
    workspace: Workspace, directory: Path, *, snapshot: Path | None = None, least: float = LEAST
) -> Carry:
    """
    What of the label set in a directory stands in the workspace; nothing is stored.

    `snapshot` is the one that the set was judged on. Without it, the one that lies where a
    workspace has it is taken, if it is the right one; without any, texts are only compared
    by their hash. Raises InputError for a workspace that is in use, or that was made with
    another scale, threshold or held-out rule.
    """
    labels = read_label_set(directory)
    workspace.require_unused()
    _require_same(workspace, labels)
    old = judged_on(labels, snapshot)
    sha256_by_id = {entry.chunk_id: entry.text_sha256 for entry in labels.pool}
    found = {} if old is None else old.fetch_unchanged(sha256_by_id)  # the hash decides, not the id
    carried = plan_carry(
        labels,
        chunks=_near(workspace.snapshot, labels),
        old_texts={chunk_id: chunk.text for chunk_id, chunk in found.items()},
        least=least,
    )
    return Carry(labels, carried, least, old is not None)


def store(workspace: Workspace, carry: Carry, *, accept_losses: bool = False) -> None:
    """Store what was prepared. Raises InputError where something is lost and nobody accepts it."""
    carried, labels = carry.carried, carry.labels
    if not carried.is_whole and not accept_losses:
        raise InputError(
            f"Nothing was stored. {carried.count('lost')} judged pairs would be lost and "
            f"{carried.count('ambiguous')} are ambiguous; they would have to be judged again. "
            "To go on without them, add --accept-losses."
        )
    authored = labels.manifest["assessment"].get("authored") or {}
    seen = {q: seen for q, seen in (authored.get("seen") or {}).items() if seen is not None}
    source = {"source": source_name(labels), "kind": "carry", "depth": None}
    with workspace.connection.write():
        workspace.require_unused()
        workspace.queries.add(carried.queries)
        workspace.pool.add(carried.pool, source=source | carry.as_record())
        workspace.judgements.add(carried.judgements)
        workspace.decisions.add(carried.decisions)
        if labels.manifest["sampling"] is not None:
            workspace.connection.keep_setting("sample", labels.manifest["sampling"])
        if seen:
            workspace.connection.keep_setting("seen", seen)


def _require_same(workspace: Workspace, labels: LabelSet) -> None:
    settings, stated = workspace.settings, labels.manifest["assessment"]
    grades = {str(grade): meaning for grade, meaning in settings.grades}
    rule = labels.held_out_rule
    differing = [
        name
        for name, here, there in (
            ("scale", grades, stated["grades"]),
            ("lowest grade of gold", settings.min_grade, labels.min_grade),
            ("held-out rule", settings.held_out_rule, rule),
        )
        if here != there
    ]
    if not differing:
        return
    scale = ",".join(f"{grade}={meaning}" for grade, meaning in sorted(stated["grades"].items()))
    buckets = ",".join(map(str, rule.held_out)) or "none"
    raise InputError(
        f"{workspace.path} was made with another {' and another '.join(differing)} than the "
        "label set, and neither can be changed. Make a workspace with:\n"
        f"labeler init WORK --corpus PATH --grades {shlex.quote(scale)} "
        f"--min-grade {labels.min_grade} --salt {rule.salt} --buckets {rule.buckets} "
        f"--held-out {buckets}"
    )


def _near(snapshot: Snapshot, labels: LabelSet) -> list[Chunk]:
    """The chunks that have a pooled text, or lie in a pooled document."""
    doc_ids: set[str] = set()
    texts: set[str] = set()
    for entry in labels.pool:
        doc_ids.add(entry.doc_id)
        texts.add(entry.text_sha256)
    return [
        chunk
        for chunk in snapshot.chunks()
        if chunk.doc_id in doc_ids or text_sha256(chunk.text) in texts
    ]
