"""
One axis for several intervals or differences, with round figures on it and always the zero.

Where things lie is computed here, for a terminal and a page alike; neither is drawn here.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evaluator.report.document import Interval

_STEPS = (1, 2, 5, 10)
_MOST_TICKS = 6


@dataclass(frozen=True, slots=True)
class Axis:
    """From `low` to `high`, with round values in between that are worth a figure."""

    low: float
    high: float
    step: float
    ticks: tuple[float, ...]

    def at(self, value: float) -> float:
        """Where the value lies, from 0 at the left end to 1 at the right."""
        return (value - self.low) / (self.high - self.low)

    def text(self, tick: float) -> str:
        """The figure of a tick: a sign, and as many decimals as tell it from the next."""
        decimals = max(1, -math.floor(math.log10(self.step) + 1e-9))
        return f"{tick:+.{decimals}f}" if tick else "0"


def axis_of(intervals: Iterable[Interval]) -> Axis:
    """The axis on which all these intervals lie."""
    drawn = list(intervals)
    return axis_over([end for one in drawn for end in (one.low, one.difference, one.high)])


def axis_over(values: Sequence[float]) -> Axis:
    """The axis on which all these values and 0 lie, with some room at either end."""
    low, high = min(0.0, *values), max(0.0, *values)
    width = high - low or 1.0
    low, high = low - 0.08 * width, high + 0.08 * width
    rough = (high - low) / _MOST_TICKS
    power = 10.0 ** math.floor(math.log10(rough))
    step = power * next(each for each in _STEPS if power * each >= rough * (1 - 1e-9))
    first, last = math.ceil(low / step), math.floor(high / step)
    return Axis(low, high, step, tuple(number * step for number in range(first, last + 1)))
