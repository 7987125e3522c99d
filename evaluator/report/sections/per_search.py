"""
The contrast per search instead of per query, for this log window.

The mean over the judged queries stands beside it under its own name, and where the two
disagree the first screen says so.
"""

from collections.abc import Iterator

from evaluator.record.facts import Record, primary_of
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
from evaluator.text import figures as words

_MEANING = (
    "This log window: the searches of the log that was sampled, whichever of its queries the draw "
    "had picked. The mean over the judged queries counts each once, which names no population."
)


def traffic_blocks(contrast: Record) -> Iterator[Block]:
    """Both readings, what they mean, and why one of them is missing."""
    traffic = contrast.get("traffic") or {}
    if not any(traffic.get(key) for key in ("this_log_window", "judged_queries")):
        return
    measure, _ = primary_of(contrast)
    if traffic.get("difference") is None:
        yield Paragraph(_no_estimate(traffic))
        return
    yield paragraph(
        f"Every search counts once: {measure} is {words.rate(traffic.get('baseline'))} with ",
        Data(contrast["baseline"]),
        f" and {words.rate(traffic.get('treatment'))} with ",
        Data(contrast["treatment"]),
        f". {_weight(traffic)}",
    )
    yield from (Paragraph(sentence) for sentence in disagreement(contrast))
    yield from _readings(traffic, measure)
    yield paragraph(_MEANING)
    reasons = [(name, found["reason"]) for name, found in _rows(traffic) if found.get("reason")]
    said = [say(f"{name}: ", prose(reason), ".") for name, reason in reasons]
    said += [say(str(note)) for note in traffic.get("notes") or ()]
    if said:
        yield Items(tuple(said))


def disagreement(contrast: Record | None) -> Iterator[Sentence]:
    """A sentence where the readings differ in sign or verdict."""
    text = ((contrast or {}).get("traffic") or {}).get("disagreement")
    if text:
        yield say(str(text))


def per_search(group: Record) -> tuple[Sentence, ...]:
    """Difference and interval of one group of queries for this log window."""
    traffic = group.get("traffic") or {}
    interval = (traffic.get("this_log_window") or {}).get("interval")
    return row(words.signed(traffic.get("difference")), words.interval(interval))


def _no_estimate(traffic: Record) -> Sentence:
    judged = traffic.get("judged_queries") or {}
    return say(
        "There is no estimate per search: ",
        prose(traffic.get("reason") or words.MISSING),
        f". The mean over the judged queries, {words.signed(judged.get('difference'))}, names no "
        "population.",
    )


def _weight(traffic: Record) -> str:
    """How far the searches lie on few queries."""
    parts = [
        f"The {words.count(traffic.get('n'))} queries weigh as much as "
        f"{words.count(traffic.get('effective_queries'))} equal ones would",
        f"the heaviest has {words.share(traffic.get('largest_share'))} of the searches",
    ]
    if traffic.get("certain"):
        parts.append(
            f"the {traffic['certain']:,} that every draw holds have "
            f"{words.share(traffic.get('certain_share'))}"
        )
    return "; ".join(parts) + "."


def _rows(traffic: Record) -> list[tuple[str, Record]]:
    """The readings by name; short names, since a terminal cuts long ones."""
    return [
        ("this log window", traffic.get("this_log_window") or {}),
        ("judged queries, no population", traffic.get("judged_queries") or {}),
    ]


def _readings(traffic: Record, measure: str) -> Iterator[Block]:
    yield Table(
        row("reading", "difference", "95% interval", "verdict"),
        tuple(
            row(
                name,
                words.signed(found.get("difference")),
                words.interval(found.get("interval")),
                str(found.get("verdict") or "none"),
            )
            for name, found in _rows(traffic)
        ),
        wide=True,
    )
    lines = [
        interval_line(say(name), found.get("difference"), found.get("interval"))
        for name, found in _rows(traffic)
    ]
    yield IntervalChart(
        tuple(line for line in lines if line),
        say(f"Difference in {measure} with its 95% interval, by reading"),
    )
