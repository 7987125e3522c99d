"""
What must hold before a difference can mean anything, checked and put into words.

Whether a label set is sound, whether its chunks are still what was judged, and whether
labels came before header work. Nothing here is a statistic, and nothing says "proved".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from evaluator.header import HeaderRule
from evaluator.labelset import LabelSet, Problem, read_label_set, text_sha256, verify
from evaluator.protocol import Arm
from evaluator.snapshot import Snapshot, read_snapshot

Verdict = Literal["contradicted", "declared, not contradicted", "unknown"]


@dataclass(frozen=True, slots=True)
class Order:
    """Whether the labels existed before the header work, and what that rests on."""

    verdict: Verdict
    stamp: str | None
    rests_on: tuple[str, ...]


def order_of_work(
    manifest: Mapping[str, Any], arms: Sequence[Arm], headers: Mapping[str, HeaderRule]
) -> Order:
    """
    The verdict on labels before treatment.

    Contradicted when a header file, or a declaration of when header work began, is dated
    before the freeze. Otherwise it stands as declared, if anybody declared anything. A
    date can be wrong and a file can be copied, so agreement is never more than that.
    `headers` gives the rule of each arm by its name.
    """
    frozen_at = str(manifest["frozen_at"])
    treated = [arm for arm in arms if headers[arm.name].rule != "none"]
    witness = f"earliest witness of the labels: their manifest, frozen at {frozen_at}"
    if not treated:
        return Order(
            "declared, not contradicted",
            None,
            (witness, "no arm has a header, so header work cannot have shaped what is compared"),
        )
    declared = manifest["header_work"]
    traces = _traces(declared, treated, headers)
    early = [text for at, text in traces if _moment(at) < _moment(frozen_at)]
    rests_on = (witness, *_declaration(declared), *(text for _, text in traces))
    rests_on += (
        () if traces else ("earliest trace of header work: no file and no declaration dates it",)
    )
    rests_on += _superseding(manifest)
    if early:
        return Order("contradicted", "NOT USABLE: HEADER WORK BEFORE THE LABELS", rests_on)
    if not isinstance(declared.get("begun"), bool):
        return Order("unknown", "ORDER NOT SHOWN", rests_on)
    return Order("declared, not contradicted", None, rests_on)


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


def _traces(
    declared: Mapping[str, Any], arms: Sequence[Arm], headers: Mapping[str, HeaderRule]
) -> list[tuple[str, str]]:
    """Moment and sentence of everything that dates header work, earliest first."""
    found: list[tuple[str, str]] = []
    if declared.get("begun") and declared.get("at"):
        at = str(declared["at"])
        found.append((at, f"trace of header work: declared to have begun at {at}"))
    for arm in arms:
        if arm.header_begun:
            text = f"trace of header work: arm {arm.name!r} declares {arm.header_begun}"
            found.append((arm.header_begun, text))
        file = headers[arm.name].file
        if file is not None:
            written = datetime.fromtimestamp(file.path.stat().st_mtime, UTC)
            changed = written.isoformat("T", "seconds")
            named = f"file {file.path.name} ({file.sha256[:12]})"
            found.append((changed, f"trace of header work: {named}, last changed {changed}"))
    return sorted(found, key=lambda trace: _moment(trace[0]))


def _declaration(declared: Mapping[str, Any]) -> tuple[str, ...]:
    by = declared.get("declared_by") or "nobody named"
    if declared.get("begun") is False:
        return (f"declared by {by}: no header work had begun at the freeze",)
    if declared.get("begun") is True:
        return (f"declared by {by}: header work had begun before the freeze",)
    return ("nobody declared whether header work had begun at the freeze",)


def _superseding(manifest: Mapping[str, Any]) -> tuple[str, ...]:
    if not manifest.get("supersedes"):
        return ()
    return (
        f"this set supersedes {manifest['supersedes'].get('name')}: for the treatment that "
        "prompted it, this is a sensitivity analysis (LABELS COMPLETED AFTER TREATMENT)",
    )


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
