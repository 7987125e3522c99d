"""
A log file as numbered lines of text: digest, compression, encoding, line ends.

It decides how bytes become text and says what it decided. It knows nothing of columns or
of queries. No more than one block of the file is in memory at a time, and a line that is
too long is cut off and reported, whatever its length.
"""

import codecs
import hashlib
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from evaluator import InputError
from evaluator.files.encodings import find_encoding
from evaluator.files.whole import file_sha256
from labeler.logs.blocks import (
    Packing,
    blocks_in_one_place,
    blocks_of,
    compression_of,
    readable,
    recoded,
    unpacked,
    with_line_feeds,
)
from labeler.logs.findings import PROBLEMS_LISTED, Findings, LineProblem

__all__ = [
    "LINE_LIMIT",
    "PROBLEMS_LISTED",
    "Findings",
    "LineProblem",
    "LogFile",
    "Progress",
    "is_parquet",
    "open_log",
    "whole_file",
]

Progress = Callable[[int, int], None]
"""Called with the bytes done and the bytes to do, both passes over the file together."""

LINE_LIMIT = 1_000_000  # characters; an answer of a search engine on one line is the longest met
_LONGEST = 4 * LINE_LIMIT + 4  # bytes of which more than LINE_LIMIT characters are left

_NOT_TEXT = (
    (b"PK\x03\x04", "a ZIP archive or a spreadsheet workbook", "Unpack it, or save it as CSV."),
    (b"SQLite format 3\x00", "an SQLite database", "Write the table with the log as CSV."),
    (b"BZh", "a bzip2 file", "Unpack it with bunzip2."),
    (b"\xfd7zXZ\x00", "an xz file", "Unpack it with xz -d."),
    (b"%PDF-", "a PDF", "Give the log as CSV, JSON lines or plain lines."),
)
_ESCAPED = re.compile("[\udc80-\udcff]")  # what surrogateescape makes of bytes that are not UTF-8
_REPLACED = re.compile("\ufffd")


@dataclass(frozen=True, slots=True)
class LogFile:
    """A file whose bytes have been looked at once: what it is and how it becomes text."""

    path: Path
    sha256: str
    size: int
    changed_at: int
    compression: Packing | None
    encoding: str
    damaged: bool
    notes: tuple[str, ...]

    def blocks(self, progress: Progress | None = None) -> Iterator[bytes]:
        """
        The text as UTF-8 in blocks of whole lines, all of which end in a line feed.

        Only the last line may be without, and a line that is too long has no end. Bytes that
        do not fit the encoding are left in place in a UTF-8 file, and become replacement
        characters from any other encoding.
        """
        tail = b""
        for block in self._text(progress):
            if not tail and block.endswith(b"\n"):
                yield block
                continue
            end = block.rfind(b"\n") + 1
            if end:
                yield tail + block[:end]
                tail = b""
            tail = (tail + block[end:])[:_LONGEST]
        if tail:
            yield tail

    def _text(self, progress: Progress | None = None) -> Iterator[bytes]:
        """The same text in blocks that may end within a line."""
        with readable(self.path), unpacked(self.path, self.compression) as (raw, position):
            bytes_read = self._unmarked(raw) if self.is_utf8 else recoded(raw, self.encoding)
            for block in with_line_feeds(bytes_read):
                if progress is not None:
                    progress(self.size + position(), 2 * self.size)
                yield block

    def _unmarked(self, raw: BinaryIO) -> Iterator[bytes]:
        rest = blocks_of(raw, packed=self.compression is not None)
        first = next(rest, b"")
        yield first.removeprefix(codecs.BOM_UTF8) if self.encoding == "utf-8-sig" else first
        yield from rest

    def lines(
        self, findings: Findings, progress: Progress | None = None
    ) -> Iterator[tuple[int, str]]:
        """Each line with its number from 1, without its end; bad ones go to the findings."""
        for block in self.blocks(progress):
            lines = block.decode(errors="surrogateescape").split("\n")
            if not lines[-1]:
                lines.pop()
            yield from self._sound(lines, findings)

    def _sound(self, lines: list[str], findings: Findings) -> Iterator[tuple[int, str]]:
        first = findings.lines + 1
        findings.lines += len(lines)
        if not self.damaged and max(map(len, lines), default=0) <= LINE_LIMIT:
            yield from enumerate(lines, first)
            return
        yield from (
            (number, line)
            for number, line in enumerate(lines, first)
            if self.is_sound(number, line, findings)
        )

    def is_sound(self, number: int, line: str, findings: Findings) -> bool:
        """Whether a line can be read; if not, it is reported."""
        if len(line) > LINE_LIMIT:
            findings.report(number, f"the line has more than {LINE_LIMIT:,} characters", line)
            return False
        damage = _ESCAPED if self.is_utf8 else _REPLACED
        if self.damaged and damage.search(line):
            reason = f"the line holds bytes that are not {self.encoding.removesuffix('-sig')}"
            findings.report(number, reason, damage.sub("\ufffd", line))
            return False
        return True

    @property
    def is_text(self) -> bool:
        """Whether the file is read as text, and not as Parquet."""
        return bool(self.encoding)

    @property
    def is_utf8(self) -> bool:
        """Whether the bytes of the file are UTF-8 but for single lines."""
        return self.encoding.startswith("utf-8")

    def check_unchanged(self) -> None:
        """Raise InputError if the file is no longer the one that was digested."""
        now = self.path.stat()
        if (now.st_size, now.st_mtime_ns) != (self.size, self.changed_at):
            raise InputError(f"{self.path} changed while it was read. Copy it and read the copy.")

    def head(self, lines: int = 100) -> list[tuple[int, str]]:
        """The first sound lines, to find out what the file is."""
        return list(islice(self.lines(Findings()), lines))

    def whole(self, limit: int) -> str:
        """The whole text, which must not be longer than `limit` characters."""
        decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        texts: list[str] = []
        total = 0
        for block in self._text():
            texts.append(decoder.decode(block))
            total += len(texts[-1])
            if total > limit:
                raise InputError(
                    f"{self.path.name} is one JSON document of more than {limit:,} characters."
                    " Write it as JSON lines, one object a line (for example with jq -c)."
                )
        return "".join([*texts, decoder.decode(b"", final=True)])


def open_log(
    path: Path, *, encoding: str | None = None, progress: Progress | None = None
) -> LogFile:
    """
    Look at a log file once: its digest, how it is packed, how it is encoded.

    UTF-8 unless a byte order mark says UTF-16 or UTF-32. If the bytes are not UTF-8 the
    encoding is guessed, and said; but where most lines beyond ASCII are UTF-8, the few
    that are not are broken lines, since another encoding would spoil all the others.
    """
    stat, start = _looked_at(path)
    for magic, what, advice in _NOT_TEXT:
        if start.startswith(magic):
            raise InputError(f"{path} is {what}, which is not read as a query log. {advice}")
    look = _Look(path, compression_of(start), stat.st_size, progress)
    with readable(path):
        encoding, damaged, notes = find_encoding(look.blocks, path=path, given=encoding)
    return LogFile(
        path,
        look.sha256(),
        stat.st_size,
        stat.st_mtime_ns,
        look.compression,
        encoding,
        damaged,
        notes,
    )


@dataclass(slots=True)
class _Look:
    """The bytes of a file as often as they are asked for, and their digest after that."""

    path: Path
    compression: Packing | None
    size: int
    progress: Progress | None
    _digest: Any = None

    def blocks(self) -> Iterator[bytes | memoryview]:
        """Each block may be overwritten by the next one."""
        digest = hashlib.sha256() if self._digest is None else None
        self._digest = digest or self._digest
        with unpacked(self.path, self.compression) as (raw, position):
            packed = self.compression is not None
            for block in blocks_of(raw, packed=True) if packed else blocks_in_one_place(raw):
                if digest is not None and not packed:
                    digest.update(block)
                if self.progress is not None:
                    self.progress(position(), 2 * self.size)
                yield block

    def sha256(self) -> str:
        """Of the bytes on disk, which are others than those of the blocks if it is packed."""
        hexadecimal: str = self._digest.hexdigest()
        return hexadecimal if self.compression is None else file_sha256(self.path)


def is_parquet(path: Path) -> bool:
    """Whether the file begins as Parquet does; a path that is no file is not."""
    return path.is_file() and _looked_at(path)[1].startswith(b"PAR1")


def whole_file(path: Path) -> LogFile:
    """A file that is not read as text, with its digest."""
    stat, _ = _looked_at(path)
    return LogFile(path, file_sha256(path), stat.st_size, stat.st_mtime_ns, None, "", False, ())


def _looked_at(path: Path) -> tuple[os.stat_result, bytes]:
    if not path.is_file():
        what = "is not a file that can be read twice" if path.exists() else "does not exist"
        raise InputError(f"{path} {what}. Give the path of a query log.")
    with path.open("rb") as file:
        start = file.read(16)
    if not start:
        raise InputError(f"{path} is empty.")
    return path.stat(), start
