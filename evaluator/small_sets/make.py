"""
A smaller chunk set for quick looks: the whole pool of a label set among N distractors.

It owns which chunks a derived snapshot holds and what its manifest says of that. Fewer
distractors flatter every arm, so nothing measured on one may be quoted as a level.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from heapq import nsmallest
from pathlib import Path
from typing import Any

from evaluator import InputError
from evaluator.experiment.pinned import open_experiment
from evaluator.files.whole import file_sha256
from evaluator.labelset.format import LabelSet
from evaluator.snapshot.snapshot import Snapshot, write_snapshot
from evaluator.text.messages import first_few
from evaluator.trec import read_run

RULE = (
    "the pool of the label set, and the chunks outside it with the smallest SHA-256 of seed, "
    "colon and chunk id"
)


@dataclass(frozen=True, slots=True)
class Hard:
    """Chunks that a run ranks high and nobody judged, and the run that says so."""

    file: str
    sha256: str
    depth: int
    chunk_ids: frozenset[str]

    def record(self) -> dict[str, Any]:
        """What the manifest keeps of it."""
        return {
            "run": self.file,
            "sha256": self.sha256,
            "depth": self.depth,
            "chunks": len(self.chunk_ids),
        }


def sample_experiment(
    path: Path,
    directory: Path | None,
    *,
    distractors: int,
    seeds: Sequence[int],
    hard: Path | None,
    hard_depth: int,
    now: datetime,
) -> list[Snapshot]:
    """
    One derived snapshot of an experiment's chunk set for each seed, under `directory`.

    Raises InputError for a number that the chunk set cannot give, for seeds that repeat, for
    a run of one of the experiment's own arms, and for what `open_experiment` refuses.
    """
    opened = open_experiment(path)
    labels, parent = opened.labels, opened.snapshot
    if parent.derived is not None:
        raise InputError(f"{parent.path} is a sample itself. Name its parent in the experiment.")
    if len(set(seeds)) < len(seeds):
        raise InputError(f"The seeds {', '.join(map(str, seeds))} repeat. Each gives one sample.")
    pool = {entry.chunk_id for entry in labels.pool}
    chosen = None if hard is None else _hard(hard, hard_depth, pool=pool)
    ids = list(parent.chunk_ids())
    _require_known(parent, pool, chosen, set(ids))
    sure = pool | (chosen.chunk_ids if chosen else set())
    others = [chunk_id for chunk_id in ids if chunk_id not in sure]
    if not 0 <= distractors < len(others):
        raise InputError(
            f"{distractors} distractors are not a sample: {parent.name} has {len(ids):,} chunks, "
            f"{len(others):,} of them outside the pool. Choose fewer, or run the whole."
        )
    root = directory or path.with_name(f"{path.stem}.samples") / f"n{distractors}"
    return [
        write_sample(
            root / f"seed-{seed}",
            parent,
            labels,
            kept=sure | draw_distractors(others, n=distractors, seed=seed),
            drawn={"seed": seed, "distractors": distractors, "pool": len(pool)},
            hard=chosen,
            now=now,
        )
        for seed in seeds
    ]


def read_seeds(text: str) -> tuple[int, ...]:
    """Seeds as people write them: `1,2,3`. Raises InputError."""
    if not re.fullmatch(r"\s*[0-9]+\s*(,\s*[0-9]+\s*)*", text):
        raise InputError(f"--seeds {text!r}: give whole numbers like 1,2,3.")
    return tuple(int(part) for part in text.split(","))


def draw_distractors(chunk_ids: Iterable[str], *, n: int, seed: int) -> set[str]:
    """
    N ids at random, by the digest of seed and id.

    The draw depends on no order and on no other id, so a larger N holds a smaller one, and
    any machine draws the same.
    """

    def place(chunk_id: str) -> bytes:
        return hashlib.sha256(f"{seed}:{chunk_id}".encode()).digest()

    return set(nsmallest(n, chunk_ids, key=place))


def write_sample(
    directory: Path,
    parent: Snapshot,
    labels: LabelSet,
    *,
    kept: set[str],
    drawn: Mapping[str, int],
    hard: Hard | None,
    now: datetime,
) -> Snapshot:
    """The chunks of the parent with these ids as a snapshot that says where it comes from."""
    return write_snapshot(
        directory,
        (chunk for chunk in parent.chunks() if chunk.chunk_id in kept),
        name=f"{parent.name}, sample with seed {drawn['seed']}",
        chunker=parent.manifest["chunker"],
        corpus=parent.manifest["corpus"],
        created_at=now,
        derived={
            "parent": {"name": parent.name, "digest": parent.digest, "chunks": len(parent)},
            "labels": {"name": labels.name, "sha256": labels.sha256},
            "rule": RULE,
            **drawn,
            "hard": None if hard is None else hard.record(),
        },
    )


def _hard(path: Path, depth: int, *, pool: set[str]) -> Hard:
    """The first chunks of each query in a run, without those of the pool."""
    if (path.parent / "record.json").is_file():
        raise InputError(
            f"{path} is the run of an arm. Its distractors would be hard for that arm alone: "
            "name a run of a system that is no arm, as full-text search."
        )
    run = read_run(path)
    found = {chunk_id for ranked in run.values() for chunk_id, _ in ranked[:depth]}
    return Hard(path.name, file_sha256(path), depth, frozenset(found - pool))


def _require_known(parent: Snapshot, pool: set[str], hard: Hard | None, ids: set[str]) -> None:
    if lost := sorted(pool - ids):
        raise InputError(
            f"{parent.path} lacks {len(lost)} chunks of the pool: {first_few(lost)}. A sample "
            "must hold all of it."
        )
    if hard is not None and (strange := sorted(hard.chunk_ids - ids)):
        raise InputError(
            f"{hard.file} names {len(strange)} chunks that {parent.path} does not have: "
            f"{first_few(strange)}. Make the run on this chunk set."
        )
