"""
The record in a terminal: the headline, the cells, the costs, and what else must be known.
"""

import textwrap
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from evaluator.report.document import (
    Cost,
    FirstScreen,
    Fold,
    Heading,
    Items,
    Paragraph,
    Report,
    ReportSection,
    Table,
    plain,
    visible,
)

_WIDTH = 88
_CELL = 40
_SECTIONS = ("contrasts", "measures", "flips", "traffic", "doubts", "closure", "labels")


def render_terminal(report: Report, *, longer: str) -> str:
    """The first screen, then only the sections that change how it is read."""
    lines = [visible(report.title.text), *_wrapped(plain(report.subtitle)), ""]
    for stamp in report.stamps:
        lines += _wrapped(f"[{plain(stamp.text)}] {plain(stamp.because)}".rstrip())
    if report.stamps:
        lines.append("")
    lines += _wrapped(plain((*report.claim, *report.evidence)))
    for sentence in report.beside:
        lines += ["", *_wrapped(plain(sentence))]
    if screen := report.first_screen:
        lines += ["", *_first_screen(screen, report.costs)]
    for section in report.sections:
        if section.key.split("-")[0] in _SECTIONS:
            lines += ["", *_section(section, longer)]
    return "\n".join(lines).rstrip() + "\n"


def _first_screen(screen: FirstScreen, costs: Sequence[Cost]) -> Iterator[str]:
    if cells := screen.cells:
        yield (
            f"{screen.cells_name}, {cells.n:,} queries: {cells.both:,} hit in both, "
            f"{cells.won:,} won, {cells.lost:,} lost, {cells.neither:,} missed in both"
        )
        yield screen.p
    if costs:
        arms = visible(screen.baseline.text), visible(screen.treatment.text)
        rows = [("what it costs", *arms, "change")]
        rows += [(cost.label, cost.baseline, cost.treatment, cost.change) for cost in costs]
        yield from ("", *_grid(rows, text_columns=1))


def _section(section: ReportSection, longer: str) -> Iterator[str]:
    """The section without what only a longer output has room for, and where that is."""
    title, kind = plain(section.title), section.key.split("-")[0]
    yield from (title, "-" * min(_WIDTH, len(title)))
    for block in section.blocks:
        match block:
            case Heading(text) | Paragraph(text):
                yield from _wrapped(plain(text))
            case Items(items):
                for item in items:
                    yield from _wrapped(plain(item), bullet="- ")
            case Fold(name, _):
                yield from _wrapped(f"{plain(name)}: in {longer}")
            case Table() if kind != "labels":
                rows = [tuple(plain(cell) for cell in row) for row in block.rows]
                if kind == "closure":
                    rows = [row for row in rows if "BROKEN" in row]
                if rows:
                    columns = tuple(plain(column) for column in block.columns)
                    yield from _grid([columns, *rows], text_columns=block.text_columns)
                if kind in ("closure", "measures"):
                    yield from _wrapped(plain(block.caption))


def _grid(rows: Sequence[tuple[str, ...]], *, text_columns: int) -> Iterator[str]:
    """Columns padded to the widest line; long texts are wrapped, never cut."""
    last = len(rows[0]) - 1 if text_columns == len(rows[0]) else None  # nothing stands after it
    wrapped = [
        [
            [cell] if at == last else _wrapped(cell, width=_CELL) or [""]
            for at, cell in enumerate(row)
        ]
        for row in rows
    ]
    widths = [
        max(len(line) for cell in column for line in cell) for column in zip(*wrapped, strict=True)
    ]
    for row in wrapped:
        for lines in zip_longest(*row, fillvalue=""):
            cells = [
                line.ljust(width) if at < text_columns else line.rjust(width)
                for at, (line, width) in enumerate(zip(lines, widths, strict=True))
            ]
            yield "  ".join(cells).rstrip()


def _wrapped(text: str, *, bullet: str = "", width: int = _WIDTH) -> list[str]:
    return textwrap.wrap(
        text,
        width,
        initial_indent=bullet,
        subsequent_indent=" " * len(bullet),
        break_long_words=False,
        break_on_hyphens=False,
    )
