"""
What a report is made of: sentences, tables and charts without any markup.

Text that came from a corpus, a log or an experiment file is wrapped in `Data` wherever it
stands in a sentence of ours, so that each renderer can keep the two apart: data is escaped,
isolated and made visible, and can never become markup.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from evaluator.console import printable
from evaluator.statistics.cells import PairedCells
from evaluator.text.figures import interval as bounds
from evaluator.text.figures import signed

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
class Table:
    """
    Rows under columns. All columns after the first `text_columns` hold figures.

    A `wide` table turns each row into a small list where the page is narrow.
    """

    columns: tuple[Sentence, ...]
    rows: tuple[tuple[Sentence, ...], ...]
    caption: Sentence = ()
    text_columns: int = 1
    wide: bool = False


@dataclass(frozen=True, slots=True)
class Interval:
    """One difference with its interval, to be drawn."""

    name: Sentence
    difference: float
    low: float
    high: float
    figures: str


def interval_line(
    name: Sentence, difference: float | None, interval: Sequence[float] | None
) -> Interval | None:
    """One line with its figures, None where there is no interval to draw."""
    if difference is None or not interval:
        return None
    low, high = interval
    return Interval(name, difference, low, high, f"{signed(difference)} ({bounds((low, high))})")


@dataclass(frozen=True, slots=True)
class IntervalChart:
    rows: tuple[Interval, ...]
    caption: Sentence


def interval_chart(
    rows: Iterable[tuple[Sentence, float | None, Sequence[float] | None]], caption: str
) -> IntervalChart:
    """A line for each name, difference and interval, where there is an interval."""
    lines = (interval_line(*each) for each in rows)
    return IntervalChart(tuple(line for line in lines if line), (caption,))


def in_both(first: str, of_first: str, second: str, of_second: str) -> Sentence:
    """A figure with each arm by its name, such as "0.790 with headed and 0.620 with plain"."""
    return say(f"{of_first} with ", Data(first), f" and {of_second} with ", Data(second))


@dataclass(frozen=True, slots=True)
class Fold:
    """Blocks that a page shows on request; other outputs show them under the title."""

    title: Sentence
    blocks: "tuple[Block, ...]"


Block = Heading | Paragraph | Items | Table | IntervalChart | Fold


@dataclass(frozen=True, slots=True)
class ReportSection:
    key: str
    title: Sentence
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Cost:
    """One price of the treatment beside the same figure of the baseline."""

    label: str
    baseline: str
    treatment: str
    change: str


@dataclass(frozen=True, slots=True)
class FirstScreen:
    """The first screen: two arms, one measure, and how the queries fell."""

    baseline: Data
    treatment: Data
    measure: str
    level_baseline: float | None
    level_treatment: float | None
    difference: float | None
    relative: str
    interval: Interval | None
    p: str
    cells: PairedCells | None
    cells_name: str


@dataclass(frozen=True, slots=True)
class Report:
    """
    Everything that any output shows.

    `claim` and `evidence` are one sentence, which a page may set in two weights.
    """

    title: Data
    subtitle: Sentence
    stamps: tuple[Stamp, ...]
    claim: Sentence
    evidence: Sentence
    beside: tuple[Sentence, ...]
    first_screen: FirstScreen | None
    costs: tuple[Cost, ...]
    sections: tuple[ReportSection, ...]
