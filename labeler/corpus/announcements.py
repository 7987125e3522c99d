"""
What a sentence that ends in a colon announces, kept with that sentence.

A list without the sentence that says what it lists cannot be judged, and neither can the
sentence without its list. This module finds such sentences and moves cuts before them; it
packs nothing and knows no section.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from semantic_text_splitter import TextSplitter

BLOCK_BREAK = "\n\n"
_COLONS = (":", "\uff1a")  # the second in Chinese and Japanese
_ITEM = re.compile(r"^[ ]*(?:-|\d+\.) ", re.M)
_SENTENCE_END = re.compile(r"[.!?…。！？।॥؟۔][\"'”’»)\]]*\s*\Z")

Count = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a text, from `start` up to `end`."""

    start: int
    end: int


def announces(text: str) -> bool:
    """Whether a text ends by announcing what follows it."""
    return text.rstrip().endswith(_COLONS)


def with_announcements(
    blocks: Sequence[str], *, unbroken: frozenset[int], budget: int, count: Count
) -> Iterator[str]:
    """
    The blocks, each with the announcement before it, in parts where they must be.

    By the first that the budget allows: the whole announcing block before the announced
    one; its last list item or its last sentence there, and the rest for itself; the same
    before the first lines or sentences of the announced block, which is then cut unless it
    is one of the `unbroken` and fits alone. For this last the announcement may take half
    the budget, so that it does not lead a few words. Else the two stay apart.
    """
    lead = ""
    for number, block in enumerate(blocks):
        whole = number in unbroken and count(block) <= budget
        parts = [block] if not lead else _joined(lead, block, whole, budget=budget, count=count)
        yield from parts[:-1]
        lead = parts[-1] if announces(parts[-1]) and count(parts[-1]) <= budget else ""
        if not lead:
            yield parts[-1]
    if lead:
        yield lead


def _joined(lead: str, block: str, whole: bool, *, budget: int, count: Count) -> list[str]:
    """The two blocks in order, cut where the announcement gets company by that."""
    starts = [0, *_announcement_starts(lead, count)]
    for start in starts:
        joined = f"{lead[start:]}{BLOCK_BREAK}{block}"
        if count(joined) <= budget:
            return [*_before(lead, start), joined]
    for start in starts:
        room = budget - count(lead[start:] + BLOCK_BREAK)
        end = 0 if whole or room < budget / 2 else _first_part(block, room, count)
        if end:
            first = f"{lead[start:]}{BLOCK_BREAK}{block[:end].rstrip()}"
            if count(first) <= budget:
                return [*_before(lead, start), first, part_of(block, Span(end, len(block)))]
    return [lead, block]


def _before(text: str, start: int) -> list[str]:
    return [text[:start].rstrip()] if start else []


def _announcement_starts(text: str, count: Count) -> Iterator[int]:
    """
    Where the last list item and the last sentence begin, if not at the very beginning.

    Not where what stands before would then end with an announcement itself.
    """
    item = max((match.start() for match in _ITEM.finditer(text)), default=0)
    starts = [item]
    tokens = count(text[item:])
    if tokens > 1:
        # With a budget of just too little, the splitter parts the last sentence from the others.
        splitter = TextSplitter.from_callback(count, tokens - 1, trim=False)
        start = item + splitter.chunk_indices(text[item:])[-1][0]
        if _SENTENCE_END.search(text[:start]):
            starts.append(start)
    yield from (start for start in starts if start and not announces(text[:start]))


def _first_part(block: str, room: int, count: Count) -> int:
    """Where the first lines or sentences of a block end that fit into the room; 0 if none do."""
    parts = TextSplitter.from_callback(count, room, trim=False).chunk_indices(block)
    if len(parts) < 2:
        return 0
    before, after = block[: parts[1][0]], block[parts[1][0] :]
    blanks = before[len(before.rstrip()) :] + after[: len(after) - len(after.lstrip())]
    return len(before) if "\n" in blanks or _SENTENCE_END.search(before) else 0


def part_of(text: str, span: Span) -> str:
    """The part without the blanks at its cuts, but with the indentation of its first line."""
    part = text[span.start : span.end]
    kept = part.rstrip()
    starts_line = span.start == 0 or text[span.start - 1] == "\n"
    first = part[: len(part) - len(part.lstrip())]
    return kept[first.rfind("\n") + 1 :] if starts_line or "\n" in first else kept.lstrip()


def cut(text: str, *, budget: int, overlap: int, count: Count) -> list[Span]:
    """
    The parts of a text over the budget, none of which ends with an announcement if it can.

    A part that would gives its announcement to the next, which is cut again where it became
    too long; what that leaves over joins the part after it where both fit.
    """
    splitter = TextSplitter.from_callback(count, budget, overlap, trim=False)

    def parts(start: int, end: int) -> list[Span]:
        found = splitter.chunk_indices(text[start:end])
        return [Span(start + at, start + at + len(part)) for at, part in found]

    waiting = parts(0, len(text))[::-1]
    done: list[Span] = []
    while waiting:
        span = waiting.pop()
        if waiting and announces(text[span.start : span.end]):
            following = waiting.pop()
            begin, moved = _moved(text, span, following, parts, count)
            rest = moved[-1].start
            if begin < span.end and waiting and count(text[rest : waiting[-1].end]) <= budget:
                moved[-1] = Span(rest, waiting.pop().end)
            waiting += moved[::-1]
            span = Span(span.start, begin)
        done.append(span)
    return done


def _moved(
    text: str, span: Span, following: Span, parts: Callable[[int, int], list[Span]], count: Count
) -> tuple[int, list[Span]]:
    """Where a part should end, and what then follows it in place of the part after it."""
    for start in _announcement_starts(text[span.start : span.end].rstrip(), count):
        begin = span.start + start
        if begin < following.start:  # else the overlap brings it along
            moved = parts(begin, following.end)
            if moved[0].end > following.start:  # else it would be alone
                return begin, moved
    return span.end, [following]
