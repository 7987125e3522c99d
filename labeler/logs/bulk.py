"""
Many rows of a log at once: which of them are plain searches, and their texts and counts.

Works on columns in Arrow, where one row costs a hundredth of what it costs in Python. It
decides only what is certain: whatever may be blank, a header, an odd count or the like is
handed back by its row, and the careful reader decides. To hand back too much is no mistake.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import chain

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from labeler.logs.arrows import (
    Flags,
    bytes_of,
    flags,
    flags_of,
    numbers,
    numbers_of,
    offsets_of,
    strings,
)
from labeler.logs.columns import UNSEEN, ZONE, ZONELESS

_MOST_DIGITS = 12  # of a count that needs no second look
_FREQUENT = 8192
_MOST_ZONES = 100  # more ends are those of no times
_SIGNS = np.frombuffer(b"+-", np.uint8)
_WORD = 8
_UNSEEN, _HEADER = 1, 2  # what a text may be that begins with a pair of bytes


@dataclass(frozen=True, slots=True)
class Cells:
    """The cells of some rows that are read, as columns of strings; None where there is none."""

    query: pa.StringArray
    count: pa.StringArray | None = None
    time: pa.StringArray | None = None
    action: pa.StringArray | None = None


@dataclass(frozen=True, slots=True)
class Batch:
    """
    Searches by their texts: those in `counts`, or one for each text.

    `times` are the cells of time among which the first and the last are, `events` the rows
    that were no searches.
    """

    texts: pa.StringArray
    counts: pa.Int64Array | None = None
    times: tuple[str, ...] = ()
    events: int = 0


class Sieve:
    """
    Takes the plain searches out of rows, and counts the most frequent texts on the way.

    Most searches are repetitions of few texts, and to look a text up among few costs a
    sixth of grouping it with all.
    """

    def __init__(self, *, header_names: Iterable[str] = ()) -> None:
        names = [name.encode() for name in header_names]
        self._pairs = _pairs(names, _HEADER) | _UNSEEN_PAIRS
        self._header_lengths = np.array(sorted({len(name) for name in names}), np.int64)
        self._frequent: pa.StringArray | None = None
        self._searches = np.zeros(0, np.int64)

    def sift(self, cells: Cells) -> tuple[Batch, NDArray[np.int64]]:
        """The plain searches among the rows, and the rows that need a second look."""
        texts, new = cells.query, None
        plain_times = cells.time is None or _all_ascii(cells.time)
        if countable := cells.count is None and cells.action is None and plain_times:
            texts, new = self._known(texts)
        doubtful, events = self._doubtful(cells, texts)
        keep = ~(doubtful | events)
        kept = texts if keep.all() else texts.filter(flags(keep))
        if countable and self._frequent is None:
            self._learn(kept)
        odd = np.flatnonzero(doubtful)
        if new is not None and odd.size:
            odd = np.flatnonzero(flags_of(new))[odd]
        counts = None if cells.count is None else _whole_numbers(cells.count, keep)
        times = () if cells.time is None else _extremes(_without(cells.time, odd, events))
        return Batch(kept, counts, times, int(events.sum())), odd

    def rest(self) -> Batch:
        """The searches that were counted on the way."""
        known = np.flatnonzero(self._searches)
        texts = strings([]) if self._frequent is None else self._frequent
        return Batch(texts.take(numbers(known)), numbers(self._searches[known]))

    def _known(self, texts: pa.StringArray) -> tuple[pa.StringArray, pa.BooleanArray | None]:
        """Count the texts that are known to be frequent; the others, and which these are."""
        if self._frequent is None:
            return texts, None
        at = pc.index_in(texts, value_set=self._frequent)
        known = numbers_of(at.drop_null(), np.int32)
        self._searches += np.bincount(known, minlength=len(self._frequent))
        new = at.is_null()
        return texts.filter(new), new

    def _learn(self, texts: pa.StringArray) -> None:
        """Take the most frequent of some plain texts for the most frequent of all."""
        counted = texts.value_counts()
        counts = numbers_of(counted.field("counts"))
        best = np.argsort(-counts, kind="stable")[:_FREQUENT]
        best = best[counts[best] > 1]
        if best.size:
            self._frequent = counted.field("values").take(numbers(best))
            self._searches = np.zeros(best.size, np.int64)

    def _doubtful(self, cells: Cells, texts: pa.StringArray) -> tuple[Flags, Flags]:
        """Which texts need a second look, and which rows are events for certain."""
        lengths = _lengths(texts)
        kinds = self._pairs[_first_bytes(texts)]
        headers = kinds >= _HEADER
        if headers.any():
            headers &= np.isin(lengths, self._header_lengths)
        doubtful = (kinds & _UNSEEN > 0) | (lengths == 0) | headers
        if len(data := bytes_of(texts)) and not data.min():
            doubtful |= flags_of(pc.match_substring(texts, "\0"))
        if cells.count is not None:
            doubtful |= ~_is_whole_number(cells.count)
        if cells.time is not None and not _all_ascii(cells.time):
            doubtful = doubtful | ~flags_of(pc.string_is_ascii(cells.time))
        events = np.zeros(len(texts), bool)
        if cells.action is not None:
            begins = _first_bytes(cells.action) & 0xFF
            filled = _lengths(cells.action) > 0
            events = filled & (begins > 0x20) & (begins < 0x7F) & ~headers
            doubtful = (doubtful | filled) & ~events
        return doubtful, events


def _lengths(texts: pa.StringArray) -> NDArray[np.int32]:
    return np.diff(offsets_of(texts))


def _first_bytes(texts: pa.StringArray) -> NDArray[np.uint16]:
    """The first byte and 256 times the one that follows it, which may be the next text's."""
    offsets = offsets_of(texts)
    data = np.append(bytes_of(texts)[: offsets[-1]], np.zeros(2, np.uint8))
    every = np.ndarray((len(data) - 1,), "<u2", data, strides=(1,))
    return every[offsets[:-1]]


def _pairs(texts: Iterable[bytes], kind: int) -> NDArray[np.uint8]:
    """A table of pairs of bytes that has `kind` where one of these texts begins like that."""
    table = np.zeros(1 << 16, np.uint8)
    for text in texts:
        if len(text) > 1:
            table[text[0] + 256 * text[1]] = kind
        elif text:
            table[text[0] :: 256] = kind
    return table


_UNSEEN_PAIRS = _pairs((character.encode() for character in UNSEEN), _UNSEEN)


def _is_whole_number(counts: pa.StringArray) -> Flags:
    return flags_of(pc.ascii_is_decimal(counts)) & (_lengths(counts) <= _MOST_DIGITS)


def _whole_numbers(counts: pa.StringArray, keep: Flags) -> pa.Int64Array:
    return counts.filter(flags(keep)).cast(pa.int64())


def _all_ascii(texts: pa.StringArray) -> bool:
    data = bytes_of(texts)
    return not len(data) or int(data.max()) < 0x80


def _without(cells: pa.StringArray, odd: NDArray[np.int64], events: Flags) -> pa.StringArray:
    if not odd.size and not events.any():
        return cells
    keep = np.ones(len(cells), bool)
    keep[odd] = False
    if events.any():
        keep &= ~events
    return cells.filter(flags(keep))


def _extremes(times: pa.StringArray) -> tuple[str, ...]:
    """The least and the greatest cell of each length and zone."""
    lengths = _lengths(times)
    if not lengths.size:
        return ()
    if lengths.min() == lengths.max():
        return _extremes_of_one_length(times, int(lengths[0])) if lengths[0] else ()
    found: list[str] = []
    for length in np.unique(lengths[lengths > 0]).tolist():
        found += _extremes_of_one_length(times.filter(flags(lengths == length)), length)
    return tuple(found)


def _extremes_of_one_length(times: pa.StringArray, size: int) -> tuple[str, ...]:
    """The least and the greatest cell of each zone such as +02:00, if they have any."""
    if size > ZONELESS and np.isin(_bytes_at(times, size - ZONE, size), _SIGNS).any():
        ends = pc.utf8_slice_codeunits(times, size - ZONE)
        zones = ends.unique()
        if len(zones) <= _MOST_ZONES:
            alike = (times.filter(pc.equal(ends, zone)) for zone in zones)
            return tuple(chain.from_iterable(map(_least_and_greatest, alike)))
    return _least_and_greatest(times)


def _bytes_at(texts: pa.StringArray, at: int, size: int) -> NDArray[np.uint8]:
    """One byte of each text, where all texts are of one size."""
    first = int(offsets_of(texts)[0])
    return np.ndarray((len(texts),), np.uint8, texts.buffers()[2], first + at, (size,))


def _least_and_greatest(texts: pa.StringArray) -> tuple[str, ...]:
    """
    The extremes of texts of one length, found eight bytes at a time.

    As whole numbers with the first byte foremost they have the order of the texts.
    """
    offsets = offsets_of(texts)
    size = int(offsets[1] - offsets[0])
    if size < _WORD:
        both = pc.min_max(texts)
        return both["min"].as_py(), both["max"].as_py()
    low = high = np.zeros(0, np.int64)
    for at in [*range(0, size - _WORD, _WORD), size - _WORD]:
        words = _words(texts, at, size)
        if low.size:
            low, high = _narrowed(low, words, np.min), _narrowed(high, words, np.max)
            continue
        words = words.astype(np.uint64)
        least, greatest = words.min(), words.max()
        if least < greatest:
            low, high = np.flatnonzero(words == least), np.flatnonzero(words == greatest)
    return tuple(texts[int(rows[0]) if rows.size else 0].as_py() for rows in (low, high))


def _words(texts: pa.StringArray, at: int, size: int) -> NDArray[np.uint64]:
    """Eight bytes of each text from a place on, where all texts are of one size."""
    first = int(offsets_of(texts)[0])
    return np.ndarray((len(texts),), ">u8", texts.buffers()[2], first + at, (size,))


def _narrowed(
    rows: NDArray[np.int64],
    words: NDArray[np.uint64],
    best: Callable[[NDArray[np.uint64]], np.uint64],
) -> NDArray[np.int64]:
    """Those of some rows whose word is the best of theirs."""
    among = words[rows]
    chosen: Flags = among == best(among)
    return rows[chosen]
