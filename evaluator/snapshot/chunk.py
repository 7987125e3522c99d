"""
What a chunk is, and what was found in a corpus and is none.

Both programs speak of chunks in this shape. How documents are cut, and how chunks lie on disk,
is known elsewhere.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256

from evaluator.text.messages import first_few, some_ids


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


def unlabelled_equals(
    chunks: Iterable[Chunk], qrels: Mapping[str, Mapping[str, int]], *, min_grade: int
) -> str | None:
    """
    A sentence on queries whose gold text also stands in chunks that nobody judged for them.

    Whether such a chunk or its equal is ranked first says nothing of a ranking, and counts as
    a miss. `qrels` are grades by chunk by query; None where there is no such query.
    """
    texts = {chunk.chunk_id: sha256(chunk.text.encode()).digest() for chunk in chunks}
    ids_by_text: dict[bytes, list[str]] = {}
    for chunk_id, text in texts.items():
        ids_by_text.setdefault(text, []).append(chunk_id)
    found = []
    for query_id, grades in qrels.items():
        gold = [c for c, grade in grades.items() if grade >= min_grade and c in texts]
        if equals := sorted({c for g in gold for c in ids_by_text[texts[g]]} - grades.keys()):
            found.append(f"{query_id}: {some_ids(equals)}")
    if not found:
        return None
    have = "1 query has" if len(found) == 1 else f"{len(found):,} queries have"
    return (
        f"{have} gold whose very text also stands in chunks that nobody judged for them "
        f"({first_few(found)}): which of the equals is ranked first is worth nothing"
    )


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that was found and left out, and why; `chunk_id` if it was a ready chunk."""

    path: str
    reason: str
    chunk_id: str | None = None
