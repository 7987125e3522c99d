"""
What encoding bytes that are not UTF-8 are probably in, and which one a name means.

The first is a guess, made by charset-normalizer; whoever asks says so. A byte order mark, and
what a page or a person declares, are looked at before.
"""

import codecs
import re
from dataclasses import dataclass

from evaluator import InputError

_TOGETHER = re.compile(rb"[\x80-\xff]{3}")
_NEAR = 0.1  # in charset-normalizer's chaos: Swedish in cp1252 is within, Czech in cp1250 is not


@dataclass(frozen=True, slots=True)
class Guess:
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


def guess_encoding(sample: bytes) -> Guess | None:
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
    return Guess(encoding, tuple(sorted(equals - {encoding})))
