"""
What a reader checks before believing a contrast.

The groups behind the total, the figures that must agree, and all that was held still.
"""

from collections.abc import Iterator, Mapping

from evaluator.contrasts.model import CellFigures, Contrast
from evaluator.record.facts import closures, is_clustered
from evaluator.report.document import Block, Data, Paragraph, Table, paragraph, prose, row, say
from evaluator.report.sections.doubts import losing_groups
from evaluator.report.sections.per_search import per_search
from evaluator.text import figures as words

_ALONE = (
    "Every query counts by itself here, paraphrases too, so the intervals are narrower than they "
    "should be."
)


def group_blocks(contrast: Contrast) -> Iterator[Block]:
    """The same contrast within each group of queries, and the groups that lose."""
    tables = (
        ("source of the gold", contrast.by_source),
        ("stratum", contrast.by_stratum),
        ("class of the query", contrast.by_class),
        ("origin of the query", contrast.by_origin),
    )
    alone = f" {_ALONE}" if is_clustered(contrast) else ""
    caption = f"{contrast.k_by_treatment.measure}, hits and misses.{alone}"
    yield from (_group_table(title, groups, caption) for title, groups in tables if groups)
    losing = {
        "source": contrast.by_source,
        "stratum": contrast.by_stratum,
        "class": contrast.by_class,
    }
    yield from (Paragraph(sentence) for sentence in losing_groups(contrast, losing))


def _group_table(title: str, groups: Mapping[str, CellFigures], caption: str) -> Table:
    """Cells, difference and interval by group, per search as well where one has searches."""
    columns = ["queries", "won", "lost", "difference", "95% interval"]
    searches = any(one.traffic and one.traffic.difference is not None for one in groups.values())
    columns += ["per search", "95% interval"] if searches else []
    rows = (
        row(
            Data(name),
            *map(words.count, (one.n, one.won, one.lost)),
            words.signed(one.difference),
            words.interval(one.interval),
            *(per_search(one) if searches else ()),
        )
        for name, one in groups.items()
    )
    return Table(row(title, *columns), tuple(rows), say(caption), wide=True)


def closure_blocks(contrast: Contrast) -> Iterator[Block]:
    """Figures from instruments that share no step, and whether they agree."""
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
                *(prose(_figure(value)) for value in (check.expected, check.found)),
            )
            for check in broken + met
        ),
        say(f"{len(met)} of {len(met) + len(broken)} closures are met."),
        text_columns=3,
        wide=True,
    )


def _figure(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.4g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def held_still_blocks(contrast: Contrast) -> Iterator[Block]:
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
