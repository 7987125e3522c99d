"""
The record in a terminal: the first screen, and on request everything else.
"""

import textwrap
from collections.abc import Iterator
from itertools import zip_longest

from evaluator.report.document import (
    DifferenceBars,
    FirstScreen,
    Heading,
    Interval,
    Items,
    Paragraph,
    Report,
    ReportSection,
    Table,
    plain,
    visible,
)
from evaluator.report.render.axis import axis_of

_WIDTH = 100
_CELL = 40
_LEAST_CELL = 12


def render_terminal(report: Report, *, rest: str | None = None) -> str:
    """The first screen and where the rest is, or all of it where that is nowhere else."""
    lines = [visible(report.title.text), *_wrapped(plain(report.subtitle)), ""]
    for stamp in report.stamps:
        lines += _wrapped(f"[{plain(stamp.text)}] {plain(stamp.because)}".rstrip())
    if report.stamps:
        lines.append("")
    lines += _wrapped(plain((*report.claim, *report.evidence)))
    for sentence in report.beneath:
        lines += _wrapped(plain(sentence))
    if screen := report.first_screen:
        lines += ["", *_first_screen(screen)]
    lines.append("")
    for label, text in report.facts.items():
        lines += _wrapped(f"{label}: {plain(text)}", indent="  ")
    if rest is not None:
        titles = ", ".join(plain(section.title) for section in report.sections)
        listed = f"{titles} and the appendix" if titles else "The rest"
        return "\n".join([*lines, "", *_wrapped(f"{listed}: {rest}.")]) + "\n"
    for section in report.sections:
        lines += ["", *_section(section)]
    lines += ["", "APPENDIX"]
    for section in report.appendix:
        lines += ["", *_section(section)]
    return "\n".join(lines).rstrip() + "\n"


def _first_screen(screen: FirstScreen) -> Iterator[str]:
    if cells := screen.cells:
        yield (
            f"{screen.cells_name}, {cells.n:,} queries: {cells.both:,} hit in both, "
            f"{cells.won:,} won, {cells.lost:,} lost, {cells.neither:,} missed in both"
        )
        yield screen.basis
    if screen.interval:
        yield from ("", *_drawn(screen.interval))
    yield from ("", *_table(screen.measures))


def _drawn(interval: Interval, width: int = 72) -> Iterator[str]:
    """The interval over an axis with figures: brackets are its ends, the star the difference."""
    axis = axis_of([interval])

    def at(value: float) -> int:
        return round(axis.at(value) * (width - 1))

    line = [" "] * width
    low, high = at(interval.low), at(interval.high)
    line[low : high + 1] = "-" * (high + 1 - low)
    line[low], line[high], line[at(interval.difference)] = "[", "]", "*"
    rule, figures = ["-"] * width, [" "] * (width + 8)
    for tick in axis.ticks:
        rule[at(tick)] = "+"
        text = axis.text(tick)
        start = max(0, at(tick) - len(text) // 2)
        figures[start : start + len(text)] = text
    yield from ("".join(part).rstrip() for part in (line, rule, figures))


def _section(section: ReportSection) -> Iterator[str]:
    title = plain(section.title)
    yield from (title, "-" * min(_WIDTH, len(title)))
    for block in section.blocks:
        match block:
            case Heading(text) | Paragraph(text):
                yield from _wrapped(plain(text))
            case Items(items):
                for item in items:
                    yield from _wrapped(f"- {plain(item)}", indent="  ")
            case Table():
                yield from _table(block)
            case DifferenceBars():
                continue


def _table(table: Table) -> Iterator[str]:
    """Columns padded to the widest line; long texts are wrapped, never cut."""
    rows = [tuple(map(plain, row)) for row in (table.columns, *table.rows)]
    for cell in range(_CELL, _LEAST_CELL - 1, -4):
        wrapped = [[_wrapped(text, width=cell) or [""] for text in row] for row in rows]
        widths = [
            max(len(line) for lines in column for line in lines)
            for column in zip(*wrapped, strict=True)
        ]
        if sum(widths) + 2 * len(widths) - 2 <= _WIDTH:
            break
    for row in wrapped:
        for parts in zip_longest(*row, fillvalue=""):
            cells = [
                part.ljust(width) if at < table.text_columns else part.rjust(width)
                for at, (part, width) in enumerate(zip(parts, widths, strict=True))
            ]
            yield "  ".join(cells).rstrip()
    yield from _wrapped(plain(table.caption))


def _wrapped(text: str, *, indent: str = "", width: int = _WIDTH) -> list[str]:
    return textwrap.wrap(
        text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
