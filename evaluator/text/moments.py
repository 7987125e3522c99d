"""
Moments as people and programs write them, read without more than the text says.

It knows the calendar and the zone, and nothing of what was dated.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

# Clocks are at most that far from UTC, and a date without a zone is any of theirs.
_ZONES = timedelta(hours=14)
_CLOCK = re.compile(r"[^\d\-W](\d\d)(?::?(\d\d))?(?::?(\d\d))?(?:[.,](\d+))?(?:Z|[+-].*)?$", re.I)


@dataclass(frozen=True, slots=True)
class Instants:
    """All that a written date may mean: the instants from `first` on and before `end`."""

    first: datetime
    end: datetime


def span_of(text: object) -> Instants | None:
    """
    The instants that a text may name, as precisely as it is written.

    A day lasts until the next one, a second until the next second, and without a zone it is
    known within 14 hours. None for what is no date: a date that cannot be read is no evidence
    of anything.
    """
    try:
        moment = datetime.fromisoformat(str(text))
        zones = timedelta(0) if moment.tzinfo else _ZONES
        known = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return Instants(
            (known - zones).astimezone(UTC), (known + zones + _step(str(text))).astimezone(UTC)
        )
    except (ValueError, OverflowError):
        return None


def _step(text: str) -> timedelta:
    """The smallest unit that a date is written in."""
    clock = _CLOCK.search(text)
    if clock is None:
        return timedelta(days=1)
    _, minute, second, fraction = clock.groups()
    if fraction:
        return timedelta(microseconds=10 ** max(0, 6 - len(fraction)))
    return timedelta(seconds=1) if second else timedelta(minutes=1 if minute else 60)


def moment_of(text: object) -> datetime | None:
    """The first instant that a text may name; None for what is no date."""
    span = span_of(text)
    return span.first if span else None


def instant(text: str) -> datetime:
    """The same of a text that is known to be a date."""
    moment = moment_of(text)
    assert moment is not None, f"{text!r} was checked to be a date"
    return moment


def middle(text: str) -> datetime:
    """The middle of what such a text may name: without a zone, as if it were UTC."""
    span = span_of(text)
    assert span is not None, f"{text!r} was checked to be a date"
    return span.first + (span.end - span.first) / 2


def is_before(first: object, second: object, *, by: timedelta = timedelta(0)) -> bool:
    """
    Whether one date is certainly before another, at the precision that both have.

    Neither is where they are equal, where a day holds the moment, or where one is no date.
    """
    one, other = span_of(first), span_of(second)
    return one is not None and other is not None and other.first - one.end >= by
