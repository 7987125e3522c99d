"""
Three ways to read one set of paired differences, and what to say when they disagree.

This log window, such queries in general, the judged queries as they are. It knows figures
and words; where the figures come from is no matter here.
"""

from dataclasses import asdict, dataclass
from typing import Literal

from evaluator.statistics.weighted import Spread
from evaluator.text.figures import signed

Verdict = Literal["above 0", "below 0", "includes 0"]

_ZERO = 1e-12


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read the differences; without an interval, `reason` says why."""

    difference: float | None
    standard_error: float | None
    interval: tuple[float, float] | None
    method: str
    reason: str | None = None

    @property
    def verdict(self) -> Verdict | None:
        """Where the interval lies."""
        if self.interval is None:
            return None
        lower, upper = self.interval
        return "above 0" if lower > _ZERO else "below 0" if upper < -_ZERO else "includes 0"

    def as_record(self) -> dict[str, object]:
        """Plain values for `record.json`."""
        interval = None if self.interval is None else list(self.interval)
        return asdict(self) | {"interval": interval, "verdict": self.verdict}


def reading_of(difference: float, spread: Spread, method: str) -> Reading:
    """A reading from what is open about it."""
    interval = float(spread.lower), float(spread.upper)
    return Reading(difference, float(spread.standard_error), interval, method)


def disagreement(window: Reading, general: Reading, judged: Reading) -> str | None:
    """One sentence or two when the readings differ in sign or verdict, None when they agree."""
    named = (
        ("traffic of this log window", window),
        ("such queries in general", general),
        ("judged queries", judged),
    )
    said = [(name, reading) for name, reading in named if reading.verdict is not None]
    signs = {_sign(reading.difference) for _, reading in named} - {0}
    verdicts = {reading.verdict for _, reading in said}
    in_what = " and ".join(
        what for what, found in (("sign", signs), ("verdict", verdicts)) if len(found) > 1
    )
    if not in_what:
        return None
    figures = "; ".join(
        f"{name} {signed(reading.difference)}"
        + (f" ({reading.verdict})" if reading.verdict else "")
        for name, reading in named
    )
    return f"The readings disagree in {in_what}: {figures}.{_meaning(window, general, judged)}"


def _meaning(window: Reading, general: Reading, judged: Reading) -> str:
    """What follows from the disagreement, as far as it follows from the figures alone."""
    text = ""
    if _sign(window.difference) * _sign(judged.difference) < 0:
        text += " Queries that are asked often moved the other way than the rest."
    if "includes 0" not in (window.verdict, None) and general.verdict == "includes 0":
        text += (
            " In this window the difference is more than the luck of the draw; that other "
            "queries asked as often would show it is not established."
        )
    if None not in (window.verdict, judged.verdict) and window.verdict != judged.verdict:
        text += " The mean over the judged queries names no population: quote the traffic."
    return text


def _sign(difference: float | None) -> int:
    if difference is None or abs(difference) <= _ZERO:
        return 0
    return 1 if difference > 0 else -1
