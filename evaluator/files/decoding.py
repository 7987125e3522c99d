"""
The bytes of a document -> its text, and a word about it when they were not plain UTF-8.

Owns what is tried, in which order: a mark, UTF-8, UTF-8 with damage, then what a person named,
or else what a page declares, and last a guess. It knows no file.
"""

import codecs
import re

from evaluator.files.encodings import guess_encoding
from evaluator.text.messages import counted

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
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


def decoded(data: bytes, *, html: bool, named: str | None = None) -> Decoded | None:
    """
    The text with `\\n` line ends, and notices when it was not UTF-8; None for binary data.

    A NUL character means binary data. `named` is the encoding of what is not UTF-8, which
    then is neither looked up nor guessed; None also for what does not fit it.
    """
    mark = next((encoding for start, encoding in _MARKS if data.startswith(start)), None)
    if mark is None and b"\0" in data:
        return _named(data, named) if named else None
    try:
        text = _unix(data.decode(mark or "utf-8-sig"))
        return None if "\0" in text else (text, (f"read as {mark}",) if mark else ())
    except UnicodeDecodeError:
        if (text_with_damage := _damaged(data)) is not None:
            return text_with_damage
        if named is not None:
            return _named(data, named)
        return (_declared(data) if html else None) or _guessed(data)


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


def _named(data: bytes, encoding: str) -> Decoded | None:
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


def _guessed(data: bytes) -> Decoded | None:
    guess = guess_encoding(data)
    if guess is None:
        return None
    notice = f"not UTF-8; read as {guess.encoding}, which is a guess"
    return _unix(data.decode(guess.encoding)), (notice,)


def _unix(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
