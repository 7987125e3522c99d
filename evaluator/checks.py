"""
What must hold of a label set before a difference can mean anything.

Whether it is sound, and whether its chunks are still what was judged. Nothing here is a
statistic.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from evaluator.labelset import LabelSet, Problem, read_label_set, text_sha256, verify
from evaluator.snapshot import Snapshot, read_snapshot


@dataclass(frozen=True, slots=True)
class Verified:
    """
    What `evaluator verify` found: a sound set and its size, or every problem.

    `pinned` is whether it was compared with a digest from elsewhere. Without one, a set that
    was changed together with its manifest looks the same as the one that was frozen.
    """

    path: str
    sha256: str | None
    counts: Mapping[str, int]
    problems: tuple[Problem, ...]
    pinned: bool = False


def verify_labels(
    directory: Path, *, digest: str | None = None, snapshot: Path | None = None
) -> Verified:
    """
    Is the set consistent, is it the pinned one, and does a snapshot hold what was judged?

    Only `digest` can tell whether it is untouched. The chunks are compared only when the set
    itself is sound.
    """
    problems = verify(directory, sha256=digest)
    if problems:
        return Verified(str(directory), None, {}, problems, digest is not None)
    labels = read_label_set(directory)
    found: list[Problem] = []
    if snapshot is not None:
        opened = read_snapshot(snapshot, verify=True)
        made_for = str(labels.manifest["snapshot"].get("digest"))
        parent = opened.derived["parent"]["digest"] if opened.derived else None
        if made_for not in (opened.digest, parent):
            where = f"{snapshot} as the snapshot of {labels.name}"
            found.append(Problem(where, "bytes", f"digest {made_for}", f"digest {opened.digest}"))
        found += check_retrievable(labels, opened)
    counts = {
        "queries": len(labels.queries),
        "with gold": sum(bool(labels.gold(q.query_id)) for q in labels.queries),
        "pairs in the pool": len(labels.pool),
        "judgement events": len(labels.judgements),
        "graded pairs": sum(map(len, labels.qrels.values())),
    }
    return Verified(str(directory), labels.sha256, counts, tuple(found), digest is not None)


def check_retrievable(labels: LabelSet, snapshot: Snapshot) -> list[Problem]:
    """
    Every judged chunk that the snapshot does not hold as it was judged.

    A gold chunk that is missing can never be hit, and one whose text changed was judged as
    something else. One that belongs to another document puts its queries into another class,
    since held out or not is decided by the document's id.
    """
    gold = {chunk_id for query in labels.queries for chunk_id in labels.gold(query.query_id)}
    held = snapshot.fetch([entry.chunk_id for entry in labels.pool])
    judged = dict.fromkeys((e.chunk_id, e.doc_id, e.text_sha256) for e in labels.pool)
    problems = []
    for chunk_id, doc_id, text in judged:
        kind = "gold chunk" if chunk_id in gold else "judged chunk"
        where = f"{snapshot.path.name}: {kind} {chunk_id}"
        chunk = held.get(chunk_id)
        if chunk is None:
            problems.append(Problem(where, "completeness", "a chunk", "nothing"))
            continue
        differing = [
            (f"{name} {expected}", f"{name} {found}")
            for name, expected, found in (
                ("text", text[:12], text_sha256(chunk.text)[:12]),
                ("document", repr(doc_id), repr(chunk.doc_id)),
            )
            if expected != found
        ]
        if differing:
            expected, found = (" and ".join(side) for side in zip(*differing, strict=True))
            problems.append(Problem(where, "bytes", expected, found))
    return problems
