"""
The record as Markdown for a repository or a ticket.

Names and queries stand in code spans with a fence longer than any run of backticks in them,
other people's prose has its punctuation escaped: neither can open a tag, a link or a
formula, or end a table cell.
"""

import re
from collections.abc import Iterator

from evaluator.report.document import (
    Block,
    Command,
    Data,
    DifferenceBars,
    FirstScreen,
    Heading,
    Items,
    Paragraph,
    Report,
    ReportSection,
    Sentence,
    Table,
    row,
    say,
    visible,
)

# A colon opens an address, or the name of an emoji, which has a letter in it or is one of a few
# numbers. Times, underscores within a word and Success@5 are plain, and easier to read so.
_MEANS_SOMETHING = re.compile(
    r"([\\`*\[\]<>&$~#!]"
    r"|:(?=//|(?:[\w+-]*[^\W\d][\w+-]*|[+-]1|100|1234):)"
    r"|(?<![^\W_])_|_(?![^\W_])"
    r"|(?<!\w)@|@(?!\d+(?![\w-]|\.\w)))"
)


def render_markdown(report: Report) -> str:
    """Every section in order; charts are left out because their figures stand in tables."""
    lines = [f"# {_code(report.title.text)}", "", _inline(report.subtitle), ""]
    for stamp in report.stamps:
        lines += [f"> **{_inline(stamp.text)}** {_inline(stamp.because)}".rstrip(), ">"]
    if report.stamps:
        lines[-1] = ""
    lines += [f"**{_inline(report.claim)}**{_inline(report.evidence)}", ""]
    for sentence in report.beneath:
        lines += [_inline(sentence), ""]
    if report.first_screen:
        lines += [*_cells(report.first_screen), *_block(report.first_screen.measures)]
    lines += [*(f"- **{label}:** {_inline(text)}" for label, text in report.facts.items()), ""]
    for section in report.sections:
        lines += _section(section)
    lines += ["## Appendix", ""]
    for section in report.appendix:
        lines.append(f"- [{_inline(section.title)}](#{section.key})")
    lines.append("")
    for section in report.appendix:
        lines += [f'<a id="{section.key}"></a>', "", *_section(section, level="###")]
    return "\n".join(lines).rstrip() + "\n"


def _cells(screen: FirstScreen) -> Iterator[str]:
    """The four cells, a row for each outcome with the baseline."""
    if cells := screen.cells:
        baseline, treatment = screen.baseline, screen.treatment
        rows = (
            row(say("hit with ", baseline), f"{cells.both:,}", f"{cells.lost:,} lost"),
            row(say("missed with ", baseline), f"{cells.won:,} won", f"{cells.neither:,}"),
        )
        columns = say("hit with ", treatment), say("missed with ", treatment)
        name = f"{screen.cells_name}, {cells.n:,} queries"
        yield from _block(Table(row(name, *columns), rows, say(f"{screen.basis}.")))


def _section(section: ReportSection, *, level: str = "##") -> Iterator[str]:
    yield from (f"{level} {_inline(section.title)}", "")
    for block in section.blocks:
        yield from _block(block, level=f"{level}#")


def _block(block: Block, *, level: str = "###") -> Iterator[str]:
    match block:
        case Heading(text):
            yield from (f"{level} {_inline(text)}", "")
        case Paragraph(text):
            yield from (_inline(text), "")
        case Items(items):
            yield from (f"- {_inline(item)}" for item in items)
            yield ""
        case Table(columns, rows, caption, text_columns):
            yield _row(columns)
            rules = ["---" if at < text_columns else "---:" for at in range(len(columns))]
            yield "| " + " | ".join(rules) + " |"
            yield from (_row(cells) for cells in rows)
            yield ""
            if caption:
                yield from (_inline(caption), "")
        case DifferenceBars():
            return


def _row(cells: tuple[Sentence, ...]) -> str:
    # In a table cell a bar ends the cell even inside a code span, unless it is escaped.
    return "| " + " | ".join(_inline(cell).replace("|", r"\|") for cell in cells) + " |"


def _inline(sentence: Sentence) -> str:
    return "".join(_part(part) for part in sentence)


def _part(part: str | Data | Command) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, Data) and part.prose:
        return _MEANS_SOMETHING.sub(r"\\\1", visible(part.text))
    return _code(part.text)


def _code(text: str) -> str:
    shown = visible(text)
    fence = "`" * (max((len(run) for run in re.findall("`+", shown)), default=0) + 1)
    pad = " " if shown[0] in "` " or shown[-1] in "` " else ""
    return f"{fence}{pad}{shown}{pad}{fence}"
