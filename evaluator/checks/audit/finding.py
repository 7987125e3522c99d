"""
One sentence about somebody else's figures, and what kind of sentence it is.
"""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["does not add up", "adds up", "follows", "doubt", "missing"]


@dataclass(frozen=True, slots=True)
class Finding:
    """
    What one check has to say.

    `follows` is computed from the figures, `doubt` a reason to ask that no figure refutes.
    """

    kind: Kind
    text: str


def broken(text: str) -> Finding:
    """Figures that contradict each other, or a comparison that cannot mean anything."""
    return Finding("does not add up", text)


def fits(text: str) -> Finding:
    """Figures that agree."""
    return Finding("adds up", text)


def follows(text: str) -> Finding:
    """What the figures imply."""
    return Finding("follows", text)


def doubt(text: str) -> Finding:
    """A question that the figures raise."""
    return Finding("doubt", text)


def absent(text: str) -> Finding:
    """Something that is not stated."""
    return Finding("missing", text)


def verdict(met: bool, good: str, bad: str) -> Finding:
    """One of two sentences."""
    return fits(good) if met else broken(bad)
