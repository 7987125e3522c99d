"""
Lines of an interval chart: one difference, its interval, and the figures beside them.
"""

from collections.abc import Sequence

from evaluator.report.document import Interval, Sentence
from evaluator.text import figures as words


def interval_line(
    name: Sentence, difference: float | None, interval: Sequence[float] | None
) -> Interval | None:
    """One line, None where there is no interval to draw."""
    if difference is None or not interval:
        return None
    low, high = interval
    figures = f"{words.signed(difference)} ({words.interval((low, high))})"
    return Interval(name, difference, low, high, figures)
