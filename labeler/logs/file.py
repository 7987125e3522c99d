"""
A log file as numbered lines of text: digest, compression, encoding, line ends.

It decides how bytes become text, says what it decided, and keeps what is found wrong with
single lines. It knows nothing of columns or of queries. No more than a block of the file is
in memory at a time, and a line that is too long is cut off and reported.
"""

import codecs
import gzip
import io
import re
import zlib
from bisect import insort
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from operator import attrgetter
from pathlib import Path
from typing import BinaryIO, Literal, cast, get_args

from evaluator import InputError
from evaluator.files.encodings import find_encoding
from evaluator.files.whole import file_sha256

Line = tuple[int, str]
Reason = Literal["broken", "blank", "repeated header", "total"]
LEFT_OUT: tuple[Reason, ...] = get_args(Reason)
ByteProgress = Callable[[int, int], None]
"""Called with the bytes done and the bytes to do, both passes over the file together."""

BLOCK = 1 << 20
LINE_LIMIT = 1_000_000  # characters; an answer of a search engine on one line is the longest met
PROBLEMS_LISTED = 10_000
_SHOWN = 200

_NOT_TEXT = (
    (b"PK\x03\x04", "a ZIP archive or a workbook", "Unpack it, or name it .xlsx."),
    (b"SQLite format 3\x00", "an SQLite database", "Write the table with the log as CSV."),
    (b"BZh", "a bzip2 file", "Unpack it with bunzip2."),
    (b"\xfd7zXZ\x00", "an xz file", "Unpack it with xz -d."),
    (b"%PDF-", "a PDF", "Give the log as CSV, JSON lines or plain lines."),
)
_ZSTD = re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18")  # RFC 8878; pzstd skips a frame
_ESCAPED = re.compile("[\udc80-\udcff]")  # what surrogateescape makes of bytes that are not UTF-8
_REPLACED = re.compile("\ufffd")


@dataclass(frozen=True, slots=True)
class SkippedLine:
    """A line that was left out, why, and how it begins."""

    line: int
    reason: str
    text: str


@dataclass(slots=True)
class Findings:
    """
    What was met while a log was read: lines left out, and lines in doubt.

    `lines` is the number of lines seen so far. Counts are complete; `problems` are the lines
    left out, the first of the file up to a limit, so that a log of nothing but broken lines
    can be read too.
    """

    lines: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    problems: list[SkippedLine] = field(default_factory=list)
    _remarks: dict[str, tuple[int, int]] = field(default_factory=dict)

    def report(
        self,
        line: int,
        reason: str,
        text: str,
        *,
        kind: Reason = "broken",
    ) -> None:
        """Count a line that is left out, and list it."""
        self.counts[kind] += 1
        shown = text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
        insort(self.problems, SkippedLine(line, reason, shown), key=attrgetter("line"))
        del self.problems[PROBLEMS_LISTED:]

    def remark(self, line: int, what: str) -> None:
        """Count a line that is kept, although something about it is in doubt."""
        first, lines = self._remarks.get(what, (line, 0))
        self._remarks[what] = (min(first, line), lines + 1)

    def remarks(self) -> list[str]:
        """What is in doubt, with the number of lines and the first of them."""
        return [
            f"{lines} line{'s' if lines > 1 else ''} (first: line {first}): {what}."
            for what, (first, lines) in sorted(self._remarks.items())
        ]


@dataclass(frozen=True, slots=True)
class LogFile:
    """A file whose bytes have been looked at once: what it is and how it becomes text."""

    path: Path
    sha256: str
    size: int
    changed_at: int
    compression: Literal["gzip", "zstd"] | None = None
    encoding: str = ""
    damaged: bool = False
    notes: tuple[str, ...] = ()

    def lines(self, findings: Findings, progress: ByteProgress | None = None) -> Iterator[Line]:
        """
        Each line with its number from 1, without its end; bad ones go to the findings.

        Lines end with LF, CR LF or CR; the last one may be without.
        """
        rest = ""
        for text in self._texts(progress):
            *lines, rest = (rest + text).split("\n")
            rest = rest[: LINE_LIMIT + 1]
            yield from self._sound(lines, findings)
        if rest:
            yield from self._sound([rest], findings)

    @property
    def is_text(self) -> bool:
        """Whether the file is read as text, and not as Parquet or a workbook."""
        return bool(self.encoding)

    def check_unchanged(self) -> None:
        """Raise InputError if the file is no longer the one that was digested."""
        now = self.path.stat()
        if (now.st_size, now.st_mtime_ns) != (self.size, self.changed_at):
            raise InputError(f"{self.path} changed while it was read. Copy it and read the copy.")

    def head(self, lines: int = 100) -> list[Line]:
        """The first sound lines, to find out what the file is."""
        return list(islice(self.lines(Findings()), lines))

    def whole(self, limit: int) -> str:
        """The whole text, which must not be longer than `limit` characters."""
        texts: list[str] = []
        total = 0
        for text in self._texts():
            texts.append(text)
            total += len(text)
            if total > limit:
                raise InputError(
                    f"{self.path.name} is one JSON document of more than {limit:,} characters."
                    " Write it as JSON lines, one object a line (for example with jq -c)."
                )
        return "".join(texts)

    def _texts(self, progress: ByteProgress | None = None) -> Iterator[str]:
        """
        The text block by block, with a line feed at the end of every line.

        Bytes that do not fit the encoding are left in place, as surrogates, in a UTF-8 file,
        and become replacement characters from any other encoding.
        """
        errors = "surrogateescape" if self._is_utf8 else "replace"
        decoder = codecs.getincrementaldecoder(self.encoding)(errors)
        lines = io.IncrementalNewlineDecoder(decoder, translate=True)
        with _unpacked(self.path, self.compression) as (raw, position):
            while block := raw.read(BLOCK):
                if progress is not None:
                    progress(self.size + position(), 2 * self.size)
                yield lines.decode(block)
            yield lines.decode(b"", final=True)

    def _sound(self, lines: list[str], findings: Findings) -> Iterator[Line]:
        """Those of some lines that can be read, numbered; the others are reported."""
        first = findings.lines + 1
        findings.lines += len(lines)
        numbered = enumerate(lines, first)
        if not self.damaged and max(map(len, lines), default=0) <= LINE_LIMIT:
            return numbered
        return (each for each in numbered if self._is_sound(*each, findings))

    def _is_sound(self, number: int, line: str, findings: Findings) -> bool:
        if len(line) > LINE_LIMIT:
            findings.report(number, f"the line has more than {LINE_LIMIT:,} characters", line)
            return False
        damage = _ESCAPED if self._is_utf8 else _REPLACED
        if self.damaged and damage.search(line):
            reason = f"the line holds bytes that are not {self.encoding.removesuffix('-sig')}"
            findings.report(number, reason, damage.sub("\ufffd", line))
            return False
        return True

    @property
    def _is_utf8(self) -> bool:
        return self.encoding.startswith("utf-8")


def open_log(
    path: Path, *, encoding: str | None = None, progress: ByteProgress | None = None
) -> LogFile:
    """
    Look at a log file once: its digest, how it is packed, how it is encoded.

    UTF-8 unless a byte order mark says UTF-16 or UTF-32. If the bytes are not UTF-8 the
    encoding is guessed, and said; but where most lines beyond ASCII are UTF-8, the few
    that are not are broken lines, since another encoding would spoil all the others. A file
    that begins as Parquet does, or is a workbook by name, has no encoding and is not read as text.
    """
    if not path.is_file():
        what = "is not a file that can be read twice" if path.exists() else "does not exist"
        raise InputError(f"{path} {what}. Give the path of a query log.")
    stat = path.stat()
    with path.open("rb") as file:
        start = file.read(16)
    if not start:
        raise InputError(f"{path} is empty.")
    if start.startswith(b"PAR1") or (start.startswith(b"PK") and path.suffix.lower() == ".xlsx"):
        return LogFile(path, file_sha256(path), stat.st_size, stat.st_mtime_ns)
    for magic, what, advice in _NOT_TEXT:
        if start.startswith(magic):
            raise InputError(f"{path} is {what}, which is not read as a query log. {advice}")
    compression: Literal["gzip", "zstd"] | None = (
        "gzip" if start.startswith(b"\x1f\x8b") else "zstd" if _ZSTD.match(start) else None
    )

    def blocks() -> Iterator[bytes]:
        """The unpacked bytes in blocks that end where lines end, unless a line is very long."""
        with _unpacked(path, compression) as (raw, position):
            while block := raw.read(BLOCK) + raw.readline(BLOCK):
                if progress is not None:
                    progress(position(), 2 * stat.st_size)
                yield block

    name, damaged, notes = find_encoding(blocks, path=path, given=encoding)
    size, changed_at = stat.st_size, stat.st_mtime_ns
    return LogFile(path, file_sha256(path), size, changed_at, compression, name, damaged, notes)


@contextmanager
def _unpacked(path: Path, compression: str | None) -> Iterator[tuple[BinaryIO, Callable[[], int]]]:
    """
    The unpacked bytes, and a function that says how far into the file on disk they come.

    A file that breaks off, or that cannot be unpacked, raises InputError.
    """
    try:
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
    except (EOFError, zlib.error, OSError) as error:
        raise InputError(
            f"{path} cannot be read to its end ({error}). Fetch it again, or unpack it."
        ) from error
