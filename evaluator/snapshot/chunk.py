"""
What a chunk is, and what was found in a corpus and is none.

Both programs speak of chunks in this shape. How documents are cut, and how chunks lie on disk,
is known elsewhere.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Chunk:
    """The unit that is retrieved and judged."""

    chunk_id: str
    doc_id: str
    text: str
    title: str
    headings: tuple[str, ...]
    source: str
    attributes: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that was found and left out, and why; `chunk_id` if it was a ready chunk."""

    path: str
    reason: str
    chunk_id: str | None = None
