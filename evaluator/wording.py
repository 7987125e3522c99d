"""How messages count, list and line up things. Knows no message."""

from collections.abc import Iterable, Sequence


def counted(number: int, noun: str, *, many: str | None = None) -> str:
    """`1 document`, `3,000 documents`, or `3,000 queries` where the plural is stated as `many`."""
    return f"{number} {noun}" if number == 1 else f"{number:,} {many or f'{noun}s'}"


def first_few(items: Sequence[str], *, most: int = 5, of: int | None = None) -> str:
    """The first items and how many more there are, of all `items` or of as many as stated."""
    more = (len(items) if of is None else of) - most
    return "; ".join(items[:most]) + (f"; and {more} more" if more > 0 else "")


def some_ids(ids: Sequence[str], *, most: int = 5) -> str:
    """The first ids and how many more there are; `first_few` is for what may hold commas."""
    more = f" and {len(ids) - most:,} more" if len(ids) > most else ""
    return ", ".join(ids[:most]) + more


def first_words(text: str, *, most: int = 12) -> str:
    """How a text begins: its first words with one blank between, and dots if there are more."""
    words = text.split()
    return " ".join(words[:most]) + (" ..." if len(words) > most else "")


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
