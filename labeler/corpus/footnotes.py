"""
Footnotes of a Markdown document, put behind the block that refers to them.

At the foot of the page, where a site shows them, they would be text of the last section.
It knows markdown-it's tokens and nothing of what is made of them.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from markdown_it.token import Token

from labeler.corpus.announcements import announces

_OPEN, _REFERENCE = "footnote_reference_open", "footnote_ref"


def placed_footnotes(tokens: Sequence[Token]) -> list[Token]:
    """
    The tokens with each footnote right after the first outermost block that refers to it.

    Where that block ends in a colon, the note comes after what it announces. A reference
    becomes its label in brackets, and so does the beginning of the note. A note that
    nothing refers to stays where it is written.
    """
    blocks = list(_blocks(tokens))
    notes: dict[str, list[Token]] = {}
    for block in blocks:
        if block[0].type == _OPEN:
            notes.setdefault(_label(block[0]), block)
    if not notes:
        return list(tokens)
    moved = {id(notes[label]) for block in blocks for label in _references(block) if label in notes}
    placed: list[Token] = []
    waiting: list[Token] = []
    for block in blocks:
        if id(block) in moved:
            continue
        if block[0].type == "heading_open":
            placed, waiting = placed + waiting, []
        body = _marked(block) if block[0].type == _OPEN else block
        placed += body
        waiting += _referred_notes(body, notes)
        if not _announces(body):
            placed, waiting = placed + waiting, []
    placed += waiting
    # Notes that refer to each other while no text refers to them.
    placed += [token for block in blocks if id(block) in moved for token in _left(block, notes)]
    for token in all_tokens(placed):
        if token.type == _REFERENCE:
            token.type, token.content = "text", f"[{_label(token)}]"
    return placed


def _referred_notes(block: Sequence[Token], notes: dict[str, list[Token]]) -> list[Token]:
    """The notes that a block refers to, and those that these refer to; each taken once."""
    found: list[Token] = []
    for label in _references(block):
        if label in notes:
            note = _marked(notes.pop(label))
            found += [*note, *_referred_notes(note, notes)]
    return found


def _left(note: list[Token], notes: dict[str, list[Token]]) -> list[Token]:
    return _marked(note) if notes.get(_label(note[0])) is note else []


def _announces(block: Sequence[Token]) -> bool:
    texts = [token.content for token in block if token.type == "inline"]
    return bool(texts) and announces(texts[-1])


def _blocks(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """The outermost blocks, each from its opening to its closing token."""
    block: list[Token] = []
    depth = 0
    for token in tokens:
        block.append(token)
        depth += token.nesting
        if depth == 0:
            yield block
            block = []
    if block:
        yield block


def _marked(block: Sequence[Token]) -> list[Token]:
    """The inside of a note, its first paragraph beginning with its label."""
    note = list(block[1:-1])
    first = next((token for token in note if token.type == "inline"), None)
    if first is not None:
        mark = Token("text", "", 0, content=f"[{_label(block[0])}] ")
        first.children = [mark, *(first.children or ())]
    return note


def _references(block: Sequence[Token]) -> list[str]:
    return [_label(token) for token in all_tokens(block) if token.type == _REFERENCE]


def _label(token: Token) -> str:
    meta: dict[str, Any] = token.meta
    return str(meta.get("label", ""))


def all_tokens(tokens: Sequence[Token]) -> Iterator[Token]:
    """The tokens with those inside them, in reading order."""
    for token in tokens:
        yield token
        yield from all_tokens(token.children or ())
