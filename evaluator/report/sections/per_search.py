"""
The contrast per search instead of per query.

One weighted mean with one interval; the mean over the judged queries is the contrast itself.
"""

from collections.abc import Iterator

from evaluator.contrasts.model import CellFigures, Contrast
from evaluator.report.document import Block, Sentence, in_both, paragraph, prose, row
from evaluator.statistics.per_search import TrafficEstimate
from evaluator.text import figures as words


def traffic_blocks(contrast: Contrast) -> Iterator[Block]:
    """Both levels, the difference with its interval, and why one of them is missing."""
    traffic, measure = contrast.traffic, contrast.primary.measure
    if traffic is None:
        return
    if traffic.difference is None:
        reason = prose(traffic.reason or words.MISSING)
        yield paragraph("There is no estimate per search: ", reason, ".")
        return
    before, after = words.rate(traffic.baseline), words.rate(traffic.treatment)
    interval = words.named_interval(traffic.interval)
    interval += "" if traffic.interval else f", since {traffic.reason}"
    yield paragraph(
        f"Every search counts once: {measure} is ",
        *in_both(contrast.baseline, before, contrast.treatment, after),
        f", a difference of {words.signed(traffic.difference)} ({interval}). {_weight(traffic)}",
    )
    yield paragraph(
        "Queries are taken as drawn anew, so this speaks of this traffic and of the next log "
        "window alike, as long as people search as before."
    )
    if traffic.skipped:
        yield paragraph(
            f"Drawn queries that were skipped: {traffic.skipped:,}; the estimate is for the others."
        )


def per_search(group: CellFigures) -> tuple[Sentence, ...]:
    """Difference and interval of one group of queries per search."""
    traffic = group.traffic
    if traffic is None:
        return row(words.signed(None), words.interval(None))
    return row(words.signed(traffic.difference), words.interval(traffic.interval))


def _weight(traffic: TrafficEstimate) -> str:
    """How far the searches lie on few queries."""
    return (
        f"The {words.count(traffic.n)} queries weigh as much as "
        f"{words.count(traffic.effective_queries)} equal ones would; the heaviest has "
        f"{words.share(traffic.largest_share)} of the searches."
    )
