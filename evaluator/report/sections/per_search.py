"""
The contrast per search instead of per query, for this log window.

The mean over the judged queries stands beside it under its own name, and where the two
disagree the first screen says so.
"""

from collections.abc import Iterator

from evaluator.record.model_contrast import CellFigures, Contrast
from evaluator.report.document import (
    Block,
    Data,
    IntervalChart,
    Items,
    Paragraph,
    Sentence,
    Table,
    interval_line,
    paragraph,
    prose,
    row,
    say,
)
from evaluator.statistics.per_search import IntervalEstimate, TrafficEstimate
from evaluator.text import figures as words

_MEANING = (
    "This log window: the searches of the log that was sampled, whichever of its queries the draw "
    "had picked. The mean over the judged queries counts each once, which names no population."
)


def traffic_blocks(contrast: Contrast) -> Iterator[Block]:
    """Both readings, what they mean, and why one of them is missing."""
    traffic, measure = contrast.traffic, contrast.primary.measure
    if traffic is None:
        return
    if traffic.difference is None:
        yield Paragraph(_no_estimate(traffic))
        return
    yield paragraph(
        f"Every search counts once: {measure} is {words.rate(traffic.baseline)} with ",
        Data(contrast.baseline),
        f" and {words.rate(traffic.treatment)} with ",
        Data(contrast.treatment),
        f". {_weight(traffic)}",
    )
    yield from (Paragraph(sentence) for sentence in disagreement(contrast))
    yield from _readings(traffic, measure)
    yield paragraph(_MEANING)
    reasons = [(name, found.reason) for name, found in _rows(traffic) if found.reason]
    said = [say(f"{name}: ", prose(reason), ".") for name, reason in reasons]
    said += [say(note) for note in traffic.notes]
    if said:
        yield Items(tuple(said))


def disagreement(contrast: Contrast) -> Iterator[Sentence]:
    """A sentence where the readings differ in sign or verdict."""
    if contrast.traffic and contrast.traffic.disagreement:
        yield say(contrast.traffic.disagreement)


def per_search(group: CellFigures) -> tuple[Sentence, ...]:
    """Difference and interval of one group of queries for this log window."""
    traffic = group.traffic
    if traffic is None:
        return row(words.signed(None), words.interval(None))
    return row(words.signed(traffic.difference), words.interval(traffic.this_log_window.interval))


def _no_estimate(traffic: TrafficEstimate) -> Sentence:
    return say(
        "There is no estimate per search: ",
        prose(traffic.reason or words.MISSING),
        ". The mean over the judged queries, "
        f"{words.signed(traffic.judged_queries.difference)}, names no population.",
    )


def _weight(traffic: TrafficEstimate) -> str:
    """How far the searches lie on few queries."""
    parts = [
        f"The {words.count(traffic.n)} queries weigh as much as "
        f"{words.count(traffic.effective_queries)} equal ones would",
        f"the heaviest has {words.share(traffic.largest_share)} of the searches",
    ]
    if traffic.certain:
        parts.append(
            f"the {traffic.certain:,} that every draw holds have "
            f"{words.share(traffic.certain_share)}"
        )
    return "; ".join(parts) + "."


def _rows(traffic: TrafficEstimate) -> list[tuple[str, IntervalEstimate]]:
    """The readings by name; short names, since a terminal cuts long ones."""
    return [
        ("this log window", traffic.this_log_window),
        ("judged queries, no population", traffic.judged_queries),
    ]


def _readings(traffic: TrafficEstimate, measure: str) -> Iterator[Block]:
    yield Table(
        row("reading", "difference", "95% interval", "verdict"),
        tuple(
            row(
                name,
                words.signed(found.difference),
                words.interval(found.interval),
                found.verdict or "none",
            )
            for name, found in _rows(traffic)
        ),
        wide=True,
    )
    lines = [
        interval_line(say(name), found.difference, found.interval) for name, found in _rows(traffic)
    ]
    yield IntervalChart(
        tuple(line for line in lines if line),
        say(f"Difference in {measure} with its 95% interval, by reading"),
    )
