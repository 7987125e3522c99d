"""
Which chunk of a new snapshot has the very text of an old one.

Texts go by their SHA-256. A chunk of the same document comes first, whatever its id is
now; only where no chunk of that document has the text does one of another document stand
for it. Pure.
"""

from collections.abc import Iterable, Sequence

from evaluator.labelset.format import PoolEntry, text_sha256
from evaluator.snapshot.snapshot import Chunk

_Place = tuple[str, str]  # document and text


def equal_texts(pool: Iterable[PoolEntry], chunks: Sequence[Chunk]) -> dict[str, Chunk]:
    """The new chunk by the old chunk's id, for every old chunk whose text is there."""
    by_text: dict[str, list[Chunk]] = {}
    by_place: dict[_Place, list[Chunk]] = {}
    for chunk in sorted(chunks, key=lambda chunk: chunk.chunk_id):
        sha256 = text_sha256(chunk.text)
        by_text.setdefault(sha256, []).append(chunk)
        by_place.setdefault((chunk.doc_id, sha256), []).append(chunk)
    old_by_place: dict[_Place, set[str]] = {}
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
