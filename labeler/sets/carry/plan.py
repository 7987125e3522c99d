"""
Judgements of a frozen set -> what becomes of each of them on another snapshot.

A judgement is of a text. Where the very text is there, all its events come along; where it
is cut otherwise within its document, only what follows for the new text does; everything
else is lost, and listed. No grade passes from one document to another, unless the text is
equal to the letter. Pure.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from evaluator.labelset.format import ADJUDICATION, Judgement, LabelSet, PoolEntry, Query
from evaluator.snapshot.snapshot import Chunk
from labeler.sets.carry.events import granted_event, moved_events
from labeler.sets.carry.exact import equal_texts
from labeler.sets.carry.overlap import ByOverlap, by_overlap, side_of
from labeler.sets.carry.overlaps import Overlap, find_overlaps
from labeler.sets.pairing import Pair
from labeler.sets.stands import Stands, what_stands
from labeler.workspace.pairs import entries, lets_through

LEAST = 0.9
"""The share of a gold chunk's words that a new chunk must hold in one run to be gold too."""
PART = 0.1
"""A new chunk with this share of a lost gold text is put into the pool, to be judged."""

How = Literal["exact", "overlap", "ambiguous", "lost"]
_FILTERED = "its new chunk is outside what the query's filter lets through"
_CONTRADICT = "equal texts have different grades by one assessor"
_CONFLICT = "its new chunk holds gold and lies in text judged not relevant"


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of a judged pair: how, to which new chunks, and why if it was lost."""

    query_id: str
    chunk_id: str
    grade: int | None
    gold: bool
    how: How
    to: tuple[str, ...] = ()
    reason: str = ""

    @property
    def is_loss(self) -> bool:
        """Whether the pair would have to be judged again."""
        return self.how in ("ambiguous", "lost")


@dataclass(frozen=True, slots=True)
class Carried:
    """
    What a carry would store, and the fate of every judged pair.

    `elsewhere` counts the pairs whose text, to the letter, stands in another document only.
    `to_judge` counts the pooled pairs that have no judgement.
    """

    queries: tuple[Query, ...]
    pool: tuple[PoolEntry, ...]
    judgements: tuple[Judgement, ...]
    decisions: tuple[Judgement, ...]
    fates: tuple[Fate, ...]
    elsewhere: int
    to_judge: int

    def count(self, how: How, *, gold: bool = False) -> int:
        """How many judged pairs, or only gold ones, fared so."""
        return sum(fate.how == how and (fate.gold or not gold) for fate in self.fates)

    @property
    def is_whole(self) -> bool:
        """Whether every judged pair came along."""
        return not any(fate.is_loss for fate in self.fates)


def plan_carry(
    labels: LabelSet,
    *,
    chunks: Iterable[Chunk],
    old_texts: Mapping[str, str],
    least: float = LEAST,
) -> Carried:
    """
    What of a label set stands on a new snapshot.

    `chunks` are the new chunks that have a pooled text or lie in a pooled document;
    `old_texts` are the texts of the pooled chunks by id, without which nothing is found by
    overlap. Pairs that nobody judged stay to be judged where their text is there.
    """
    chunk_by_id = {chunk.chunk_id: chunk for chunk in chunks}
    stands = what_stands(labels.judgements)
    made = _exact(labels, stands, list(chunk_by_id.values()))
    rest = [pair for pair in made.rest if pair in stands.by_pair]
    overlaps = _overlaps(labels, rest, chunk_by_id, old_texts)
    granted = by_overlap(
        labels,
        stands,
        overlaps,
        words_by_new={chunk_id: len(c.text.split()) for chunk_id, c in chunk_by_id.items()},
        taken=made.pairs,
        least=least,
    )
    for pair in rest:
        made.fates[pair] = _fate(labels, stands, pair, granted, overlaps.get(pair, ()))
    pairs = made.pairs | {(grant.event.query_id, grant.new_id) for grant in granted.grants}
    pairs |= _parts(made.fates, overlaps)
    events = [
        *moved_events(labels, made.new_by_old),
        *(granted_event(labels, grant) for grant in granted.grants),
    ]
    return Carried(
        queries=labels.queries,
        pool=tuple(entries(pairs, source=source_name(labels), chunk_by_id=chunk_by_id)),
        judgements=tuple(event for event in events if event.method != ADJUDICATION),
        decisions=tuple(event for event in events if event.method == ADJUDICATION),
        fates=tuple(made.fates[pair] for pair in sorted(made.fates) if pair in stands.by_pair),
        elsewhere=made.elsewhere,
        to_judge=len(pairs - what_stands(events).by_pair.keys()),
    )


def source_name(labels: LabelSet) -> str:
    """What the pool of the new workspace says found the carried pairs."""
    return f"carry:{labels.name}"


# By equal text


@dataclass(slots=True)
class _Exact:
    """The new pairs, the new pair of each old one, and what is left to find."""

    pairs: set[Pair] = field(default_factory=set)
    new_by_old: dict[Pair, Pair] = field(default_factory=dict)
    fates: dict[Pair, Fate] = field(default_factory=dict)
    rest: list[Pair] = field(default_factory=list)
    elsewhere: int = 0


def _exact(labels: LabelSet, stands: Stands, chunks: Sequence[Chunk]) -> _Exact:
    made = _Exact()
    chunk_by_old = equal_texts(labels.pool, chunks)
    filters = {query.query_id: query.filter for query in labels.queries if query.filter}
    old_by_new: dict[Pair, list[Pair]] = {}
    for entry in labels.pool:
        pair, chunk = (entry.query_id, entry.chunk_id), chunk_by_old.get(entry.chunk_id)
        if chunk is None:
            made.rest.append(pair)
        elif not lets_through(filters.get(pair[0], {}), chunk):
            made.fates[pair] = _named(labels, pair, "lost", reason=_FILTERED)
        else:
            new = (pair[0], chunk.chunk_id)
            made.pairs.add(new)
            old_by_new.setdefault(new, []).append(pair)
            made.elsewhere += chunk.doc_id != entry.doc_id and pair in stands.by_pair
    for new, pairs in old_by_new.items():
        contradict = len(pairs) > 1 and _contradict(stands, pairs)
        for pair in pairs:
            how: How = "ambiguous" if contradict else "exact"
            reason = _CONTRADICT if contradict else ""
            made.fates[pair] = _named(labels, pair, how, to=(new[1],), reason=reason)
            if not contradict:
                made.new_by_old[pair] = new
    return made


def _contradict(stands: Stands, pairs: Sequence[Pair]) -> bool:
    """Whether somebody gave two of the pairs, which are one now, different grades."""
    given: dict[str, set[tuple[int | None, str]]] = {}
    for pair in pairs:
        for assessor, event in stands.by_pair.get(pair, {}).items():
            given.setdefault(assessor, set()).add((event.grade, event.verdict))
        if pair in stands.decided:
            event = stands.decided[pair]
            given.setdefault("", set()).add((event.grade, event.verdict))
    return any(len(each) > 1 for each in given.values())


def _named(
    labels: LabelSet, pair: Pair, how: How, *, to: tuple[str, ...] = (), reason: str = ""
) -> Fate:
    grade = labels.qrels.get(pair[0], {}).get(pair[1])
    gold = grade is not None and grade >= labels.min_grade
    return Fate(*pair, grade, gold, how, to, reason)


# By overlap


def _overlaps(
    labels: LabelSet,
    rest: Sequence[Pair],
    chunk_by_id: Mapping[str, Chunk],
    old_texts: Mapping[str, str],
) -> dict[Pair, list[Overlap]]:
    """The overlaps of the pairs' chunks, each within its document."""
    wanted = {chunk_id for _, chunk_id in rest}
    old_by_doc: dict[str, dict[str, str]] = {}
    for entry in labels.pool if wanted and old_texts else ():
        text = old_texts.get(entry.chunk_id)
        if entry.chunk_id in wanted and text is not None:
            old_by_doc.setdefault(entry.doc_id, {})[entry.chunk_id] = text
    new_by_doc: dict[str, dict[str, str]] = {}
    for chunk in chunk_by_id.values():
        if chunk.doc_id in old_by_doc:
            new_by_doc.setdefault(chunk.doc_id, {})[chunk.chunk_id] = chunk.text
    by_old: dict[str, list[Overlap]] = {}
    for doc_id, new in new_by_doc.items():
        for overlap in find_overlaps(old_by_doc[doc_id], new):
            by_old.setdefault(overlap.old_id, []).append(overlap)
    filters = {query.query_id: query.filter or {} for query in labels.queries}
    return {
        pair: [o for o in by_old[pair[1]] if lets_through(filters[pair[0]], chunk_by_id[o.new_id])]
        for pair in rest
        if pair[1] in by_old
    }


def _fate(
    labels: LabelSet,
    stands: Stands,
    pair: Pair,
    granted: ByOverlap,
    overlaps: Sequence[Overlap],
) -> Fate:
    if pair in granted.conflicts and pair not in granted.new_by_old:
        to = tuple(sorted(granted.conflicts[pair]))
        return _named(labels, pair, "ambiguous", to=to, reason=_CONFLICT)
    if pair in granted.new_by_old:
        return _named(labels, pair, "overlap", to=tuple(sorted(granted.new_by_old[pair])))
    side, reason = side_of(labels, stands, pair)
    if not overlaps:
        reason = "its text is not found in its document"
    elif side == "gold":
        most = max(overlap.share for overlap in overlaps)
        reason = f"one chunk holds at most {most:.0%} of its words in a row"
    elif side is not None:
        reason = "no new chunk lies wholly in text judged so"
    return _named(labels, pair, "lost", reason=reason)


def _parts(fates: Mapping[Pair, Fate], overlaps: Mapping[Pair, Sequence[Overlap]]) -> set[Pair]:
    """The new chunks that hold a part of gold that was lost: somebody must look at them."""
    return {
        (pair[0], overlap.new_id)
        for pair, found in overlaps.items()
        if fates[pair].gold and fates[pair].is_loss
        for overlap in found
        if overlap.share >= PART
    }
