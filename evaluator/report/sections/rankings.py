"""
The contrast by both ways of searching: exact, and by the graph.

What approximate search loses need not be the same in both arms, so a verdict that the other
ranking does not share is stamped on the first screen. All of it counts every query once.
"""

from collections.abc import Iterator

from evaluator.contrasts.model import Contrast, MeasureFigures, OtherRanking, Primary
from evaluator.record.facts import arm_by_name, cells_at, primary_figures
from evaluator.record.model import Record
from evaluator.report.document import Block, Data, Sentence, Stamp, Table, paragraph, row, say
from evaluator.report.sections.headline import speaks_of_searches
from evaluator.text import figures as words


def ranking_blocks(record: Record, contrast: Contrast) -> Iterator[Block]:
    """The primary measure once more by the other ranking."""
    other, k, protocol = contrast.other_ranking, contrast.primary.k, record.experiment.protocol
    if other is None or protocol is None:
        return
    weighs = speaks_of_searches(record, contrast)
    weighed = ", though the headline weighs them by their searches" * weighs
    columns = ("ranking", "baseline", "treatment", "difference", "95% interval", "p")
    yield Table(
        row(*columns, f"won at {k}", f"lost at {k}"),
        (
            _row(f"{protocol.ranking} (primary)", contrast, contrast.primary),
            _row(other.ranking, other, contrast.primary),
        ),
        say(
            f"{contrast.primary.measure}, every query counted once{weighed}. What approximate "
            "search loses need not be the same in both arms."
        ),
        wide=True,
    )
    for name in (contrast.baseline, contrast.treatment):
        rankings = arm_by_name(record, name).rankings
        if rankings is not None:
            changed = f": {rankings.hits_that_differ:,} of {record.headline.n_gold:,} queries"
            text = f"{changed} change between hit and miss."
            yield paragraph("From one ranking to the other, ", Data(name), text)


def ranking_stamps(record: Record, contrast: Contrast) -> Iterator[Stamp]:
    """The error of approximate search does not cancel between arms, so every verdict counts."""
    other = contrast.other_ranking
    if other is None:
        return
    found, again = primary_figures(contrast), other.measures[contrast.primary.measure]
    if _verdict(found) == _verdict(again):
        return
    unweighted = ", queries unweighted" * speaks_of_searches(record, contrast)
    yield Stamp(
        say("THE OTHER RANKING SAYS OTHERWISE"),
        "warn",
        say(
            f"By {other.ranking} the difference is {words.signed(again.difference)}, "
            f"p {words.equals(words.p_value(again.p))}{unweighted}."
        ),
    )


def _row(name: str, found: Contrast | OtherRanking, primary: Primary) -> tuple[Sentence, ...]:
    values, cells = found.measures[primary.measure], cells_at(found, primary.k)
    return row(
        name,
        words.rate(values.baseline),
        words.rate(values.treatment),
        words.signed(values.difference),
        words.interval(values.interval),
        words.p_value(values.p),
        words.count(cells.won if cells else None),
        words.count(cells.lost if cells else None),
    )


def _verdict(found: MeasureFigures) -> str:
    """Better, worse or not distinguishable, at the level that decides."""
    if found.p >= words.LEVEL:
        return "not distinguishable"
    return "better" if found.difference > 0 else "worse"
