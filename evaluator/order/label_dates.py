"""
Who else says when a label set existed: time stamps beside it, and the commit that holds it.

It opens the files and asks git, and puts what it found side by side with the set's own dates.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import Any

from evaluator.labelset.format import MANIFEST, LabelSet
from evaluator.labelset.ledger import look_dates
from evaluator.order.clocks import JudgedAt, clock_findings, judged_at
from evaluator.order.evidence import Witness
from evaluator.order.git_commits import History, file_history
from evaluator.order.timestamps import Stamped, stamps_of, token_number


@dataclass(frozen=True, slots=True)
class Witnesses:
    """Stamps, commit, the dates of the judgements, and what does not fit together."""

    frozen_at: str
    stamps: tuple[Stamped, ...]
    commit: History
    judged: JudgedAt
    clocks: tuple[str, ...]

    def lines(self) -> list[str]:
        """Each witness in one line, the set's own word first."""
        stamps = [f"time stamp {stamp.text()}" for stamp in self.stamps]
        return [
            f"the manifest says {self.frozen_at}, by the clock of the machine that froze it",
            *(stamps or ["no time stamp lies beside the set (labeler witness gets one)"]),
            *_gone([token_number(stamp.file) for stamp in self.stamps]),
            f"git: {self.commit.text()}",
        ]

    def usable(self) -> tuple[Witness, ...]:
        """The witnesses that say something, for the order of labels and treatment."""
        found = [
            Witness(stamp.at, f"time stamp {stamp.text()}", stamp.checked)
            for stamp in self.stamps
            if stamp.at and not stamp.problem
        ]
        first = self.commit.first
        if first:
            found.append(Witness(first.committed_at, self.commit.text()))
        return tuple(found)

    def record(self) -> dict[str, Any]:
        """The same for a program."""
        first = self.commit.first
        return {
            "frozen_at": self.frozen_at,
            "stamps": [
                {
                    "file": stamp.file,
                    "at": stamp.at,
                    "accuracy_seconds": stamp.accuracy_seconds,
                    "authority": stamp.authority,
                    "signature_checked": stamp.checked,
                    "problem": stamp.problem,
                }
                for stamp in self.stamps
            ],
            "commit": None if first is None else first.record(),
            "git": self.commit.text(),
            "clocks": list(self.clocks),
        }


def _gone(numbers: Sequence[int]) -> list[str]:
    """Time stamps are numbered without gaps: what is not there was taken away, or not copied."""
    gone = max(numbers, default=0) - len(numbers)
    if not gone:
        return []
    first = next(number for number in count(1) if number not in numbers)
    return [f"of the time stamps beside the set {gone} are missing, the first number {first}"]


def witnesses_of(labels: LabelSet, *, now: datetime, roots: Path | None = None) -> Witnesses:
    """Everything beside and around a label set that dates it."""
    stamps = stamps_of(labels.path, roots=roots)
    commit = file_history(labels.path / MANIFEST)
    judged = judged_at(labels.judgements)
    frozen_at = str(labels.manifest["frozen_at"])
    clocks = clock_findings(
        frozen_at=frozen_at,
        judged=judged,
        now=now,
        stamped=[(s.file, s.at) for s in stamps if s.at and not s.problem],
        committed=commit.first.committed_at if commit.first else None,
        looks=look_dates(labels),
    )
    return Witnesses(frozen_at, stamps, commit, judged, clocks)
