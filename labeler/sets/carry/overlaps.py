"""
Where the words of old chunks stand in the new chunks of the same document.

Texts are compared as words, so that another line break is no difference. What counts is
the longest unbroken run of words that two texts share: a few words here and there say
nothing. It knows nothing of grades. Pure.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

_SHINGLE = 4  # words: texts that share no four in a row are not compared


@dataclass(frozen=True, slots=True)
class Overlap:
    """
    The longest run of words that an old and a new chunk share.

    `share` is its part of the old text, from 0 to 1; `start` and `stop` count words of the
    new text. `closed` runs begin and end where one of the two texts does, as they do when
    the same document was cut in another way; an open run ends at words that were changed.
    """

    old_id: str
    new_id: str
    share: float
    start: int
    stop: int
    closed: bool


def find_overlaps(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Overlap]:
    """The overlaps of some old texts with all new texts of one document, both by chunk id."""
    words_by_old = {chunk_id: text.split() for chunk_id, text in old.items()}
    shingles_by_old = {chunk_id: _shingles(words) for chunk_id, words in words_by_old.items()}
    for new_id, text in sorted(new.items()):
        words = text.split()
        shingles = _shingles(words)
        matcher: SequenceMatcher[str] = SequenceMatcher(None, "", words, autojunk=False)
        for old_id, old_words in sorted(words_by_old.items()):
            short = min(len(words), len(old_words)) < _SHINGLE
            if short or not shingles.isdisjoint(shingles_by_old[old_id]):
                matcher.set_seq1(old_words)
                if found := _longest(matcher, old_words, words, old_id=old_id, new_id=new_id):
                    yield found


def covers(spans: Sequence[tuple[int, int]], words: int) -> bool:
    """Whether spans of words, in any order, leave none of a text's words out."""
    reached = 0
    for start, stop in sorted(spans):
        if start > reached:
            return False
        reached = max(reached, stop)
    return reached >= words


def _shingles(words: Sequence[str]) -> set[tuple[str, ...]]:
    return {tuple(words[i : i + _SHINGLE]) for i in range(len(words) - _SHINGLE + 1)}


def _longest(
    matcher: "SequenceMatcher[str]",
    old: Sequence[str],
    new: Sequence[str],
    *,
    old_id: str,
    new_id: str,
) -> Overlap | None:
    at, start, size = matcher.find_longest_match()
    if size == 0:
        return None
    begins = at == 0 or start == 0
    ends = at + size == len(old) or start + size == len(new)
    return Overlap(old_id, new_id, size / len(old), start, start + size, begins and ends)
