"""
What about a chunk set would make its measurements mean something else.

Watches chunks go by and says it in words: texts that already carry their header, ids that
will not be the same tomorrow, texts that nobody can tell apart. It changes nothing.
"""

import re
from collections.abc import Iterable, Iterator

from evaluator import InputError
from evaluator.snapshot.chunk import Chunk
from evaluator.text.messages import counted, first_few

_RANDOM_ID = re.compile(r"[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}", re.I)
# A sentence may well begin with a short heading's word; a title of three words is no accident.
_TELLING_WORDS = 3
_WORTH_SAYING = 0.05
LONG_TEXT = 3_000  # characters, some two minutes of reading; the desk folds what is longer
_SHOWN = 5


class Scan:
    """Counts over the chunks that were watched; `warnings` speaks of all of them."""

    def __init__(self, *, refuse_own_headers: bool = False) -> None:
        self._refuses = refuse_own_headers
        self._chunks = 0
        self._headed = 0
        self._own_header = 0
        self._random_ids = 0
        self._texts: set[int] = set()
        self._repeated = 0
        self._first_repeated: list[str] = []
        self._long = 0
        self._longest = (0, "")

    def watch(self, chunks: Iterable[Chunk]) -> Iterator[Chunk]:
        """
        The same chunks, counted while they pass.

        Raises InputError after the last one where texts with their own header were to be
        refused and are as many as would be warned of.
        """
        for chunk in chunks:
            self._chunks += 1
            self._headed += bool(chunk.title or chunk.headings)
            self._own_header += starts_with_own_header(chunk)
            self._random_ids += _RANDOM_ID.fullmatch(chunk.chunk_id) is not None
            if len(chunk.text) > LONG_TEXT:
                self._long += 1
                self._longest = max(self._longest, (len(chunk.text), chunk.chunk_id))
            text = hash(chunk.text)
            if text in self._texts:
                self._repeated += 1
                if self._repeated <= _SHOWN:
                    self._first_repeated.append(chunk.chunk_id)
            self._texts.add(text)
            yield chunk
        if self._refuses and (found := self._own_headers()):
            raise InputError(
                f"{found}. Nothing was written. Export the texts without them, or leave out "
                "--refuse-own-headers."
            )

    def warnings(self) -> list[str]:
        """What a person should know before anybody judges these chunks."""
        found: list[str] = []
        if own := self._own_headers():
            found.append(own)
        if self._random_ids > self._chunks / 2:
            found.append(
                f"{self._random_ids} of {self._chunks} ids look random: if the next export makes "
                "new ones, no label will fit it"
            )
        if self._repeated:
            found.append(
                f"{self._repeated} of {self._chunks} chunks have a text that an earlier one has "
                f"too: {first_few(self._first_repeated, of=self._repeated)}"
            )
        if self._long:
            length, chunk_id = self._longest
            found.append(
                f"{self._long:,} of {counted(self._chunks, 'chunk')} are longer than "
                f"{LONG_TEXT:,} characters, which is more than people read before they grade; the "
                f"longest is {chunk_id} with {length:,}. Smaller chunks (--tokens) are judged "
                "faster and with more care"
            )
        return found

    def _own_headers(self) -> str:
        if not self._own_header or self._own_header < _WORTH_SAYING * self._headed:
            return ""
        return (
            f"{self._own_header} of {self._headed} chunks with a title or headings "
            f"({self._own_header / self._headed:.0%}) start with their own title or heading "
            "path: assessors would see the header, and the plain arm would not be plain"
        )


def starts_with_own_header(chunk: Chunk) -> bool:
    """
    Whether the text begins with the chunk's title, its last heading or its heading path.

    Compared without case and with single blanks. A name of one or two words counts only
    when a line end or a punctuation mark follows: "Leave is granted" under the
    heading "Leave" is prose.
    """
    names = [chunk.title, *chunk.headings[-1:], " > ".join(chunk.headings)]
    start = _plain(chunk.text[: 2 * max(map(len, names)) + 100])
    return any(_begins(start, _plain(name)) for name in names)


def _plain(text: str) -> str:
    lines = text.casefold().lstrip("#*> \t\n").split("\n")
    return "\n".join(" ".join(line.split()) for line in lines)


def _begins(start: str, name: str) -> bool:
    if not name or not start.startswith(name):
        return False
    rest = start[len(name) :]
    if len(name.split()) >= _TELLING_WORDS:
        return not rest[:1].isalnum()
    return bool(rest) and not rest.lstrip(" ")[:1].isalnum()
