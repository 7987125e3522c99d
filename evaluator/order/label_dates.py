"""
When a label set existed: its own dates, time stamps beside it, the commit that holds it.

It opens the files, asks git, and says which of these dates cannot all be right; which clock
was wrong is not decided here.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

from evaluator.labelset.format import MANIFEST, Judgement, LabelSet, utc_text
from evaluator.labelset.ledger import known_looks
from evaluator.order.evidence import Witness
from evaluator.order.git_commits import History, file_history
from evaluator.order.timestamps import Stamped, stamps_of, token_number
from evaluator.text.moments import is_before, moment_of

_TOLERANCE = timedelta(minutes=1)
_LONG_AFTER = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class JudgedAt:
    """The dates of a set's judgement events, counted in one pass."""

    events: int
    newest: str | None
    naive: int
    unreadable: int
    imported_newest: bool


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
        if first := self.commit.first:
            found.append(Witness(first.committed_at, self.commit.text()))
        return tuple(found)

    def record(self) -> dict[str, Any]:
        """The same for a program."""
        first = self.commit.first
        return {
            "frozen_at": self.frozen_at,
            "stamps": [
                {"signature_checked" if k == "checked" else k: v for k, v in asdict(stamp).items()}
                for stamp in self.stamps
            ],
            "commit": None if first is None else asdict(first),
            "git": self.commit.text(),
            "clocks": list(self.clocks),
        }


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
        looks=[str(look["at"]) for look in known_looks(labels) if look.get("at")],
    )
    return Witnesses(frozen_at, stamps, commit, judged, tuple(clocks))


def judged_at(judgements: Iterable[Judgement]) -> JudgedAt:
    """When the judgements were made, by their own dates."""
    events = naive = unreadable = 0
    newest: tuple[datetime, Judgement] | None = None
    for event in judgements:
        events += 1
        try:
            moment = datetime.fromisoformat(event.judged_at)
        except ValueError:
            unreadable += 1
            continue
        if moment.tzinfo is None:
            naive += 1
            moment = moment.replace(tzinfo=UTC)
        if newest is None or moment > newest[0]:
            newest = moment, event
    return JudgedAt(
        events,
        newest[1].judged_at if newest else None,
        naive,
        unreadable,
        bool(newest and newest[1].imported_from),
    )


def clock_findings(
    *,
    frozen_at: str,
    judged: JudgedAt,
    now: datetime,
    stamped: Sequence[tuple[str, str]] = (),
    committed: str | None = None,
    looks: Sequence[str] = (),
) -> Iterator[str]:
    """
    Dates that cannot all be right, or say less than they seem to, one sentence each.

    `stamped` are file and time of each readable time stamp, `committed` is when the earliest
    commit of the manifest says it was made, `looks` are the dates in the ledger.
    """
    yield from _unclear(frozen_at, judged)
    named = "the newest judgement" + " (an imported one)" * judged.imported_newest
    yield from still_to_come(
        [
            ("the freeze", frozen_at),
            (named, judged.newest),
            ("the earliest commit with the manifest", committed),
            *((file, at) for file, at in stamped),
            ("the last look in the ledger", max(looks, default=None)),
        ],
        now=now,
    )
    if is_before(frozen_at, judged.newest):
        yield (
            f"{named} is dated {judged.newest}, after the freeze ({frozen_at}): the clock was "
            "set back before freezing, or another clock dated the judgement"
        )
    for file, at in stamped:
        yield from _stamp(frozen_at, file, at)
    if is_before(committed, frozen_at, by=_TOLERANCE):
        yield (
            f"a commit dated {committed} holds the manifest, which says it was frozen later "
            f"({frozen_at}): one of the two clocks was wrong"
        )
    early = [at for at in looks if is_before(at, frozen_at, by=_TOLERANCE)]
    if early:
        yield (
            f"{len(early)} looks in the ledger are dated before the freeze (the first "
            f"{min(early)}): one of the two clocks was wrong"
        )


def still_to_come(dates: Iterable[tuple[str, str | None]], *, now: datetime) -> Iterator[str]:
    """What is dated later than now: a clock was wrong, and the date is worth nothing."""
    today = utc_text(now)
    for what, at in dates:
        if is_before(today, at, by=_TOLERANCE):
            yield f"{what} is dated {at}, which is still to come ({today})"


def _unclear(frozen_at: str, judged: JudgedAt) -> Iterator[str]:
    if moment_of(frozen_at) is None:
        yield f"the freeze is dated {frozen_at!r}, which is no moment"
    elif datetime.fromisoformat(frozen_at).tzinfo is None:
        yield f"the freeze is dated {frozen_at} without a time zone, so within 14 hours"
    if judged.naive:
        yield (
            f"{judged.naive:,} of {judged.events:,} judgements are dated without a time zone, "
            "so within 14 hours"
        )
    if judged.unreadable:
        yield f"{judged.unreadable:,} of {judged.events:,} judgements have no date that can be read"


def _stamp(frozen_at: str, file: str, at: str) -> Iterator[str]:
    stamped, frozen = moment_of(at), moment_of(frozen_at)
    if is_before(at, frozen_at, by=_TOLERANCE):
        yield (
            f"{file} states {at}, before the set says it was frozen ({frozen_at}): the clock "
            "that froze it was ahead, or the authority's was behind"
        )
    elif stamped and frozen and stamped - frozen > _LONG_AFTER:
        days = (stamped - frozen) / timedelta(days=1)
        yield (
            f"{file} came {days:,.0f} days after the freeze: it shows that the set existed by "
            f"then, and the {days:,.0f} days rest on the set's own date"
        )


def _gone(numbers: Sequence[int]) -> list[str]:
    """Time stamps are numbered without gaps: what is not there was taken away, or not copied."""
    gone = max(numbers, default=0) - len(numbers)
    if not gone:
        return []
    first = next(number for number in count(1) if number not in numbers)
    return [f"of the time stamps beside the set {gone} are missing, the first number {first}"]
