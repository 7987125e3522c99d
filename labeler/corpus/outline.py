"""
Headings and blocks in reading order -> sections, each with its heading path.

The one place that knows what a heading path is. It knows nothing of Markdown, HTML or
chunks: parsers tell it what they meet, and it keeps the chain of open headings.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from evaluator.text.words import is_blank


@dataclass(frozen=True, slots=True)
class Section:
    """The blocks that stand under one heading, with the path that leads to it."""

    headings: tuple[str, ...]
    blocks: tuple[str, ...]


@dataclass(slots=True)
class _Heading:
    level: int
    text: str
    has_own_text: bool = False
    has_text_below: bool = False


class Outline:
    """
    Sections in the making.

    The path of a heading is the chain of the nearest headings above it with a smaller
    level, itself included. Counting levels from 1 instead would break on documents that
    start at level two, and making each heading the child of the one before would put
    siblings under each other after a skipped level. Two sections with equal paths stay
    two sections. A heading without words is no step, and ends the section before it.
    """

    def __init__(self) -> None:
        self._open: list[_Heading] = []
        self._fixed = 0
        self._headings: list[_Heading] = []
        self._parts: list[tuple[tuple[str, ...], list[str]]] = []
        self._starts_section = True

    def heading(self, level: int, text: str) -> None:
        """Open a heading; it closes those above it of the same or a deeper level."""
        while len(self._open) > self._fixed and self._open[-1].level >= level:
            self._open.pop()
        if is_blank(text):
            self._starts_section = True
            return
        opened = _Heading(level, text)
        self._open.append(opened)
        self._headings.append(opened)
        self._starts_section = True

    def add(self, block: str) -> None:
        """Put a block under the heading that is open now; a block without text is left out."""
        if is_blank(block):
            return
        if self._starts_section:
            self._parts.append((tuple(heading.text for heading in self._open), []))
            self._starts_section = False
        self._parts[-1][1].append(block)
        for heading in self._open:
            heading.has_text_below = True
        if self._open:
            self._open[-1].has_own_text = True

    @contextmanager
    def enclosed(self) -> Iterator[None]:
        """
        Headings met inside hold to the end of the inside only, below the path outside.

        For block quotes, list items and table rows: a quoted level-one heading must not
        become the parent of what follows the quotation.
        """
        outside, fixed = list(self._open), self._fixed
        self._fixed = len(outside)
        yield
        if len(self._open) != len(outside) or self._open[-1:] != outside[-1:]:
            self._open = outside
            self._starts_section = True
        self._fixed = fixed

    def sections(self) -> tuple[Section, ...]:
        """The sections that have text, in reading order."""
        return tuple(Section(path, tuple(blocks)) for path, blocks in self._parts)

    def first_heading(self, level: int) -> str:
        """The text of the first heading of this level, or an empty text."""
        return next((heading.text for heading in self._headings if heading.level == level), "")

    def bare_headings(self) -> int:
        """How many headings have no text of their own (a sub-heading may follow at once)."""
        return sum(not heading.has_own_text for heading in self._headings)

    def lost_headings(self) -> tuple[str, ...]:
        """Headings with no text below them at all: no chunk will carry them."""
        return tuple(heading.text for heading in self._headings if not heading.has_text_below)
