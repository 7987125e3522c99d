"""
What an owner declares of header work: whether it has begun, when, and on which headers.

There is no default. Headers go by the digests under which experiments record them: a header
file by its bytes, a rule by its text, and both by the strings that they render.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from evaluator import InputError
from evaluator.experiment.headers.rule import read_header_rule, strings_sha256
from evaluator.labelset.format import utc_text
from evaluator.snapshot.chunk import Chunk
from evaluator.text.moments import is_before, moment_of

_RULES = ("title", "path", "title+path")


@dataclass(frozen=True, slots=True)
class HeaderWork:
    """
    What the owner declares: whether work on headers has begun, and when.

    With `treatments`, digests of header rules, of files and of what they render, it has begun
    on those only.
    """

    begun: bool
    at: str | None = None
    treatments: tuple[str, ...] = ()

    def record(self, declared_by: str) -> dict[str, Any]:
        """The declaration as the manifest holds it."""
        named = {"treatments": list(self.treatments)} if self.treatments else {}
        return {"begun": self.begun, "at": self.at, "declared_by": declared_by, **named}


def declared(
    text: str, *, now: datetime, on: Sequence[str] = (), chunks: Iterable[Chunk] = ()
) -> HeaderWork:
    """
    What `none` or a date declares of header work, of all of it or of the headers in `on`.

    `chunks` are those of the snapshot, read only to render these headers.

    A date stands in the set as it is written, since that is how exactly it is known. Raises
    InputError for anything else and for a date that is still to come in every zone.
    """
    rendered_on = list(chunks) if on else []
    digests = [digest for each in on for digest in _treatment_digests(each, rendered_on)]
    treatments = tuple(dict.fromkeys(digests))
    if text == "none":
        if treatments:
            raise InputError("Headers are named, but --header-work none says that none is begun.")
        return HeaderWork(begun=False)
    if moment_of(text) is None:
        raise InputError(
            f"--header-work {text!r}: say none if no header work has begun, or the date on "
            "which it began, like 2026-01-31."
        )
    if is_before(utc_text(now), text):
        raise InputError(
            f"--header-work {text!r} is still to come. If no header work has begun, say none."
        )
    return HeaderWork(begun=True, at=text, treatments=treatments)


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


def _treatment_digests(text: str, chunks: Sequence[Chunk]) -> list[str]:
    """
    The digests of a header rule or file: its own, and that of what it renders on these chunks.

    A digest as a record prints it stands for itself. Raises InputError for anything else, so
    that a mistyped file is not taken for a rule.
    """
    if re.fullmatch("[0-9a-f]{64}", text):
        return [text]
    path = Path(text.removeprefix("file:"))
    if not path.is_file() and text not in _RULES and not re.search(r"\{\w+\}", text):
        raise InputError(
            f"{text!r} is no header: there is no such file, and a rule is {', '.join(_RULES)} or "
            "a template. For a rule with options give the header_sha256 of its record."
        )
    rule = read_header_rule(f"file:{path}" if path.is_file() else text)
    return [rule.digest, strings_sha256(rule.headers(chunks, own_tokens=None))]
