"""
Moments as people and programs write them, read without more than the text says.

It knows the calendar and the zone, and nothing of what was dated.
"""

from datetime import UTC, datetime


def moment_of(text: object) -> datetime | None:
    """
    The instant that a text names; a day is its first moment, no zone means UTC.

    None for what is no date: a date that cannot be read is no evidence of anything.
    """
    try:
        moment = datetime.fromisoformat(str(text))
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def instant(text: str) -> datetime:
    """The same of a text that is known to name one."""
    moment = moment_of(text)
    assert moment is not None, f"{text!r} was checked to be a date"
    return moment
