"""How messages count and list things. Knows no message."""

from collections.abc import Sequence


def counted(number: int, noun: str) -> str:
    """`1 document`, `3 documents`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def first_few(items: Sequence[str], *, most: int = 5) -> str:
    """The first items and how many more there are."""
    more = len(items) - most
    return "; ".join(items[:most]) + (f"; and {more} more" if more > 0 else "")
