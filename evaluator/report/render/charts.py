"""
Geometry of the two charts: where squares and lines go, in numbers.

Colours, words and markup are the page's business. A square is one query as long as that
can be seen; beyond that it stands for several, and the page says how many.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from evaluator.report.document import Interval
from evaluator.statistics.cells import PairedCells

SQUARE = 13
PITCH = 16
_MOST_SQUARES = 600


@dataclass(frozen=True, slots=True)
class Waffle:
    """Squares of the four cells, column by column, as one path for each kind."""

    width: int
    height: int
    queries_per_square: int
    paths: tuple[tuple[str, str], ...]


def waffle(cells: PairedCells) -> Waffle:
    """
    Every query as a square, in the order hit in both, won, lost, missed in both.

    With more than 600 queries a square stands for several; a cell that is not empty keeps
    at least one square, so that a rare loss cannot vanish.
    """
    per_square = math.ceil(cells.n / _MOST_SQUARES)
    counts = {"both": cells.both, "won": cells.won, "lost": cells.lost, "neither": cells.neither}
    squares = {
        kind: max(min(count, 1), round(count / per_square)) for kind, count in counts.items()
    }
    total = sum(squares.values())
    rows = max(min(5, math.ceil(total / 40)), round(math.sqrt(total / 8)))
    paths, position = [], 0
    for kind, number in squares.items():
        steps = [
            f"M{(at // rows) * PITCH} {(at % rows) * PITCH}h{SQUARE}v{SQUARE}h-{SQUARE}z"
            for at in range(position, position + number)
        ]
        position += number
        paths.append((kind, "".join(steps)))
    columns = math.ceil(position / rows)
    return Waffle(
        columns * PITCH - (PITCH - SQUARE),
        rows * PITCH - (PITCH - SQUARE),
        per_square,
        tuple(paths),
    )


@dataclass(frozen=True, slots=True)
class Line:
    """An interval on a shared axis from 0 to 1000; `zero` is where no difference lies."""

    low: float
    point: float
    high: float
    zero: float


def on_one_axis(intervals: Sequence[Interval]) -> list[Line]:
    """All intervals on one axis that always holds the zero."""
    low = min([0.0, *(row.low for row in intervals)])
    high = max([0.0, *(row.high for row in intervals)])
    width = (high - low) or 1.0
    low, width = low - 0.08 * width, 1.16 * width

    def at(value: float) -> float:
        return round(1000 * (value - low) / width, 1)

    return [Line(at(row.low), at(row.difference), at(row.high), at(0.0)) for row in intervals]
