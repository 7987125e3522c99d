"""
The pairs of two label sets that are one pair: the same query and the same plain text.

Ids are not enough. Another snapshot may give an old id to another text, or an old text
another id, and a grade belongs to a text.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from evaluator.labelset.format import PoolEntry

Pair = tuple[str, str]
"""Query id and chunk id."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """
    `new_by_old` holds every pair of the old pool that the new one has, under its new ids.

    `renamed` counts those whose chunk has another id now, `reused` holds the ids that stand
    in both pools for two texts; their pairs are among `gone` and `come`.
    """

    new_by_old: Mapping[Pair, Pair]
    gone: tuple[Pair, ...]
    come: tuple[Pair, ...]
    renamed: int
    reused: tuple[Pair, ...]


def pair_up(old: Iterable[PoolEntry], new: Iterable[PoolEntry]) -> Pairing:
    """
    Which pairs of two pools are the same.

    A pair under the same ids with the same text is itself. Of the rest, chunks of one query
    with one text are paired in the order of their ids.
    """
    old_text = {(entry.query_id, entry.chunk_id): entry.text_sha256 for entry in old}
    new_text = {(entry.query_id, entry.chunk_id): entry.text_sha256 for entry in new}
    same = {pair: pair for pair, text in old_text.items() if new_text.get(pair) == text}
    spare: dict[Pair, list[Pair]] = {}
    for pair in sorted(new_text.keys() - same.keys(), reverse=True):
        spare.setdefault((pair[0], new_text[pair]), []).append(pair)
    renamed: dict[Pair, Pair] = {}
    for pair in sorted(old_text.keys() - same.keys()):
        if left := spare.get((pair[0], old_text[pair])):
            renamed[pair] = left.pop()
    new_by_old = same | renamed
    gone = old_text.keys() - new_by_old.keys()
    come = new_text.keys() - set(new_by_old.values())
    return Pairing(
        new_by_old=new_by_old,
        gone=tuple(sorted(gone)),
        come=tuple(sorted(come)),
        renamed=len(renamed),
        reused=tuple(sorted((old_text.keys() & new_text.keys()) - same.keys())),
    )
