"""
The record in a terminal: the headline, the cells, the costs, and what else must be known.
"""

import textwrap
from collections.abc import Iterator

from evaluator.cells import Cells
from evaluator.report.document import (
    Command,
    Contrast,
    Fold,
    Heading,
    Items,
    Paragraph,
    Report,
    Section,
    Sentence,
    Table,
    visible,
)

_WIDTH = 88
_SECTIONS = ("contrasts", "measures", "flips", "traffic", "doubts", "closure", "labels")


def render_terminal(report: Report) -> str:
    """The first screen, then only the sections that change how it is read."""
    lines = [visible(report.title.text), *_wrapped(_plain(report.subtitle)), ""]
    for stamp in report.stamps:
        lines += _wrapped(f"[{_plain(stamp.text)}] {_plain(stamp.because)}".rstrip())
    if report.stamps:
        lines.append("")
    lines += _wrapped(_plain((*report.claim, *report.evidence)))
    for sentence in report.beside:
        lines += ["", *_wrapped(_plain(sentence))]
    if report.contrast:
        lines += ["", *_cells(report.contrast)]
    if report.costs and report.contrast:
        lines += ["", *_costs(report)]
    for section in report.sections:
        if section.key.split("-")[0] in _SECTIONS:
            lines += ["", *_section(section)]
    return "\n".join(lines).rstrip() + "\n"


def _cells(contrast: Contrast) -> Iterator[str]:
    cells: Cells | None = contrast.cells
    if cells is None:
        return
    yield (
        f"{contrast.cells_name}, {cells.n:,} queries: {cells.both:,} hit in both, "
        f"{cells.won:,} won, {cells.lost:,} lost, {cells.neither:,} missed in both"
    )
    yield contrast.p


def _costs(report: Report) -> Iterator[str]:
    assert report.contrast is not None
    header = (
        "what it costs",
        visible(report.contrast.baseline.text),
        visible(report.contrast.treatment.text),
    )
    rows: list[tuple[str, ...]] = [(*header, "change")]
    rows += [(cost.label, cost.baseline, cost.treatment, cost.change) for cost in report.costs]
    yield from _grid(rows, text_columns=1)


def _section(section: Section) -> Iterator[str]:
    """The section without what only a longer output has room for."""
    title, kind = _plain(section.title), section.key.split("-")[0]
    yield from (title, "-" * min(_WIDTH, len(title)))
    for block in section.blocks:
        match block:
            case Heading(text) | Paragraph(text):
                yield from _wrapped(_plain(text))
            case Items(items):
                for item in items:
                    yield from _wrapped(_plain(item), bullet="- ")
            case Fold(name, _):
                yield from _wrapped(f"{_plain(name)}: in report.md and report.html")
            case Table() if kind != "labels":
                yield from _table(block, only_broken=kind == "closure")
                if kind == "measures":
                    yield from _wrapped(_plain(block.caption))


def _table(table: Table, *, only_broken: bool) -> Iterator[str]:
    rows = [tuple(_plain(cell) for cell in row) for row in table.rows]
    if only_broken:
        rows = [row for row in rows if "BROKEN" in row]
    if rows:
        columns = tuple(_plain(column) for column in table.columns)
        yield from _grid([columns, *rows], text_columns=table.text_columns)
    if only_broken:
        yield _plain(table.caption)


def _grid(rows: list[tuple[str, ...]], *, text_columns: int) -> Iterator[str]:
    """Columns padded to the widest cell; long texts are cut, never wrapped."""
    widths = [min(40, max(len(cell) for cell in column)) for column in zip(*rows, strict=True)]
    if text_columns == len(widths):
        widths[-1] = max(len(row[-1]) for row in rows)
    for row in rows:
        cells = []
        for position, (cell, width) in enumerate(zip(row, widths, strict=True)):
            text = cell if len(cell) <= width else cell[: width - 3] + "..."
            cells.append(text.ljust(width) if position < text_columns else text.rjust(width))
        yield "  ".join(cells).rstrip()


def _wrapped(text: str, *, bullet: str = "") -> list[str]:
    return textwrap.wrap(
        text,
        _WIDTH,
        initial_indent=bullet,
        subsequent_indent=" " * len(bullet),
        break_long_words=False,
        break_on_hyphens=False,
    )


def _plain(sentence: Sentence) -> str:
    """The sentence as text, with names of arms and queries made visible and quoted by nothing."""
    return "".join(
        part
        if isinstance(part, str)
        else part.text
        if isinstance(part, Command)
        else visible(part.text)
        for part in sentence
    )
