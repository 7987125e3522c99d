"""
What an owner declares of header work: whether it has begun, when, and on which headers.

There is no default. Headers go by the digests under which experiments record them: a header
file by its bytes, a rule by its text, as in `header_sha256` of a record.
"""

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from evaluator import InputError
from evaluator.files.whole import file_sha256
from evaluator.labelset.format import utc_text

_RULES = ("title", "path", "title+path")
_EARLIEST_ZONE = timedelta(hours=14)  # a day begins on Kiritimati that long before UTC


@dataclass(frozen=True, slots=True)
class HeaderWork:
    """
    What the owner declares: whether work on headers has begun, and when.

    With `treatments`, digests of header rules or files, it has begun on those only.
    """

    begun: bool
    at: str | None = None
    treatments: tuple[str, ...] = ()

    def record(self, declared_by: str) -> dict[str, Any]:
        """The declaration as the manifest holds it."""
        named = {"treatments": list(self.treatments)} if self.treatments else {}
        return {"begun": self.begun, "at": self.at, "declared_by": declared_by, **named}


def declared(text: str, *, now: datetime, on: Sequence[str] = ()) -> HeaderWork:
    """
    What `none` or a date declares of header work, of all of it or of the headers in `on`.

    A date without a time is the first moment of that day, UTC, or now where the day has
    not begun there yet. Raises InputError for anything else and for a date to come.
    """
    treatments = tuple(dict.fromkeys(map(treatment_sha256, on)))
    if text == "none":
        if treatments:
            raise InputError("Headers are named, but --header-work none says that none is begun.")
        return HeaderWork(begun=False)
    try:
        moment = datetime.fromisoformat(text)
        utc_text(moment.replace(tzinfo=moment.tzinfo or UTC))
    except ValueError:
        raise InputError(
            f"--header-work {text!r}: say none if no header work has begun, or the date on "
            "which it began, like 2026-01-31."
        ) from None
    ahead = timedelta(0)
    if moment.tzinfo is None:
        moment, ahead = moment.replace(tzinfo=UTC), _EARLIEST_ZONE
    if moment > now + ahead:
        raise InputError(
            f"--header-work {text!r} is still to come. If no header work has begun, say none."
        )
    return HeaderWork(begun=True, at=utc_text(min(moment, now)), treatments=treatments)


def consequences(declared: HeaderWork) -> Iterator[str]:
    """What the evaluator will say of headers that were begun before the freeze."""
    if not declared.begun:
        return
    began = f"Header work began at {declared.at}, before this freeze: the evaluator marks results"
    if declared.treatments:
        named = ", ".join(digest[:12] for digest in declared.treatments)
        yield f"{began} of the headers {named} as not usable. The set is good for others."
    else:
        yield (
            f"{began} of any header as not usable. `labeler freeze --header-work-on` names the "
            "headers that were begun; the set is then good for those begun after it."
        )


def treatment_sha256(text: str) -> str:
    """
    The digest of a header rule, a header file, or a digest as a record prints it.

    Raises InputError for anything else, so that a mistyped file is not taken for a rule.
    """
    if re.fullmatch("[0-9a-f]{64}", text):
        return text
    path = Path(text.removeprefix("file:"))
    if path.is_file():
        return file_sha256(path)
    if text in _RULES or re.search(r"\{\w+\}", text):
        return hashlib.sha256(text.encode()).hexdigest()
    raise InputError(
        f"{text!r} is no header: there is no such file, and a rule is {', '.join(_RULES)} or a "
        "template. For a rule with options give the header_sha256 of its record."
    )
