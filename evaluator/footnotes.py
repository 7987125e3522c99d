"""
Footnotes of a Markdown document, put behind the block that refers to them.

At the foot of the page, where a site shows them, they would be text of the last section.
It knows markdown-it's tokens and nothing of what is made of them.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from markdown_it.token import Token

_OPEN, _REFERENCE = "footnote_reference_open", "footnote_ref"


def placed_footnotes(tokens: Sequence[Token]) -> list[Token]:
    """
    The tokens with each footnote right after the first outermost block that refers to it.

    A reference becomes its label in brackets, and so does the beginning of the note. A
    note that nothing refers to stays where it is written.
    """
    blocks = list(_blocks(tokens))
    notes = {_label(block[0]): block[1:-1] for block in blocks if block[0].type == _OPEN}
    if not notes:
        return list(tokens)
    referred = {label for block in blocks for label in _references(block)}
    placed: list[Token] = []
    done: set[str] = set()

    def put(block: Sequence[Token]) -> None:
        placed.extend(block)
        for label in _references(block):
            if label in notes and label not in done:
                done.add(label)
                put(_marked(notes[label], label))

    for block in blocks:
        if block[0].type != _OPEN:
            put(block)
        elif _label(block[0]) not in referred:
            put(_marked(block[1:-1], _label(block[0])))
    for token in _all(placed):
        if token.type == _REFERENCE:
            token.type, token.content = "text", f"[{_label(token)}]"
    return placed


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


def _marked(note: Sequence[Token], label: str) -> list[Token]:
    """The note, its first paragraph beginning with its label."""
    first = next((token for token in note if token.type == "inline"), None)
    if first is not None:
        mark = Token("text", "", 0, content=f"[{label}] ")
        first.children = [mark, *(first.children or ())]
    return list(note)


def _references(block: Sequence[Token]) -> list[str]:
    return [_label(token) for token in _all(block) if token.type == _REFERENCE]


def _label(token: Token) -> str:
    meta: dict[str, Any] = token.meta
    return str(meta.get("label", ""))


def _all(tokens: Sequence[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from _all(token.children or ())
