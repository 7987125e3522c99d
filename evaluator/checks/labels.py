"""
What must hold of a label set before a difference can mean anything.

Whether it is sound, who else dates it, whether its chunks are still what was judged, and
whether that was free of headers. Nothing here is a statistic.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from evaluator.checks.shown_texts import BROKEN, Blindness, scan_shown
from evaluator.experiment.experiment import read_experiment, read_header_rules
from evaluator.experiment.pinned import check_retrievable
from evaluator.experiment.protocol import Experiment
from evaluator.labelset.format import (
    MANIFEST,
    LabelSet,
    LabelSetError,
    Problem,
    read_label_set,
    text_sha256,
    verify,
)
from evaluator.order.label_dates import Witnesses, witnesses_of
from evaluator.snapshot.chunk import Chunk, unlabelled_equals
from evaluator.snapshot.snapshot import Snapshot, read_snapshot
from evaluator.text.messages import first_few


@dataclass(frozen=True, slots=True)
class Verified:
    """
    What `evaluator verify` found: a sound set and its size, or every problem.

    `pinned` is whether it was compared with a digest from elsewhere. Without one, a set that
    was changed together with its manifest looks the same as the one that was frozen.
    `text_unknown` counts the events that do not say which text was shown.
    """

    path: str
    sha256: str | None
    counts: Mapping[str, int]
    problems: tuple[Problem, ...]
    pinned: bool = False
    text_unknown: int = 0
    witnesses: Witnesses | None = None
    blindness: Blindness | None = None
    equals: str | None = None


def verify_labels(
    directory: Path,
    *,
    now: datetime,
    digest: str | None = None,
    snapshot: Path | None = None,
    experiment: Path | None = None,
    authority: Path | None = None,
) -> Verified:
    """
    Is the set consistent, is it the pinned one, and does a snapshot hold what was judged?

    Only `digest` can tell whether it is untouched. `experiment` names arms whose headers must
    not stand in what was shown; `authority` the root certificates for time stamps. All but
    the digest is looked at only when the set itself is sound.
    """
    try:
        labels = read_label_set(directory, sha256=digest)
    except LabelSetError as error:
        problems = error.problems or verify(directory, sha256=digest)
        return Verified(str(directory), None, {}, problems, digest is not None)
    witnesses = witnesses_of(labels, now=now, roots=authority)
    found = [
        Problem(stamp.file, "bytes", "a time stamp over this manifest", stamp.problem)
        for stamp in witnesses.stamps
        if stamp.problem
    ]
    declared = None if experiment is None else read_experiment(experiment)
    where = snapshot or (declared.snapshot if declared else None)
    opened = None if where is None else read_snapshot(where, verify=True)
    blindness = equals = None
    if opened is not None:
        held = opened.fetch(list({entry.chunk_id for entry in labels.pool}))
        found += _of_other_chunks(labels, opened)
        equals = unlabelled_equals(opened.chunks(), labels.qrels, min_grade=labels.min_grade)
        found += check_retrievable(labels, held, where=opened.path.name)
        if declared is not None:
            blindness = _scan_pool(labels, held, declared)
            found += _not_blind(blindness, declared)
    return Verified(
        str(directory),
        labels.sha256,
        _counts(labels),
        tuple(found),
        digest is not None,
        sum(event.text_sha256 is None for event in labels.judgements),
        witnesses,
        blindness,
        equals,
    )


def verified_text(found: Verified) -> str:
    """One line per problem, or what the sound set holds; then who dates it and what was shown."""
    if found.problems:
        some = f"{len(found.problems)} problem" + "s" * (len(found.problems) > 1)
        said = "\n".join([f"{found.path}: {some}", *(f"- {p}" for p in found.problems)])
        if any((p.member, p.question) == (MANIFEST, "completeness") for p in found.problems):
            said += "\nA workspace keeps its label sets in labels/."
    else:
        listed = ", ".join(f"{count:,} {name}" for name, count in found.counts.items())
        what = "whole and untouched" if found.pinned else "consistent with its own manifest"
        unknown = f"\n{found.text_unknown:,} judgement events do not say which text was shown."
        shown = unknown if found.text_unknown else ""
        said = f"{found.path} is {what}.\n{listed}{shown}\nsha256 {found.sha256}"
        if not found.pinned:
            said += "\nWhether it is the set that was pinned, --digest tells."
    witnesses, blindness = found.witnesses, found.blindness
    return (
        said
        + _listed("When it existed:", witnesses.lines() if witnesses else ())
        + _listed("Dates that do not fit:", witnesses.clocks if witnesses else ())
        + _listed("Equal texts:", (found.equals,) if found.equals else ())
        + _listed("Headers in what was shown:", blindness.lines() if blindness else ())
    )


def verified_json(found: Verified) -> dict[str, Any]:
    """The same for a program."""
    return asdict(found) | {"witnesses": found.witnesses.record() if found.witnesses else None}


def _listed(heading: str, lines: Sequence[str]) -> str:
    return "".join([f"\n{heading}", *(f"\n- {line}" for line in lines)]) if lines else ""


def _scan_pool(labels: LabelSet, held: Mapping[str, Chunk], experiment: Experiment) -> Blindness:
    """
    The headers of an experiment, looked for in the texts of the pool as they were shown.

    `held` is what a snapshot holds under the ids of the pool.
    """
    shown = {entry.chunk_id: entry.text_sha256 for entry in labels.pool}
    chunks = [chunk for c, chunk in held.items() if shown.get(c) == text_sha256(chunk.text)]
    judged = (e for e in labels.judgements if e.text_sha256 is not None)
    return scan_shown(
        chunks,
        read_header_rules(experiment),
        unknown=len(shown) - len(chunks),
        other_texts=sum(event.text_sha256 != shown[event.chunk_id] for event in judged),
    )


def _counts(labels: LabelSet) -> dict[str, int]:
    return {
        "queries": len(labels.queries),
        "with gold": sum(bool(labels.gold(q.query_id)) for q in labels.queries),
        "pairs in the pool": len(labels.pool),
        "judgement events": len(labels.judgements),
        "graded pairs": sum(map(len, labels.qrels.values())),
    }


def _of_other_chunks(labels: LabelSet, snapshot: Snapshot) -> Iterator[Problem]:
    made_for = str(labels.manifest["snapshot"].get("digest"))
    parent = snapshot.derived["parent"]["digest"] if snapshot.derived else None
    if made_for not in (snapshot.digest, parent):
        where = f"{snapshot.path} as the snapshot of {labels.name}"
        yield Problem(where, "bytes", f"digest {made_for}", f"digest {snapshot.digest}")


def _not_blind(blindness: Blindness, experiment: Experiment) -> Iterator[Problem]:
    """One problem for each arm and way in which assessors saw what the arm adds."""
    for arm in experiment.arms:
        for kind, words in BROKEN.items():
            if shown := blindness.of(arm.name, kind):
                where = f"texts shown, against the header of arm {arm.name!r}"
                found = f"{len(shown):,} {words}: {first_few(shown)}"
                yield Problem(where, "bytes", "plain texts", found)
    if blindness.other_texts:
        yield Problem(
            "judgements.jsonl",
            "bytes",
            "judgements on the pool's texts",
            f"{blindness.other_texts:,} on another text",
        )
