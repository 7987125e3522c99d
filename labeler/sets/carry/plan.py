"""
Judgements of a frozen set -> what becomes of each of them on another snapshot.

A judgement is of a text. Where the very text is there, all its events come along; where it
is cut otherwise within its document, only what follows for the new text does; everything
else is lost, and listed. No grade passes from one document to another, unless the text is
equal to the letter. Pure.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from evaluator.labelset.format import (
    ADJUDICATION,
    Judgement,
    LabelSet,
    Pair,
    PoolEntry,
    Query,
    text_sha256,
)
from evaluator.snapshot.chunk import Chunk
from labeler.sets.carry.overlap import (
    ByOverlap,
    Grant,
    Overlap,
    by_overlap,
    find_overlaps,
    relevance_of,
)
from labeler.sets.frozen import FinalEvents, final_events
from labeler.workspace.pairs import entries, lets_through
from labeler.workspace.records import CARRIED, CARRIED_EVENT

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
    labels: LabelSet, *, chunks: Iterable[Chunk], old_texts: Mapping[str, str], least: float = LEAST
) -> Carried:
    """
    What of a label set stands on a new snapshot.

    `chunks` are the new chunks that have a pooled text or lie in a pooled document;
    `old_texts` are the texts of the pooled chunks by id, without which nothing is found by
    overlap. Pairs that nobody judged stay to be judged where their text is there.
    """
    chunk_by_id = {chunk.chunk_id: chunk for chunk in chunks}
    final = final_events(labels.judgements)
    made = _exact(labels, final, list(chunk_by_id.values()))
    rest = [pair for pair in made.rest if pair in final.by_pair]
    overlaps = _overlaps(labels, rest, chunk_by_id, old_texts)
    granted = by_overlap(
        labels,
        final,
        overlaps,
        words_by_new={chunk_id: len(c.text.split()) for chunk_id, c in chunk_by_id.items()},
        taken=made.pairs,
        least=least,
    )
    for pair in rest:
        made.fates[pair] = _fate(labels, final, pair, granted, overlaps.get(pair, ()))
    pairs = made.pairs | {(grant.event.query_id, grant.new_id) for grant in granted.grants}
    pairs |= {  # parts of gold that was lost: somebody must look at them
        (pair[0], overlap.new_id)
        for pair, found in overlaps.items()
        if made.fates[pair].gold and made.fates[pair].is_loss
        for overlap in found
        if overlap.share >= PART
    }
    events = [
        *_moved_events(labels, made.new_by_old),
        *(_granted_event(labels, grant) for grant in granted.grants),
    ]
    return Carried(
        queries=labels.queries,
        pool=tuple(entries(pairs, source=source_name(labels), chunk_by_id=chunk_by_id)),
        judgements=tuple(event for event in events if event.method != ADJUDICATION),
        decisions=tuple(event for event in events if event.method == ADJUDICATION),
        fates=tuple(made.fates[pair] for pair in sorted(made.fates) if pair in final.by_pair),
        elsewhere=made.elsewhere,
        to_judge=len(pairs - final_events(events).by_pair.keys()),
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


def _exact(labels: LabelSet, final: FinalEvents, chunks: Sequence[Chunk]) -> _Exact:
    made = _Exact()
    chunk_by_old = _equal_texts(labels.pool, chunks)
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
            made.elsewhere += chunk.doc_id != entry.doc_id and pair in final.by_pair
    for new, pairs in old_by_new.items():
        contradict = len(pairs) > 1 and _contradict(final, pairs)
        for pair in pairs:
            how: How = "ambiguous" if contradict else "exact"
            reason = _CONTRADICT if contradict else ""
            made.fates[pair] = _named(labels, pair, how, to=(new[1],), reason=reason)
            if not contradict:
                made.new_by_old[pair] = new
    return made


def _equal_texts(pool: Iterable[PoolEntry], chunks: Sequence[Chunk]) -> dict[str, Chunk]:
    """
    The new chunk by the old chunk's id, for every old chunk whose text is there.

    A chunk of the same document comes first, whatever its id is now; only where no chunk of
    that document has the text does one of another document stand for it.
    """
    by_text: dict[str, list[Chunk]] = {}
    by_place: dict[tuple[str, str], list[Chunk]] = {}
    for chunk in sorted(chunks, key=lambda chunk: chunk.chunk_id):
        sha256 = text_sha256(chunk.text)
        by_text.setdefault(sha256, []).append(chunk)
        by_place.setdefault((chunk.doc_id, sha256), []).append(chunk)
    old_by_place: dict[tuple[str, str], set[str]] = {}
    for entry in pool:
        old_by_place.setdefault((entry.doc_id, entry.text_sha256), set()).add(entry.chunk_id)
    found: dict[str, Chunk] = {}
    for place, old_ids in old_by_place.items():
        if place in by_place:
            found |= _in_document(old_ids, by_place[place])
        elif place[1] in by_text:
            found |= dict.fromkeys(old_ids, by_text[place[1]][0])
    return found


def _in_document(old_ids: set[str], chunks: Sequence[Chunk]) -> dict[str, Chunk]:
    """A text that stands several times in a document keeps its ids, else goes by their order."""
    found = {chunk.chunk_id: chunk for chunk in chunks if chunk.chunk_id in old_ids}
    free = [chunk for chunk in chunks if chunk.chunk_id not in found]
    for place, old_id in enumerate(sorted(old_ids - found.keys())):
        found[old_id] = free[place] if place < len(free) else chunks[0]
    return found


def _contradict(final: FinalEvents, pairs: Sequence[Pair]) -> bool:
    """Whether somebody gave two of the pairs, which are one now, different grades."""
    given: dict[str, set[tuple[int | None, str]]] = {}
    for pair in pairs:
        for assessor, event in final.by_pair.get(pair, {}).items():
            given.setdefault(assessor, set()).add((event.grade, event.verdict))
        if pair in final.decided:
            event = final.decided[pair]
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
    final: FinalEvents,
    pair: Pair,
    granted: ByOverlap,
    overlaps: Sequence[Overlap],
) -> Fate:
    if pair in granted.conflicts and pair not in granted.new_by_old:
        to = tuple(sorted(granted.conflicts[pair]))
        return _named(labels, pair, "ambiguous", to=to, reason=_CONFLICT)
    if pair in granted.new_by_old:
        return _named(labels, pair, "overlap", to=tuple(sorted(granted.new_by_old[pair])))
    relevance, reason = relevance_of(labels, final, pair)
    if not overlaps:
        reason = "its text is not found in its document"
    elif relevance == "gold":
        most = max(overlap.share for overlap in overlaps)
        reason = f"one chunk holds at most {most:.0%} of its words in a row"
    elif relevance is not None:
        reason = "no new chunk lies wholly in text judged so"
    return _named(labels, pair, "lost", reason=reason)


# Events as they stand in the new workspace


def _moved_events(labels: LabelSet, new_by_old: Mapping[Pair, Pair]) -> Iterator[Judgement]:
    """Every event on a pair whose text is there, as it was, under the new chunk's id."""
    for event in labels.judgements:
        new = new_by_old.get((event.query_id, event.chunk_id))
        if new is not None:
            yield event._replace(chunk_id=new[1], imported_from=_mark(labels, event))


def _granted_event(labels: LabelSet, grant: Grant) -> Judgement:
    """
    An event of its own, since its assessor saw another text: no hash and no position.

    The note says which chunk was judged.
    """
    event = grant.event
    identity = hashlib.sha256(f"{event.event_id}\n{grant.new_id}".encode()).hexdigest()
    note = f"by overlap with {event.chunk_id} ({grant.share:.0%} of its words)"
    return event._replace(
        event_id=CARRIED_EVENT + identity[:32],
        chunk_id=grant.new_id,
        text_sha256=None,
        position=None,
        active_seconds=None,
        note=f"{note}; {event.note}" if event.note else note,
        imported_from=_mark(labels, event),
    )


def _mark(labels: LabelSet, event: Judgement) -> str:
    mark = f"{CARRIED}{labels.name} {labels.sha256[:16]}"
    return f"{event.imported_from}, {mark}" if event.imported_from else mark
