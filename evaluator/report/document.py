"""
What a report is made of: sentences, tables and charts without any markup.

Text that came from a corpus, a log or an experiment file is wrapped in `Data` wherever it
stands in a sentence of ours, so that each renderer can keep the two apart: data is escaped,
isolated and made visible, and can never become markup.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from evaluator.console import printable
from evaluator.statistics.cells import PairedCells

Tone = Literal["bad", "warn", "note"]


@dataclass(frozen=True, slots=True)
class Data:
    """
    A text that is not ours, to be shown as it is.

    Prose is a sentence that some tool or person wrote about the run, as against a name, a
    query or a digest; it is set like the text around it and escaped all the same.
    """

    text: str
    prose: bool = False


def prose(text: object) -> Data:
    """Words of somebody else, in the run of a sentence."""
    return Data(str(text), prose=True)


@dataclass(frozen=True, slots=True)
class Command:
    """A line to type, with the data in it already quoted for a shell."""

    text: str


Sentence = tuple[str | Data | Command, ...]


def visible(text: str) -> str:
    """
    A text from outside on one line, with everything in it that could drive a display.

    Control characters and direction overrides are spelled out, so that an escape sequence
    cannot reach a terminal and nothing can reorder the rest of the line.
    """
    return printable(text).replace("\n", "\\n").replace("\t", "\\t") or "(empty)"


def plain(sentence: Sentence) -> str:
    """The sentence as text alone, with what is not ours made visible and quoted by nothing."""
    return "".join(part if isinstance(part, str) else visible(part.text) for part in sentence)


def say(*parts: str | Data | Command) -> Sentence:
    """A sentence from words of ours and data."""
    return parts


def row(*cells: str | Data | Command | Sentence) -> tuple[Sentence, ...]:
    """Sentences beside each other; a text or a name is one by itself."""
    return tuple(cell if isinstance(cell, tuple) else (cell,) for cell in cells)


@dataclass(frozen=True, slots=True)
class Stamp:
    """A verdict in capitals that stands at the top of every output."""

    text: Sentence
    tone: Tone
    because: Sentence = ()


@dataclass(frozen=True, slots=True)
class Heading:
    text: Sentence


@dataclass(frozen=True, slots=True)
class Paragraph:
    text: Sentence


def paragraph(*parts: str | Data | Command) -> Paragraph:
    """One sentence, or a few, as a paragraph."""
    return Paragraph(parts)


@dataclass(frozen=True, slots=True)
class Items:
    items: tuple[Sentence, ...]


@dataclass(frozen=True, slots=True)
class Interval:
    """One difference with its interval, to be drawn."""

    difference: float
    low: float
    high: float


def drawn_interval(difference: float, ends: Sequence[float] | None) -> Interval | None:
    """The interval to be drawn, where there is one."""
    return Interval(difference, *ends) if ends else None


@dataclass(frozen=True, slots=True)
class Table:
    """
    Rows under columns. All columns after the first `text_columns` hold figures.

    A `wide` table turns each row into a small list where the page is narrow. Where there are
    `intervals`, one for each row or None, a page draws them beside the rows on one axis; the
    figures themselves stand in the rows.
    """

    columns: tuple[Sentence, ...]
    rows: tuple[tuple[Sentence, ...], ...]
    caption: Sentence = ()
    text_columns: int = 1
    wide: bool = False
    intervals: tuple[Interval | None, ...] = ()


@dataclass(frozen=True, slots=True)
class DifferenceBars:
    """
    The differences of the queries that changed in one measure, each to be drawn as a bar.

    Only a page draws them; the table beside them has their number and their extremes.
    """

    measure: str
    differences: tuple[float, ...]


def in_both(first: str, of_first: str, second: str, of_second: str) -> Sentence:
    """A figure with each arm by its name, such as "0.790 with headed and 0.620 with plain"."""
    return say(f"{of_first} with ", Data(first), f" and {of_second} with ", Data(second))


Block = Heading | Paragraph | Items | Table | DifferenceBars


@dataclass(frozen=True, slots=True)
class ReportSection:
    key: str
    title: Sentence
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class FirstScreen:
    """The figures of the first screen: two arms, how the queries fell, and every measure."""

    baseline: Data
    treatment: Data
    measure: str
    level_baseline: float | None
    level_treatment: float | None
    difference: float | None
    relative: str
    interval: Interval | None
    basis: str
    cells: PairedCells | None
    cells_name: str
    measures: Table


@dataclass(frozen=True, slots=True)
class Report:
    """
    Everything that any output shows.

    `claim` and `evidence` are one sentence, which a page may set in two weights; `beneath` are
    the sentences under it, `facts` the lines of the first screen by their label. `sections` are
    for everybody who decides, the `appendix` is for whoever checks.
    """

    title: Data
    subtitle: Sentence
    stamps: tuple[Stamp, ...]
    claim: Sentence
    evidence: Sentence
    beneath: tuple[Sentence, ...]
    first_screen: FirstScreen | None
    facts: Mapping[str, Sentence]
    sections: tuple[ReportSection, ...]
    appendix: tuple[ReportSection, ...]
