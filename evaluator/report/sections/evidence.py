"""
What stands beside a contrast: closures, constants, the other way of searching, judged answers.

All of it counts every query once. Answers judged end to end never stand in the place of the
retrieval figures.
"""

from collections.abc import Iterator

from evaluator.contrasts.model import (
    Contrast,
)
from evaluator.record.facts import arm_by_name, cells_at, closures
from evaluator.record.model import ArmRankings, Record
from evaluator.report.document import (
    Block,
    Data,
    Table,
    in_both,
    paragraph,
    prose,
    row,
    say,
)
from evaluator.report.sections.headline import speaks_of_searches
from evaluator.text import figures as words


def closure_blocks(contrast: Contrast) -> Iterator[Block]:
    """Figures from instruments that share no step, and whether they agree, broken ones first."""
    met, broken = closures(contrast)
    if not met and not broken:
        return
    yield Table(
        row("check", "verdict", "note", "expected", "found"),
        tuple(
            row(
                prose(check.name),
                "met" if check.met else "BROKEN",
                say(prose(check.note)) if check.note else (),
                *(f"{value:,.4g}" for value in (check.expected, check.found)),
            )
            for check in broken + met
        ),
        say(f"{len(met)} of {len(met) + len(broken)} checks are met."),
        text_columns=3,
        wide=True,
    )


def constant_blocks(contrast: Contrast) -> Iterator[Block]:
    """Everything that was found equal in both arms."""
    if held := contrast.held_still:
        yield Table(
            row("field", "value in both arms"),
            tuple(row(item.field, Data(item.value)) for item in held),
            say(f"{len(held)} fields were compared and found equal."),
            text_columns=2,
        )
    else:
        yield paragraph("Nothing was checked to be equal in both arms, so no cause can be named.")


def ranking_blocks(record: Record, contrast: Contrast) -> Iterator[Block]:
    """The primary measure once more by the other ranking, every query counted once."""
    other, primary = contrast.other_ranking, contrast.primary
    if other is None:
        return
    found, cells = other.measures[primary.measure], cells_at(other, primary.k)
    won = f", {cells.won:,} won and {cells.lost:,} lost" if cells else ""
    levels = (words.rate(found.baseline), contrast.treatment, words.rate(found.treatment))
    weighed = speaks_of_searches(record, contrast)
    yield paragraph(
        f"By {other.ranking} {primary.measure} is ",
        *in_both(contrast.baseline, *levels),
        f", a difference of {words.signed(found.difference)} "
        f"({words.named_interval(found.interval)}; p {words.equals(words.p_value(found.p))})"
        f"{won}. Every query counts once"
        f"{', though the headline weighs them by their searches' * weighed}.",
    )
    for name in (contrast.baseline, contrast.treatment):
        rankings = arm_by_name(record, name).rankings
        if rankings is not None:
            changed = f": {rankings.hits_that_differ:,} of {record.headline.n_gold:,} queries"
            text = f"{changed} change between hit and miss. {graph_recall(rankings)}"
            yield paragraph("From one ranking to the other, ", Data(name), text)


def graph_recall(rankings: ArmRankings) -> str:
    """How much of exact search the graph finds, and where it does not for want of a difference."""
    differ, near = rankings.lists_that_differ, rankings.near_ties
    ties = f", {near:,} of them in near ties alone" if near else ""
    lists = f"; {differ:,} lists differ{ties}" if differ else ""
    return f"The graph finds {rankings.graph_recall:.1%} of the first k by exact search{lists}."


def answers_blocks(contrast: Contrast) -> Iterator[Block]:
    """Both rates of right answers with their difference, and the four cells of the answers."""
    if not (found := contrast.answers):
        return
    after, before = f"{words.rate(found.rate_treatment)} correct", words.rate(found.rate_baseline)
    p = found.mcnemar_exact_p
    yield paragraph(
        "Answers judged end to end: ",
        *in_both(contrast.treatment, after, contrast.baseline, before),
        f", a difference of {words.signed(found.difference)} "
        f"({words.named_interval(found.interval)}; exact McNemar, p "
        f"{words.equals(words.p_value(p))}) on {found.n:,} of {found.asked:,} queries. "
        "Exploratory: the headline is about retrieval.",
    )
    columns = ("queries", "right in both", "wrong in both", "won", "lost", "mid-p")
    figures = (found.n, found.both, found.neither, found.won, found.lost)
    yield Table(
        row(*columns),
        (row(*map(words.count, figures), words.p_value(found.mid_p)),),
        say(
            "Won: right only with ",
            Data(contrast.treatment),
            ". Lost: right only with ",
            Data(contrast.baseline),
            ". Every query counts once, with gold or without.",
        ),
        text_columns=0,
        wide=True,
    )
    if found.without_a_verdict:
        yield paragraph(
            f"{found.without_a_verdict:,} of {found.asked:,} queries have no verdict in "
            "one of the arms and are left out here."
        )
