"""How messages count and list things. Knows no message."""

from collections.abc import Sequence


def counted(number: int, noun: str) -> str:
    """`1 document`, `3 documents`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def first_few(items: Sequence[str], *, most: int = 5, of: int | None = None) -> str:
    """The first items and how many more there are, of all `items` or of as many as stated."""
    more = (len(items) if of is None else of) - most
    return "; ".join(items[:most]) + (f"; and {more} more" if more > 0 else "")
