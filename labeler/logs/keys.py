"""
Raw texts of a log to the queries they count as: normalised, and without what is private.

Nothing is lost by normalising: every raw text is kept as a variant under its key. A key is
for counting; what people see is the most frequent variant.
"""

import re
import unicodedata
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from labeler.logs.arrows import Flags, bytes_of, flags, numbers, offsets_of, strings
from labeler.logs.private import Guard, composed

NORMALISING = "Unicode NFKC, case folded, runs of white space to one blank, trimmed"
NOT_NORMALISED = "none"
ROUNDED = re.compile(r"\d(\.\d+)?E\+\d\d")

# Points by byte. A text of this many or more may be private, or not be plain ASCII: signs,
# what is not printable and six digits have them, and so have four digits with three dots.
_LOOK = 18
_BLANK = 0x20


def _points(byte: int) -> int:
    sign = chr(byte)
    if not 0x20 <= byte < 0x7F or sign in "@%:+":
        return _LOOK
    return 3 if sign.isdecimal() else 2 if sign == "." else 0


_POINTS = bytes(map(_points, range(256)))


def normalised(text: str) -> str:
    """
    The key under which searches count as one query; see NORMALISING.

    Composed again after folding, which can take characters apart, so that a key is its
    own key.
    """
    if text.isascii():
        return " ".join(text.lower().split())
    return _folded(composed(text))


def _folded(plain: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", plain.casefold()).split())


@dataclass(slots=True)
class Keys:
    """How the texts of a log are counted. `rounded` collects keys that a spreadsheet may have."""

    guard: Guard = field(default_factory=Guard)
    normalise: bool = True
    rounded: set[str] = field(default_factory=set)

    @property
    def rule(self) -> str:
        """The rule in words, as it stands in the record of a log."""
        return NORMALISING if self.normalise else NOT_NORMALISED

    def keyed(self, text: str, count: int) -> tuple[str, str] | None:
        """The key of a raw text, and the text as it is kept; None if it is not kept."""
        plain = composed(text)
        kept = self.guard.passed_plain(text, plain, count)
        if kept is None:
            return None
        key = kept
        if self.normalise:
            key = _folded(plain) if kept is text else normalised(kept)
        if "E+" in kept and ROUNDED.fullmatch(kept):
            self.rounded.add(key)
        return key, kept

    def keyed_batch(self, texts: pa.StringArray, counts: pa.Int64Array) -> pa.RecordBatch:
        """The same for many texts: columns `key`, `text` and `n`."""
        odd, spaced = _odd_and_spaced(texts)
        if self.guard.sees_all:
            odd[:] = True
        parts = [self._plain(texts, counts, ~(odd | spaced))]
        if (spaced & ~odd).any():
            parts.append(self._plain(texts, counts, spaced & ~odd, spaced=True))
        if odd.any():
            parts.append(self._one_by_one(texts.filter(flags(odd)), counts.filter(flags(odd))))
        columns = [pa.concat_arrays(column) for column in zip(*parts, strict=True)]
        return pa.RecordBatch.from_arrays(columns, names=["key", "text", "n"])

    def _plain(
        self, texts: pa.StringArray, counts: pa.Int64Array, chosen: Flags, *, spaced: bool = False
    ) -> tuple[pa.Array, ...]:
        kept = texts.filter(flags(chosen))
        keys = pc.ascii_lower(kept) if self.normalise else kept
        if spaced and self.normalise:
            keys = pc.ascii_trim_whitespace(pc.replace_substring_regex(keys, "  +", " "))
        return keys, kept, counts.filter(flags(chosen))

    def _one_by_one(self, texts: pa.StringArray, counts: pa.Int64Array) -> tuple[pa.Array, ...]:
        keys, kept, searches = [], [], []
        for text, count in zip(texts.to_pylist(), counts.to_pylist(), strict=True):
            if (pair := self.keyed(text, count)) is not None:
                keys.append(pair[0])
                kept.append(pair[1])
                searches.append(count)
        return strings(keys), strings(kept), numbers(np.array(searches, np.int64))


def _odd_and_spaced(texts: pa.StringArray) -> tuple[Flags, Flags]:
    """
    Which texts need a look at each: not ASCII, or perhaps private; and which have blanks
    that are to be taken out.

    A text may be named without need, which costs time and nothing else.
    """
    if not len(texts):
        return np.zeros(0, bool), np.zeros(0, bool)
    offsets = offsets_of(texts)
    data = bytes_of(texts)[offsets[0] : offsets[-1]]
    starts, ends = offsets[:-1] - offsets[0], offsets[1:] - offsets[0]
    points = np.frombuffer(data.tobytes().translate(_POINTS), np.uint8)
    odd: Flags = np.add.reduceat(points, starts, dtype=np.int32) >= _LOOK
    blank = data == _BLANK
    spaced = blank[starts] | blank[ends - 1]
    double = np.flatnonzero(blank[:-1] & blank[1:])
    spaced[np.searchsorted(ends, double, side="right")] = True
    return odd, spaced
