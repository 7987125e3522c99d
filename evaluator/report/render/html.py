"""
The record as one self-contained page: no network, no script, charts drawn inline.

The template escapes by default and a policy in the page forbids every request. Data is
isolated from the direction of the text around it; figures of ours get proper signs. Of the
charts only where squares, lines and bars go is computed here.
"""

import math
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from jinja2 import Environment, StrictUndefined, Template
from markupsafe import Markup, escape

from evaluator.report.document import (
    Command,
    Report,
    Sentence,
    plain,
    visible,
)
from evaluator.report.render.axis import axis_of, axis_over
from evaluator.statistics.cells import PairedCells
from evaluator.text.figures import interval, rate, signed

SQUARE = 13
PITCH = 16
_MOST_SQUARES = 600
_MINUS = "\N{MINUS SIGN}"
_TIMES = "\N{NO-BREAK SPACE}\N{MULTIPLICATION SIGN}\N{NO-BREAK SPACE}"


def render_html(report: Report, *, whole: bool = True) -> str:
    """The page, ready to be written as UTF-8; if it is not `whole`, its first screen alone."""
    return _template().render(report=report, whole=whole)


@cache
def _template() -> Template:
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters.update(
        words=_words,
        plain=plain,
        typeset=_typeset,
        rate=rate,
        signed=signed,
        interval=interval,
        kind=lambda block: type(block).__name__,
    )
    environment.globals.update(waffle=waffle, axis_of=axis_of, axis_over=axis_over)
    source = (
        files("evaluator.report.render").joinpath("page.html.jinja").read_text(encoding="utf-8")
    )
    return environment.from_string(source)


def _words(sentence: Sentence) -> Markup:
    """A sentence as markup: our words typeset, data escaped and isolated."""
    return Markup().join(
        _typeset(part)
        if isinstance(part, str)
        else Markup("<code>{}</code>").format(part.text)
        if isinstance(part, Command)
        else Markup('<bdi class="{}">{}</bdi>').format(
            "prose" if part.prose else "data", visible(part.text)
        )
        for part in sentence
    )


def _typeset(text: str) -> Markup:
    """Our own words with minus signs, powers of ten and unbroken units."""
    found = str(escape(text))
    found = re.sub(r"(?<![\w.-])-(?=\d)", _MINUS, found)
    found = re.sub(r"(\d\.\d)e-(\d+)", rf"\1{_TIMES}10<sup>{_MINUS}\2</sup>", found)
    found = re.sub(r"^x (?=\d)", _TIMES.lstrip(), found)
    found = re.sub(r"(?<=\d) (?=(%|s|min|h|ms|kB|MB|GB)\b|%)", "\N{NO-BREAK SPACE}", found)
    return Markup(re.sub(r"\b([kp]) = (?=\d)", "\\1\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}", found))


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
    gap, columns = PITCH - SQUARE, math.ceil(position / rows)
    return Waffle(columns * PITCH - gap, rows * PITCH - gap, per_square, tuple(paths))
