"""
What follows for a new chunk from judged chunks of its document that it overlaps.

Two things follow, and no more. A chunk that holds a gold text whole, or nearly, holds what
made it gold. A chunk that lies wholly in texts judged not relevant has nothing that was
not. A part of a gold text may be the part without the answer, and a chunk that holds a
text of no relevance may hold more: these say nothing. Texts are compared as words, so that
another line break is no difference, and by the longest unbroken run of words that two share: a
few words here and there say nothing. Pure.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Literal

from evaluator.labelset.format import Judgement, LabelSet, Pair
from labeler.sets.frozen import FinalEvents

_SHINGLE = 4  # words: texts that share no four in a row are not compared

Relevance = Literal["gold", "not relevant"]


@dataclass(frozen=True, slots=True)
class Overlap:
    """
    The longest run of words that an old and a new chunk share.

    `share` is its part of the old text, from 0 to 1; `start` and `stop` count words of the
    new text. `closed` runs begin and end where one of the two texts does, as they do when
    the same document was cut in another way; an open run ends at words that were changed.
    """

    old_id: str
    new_id: str
    share: float
    start: int
    stop: int
    closed: bool


@dataclass(frozen=True, slots=True)
class Grant:
    """A standing judgement of an old chunk that also holds for a new one."""

    new_id: str
    event: Judgement
    share: float


@dataclass(slots=True)
class ByOverlap:
    """The grants, the new chunks of every old pair that gave one, and the pairs in conflict."""

    grants: list[Grant] = field(default_factory=list)
    new_by_old: dict[Pair, set[str]] = field(default_factory=dict)
    conflicts: dict[Pair, set[str]] = field(default_factory=dict)


def relevance_of(labels: LabelSet, final: FinalEvents, pair: Pair) -> tuple[Relevance | None, str]:
    """What all who graded a pair say of it, or the reason why it can say nothing."""
    grades = {event.grade for event in final.by_pair.get(pair, {}).values()} - {None}
    if labels.qrels.get(pair[0], {}).get(pair[1]) is None or not grades:
        return None, "it has no grade, and its text is no chunk now"
    lowest = min(int(grade) for grade in labels.manifest["assessment"]["grades"])
    if all(grade is not None and grade >= labels.min_grade for grade in grades):
        return "gold", ""
    if grades == {lowest}:
        return "not relevant", ""
    if len(grades) > 1:
        return None, "assessors disagree, and its text is no chunk now"
    return None, "a grade between not relevant and gold goes with its very text only"


def by_overlap(
    labels: LabelSet,
    final: FinalEvents,
    overlaps: Mapping[Pair, Sequence[Overlap]],
    *,
    words_by_new: Mapping[str, int],
    taken: set[Pair],
    least: float,
) -> ByOverlap:
    """
    The grades that follow from the overlaps of the old pairs that have no equal text.

    `taken` are new pairs that an equal text has settled already. A new chunk that holds gold
    and lies wholly in text judged not relevant is in conflict, and gets nothing.
    """
    near: dict[Pair, list[tuple[Pair, Relevance, Overlap]]] = {}
    for pair, found in overlaps.items():
        relevance, _ = relevance_of(labels, final, pair)
        for overlap in found:
            new = (pair[0], overlap.new_id)
            if relevance is not None and new not in taken:
                near.setdefault(new, []).append((pair, relevance, overlap))
    made = ByOverlap()
    for (_, new_id), each in sorted(near.items()):
        gold = [(p, o) for p, side, o in each if side == "gold" and o.share >= least]
        closed = [(p, o) for p, side, o in each if side == "not relevant" and o.closed]
        best = _highest(gold, final)
        none = _covered(closed, final, words=words_by_new[new_id])
        if best and none:
            for pair, _ in gold + closed:
                made.conflicts.setdefault(pair, set()).add(new_id)
            continue
        made.grants += [Grant(new_id, event, share) for event, share in (best | none).values()]
        for pair, overlap in (gold if best else []) + (closed if none else []):
            made.new_by_old.setdefault(pair, set()).add(overlap.new_id)
    return made


_Given = dict[str, tuple[Judgement, float]]


def _highest(gold: Sequence[tuple[Pair, Overlap]], final: FinalEvents) -> _Given:
    """By assessor, the highest of the grades that the texts held by the new chunk have."""
    found: _Given = {}
    for pair, overlap in gold:
        for assessor, event in _graded(final, pair).items():
            there = found.get(assessor)
            if there is None or (event.grade or 0) > (there[0].grade or 0):
                found[assessor] = (event, overlap.share)
    return found


def _covered(closed: Sequence[tuple[Pair, Overlap]], final: FinalEvents, *, words: int) -> _Given:
    """The assessors whose texts of no relevance leave none of the new chunk's words out."""
    spans: dict[str, list[tuple[int, int]]] = {}
    last: _Given = {}
    for pair, overlap in closed:
        for assessor, event in _graded(final, pair).items():
            spans.setdefault(assessor, []).append((overlap.start, overlap.stop))
            last[assessor] = (event, overlap.share)
    return {name: last[name] for name, found in spans.items() if covers(found, words)}


def _graded(final: FinalEvents, pair: Pair) -> dict[str, Judgement]:
    given = final.by_pair.get(pair, {})
    return {name: event for name, event in given.items() if event.grade is not None}


# Where the words of old chunks stand in new ones


def find_overlaps(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Overlap]:
    """The overlaps of some old texts with all new texts of one document, both by chunk id."""
    words_by_old = {chunk_id: text.split() for chunk_id, text in old.items()}
    shingles_by_old = {chunk_id: _shingles(words) for chunk_id, words in words_by_old.items()}
    for new_id, text in sorted(new.items()):
        words = text.split()
        shingles = _shingles(words)
        matcher: SequenceMatcher[str] = SequenceMatcher(None, "", words, autojunk=False)
        for old_id, old_words in sorted(words_by_old.items()):
            short = min(len(words), len(old_words)) < _SHINGLE
            if short or not shingles.isdisjoint(shingles_by_old[old_id]):
                matcher.set_seq1(old_words)
                at, start, size = matcher.find_longest_match()
                stop, share = start + size, size / len(old_words) if size else 0.0
                begins = at == 0 or start == 0
                ends = at + size == len(old_words) or stop == len(words)
                if size:
                    yield Overlap(old_id, new_id, share, start, stop, begins and ends)


def covers(spans: Sequence[tuple[int, int]], words: int) -> bool:
    """Whether spans of words, in any order, leave none of a text's words out."""
    reached = 0
    for start, stop in sorted(spans):
        if start > reached:
            return False
        reached = max(reached, stop)
    return reached >= words


def _shingles(words: Sequence[str]) -> set[tuple[str, ...]]:
    return {tuple(words[i : i + _SHINGLE]) for i in range(len(words) - _SHINGLE + 1)}
