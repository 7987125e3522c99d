"""How messages count, quote, list and line up things. Knows no message."""

from collections.abc import Iterable, Sequence
from itertools import accumulate

_LONG = 160  # characters of one thing; a whole chapter may stand where an id should be
_TOGETHER = 400
OPEN, CLOSE, BREAK = "\u27e6", "\u27e7", "\u23ce"


def counted(number: int, noun: str, *, many: str | None = None) -> str:
    """`1 document`, `3,000 documents`, or `3,000 queries` where the plural is stated as `many`."""
    return f"{number} {noun}" if number == 1 else f"{number:,} {many or f'{noun}s'}"


def first_few(items: Sequence[str], *, most: int = 5, of: int | None = None) -> str:
    """The first items and how many more there are, of all `items` or of as many as stated."""
    more = (len(items) if of is None else of) - most
    return "; ".join(items[:most]) + (f"; and {more} more" if more > 0 else "")


def brief(text: str) -> str:
    """A text as a message quotes it: whole, or how it begins and ends and how long it is."""
    if len(text) <= _LONG:
        return text
    return f"{text[: _LONG * 2 // 3]} ... {text[-_LONG // 3 :]} ({len(text):,} characters)"


def at_a_glance(items: Sequence[object], *, most: int = 5) -> list[str]:
    """The first items, each made brief, as far as they make a few lines together."""
    shown = [brief(str(item)) for item in items[:most]]
    together = accumulate(map(len, shown))
    return [each for length, each in zip(together, shown, strict=True) if length <= _TOGETHER]


def some_ids(ids: Sequence[object], *, most: int = 5) -> str:
    """The first ids and how many more there are; `first_few` is for what may hold commas."""
    shown = at_a_glance(ids, most=most)
    more = len(ids) - len(shown)
    return ", ".join(shown) + (f" and {more:,} more" if more else "")


def first_words(text: str, *, most: int = 12) -> str:
    """How a text begins: its first words with one blank between, and dots if there are more."""
    words = text.split()
    return " ".join(words[:most]) + (" ..." if len(words) > most else "")


def marked(text: str) -> str:
    """The text between marks, its line breaks visible and a blank at either end too."""
    return OPEN + text.replace("\n", f"{BREAK}\n") + CLOSE


def sentence(text: str) -> str:
    """The same with a capital letter first."""
    return text[:1].upper() + text[1:]


def grid(rows: Iterable[Sequence[str]]) -> list[str]:
    """Lines with the first column flush left and the others flush right."""
    kept = list(rows)
    widths = [max(map(len, column)) for column in zip(*kept, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if number else cell.ljust(width)
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in kept
    ]
