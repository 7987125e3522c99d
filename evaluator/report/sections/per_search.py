"""
The contrast per search instead of per query, for this log window.

The mean over the judged queries stands beside it under its own name, and where the two
disagree the first screen says so.
"""

from collections.abc import Iterator

from evaluator.record.model_contrast import CellFigures, Contrast
from evaluator.report.document import (
    Block,
    Items,
    Paragraph,
    Sentence,
    Table,
    in_both,
    interval_chart,
    paragraph,
    prose,
    row,
    say,
)
from evaluator.statistics.per_search import TrafficEstimate
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
        yield paragraph(
            "There is no estimate per search: ",
            prose(traffic.reason or words.MISSING),
            ". The mean over the judged queries, "
            f"{words.signed(traffic.judged_queries.difference)}, names no population.",
        )
        return
    before, after = words.rate(traffic.baseline), words.rate(traffic.treatment)
    yield paragraph(
        f"Every search counts once: {measure} is ",
        *in_both(contrast.baseline, before, contrast.treatment, after),
        f". {_weight(traffic)}",
    )
    yield from (Paragraph(sentence) for sentence in disagreement(contrast))
    readings = (  # under short names, since a terminal cuts long ones
        ("this log window", traffic.this_log_window),
        ("judged queries, no population", traffic.judged_queries),
    )
    yield Table(
        row("reading", "difference", "95% interval", "verdict"),
        tuple(
            row(
                name,
                words.signed(found.difference),
                words.interval(found.interval),
                found.verdict or "none",
            )
            for name, found in readings
        ),
        wide=True,
    )
    yield interval_chart(
        ((say(name), found.difference, found.interval) for name, found in readings),
        f"Difference in {measure} with its 95% interval, by reading",
    )
    yield paragraph(_MEANING)
    said = [say(f"{name}: ", prose(one.reason), ".") for name, one in readings if one.reason]
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
