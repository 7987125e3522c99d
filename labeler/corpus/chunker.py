"""
Sections of a document -> chunks within a token budget.

Owns where a section is cut. It never looks at markup, and it never
puts a title or heading into a text: those stand in fields of their own.
"""

import re
from collections.abc import Callable, Iterator, Sequence

from semantic_text_splitter import TextSplitter

from evaluator import InputError
from evaluator.labelset.format import encode_id
from evaluator.snapshot.chunk import Chunk
from labeler.corpus.documents import Document

_SLICE = 5_000  # characters
_ENDS = re.compile(r"\n|[.!?](?=\s)|[。！？｡।]")
BLOCK_BREAK = "\n\n"


def check_budget(budget: int, overlap: int) -> None:
    """Raise InputError unless a chunk can hold something new beside its overlap."""
    if budget < 1:
        raise InputError(f"A budget of {budget} tokens holds no text. Expected 1 or more.")
    if not 0 <= overlap < budget:
        raise InputError(
            f"An overlap of {overlap} tokens does not fit a budget of {budget}. "
            f"Expected 0 to {budget - 1}."
        )


def split_document(
    document: Document, *, budget: int, overlap: int, count: Callable[[str], int]
) -> Iterator[Chunk]:
    """
    The document's chunks, in reading order.

    A chunk never reaches across a heading. Ids are the document's id, encoded so that they
    hold no white space, with `#` and the position in the document, counted from 0: a
    changed page changes no id of another page.
    """
    position = 0
    for section in document.sections:
        for text in split_blocks(section.blocks, budget=budget, overlap=overlap, count=count):
            yield Chunk(
                chunk_id=f"{encode_id(document.doc_id)}#{position}",
                doc_id=document.doc_id,
                text=text,
                title=document.title,
                headings=section.headings,
                source=document.source,
                attributes={},
            )
            position += 1


def split_blocks(
    blocks: Sequence[str],
    *,
    budget: int,
    overlap: int,
    count: Callable[[str], int],
) -> Iterator[str]:
    """
    The blocks of one section, packed in order into texts of at most `budget` tokens.

    Whole blocks are packed greedily, with a blank line between them, so that a table, a
    list or a piece of code stays whole where it fits. A block over the budget is cut by
    semantic-text-splitter: at line ends first, then sentences, then words; what comes
    after it may join its last piece.

    Without overlap every part of every block is in exactly one text. With overlap a text
    starts with the end of the one before: whole blocks if they fit into `overlap` tokens,
    else the last sentences or words that do.
    """
    pieces: list[str] = []
    for block in blocks:
        if pieces and count(BLOCK_BREAK.join([*pieces, block])) <= budget:
            pieces.append(block)
            continue
        carried: list[str] = []
        if pieces:
            yield BLOCK_BREAK.join(pieces)
            carried = _tail(pieces, overlap, count)
        if count(block) > budget:
            *whole, last = _cut(block, budget=budget, overlap=overlap, count=count)
            yield from whole
            pieces = [last]
        elif carried and count(BLOCK_BREAK.join([*carried, block])) <= budget:
            pieces = [*carried, block]
        else:
            pieces = [block]
    if pieces:
        yield BLOCK_BREAK.join(pieces)


def _cut(block: str, *, budget: int, overlap: int, count: Callable[[str], int]) -> list[str]:
    """The parts of one block, without the blanks at the cuts but with the indentation of lines."""
    splitter = TextSplitter.from_callback(count, budget, overlap, trim=False)
    kept = (
        _without_blanks(slice_, start, part)
        for slice_ in ([block] if overlap else _slices(block))
        for start, part in splitter.chunk_indices(slice_)
    )
    return [part for part in kept if part.strip()]


def _slices(block: str) -> Iterator[str]:
    """Parts of a very long block, cut where a line or sentence ends: the splitter is quadratic."""
    at = 0
    while len(block) - at > 2 * _SLICE:
        ends = [found.end() for found in _ENDS.finditer(block, at + _SLICE // 2, at + _SLICE)]
        end = ends[-1] if ends else at + _SLICE
        yield block[at:end]
        at = end
    yield block[at:]


def _without_blanks(block: str, start: int, part: str) -> str:
    kept = part.rstrip()
    starts_line = start == 0 or block[start - 1] == "\n"
    first = part[: len(part) - len(part.lstrip())]
    return kept[first.rfind("\n") + 1 :] if starts_line or "\n" in first else kept.lstrip()


def _tail(pieces: Sequence[str], overlap: int, count: Callable[[str], int]) -> list[str]:
    """The last whole pieces within `overlap` tokens; failing those, the end of the last one."""
    if overlap == 0:
        return []
    kept: list[str] = []
    for piece in reversed(pieces):
        if count(BLOCK_BREAK.join([piece, *kept])) > overlap:
            break
        kept.insert(0, piece)
    return kept or _cut(pieces[-1], budget=overlap, overlap=0, count=count)[-1:]
