"""
The contrast within groups of queries, and per search instead of per query.

Sources are for every reader; strata, classes and origins stand in the appendix.
"""

from collections.abc import Iterator, Mapping

from evaluator.contrasts.figures import holm
from evaluator.contrasts.model import CellFigures, Contrast
from evaluator.record.facts import is_clustered
from evaluator.report.document import (
    Block,
    Data,
    Sentence,
    Table,
    drawn_interval,
    in_both,
    paragraph,
    prose,
    row,
    say,
)
from evaluator.text import figures as words
from evaluator.text.messages import counted

_MANY = {"class": "classes", "stratum": "strata"}
_ALONE = (
    "Every query counts by itself here, paraphrases too, so the intervals are narrower than they "
    "should be."
)


def source_blocks(contrast: Contrast) -> Iterator[Block]:
    """The cells of each source, and how many of them lost."""
    if contrast.by_source is None:
        yield paragraph("The sources of the chunks are not known here: --snapshot gives them.")
    if not (groups := contrast.by_source):
        return
    yield _table("source", groups, contrast)
    yield paragraph(*_how_many_lost("source", groups))
    if is_clustered(contrast):
        yield paragraph(_ALONE)


def losing_sources(contrast: Contrast) -> Iterator[Sentence]:
    """For the first screen: the sources that lost, where one of them did beyond chance."""
    groups = contrast.by_source or {}
    if any(p < words.LEVEL for _, p in _losses(groups)):
        yield _how_many_lost("source", groups)


def other_group_blocks(contrast: Contrast) -> Iterator[Block]:
    """Strata, classes and origins, and every group per search where the record has that."""
    tables = (
        ("stratum", contrast.by_stratum),
        ("class", contrast.by_class),
        ("origin", contrast.by_origin),
    )
    for kind, groups in tables:
        if groups:
            yield _table(kind, groups, contrast)
            yield paragraph(*_how_many_lost(kind, groups))
    rows = [
        row(Data(name), kind, words.signed(found.difference), words.interval(found.interval))
        for kind, groups in (("source", contrast.by_source), *tables)
        for name, one in (groups or {}).items()
        if (found := one.traffic) and found.difference is not None
    ]
    if rows:
        columns = row("group", "of", "difference per search", "95% interval")
        yield Table(columns, tuple(rows), text_columns=2, wide=True)


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
        f", a difference of {words.signed(traffic.difference)} ({interval}). The "
        f"{words.count(traffic.n)} queries weigh as much as "
        f"{words.count(traffic.effective_queries)} equal ones would; the heaviest has "
        f"{words.share(traffic.largest_share)} of the searches.",
    )
    yield paragraph(
        "Queries are taken as drawn anew, so this speaks of this traffic and of the next log "
        "window alike, as long as people search as before."
    )
    if traffic.skipped:
        yield paragraph(
            f"Drawn queries that were skipped: {traffic.skipped:,}; the estimate is for the others."
        )


def counted_queries(number: int) -> str:
    """`1 query` or `52 queries`."""
    return counted(number, "query", many="queries")


def _table(title: str, groups: Mapping[str, CellFigures], contrast: Contrast) -> Table:
    """Rates, cells, difference, interval and p by group."""
    columns = ("queries", Data(contrast.baseline), Data(contrast.treatment), "difference")
    rows = (
        row(
            Data(name),
            words.count(one.n),
            words.rate(one.rate_baseline),
            words.rate(one.rate_treatment),
            words.signed(one.difference),
            words.interval(one.interval),
            *map(words.count, (one.won, one.lost)),
            words.p_value(one.mcnemar_exact_p),
        )
        for name, one in groups.items()
    )
    return Table(
        row(title, *columns, "95% interval", "won", "lost", "p"),
        tuple(rows),
        say(f"{contrast.k_by_treatment.measure}; p by the exact McNemar test, unadjusted."),
        wide=True,
        intervals=tuple(drawn_interval(one.difference, one.interval) for one in groups.values()),
    )


def _losses(groups: Mapping[str, CellFigures]) -> list[tuple[str, float]]:
    """The groups that lost more hits than they won, each with p adjusted for all groups."""
    adjusted = holm([one.mcnemar_exact_p for one in groups.values()])
    found = zip(groups.items(), adjusted, strict=True)
    return [(name, p) for (name, one), p in found if one.difference < 0]


def _how_many_lost(kind: str, groups: Mapping[str, CellFigures]) -> Sentence:
    """How many groups were looked at, and which of them lost."""
    losing = _losses(groups)
    looked_at = counted(len(groups), kind, many=_MANY.get(kind))
    if not losing:
        return say(f"Of {looked_at}, none lost more queries than it won.")
    parts = [
        part
        for name, p in losing
        for part in (", ", Data(name), f" (p {words.equals(words.p_value(p))})")
    ]
    lost = f"{len(losing):,} lost more queries than {'it' if len(losing) == 1 else 'they'} won: "
    return say(f"Of {looked_at}, {lost}", *parts[1:], ", p adjusted by Holm.")
