"""
What must hold of a label set before a difference can mean anything.

Whether it is sound, who else dates it, whether its chunks are still what was judged, and
whether a header of an experiment stands in what the assessors were shown: plain texts, known
by their hashes. A text that already carries its header, title over heading path, showed them
what the treatment adds, and makes the plain arm not plain. A heading by itself may honestly be
part of a text; that is counted apart. Nothing here is a statistic.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from evaluator.experiment.experiment import read_experiment, read_header_rules
from evaluator.experiment.headers.options import begins_with
from evaluator.experiment.headers.rule import SEPARATOR, HeaderRule
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
from evaluator.text.words import words

HeaderKind = Literal["begins with its header", "holds its header", "names its heading"]
BROKEN: Mapping[HeaderKind, str] = {
    "begins with its header": "begin with it",
    "holds its header": "hold it elsewhere",
}
_IN_WORDS: Mapping[HeaderKind, str] = {
    **BROKEN,
    "names its heading": "name only a heading of theirs, as a document may",
}
# A generated text of three words in a row in the chunk is no accident, a shorter one may be.
_TELLING_WORDS = 3


@dataclass(frozen=True, slots=True)
class ShownHeader:
    """One header that stands in the text that was shown, and how."""

    arm: str
    chunk_id: str
    kind: HeaderKind


@dataclass(frozen=True, slots=True)
class Blindness:
    """
    What the scan found, over the distinct chunks of the pool whose shown text is known.

    `with_header` counts, by arm, the chunks for which that arm makes a header. `other_texts`
    are judgements made on another text than the pool's, `unknown` chunks those whose text
    is not at hand as it was shown.
    """

    chunks: int
    unknown: int
    other_texts: int
    with_header: Mapping[str, int]
    shown: tuple[ShownHeader, ...]

    def of(self, arm: str, kind: HeaderKind) -> list[str]:
        """The chunks whose text shows the header of an arm in one way."""
        return [each.chunk_id for each in self.shown if (each.arm, each.kind) == (arm, kind)]

    def lines(self) -> list[str]:
        """The finding for people: chunks by id, never their texts, which may be held out."""
        said = [f"{self.chunks:,} chunks of the pool, {self.unknown:,} of unknown text"]
        for arm, made in self.with_header.items():
            counts = ", ".join(
                f"{len(self.of(arm, kind)):,} {words}" for kind, words in _IN_WORDS.items()
            )
            said.append(f"arm {arm!r}: of {made:,} texts with a header, {counts}")
        if not self.with_header:
            said.append("no arm of the experiment makes a header")
        return said


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
        for kind, phrase in BROKEN.items():
            if shown := blindness.of(arm.name, kind):
                where = f"texts shown, against the header of arm {arm.name!r}"
                found = f"{len(shown):,} {phrase}: {first_few(shown)}"
                yield Problem(where, "bytes", "plain texts", found)
    if blindness.other_texts:
        yield Problem(
            "judgements.jsonl",
            "bytes",
            "judgements on the pool's texts",
            f"{blindness.other_texts:,} on another text",
        )


# Headers in what was shown


def scan_shown(
    chunks: Sequence[Chunk],
    rules: Mapping[str, HeaderRule],
    *,
    unknown: int = 0,
    other_texts: int = 0,
) -> Blindness:
    """
    Look for each arm's header in the text of each chunk that was shown.

    `chunks` are those whose text is, by its hash, the one that was shown. A rule with a limit
    on tokens is looked for in full and in each of its shorter forms.
    """
    found: list[ShownHeader] = []
    with_header = {}
    for arm, rule in rules.items():
        if rule.rule == "none":
            continue
        drafts = [(chunk, [text for text in rule.drafts(chunk) if text]) for chunk in chunks]
        with_header[arm] = sum(bool(texts) for _, texts in drafts)
        for chunk, texts in drafts:
            kinds = {_kind(chunk, text.rstrip("\n"), rule) for text in texts}
            most_telling = next((kind for kind in _IN_WORDS if kind in kinds), None)
            if most_telling:
                found.append(ShownHeader(arm, chunk.chunk_id, most_telling))
    return Blindness(len(chunks), unknown, other_texts, with_header, tuple(found))


def _kind(chunk: Chunk, header: str, rule: HeaderRule) -> HeaderKind | None:
    """
    How a text shows a header.

    The start is compared by words, whatever separates them on the line; elsewhere the header
    must stand as the arm makes it. Only what no author writes by chance tells: a path of
    several steps on one line, or a generated text or filled template of some words. Headings
    that stand below each other are those of the document.
    """
    begins, holds = begins_with(chunk.text, header), header in chunk.text
    if _telling(chunk, header, rule):
        start = chunk.text.lstrip().split("\n")[: header.count("\n") + 1]
        if begins_with("\n".join(start), header):
            return "begins with its header"
        if holds:
            return "holds its header"
    lines = (line.strip("#*> \t") for line in chunk.text.splitlines())
    return "names its heading" if begins or (holds and header in lines) else None


def _telling(chunk: Chunk, header: str, rule: HeaderRule) -> bool:
    if SEPARATOR in header:
        return True
    if header.strip() in (chunk.title.strip(), *(each.strip() for each in chunk.headings)):
        return False
    made = rule.file is not None or "{" in rule.rule
    return made and len(words(header)) >= _TELLING_WORDS
