"""
Whether a header of an experiment stands in what the assessors were shown.

They were shown plain texts, known by their hashes. A text that already carries its header,
title over heading path, showed them what the treatment adds, and makes the plain arm not
plain. A heading by itself may honestly be part of a text; that is counted apart. Pure.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from evaluator.experiment.headers.options import begins_with
from evaluator.experiment.headers.rule import SEPARATOR, HeaderRule
from evaluator.snapshot.chunk import Chunk
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
