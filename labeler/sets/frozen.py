"""
What frozen label sets hold and state: a folder of them, the snapshot of one, its final events.

Whether the files are still those that were frozen is for `evaluator verify` to say.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from evaluator import InputError
from evaluator.labelset.format import (
    ADJUDICATION,
    MANIFEST,
    Judgement,
    LabelSet,
    Pair,
    sha256_of_set,
)
from evaluator.snapshot.snapshot import Snapshot, read_snapshot
from labeler.workspace.workspace import SNAPSHOT


def frozen_sets(folder: Path) -> list[dict[str, Any]]:
    """
    One record a set, ready for JSON, by name: digest, when, header work, and its successors.

    `superseded_by` names the sets of the folder that state it as the one they correct. What
    a broken manifest does not state is None.
    """
    manifests = folder.glob(f"[!.]*/{MANIFEST}")
    found = sorted(path.parent for path in manifests if path.is_file())
    stated = [(path.name, sha256_of_set(path), _manifest(path)) for path in found]
    successors: dict[str, list[str]] = {}
    for name, _, manifest in stated:
        if isinstance(before := manifest.get("supersedes"), dict):
            successors.setdefault(str(before.get("sha256")), []).append(name)
    return [
        {
            "name": name,
            "sha256": sha256,
            "frozen_at": manifest.get("frozen_at"),
            "header_work": manifest.get("header_work"),
            "superseded_by": successors.get(sha256, []),
        }
        for name, sha256, manifest in stated
    ]


def last_frozen(folder: Path) -> tuple[str, str] | None:
    """The name of the set of a folder that was frozen last, and when; None before the first."""
    try:
        changed = folder.stat().st_mtime_ns
    except FileNotFoundError:
        return None
    return _last_frozen(folder, changed)


@lru_cache(maxsize=4)
def _last_frozen(folder: Path, changed: int) -> tuple[str, str] | None:
    del changed  # a set that is added or taken away changes its folder
    stated = [
        (path.parent.name, _manifest(path.parent)) for path in folder.glob(f"[!.]*/{MANIFEST}")
    ]
    moments = [(str(manifest.get("frozen_at") or ""), name) for name, manifest in stated]
    at, name = max(moments, default=("", ""))
    return (name, at) if at else None


def _manifest(directory: Path) -> Mapping[str, Any]:
    """What a set states of itself; nothing where its manifest is broken."""
    try:
        stated = json.loads((directory / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return stated if isinstance(stated, dict) else {}


def judged_on(labels: LabelSet, named: Path | None) -> Snapshot | None:
    """
    The snapshot that is named, or else the one beside the set as a workspace has it.

    None where that place holds no snapshot, or another one. Raises InputError if the named
    one is not the one that was judged.
    """
    digest = labels.manifest["snapshot"]["digest"]
    if named is not None:
        return read_snapshot(named, digest=digest)
    try:
        return read_snapshot(labels.path.resolve().parent.parent / SNAPSHOT, digest=digest)
    except InputError:
        return None


@dataclass(frozen=True, slots=True)
class FinalEvents:
    """
    Judgements by assessor by pair, and the decisions on disagreements by pair.

    What was undone is not there, nor is a pair on which nothing is left.
    """

    by_pair: Mapping[Pair, Mapping[str, Judgement]]
    decided: Mapping[Pair, Judgement]


def final_events(events: Iterable[Judgement]) -> FinalEvents:
    """What stands after events in time order."""
    by_pair: dict[Pair, dict[str, Judgement]] = {}
    decided: dict[Pair, Judgement] = {}
    for event in events:
        pair = (event.query_id, event.chunk_id)
        if event.method == ADJUDICATION:
            decided[pair] = event
        else:
            by_pair.setdefault(pair, {})[event.assessor] = event
    kept = {
        pair: {name: event for name, event in given.items() if event.verdict != "undone"}
        for pair, given in by_pair.items()
    }
    return FinalEvents(
        by_pair={pair: given for pair, given in kept.items() if given},
        decided={pair: event for pair, event in decided.items() if event.verdict != "undone"},
    )
