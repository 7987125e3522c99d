"""
A distinct query of a log, and how one query of two logs is put together.

Which searches are one query is decided in `group`.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass


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
