"""
What a reader checks before believing a contrast.

The groups behind the total, the figures that must agree, and all that was held still.
"""

from collections.abc import Iterator, Mapping

from evaluator.record.facts import Record, closures, hits_name, is_clustered
from evaluator.report.document import (
    Block,
    Data,
    Paragraph,
    Sentence,
    Table,
    paragraph,
    prose,
    row,
    say,
)
from evaluator.report.sections.doubts import losing_groups
from evaluator.report.sections.per_search import per_search
from evaluator.text import figures as words

_GROUPS = (
    ("by_source", "source of the gold"),
    ("by_stratum", "stratum"),
    ("by_class", "class of the query"),
    ("by_origin", "origin of the query"),
)
_ALONE = (
    "Every query counts by itself here, paraphrases too, so the intervals are narrower than they "
    "should be."
)


def group_blocks(contrast: Record) -> Iterator[Block]:
    """The same contrast within each group of queries, and the groups that lose."""
    for key, title in _GROUPS:
        groups: Mapping[str, Record] = contrast.get(key) or {}
        if groups:
            yield _group_table(
                title,
                groups,
                f"{hits_name(contrast)}, hits and misses. {_ALONE * is_clustered(contrast)}",
            )
    yield from (Paragraph(sentence) for sentence in losing_groups(contrast))


def _group_table(title: str, groups: Mapping[str, Record], caption: str) -> Table:
    """Cells, difference and interval by group, per search as well where one has searches."""
    columns = ["queries", "won", "lost", "difference", "95% interval"]
    known = [(group.get("traffic") or {}).get("difference") for group in groups.values()]
    searches = any(difference is not None for difference in known)
    columns += ["per search", "95% interval, this log window"] if searches else []
    return Table(
        row(title, *(column for column in columns)),
        tuple(
            (*_group_row(name, group), *(per_search(group) if searches else ()))
            for name, group in groups.items()
        ),
        say(caption.rstrip()),
        wide=True,
    )


def _group_row(name: str, group: Record) -> tuple[Sentence, ...]:
    return row(
        Data(name),
        words.count(group.get("n")),
        words.count(group.get("won")),
        words.count(group.get("lost")),
        words.signed(group.get("difference")),
        words.interval(group.get("interval")),
    )


def closure_blocks(contrast: Record) -> Iterator[Block]:
    """Figures from instruments that share no step, and whether they agree."""
    met, broken = closures(contrast)
    if not met and not broken:
        return
    yield Table(
        row("check", "verdict", "note", "expected", "found"),
        tuple(
            row(
                prose(check["name"]),
                "met" if check["met"] else "BROKEN",
                say(prose(check["note"])) if check.get("note") else (),
                prose(_figure(check.get("expected"))),
                prose(_figure(check.get("found"))),
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


def held_still_blocks(contrast: Record) -> Iterator[Block]:
    """Everything that was found equal in both arms."""
    held = contrast.get("held_still") or []
    if held:
        yield Table(
            row("field", "value in both arms"),
            tuple(row(str(item["field"]), Data(str(item["value"]))) for item in held),
            say(f"{len(held)} fields were compared and found equal."),
            text_columns=2,
        )
    else:
        yield paragraph("Nothing was checked to be equal in both arms, so no cause can be named.")
