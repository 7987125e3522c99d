"""
Which encoding the bytes of a log are in.

UTF-8 or what a byte order mark says, as far as that goes. Otherwise it is a guess, and said.
"""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

from evaluator import InputError
from evaluator.files.encodings import guess_encoding, named_encoding

_SAMPLE = 1 << 16
_BOMS = (
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
    (b"\xef\xbb\xbf", "utf-8-sig"),
)


def find_encoding(
    blocks: Callable[[], Iterable[bytes | memoryview]], *, path: Path, given: str | None = None
) -> tuple[str, bool, tuple[str, ...]]:
    """
    The encoding, whether single lines may not fit it, and what to say about it.

    UTF-8 where most of the lines beyond ASCII are UTF-8: the few that are not are broken
    lines, and reading the file in another encoding would spoil all the others. Goes through
    all blocks in any case, so that a packed file which ends too early is found out, and
    counts lines only if some of them are not UTF-8.
    """
    named = None if given is None else named_encoding(given)
    named = "utf-8-sig" if named == "utf-8" else named
    start, damaged = b"", False
    for block in _whole_characters(blocks()):
        start = start or bytes(block[:_SAMPLE])
        damaged = damaged or not is_utf8(block)
    marked = next((name for bom, name in _BOMS if start.startswith(bom)), None)
    if (encoding := named or marked) is not None:
        return encoding, encoding != "utf-8-sig" or damaged or named is not None, ()
    if start.count(b"\0") * 10 > len(start):
        return _guessed(start, path)
    if damaged and (sample := _strange_sample(_whole_characters(blocks()))) is not None:
        return _guessed(sample, path)
    return "utf-8-sig", damaged, ()


def is_utf8(text: bytes | memoryview) -> bool:
    """Whether bytes are UTF-8; Arrow sees that ten times faster than a decoder."""
    offsets = pa.py_buffer(np.array([0, len(text)], np.int32))
    whole = pa.Array.from_buffers(pa.string(), 1, [None, offsets, pa.py_buffer(text)])
    try:
        whole.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def _whole_characters(blocks: Iterable[bytes | memoryview]) -> Iterator[bytes | memoryview]:
    """The same bytes, where no block ends within a character of UTF-8, as long lines make it."""
    held = b""
    for block in blocks:
        whole = held + block if held else block
        held = _begun(whole)
        yield whole[: len(whole) - len(held)]
    if held:
        yield held


def _begun(block: bytes | memoryview) -> bytes:
    """The last bytes of a block if a character begins with them and does not end there."""
    for size, lead in ((1, 0xC0), (2, 0xE0), (3, 0xF0)):
        if len(block) >= size and not 0x80 <= (first := block[-size]) < 0xC0:
            return bytes(block[-size:]) if first >= lead else b""
    return b""


def _strange_sample(blocks: Iterable[bytes | memoryview]) -> bytes | None:
    """Some of the lines that are not UTF-8 if they are more than those beyond ASCII that are."""
    good = bad = 0
    sample = b""
    for block in blocks:
        strange, lines = _lines_not_utf8(bytes(block))
        good += lines - len(strange)
        bad += len(strange)
        if len(sample) < _SAMPLE:
            sample += b"\n".join(strange)[:_SAMPLE]
    return sample if bad > good else None


def _lines_not_utf8(block: bytes) -> tuple[list[bytes], int]:
    """The lines of a block that are not UTF-8, and the number of its lines beyond ASCII."""
    if block.isascii():
        return [], 0
    lines = block.replace(b"\r", b"\n").split(b"\n")
    beyond = [line for line in lines if not line.isascii()]
    return [] if is_utf8(block) else [line for line in beyond if not is_utf8(line)], len(beyond)


def _guessed(sample: bytes, path: Path) -> tuple[str, bool, tuple[str, ...]]:
    guess = guess_encoding(sample)
    if guess is None:
        raise InputError(f"{path} is not text in any known encoding. Name it with --encoding.")
    also = f" ({', '.join(guess.others[:3])} would fit as well)" if guess.others else ""
    note = f"The bytes are not UTF-8. Read as {guess.encoding}{also}; name another with --encoding."
    return guess.encoding, True, (note,)
