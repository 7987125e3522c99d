"""
What is met while a log is read: lines that are left out, and lines that are in doubt.

Counts are complete whatever happens; lists have a limit, so that a log of nothing but
broken lines can be read too. It does not decide what is wrong with a line.
"""

from collections import Counter
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Literal

Kind = Literal["broken", "blank", "repeated header"]

PROBLEMS_LISTED = 10_000
_SHOWN = 200


@dataclass(frozen=True, slots=True)
class LineProblem:
    """A line that was left out, why, and how it begins."""

    line: int
    reason: str
    text: str


@dataclass(slots=True)
class Findings:
    """
    What was met while a log was read. Counts are complete, the list has a limit.

    `lines` is the number of lines seen so far. Lines need not be met in their order: what
    is listed are the first of the file.
    """

    lines: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)

    _listed: list[LineProblem] = field(default_factory=list)
    _remarks: dict[str, tuple[int, int]] = field(default_factory=dict)

    @property
    def problems(self) -> list[LineProblem]:
        """The lines that were left out, in their order; no more than the limit."""
        self._listed.sort(key=attrgetter("line"))
        del self._listed[PROBLEMS_LISTED:]
        return self._listed

    def report(self, line: int, reason: str, text: str, *, kind: Kind = "broken") -> None:
        """Count a line that is left out, and list it."""
        self.counts[kind] += 1
        shown = text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
        self._listed.append(LineProblem(line, reason, shown))
        if len(self._listed) > 2 * PROBLEMS_LISTED:
            _ = self.problems

    def remark(self, line: int, what: str) -> None:
        """Count a line that is kept, although something about it is in doubt."""
        first, lines = self._remarks.get(what, (line, 0))
        self._remarks[what] = (min(first, line), lines + 1)

    def remarks(self) -> list[str]:
        """What is in doubt, with the number of lines and the first of them."""
        return [
            f"{lines} line{'s' if lines > 1 else ''} (first: line {first}): {what}."
            for what, (first, lines) in sorted(self._remarks.items())
        ]
