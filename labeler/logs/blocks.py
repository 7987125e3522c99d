"""
The bytes of a log file in blocks that end where lines do, whatever it is packed with.

It knows nothing of what is on a line. The blocks are large, since each costs the same.
"""

import codecs
import gzip
import io
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Literal, cast

from evaluator import InputError

Packing = Literal["gzip", "zstd"]

_ZSTD = b"\x28\xb5\x2f\xfd"
_SKIPPABLE = re.compile(rb"[\x50-\x5f]\x2a\x4d\x18")  # RFC 8878; pzstd begins with such a frame
BLOCK = 1 << 22
PROBE = 1 << 14


def blocks_of(raw: BinaryIO, *, packed: bool) -> Iterator[bytes]:
    """
    Blocks that end where lines end, unless a line is longer than a block.

    A file that can be read anywhere is asked for each block in its right size, which saves
    putting it together.
    """
    if packed:
        while block := raw.read(BLOCK) + raw.readline(BLOCK):
            yield block
        return
    while block := raw.read(_next_size(raw)):
        yield block


def blocks_in_one_place(raw: BinaryIO) -> Iterator[memoryview]:
    """The same blocks of a file that can be read anywhere, each in the place of the last."""
    memory, file = memoryview(bytearray(BLOCK + PROBE)), cast(io.BufferedReader, raw)
    while size := file.readinto(memory[: _next_size(raw)]):
        yield memory[:size]


def _next_size(raw: BinaryIO) -> int:
    """How far it is to the first end of a line after the size of a block, if one is near."""
    at = raw.tell()
    raw.seek(at + BLOCK)
    size = BLOCK + raw.read(PROBE).find(b"\n") + 1
    raw.seek(at)
    return size


def recoded(raw: BinaryIO, encoding: str) -> Iterator[bytes]:
    """The text as UTF-8, with a replacement character for what does not fit the encoding."""
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    while block := raw.read(BLOCK):
        yield decoder.decode(block).encode(errors="surrogatepass")
    yield decoder.decode(b"", final=True).encode(errors="surrogatepass")


def with_line_feeds(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes with a line feed for every CR LF and every CR, also across blocks."""
    held = b""
    for block in blocks:
        if not held and b"\r" not in block:
            yield block
            continue
        whole = held + block
        held = b"\r" if whole.endswith(b"\r") else b""
        yield whole.removesuffix(held).replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if held:
        yield b"\n"


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """Say what to do about a file that breaks off."""
    try:
        yield
    except (EOFError, zlib.error, OSError) as error:
        raise InputError(
            f"{path} cannot be read to its end ({error}). Fetch it again, or unpack it."
        ) from error


def compression_of(start: bytes) -> Packing | None:
    """What a file that begins so is packed with."""
    if start.startswith(b"\x1f\x8b"):
        return "gzip"
    return "zstd" if start.startswith(_ZSTD) or _SKIPPABLE.match(start) else None


@contextmanager
def unpacked(path: Path, compression: str | None) -> Iterator[tuple[BinaryIO, Callable[[], int]]]:
    """The unpacked bytes, and a function that says how far into the file on disk they come."""
    with path.open("rb") as file:
        if compression == "gzip":
            with gzip.GzipFile(fileobj=file) as stream:
                yield cast(BinaryIO, stream), file.tell
        elif compression == "zstd":
            import pyarrow

            with pyarrow.CompressedInputStream(file, "zstd") as stream:
                yield cast(BinaryIO, io.BufferedReader(stream, BLOCK)), file.tell
        else:
            yield file, file.tell
