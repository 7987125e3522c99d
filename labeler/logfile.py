"""
A log file as numbered lines of text: digest, compression, encoding, line ends.

It decides how bytes become text and says what it decided. It knows nothing of columns or
of queries. No more than one block of the file is in memory at a time, and a line that is
too long is cut off and reported, whatever its length.
"""

import gzip
import hashlib
import io
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Literal, cast

from evaluator import InputError
from labeler.logencoding import find_encoding

Kind = Literal["broken", "blank", "repeated header"]
Progress = Callable[[int, int], None]
"""Called with the bytes done and the bytes to do, both passes over the file together."""

LINE_LIMIT = 1_000_000  # characters; an answer of a search engine on one line is the longest met
PROBLEMS_LISTED = 10_000
_SHOWN = 200
_BLOCK = 1 << 20

_NOT_TEXT = (
    (b"PK\x03\x04", "a ZIP archive or a spreadsheet workbook", "Unpack it, or save it as CSV."),
    (b"PAR1", "a Parquet file", "Write it as CSV or as JSON lines."),
    (b"SQLite format 3\x00", "an SQLite database", "Write the table with the log as CSV."),
    (b"BZh", "a bzip2 file", "Unpack it with bunzip2."),
    (b"\xfd7zXZ\x00", "an xz file", "Unpack it with xz -d."),
    (b"%PDF-", "a PDF", "Give the log as CSV, JSON lines or plain lines."),
)
_ESCAPED = re.compile("[\udc80-\udcff]")  # what surrogateescape makes of bytes that are not UTF-8
_REPLACED = re.compile("\ufffd")


@dataclass(frozen=True, slots=True)
class LineProblem:
    """A line that was left out, why, and how it begins."""

    line: int
    reason: str
    text: str


@dataclass(slots=True)
class Findings:
    """
    What was met while a log was read. Counts are complete, the list has a limit.

    `lines` is the number of lines seen so far.
    """

    lines: int = 0
    problems: list[LineProblem] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)

    _remarks: dict[str, tuple[int, int]] = field(default_factory=dict)

    def report(self, line: int, reason: str, text: str, *, kind: Kind = "broken") -> None:
        """Count a line that is left out, and list it."""
        self.counts[kind] += 1
        if len(self.problems) < PROBLEMS_LISTED:
            shown = text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
            self.problems.append(LineProblem(line, reason, shown))

    def remark(self, line: int, what: str) -> None:
        """Count a line that is kept, although something about it is in doubt."""
        first, lines = self._remarks.get(what, (line, 0))
        self._remarks[what] = (first, lines + 1)

    def remarks(self) -> list[str]:
        """What is in doubt, with the number of lines and the first of them."""
        return [
            f"{lines} line{'s' if lines > 1 else ''} (first: line {first}): {what}."
            for what, (first, lines) in self._remarks.items()
        ]


@dataclass(frozen=True, slots=True)
class LogFile:
    """A file whose bytes have been looked at once: what it is and how it becomes text."""

    path: Path
    sha256: str
    size: int
    changed_at: int
    compression: Literal["gzip", "zstd"] | None
    encoding: str
    damaged: bool
    notes: tuple[str, ...]

    @contextmanager
    def text(self, progress: Progress | None = None) -> Iterator[Callable[[], str]]:
        """A function that returns the next block of text, and "" at the end."""
        errors = "surrogateescape" if self._is_utf8 else "replace"
        with (
            _readable(self.path),
            _opened(self.path, self.compression) as (raw, position),
            io.TextIOWrapper(raw, encoding=self.encoding, errors=errors) as stream,
        ):

            def read() -> str:
                if progress is not None:
                    progress(self.size + position(), 2 * self.size)
                return stream.read(_BLOCK)

            yield read

    def lines(
        self, findings: Findings, progress: Progress | None = None
    ) -> Iterator[tuple[int, str]]:
        """Each line with its number from 1, without its end; bad ones go to the findings."""
        tail = ""
        with self.text(progress) as read:
            while block := read():
                lines = (tail + block).split("\n")
                tail = lines.pop()
                if len(tail) > 2 * LINE_LIMIT:
                    tail = tail[: LINE_LIMIT + 1]
                yield from self._sound(lines, findings)
            if tail:
                yield from self._sound([tail], findings)

    def _sound(self, lines: list[str], findings: Findings) -> Iterator[tuple[int, str]]:
        first = findings.lines + 1
        findings.lines += len(lines)
        if not self.damaged and max(map(len, lines), default=0) <= LINE_LIMIT:
            yield from enumerate(lines, first)
            return
        for number, line in enumerate(lines, first):
            if len(line) > LINE_LIMIT:
                findings.report(number, f"the line has more than {LINE_LIMIT:,} characters", line)
            elif self.damaged and self._damage.search(line):
                reason = f"the line holds bytes that are not {self.encoding.removesuffix('-sig')}"
                findings.report(number, reason, self._damage.sub("\ufffd", line))
            else:
                yield number, line

    @property
    def _damage(self) -> re.Pattern[str]:
        """What decoding leaves in a line whose bytes it could not read."""
        return _ESCAPED if self._is_utf8 else _REPLACED

    @property
    def _is_utf8(self) -> bool:
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
        blocks: list[str] = []
        total = 0
        with self.text() as read:
            while block := read():
                blocks.append(block)
                total += len(block)
                if total > limit:
                    raise InputError(
                        f"{self.path.name} is one JSON document of more than {limit:,} characters."
                        " Write it as JSON lines, one object a line (for example with jq -c)."
                    )
        return "".join(blocks)


def open_log(
    path: Path, *, encoding: str | None = None, progress: Progress | None = None
) -> LogFile:
    """
    Look at a log file once: its digest, how it is packed, how it is encoded.

    UTF-8 unless a byte order mark says UTF-16 or UTF-32. If the bytes are not UTF-8 the
    encoding is guessed, and said; but where most lines beyond ASCII are UTF-8, the few
    that are not are broken lines, since another encoding would spoil all the others.
    """
    if not path.is_file():
        what = "is not a file that can be read twice" if path.exists() else "does not exist"
        raise InputError(f"{path} {what}. Give the path of a query log.")
    with path.open("rb") as file:
        start = file.read(16)
        file.seek(0)
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    if not start:
        raise InputError(f"{path} is empty.")
    for magic, what, advice in _NOT_TEXT:
        if start.startswith(magic):
            raise InputError(f"{path} is {what}, which is not read as a query log. {advice}")
    compression = _compression(start)
    stat = path.stat()
    with _readable(path), _opened(path, compression) as (raw, position):
        blocks = _blocks(raw, lambda: progress and progress(position(), 2 * stat.st_size))
        encoding, damaged, notes = find_encoding(blocks, path=path, given=encoding)
    return LogFile(
        path, sha256, stat.st_size, stat.st_mtime_ns, compression, encoding, damaged, notes
    )


def _blocks(raw: BinaryIO, told: Callable[[], object]) -> Iterator[bytes]:
    """Blocks that end where lines end, unless a line is longer than a block."""
    while block := raw.read(_BLOCK) + raw.readline(_BLOCK):
        told()
        yield block


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    try:
        yield
    except (EOFError, zlib.error, OSError) as error:
        raise InputError(
            f"{path} cannot be read to its end ({error}). Fetch it again, or unpack it."
        ) from error


def _compression(start: bytes) -> Literal["gzip", "zstd"] | None:
    if start.startswith(b"\x1f\x8b"):
        return "gzip"
    return "zstd" if start.startswith(b"\x28\xb5\x2f\xfd") else None


@contextmanager
def _opened(path: Path, compression: str | None) -> Iterator[tuple[BinaryIO, Callable[[], int]]]:
    """The unpacked bytes, and a function that says how far into the file on disk they come."""
    with path.open("rb") as file:
        if compression == "gzip":
            with gzip.GzipFile(fileobj=file) as unpacked:
                yield cast(BinaryIO, unpacked), file.tell
        elif compression == "zstd":
            import pyarrow

            with pyarrow.CompressedInputStream(file, "zstd") as unpacked:
                yield cast(BinaryIO, io.BufferedReader(unpacked, _BLOCK)), file.tell
        else:
            yield file, file.tell
