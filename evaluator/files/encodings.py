"""
The encoding of bytes, and their text: of a document as a whole, of a log block by block.

What is tried, in which order: a mark, UTF-8, UTF-8 with damage, then what a person named, or
else what a page declares, and last a guess of charset-normalizer. Whatever was not plain UTF-8
is said.
"""

import codecs
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from evaluator import InputError
from evaluator.text.messages import counted

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (codecs.BOM_UTF8, "utf-8-sig"),
)
_SAMPLE = 1 << 16
_TOGETHER = re.compile(rb"[\x80-\xff]{3}")
_NEAR = 0.1  # in charset-normalizer's chaos: Swedish in cp1252 is within, Czech in cp1250 is not
_DECLARED = re.compile(
    rb"""(?:<meta[^>]+charset|<\?xml[^>]+encoding)\s*=\s*["']?\s*([A-Za-z0-9_.:-]+)""", re.I
)
# Pages that declare the standard on the left hold what Windows made of it, so browsers read that.
# Source: encoding.spec.whatwg.org, "Names and labels".
_WIDER = {
    "ascii": "cp1252",
    "big5": "big5hkscs",
    "euc_kr": "cp949",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "shift_jis": "cp932",
    "tis-620": "cp874",
}

Decoded = tuple[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class EncodingGuess:
    """An encoding, and the others that fit the bytes as well."""

    encoding: str
    others: tuple[str, ...]


def named_encoding(name: str) -> str:
    """The usual name of an encoding. Raises InputError for one that is not known."""
    try:
        "".encode(name)
        return codecs.lookup(name).name
    except (LookupError, UnicodeError):
        raise InputError(f"There is no encoding {name!r}. Try cp1252 or utf-16.") from None


def decoded(data: bytes, *, html: bool, named: str | None = None) -> Decoded | None:
    """
    The text with `\\n` line ends, and notices when it was not UTF-8; None for binary data.

    A NUL character means binary data. `named` is the encoding of what is not UTF-8, which
    then is neither looked up nor guessed; None also for what does not fit it.
    """
    mark = next((name for start, name in _MARKS[:-1] if data.startswith(start)), None)
    if mark is None and b"\0" in data:
        return _decoded_as(data, named) if named else None
    try:
        text = _unix(data.decode(mark or "utf-8-sig"))
        return None if "\0" in text else (text, (f"read as {mark}",) if mark else ())
    except UnicodeDecodeError:
        if (text_with_damage := _damaged(data)) is not None:
            return text_with_damage
        if named is not None:
            return _decoded_as(data, named)
        return (_declared(data) if html else None) or _decoded_by_guess(data)


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
        start = start or block[:_SAMPLE]
        damaged = damaged or not is_utf8(block)
    marked = next((name for mark, name in _MARKS if start.startswith(mark)), None)
    if (encoding := named or marked) is not None:
        return encoding, encoding != "utf-8-sig" or damaged or named is not None, ()
    if start.count(b"\0") * 10 > len(start):
        return _guessed(start, path)
    if damaged and (sample := _strange_sample(_whole_characters(blocks()))) is not None:
        return _guessed(sample, path)
    return "utf-8-sig", damaged, ()


def is_utf8(text: bytes | memoryview) -> bool:
    """Whether all bytes are UTF-8."""
    try:
        str(text, "utf-8")
    except UnicodeDecodeError:
        return False
    return True


def guess_encoding(sample: bytes) -> EncodingGuess | None:
    """
    The likeliest encoding, with cp1252 before others that fit as well; None if nothing fits.

    charset-normalizer lists equals by name, so that cp1250 would win over cp1252, which most
    files that are not UTF-8 are in. Where bytes beyond ASCII stand alone or in twos, they are
    signs among Latin letters: of one such byte it would make Korean, or UTF-16 of a whole file,
    and its marks for Latin encodings are near each other by accident.
    """
    from charset_normalizer import from_bytes  # slow to import, and seldom needed
    from charset_normalizer.constant import IANA_SUPPORTED
    from charset_normalizer.utils import is_multi_byte_encoding

    latin = b"\0" not in sample and not _TOGETHER.search(sample)
    unlikely = [name for name in IANA_SUPPORTED if latin and is_multi_byte_encoding(name)]
    matches = from_bytes(sample, cp_exclusion=unlikely)
    best = matches.best()
    if best is None:
        return None
    equals = {best.encoding}
    for match in matches:
        same = (match.chaos, match.coherence) == (best.chaos, best.coherence)
        if same or (latin and match.chaos - best.chaos <= _NEAR):
            equals.update(match.could_be_from_charset)
    encoding = "cp1252" if "cp1252" in equals else best.encoding
    return EncodingGuess(encoding, tuple(sorted(equals - {encoding})))


def _damaged(data: bytes) -> Decoded | None:
    """
    UTF-8 with U+FFFD at each broken place; None if it is another encoding.

    It is UTF-8 where more of the characters beyond ASCII are whole than broken: two bytes of
    another encoding hardly ever make one. Any other reading would spoil all the whole ones.
    """
    text = data.decode("utf-8", "replace")
    broken = text.count("\ufffd") - data.count("\ufffd".encode())
    whole = sum(character > "\x7f" for character in text) - text.count("\ufffd")
    if broken >= whole:
        return None
    return _unix(text).removeprefix("\ufeff"), (f"{counted(broken, 'place')} not UTF-8, read as �",)


def _decoded_as(data: bytes, encoding: str) -> Decoded | None:
    try:
        text = _unix(data.decode(encoding))
    except UnicodeError:
        return None
    return None if "\0" in text else (text, (f"not UTF-8; read as {encoding}, as --encoding says",))


def _declared(data: bytes) -> Decoded | None:
    """What a browser reads in a page that declares its encoding."""
    found = _DECLARED.search(data[:2048])
    if found is None:
        return None
    label = found.group(1).decode("ascii")
    try:
        encoding = _WIDER.get(codecs.lookup(label).name, label)
        text = data.decode(encoding)
    except (UnicodeError, LookupError):
        return None
    how = "as it declares" if encoding == label else f"as browsers read {label}, which it declares"
    return _unix(text), (f"not UTF-8; read as {encoding}, {how}",)


def _decoded_by_guess(data: bytes) -> Decoded | None:
    guess = guess_encoding(data)
    if guess is None:
        return None
    notice = f"not UTF-8; read as {guess.encoding}, which is a guess"
    return _unix(data.decode(guess.encoding)), (notice,)


def _unix(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _whole_characters(blocks: Iterable[bytes | memoryview]) -> Iterator[bytes]:
    """The same bytes, where no block ends within a character of UTF-8, as long lines make it."""
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    for block in blocks:
        yield decoder.decode(bytes(block)).encode("utf-8", "surrogateescape")
    yield decoder.decode(b"", final=True).encode("utf-8", "surrogateescape")


def _strange_sample(blocks: Iterable[bytes]) -> bytes | None:
    """Some of the lines that are not UTF-8 if they are more than those beyond ASCII that are."""
    good = bad = 0
    sample = b""
    for block in blocks:
        strange, lines = _lines_not_utf8(block)
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
