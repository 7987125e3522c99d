"""
A distinct query of a log, and how one query of two logs is put together.

Which searches are one query is decided in `group`.
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

_ALPHANUMERIC = re.compile("[A-Za-z0-9]")
_INVISIBLE = re.compile("[\x01-\x08\x0e-\x1f\x7f-\x9f\xad\u180e\u200b\u2060-\u2064\ufeff]")
_NO_LETTER = "no letter and no digit"


@dataclass(frozen=True, slots=True)
class LogQuery:
    """A distinct query of the log: its key, the form people see, and how often it came."""

    query: str
    text: str
    count: int
    variants: tuple[tuple[str, int], ...] = ()
    stratum: str | None = None


def merged(new: LogQuery, old: LogQuery | None) -> LogQuery:
    """One distinct query of two logs: counts add up, the commonest spelling is shown."""
    if old is None:
        return new
    counts = Counter(dict(old.variants))
    counts.update(dict(new.variants))
    variants = ordered_variants(counts.items())
    text = variants[0][0] if variants else old.text
    return LogQuery(new.query, text, old.count + new.count, variants, new.stratum)


def ordered_variants(counts: Iterable[tuple[str, int]]) -> tuple[tuple[str, int], ...]:
    """Spellings with their counts: the most frequent first, ties by text."""
    return tuple(sorted(counts, key=lambda variant: (-variant[1], variant[0])))


def without_content(query: str) -> str | None:
    """Why a query says nothing that could be judged, or is not what it looks like; else None."""
    if query.isascii():
        return None if _ALPHANUMERIC.search(query) else _NO_LETTER
    if found := _INVISIBLE.search(query):
        return f"an invisible character (U+{ord(found[0]):04X})"
    return None if any(map(str.isalnum, query)) else _NO_LETTER
