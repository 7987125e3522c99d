"""
The contrast by both ways of searching: exact, and by the graph.

What approximate search loses need not be the same in both arms, so a verdict that the other
ranking does not share is stamped on the first screen. All of it counts every query once.
"""

from collections.abc import Iterator

from evaluator.record.facts import Record, arm_by_name, cells_at, measured, primary_of
from evaluator.report.document import Block, Data, Sentence, Stamp, Table, paragraph, row, say
from evaluator.report.sections.headline import speaks_of_searches
from evaluator.text import figures as words


def ranking_blocks(record: Record, contrast: Record) -> Iterator[Block]:
    """The primary measure once more by the other ranking."""
    measure, k = primary_of(contrast)
    other = contrast.get("other_ranking") or {}
    if not measured(other, measure):
        return
    own = str((record["experiment"].get("protocol") or {}).get("ranking") or "primary")
    weighs = speaks_of_searches(record, contrast)
    weighed = ", though the headline weighs them by their searches" * weighs
    columns = ("ranking", "baseline", "treatment", "difference", "95% interval", "p")
    yield Table(
        row(*columns, f"won at {k}", f"lost at {k}"),
        (
            _row(f"{own} (primary)", contrast, measure, k),
            _row(str(other.get("ranking") or "other"), other, measure, k),
        ),
        say(
            f"{measure}, every query counted once{weighed}. What approximate search loses need "
            "not be the same in both arms."
        ),
        wide=True,
    )
    n_gold = record["headline"]["n_gold"]
    for name in (contrast["baseline"], contrast["treatment"]):
        differ = (arm_by_name(record, name).get("rankings") or {}).get("hits_that_differ")
        if differ is not None:
            text = f": {differ:,} of {n_gold:,} queries change between hit and miss."
            yield paragraph("From one ranking to the other, ", Data(name), text)


def ranking_stamps(record: Record, contrast: Record) -> Iterator[Stamp]:
    """The error of approximate search does not cancel between arms, so every verdict counts."""
    measure, _ = primary_of(contrast)
    other = contrast.get("other_ranking") or {}
    found, again = measured(contrast, measure), measured(other, measure)
    if not found or not again or _verdict(found) == _verdict(again):
        return
    unweighted = ", queries unweighted" * speaks_of_searches(record, contrast)
    yield Stamp(
        say("THE OTHER RANKING SAYS OTHERWISE"),
        "warn",
        say(
            f"By {other.get('ranking')} the difference is {words.signed(again['difference'])}, "
            f"p {words.equals(words.p_value(again['p']))}{unweighted}."
        ),
    )


def _row(name: str, found: Record, measure: str, k: int | None) -> tuple[Sentence, ...]:
    values, cells = measured(found, measure), cells_at(found, k)
    return row(
        name,
        words.rate(values.get("baseline")),
        words.rate(values.get("treatment")),
        words.signed(values.get("difference")),
        words.interval(values.get("interval")),
        words.p_value(values.get("p")),
        words.count(cells.won if cells else None),
        words.count(cells.lost if cells else None),
    )


def _verdict(found: Record) -> str:
    """Better, worse or not distinguishable, at the level that decides."""
    if found["p"] >= words.LEVEL:
        return "not distinguishable"
    return "better" if found["difference"] > 0 else "worse"
