"""
What a reader checks before believing a contrast.

The queries that changed, the groups behind the total, the figures that must agree, and all
that was held still.
"""

from collections.abc import Iterator, Mapping

from evaluator.report import words
from evaluator.report.document import (
    Block,
    Data,
    Fold,
    Heading,
    Items,
    Paragraph,
    Sentence,
    Table,
    prose,
    say,
)
from evaluator.report.facts import (
    Record,
    arm_by_name,
    cells_at,
    closures,
    measured,
    primary_of,
    shown_flips,
)
from evaluator.report.traffic import per_search

_LONG_LIST = {"lost": 40, "won": 12}


def flip_blocks(record: Record, contrast: Record) -> Iterator[Block]:
    """The queries lost and won by name, held-out ones as a count unless they were opened."""
    _, k = primary_of(contrast)
    cells = cells_at(contrast, k)
    if cells is None:
        return
    depth = (record["experiment"].get("protocol") or {}).get("depth")
    for kind, total in (("lost", cells.lost), ("won", cells.won)):
        shown = shown_flips(contrast, kind)
        hidden = total - len(shown)
        title = say(f"{kind.capitalize()}: {total:,} of {cells.n:,} queries at k = {k}")
        blocks: list[Block] = []
        if shown:
            blocks.append(_flip_table(contrast, shown, depth))
        if hidden > 0:
            blocks.append(
                Paragraph(
                    say(
                        f"{hidden:,} more not shown by name: held-out queries stay closed until "
                        "they are asked for, and every look at them is counted."
                    )
                )
            )
        if not blocks:
            blocks.append(Paragraph(say("None.")))
        if len(shown) > _LONG_LIST[kind]:
            yield Fold(title, tuple(blocks))
        else:
            yield Heading(title)
            yield from blocks


def _flip_table(contrast: Record, flips: list[Record], depth: int | None) -> Table:
    beyond = f"below {depth}" if depth else "not found"

    def rank(value: int | None) -> str:
        return beyond if value is None else str(value)

    return Table(
        (
            say("query"),
            say("class"),
            say("gold chunks"),
            say("first gold rank, ", Data(contrast["baseline"])),
            say("first gold rank, ", Data(contrast["treatment"])),
        ),
        tuple(
            (
                say(Data(str(flip.get("text") or flip["query_id"]))),
                say(str(flip.get("class") or "unknown")),
                _gold(flip.get("gold") or []),
                say(rank(flip.get("rank_baseline"))),
                say(rank(flip.get("rank_treatment"))),
            )
            for flip in flips
        ),
        text_columns=3,
        wide=True,
    )


def _gold(chunk_ids: list[str], most: int = 3) -> Sentence:
    parts: list[str | Data] = []
    for chunk_id in chunk_ids[:most]:
        parts += [", ", Data(str(chunk_id))]
    if len(chunk_ids) > most:
        parts.append(f" and {len(chunk_ids) - most} more")
    return tuple(parts[1:])


def group_blocks(contrast: Record) -> Iterator[Block]:
    """The same contrast within each group of queries."""
    total = measured(contrast, primary_of(contrast)[0]).get("difference") or 0.0
    for key, title in (("by_source", "source of the gold"), ("by_class", "class of the query")):
        groups: Mapping[str, Record] = contrast.get(key) or {}
        if groups:
            yield _group_table(title, groups)
        losing = [
            name
            for name, group in groups.items()
            if total > 0 and (group.get("difference") or 0.0) < 0
        ]
        if losing:
            yield Paragraph(
                say("A loss under a gain in total: ", Data(", ".join(losing)), ". Read it apart.")
            )


def _group_table(title: str, groups: Mapping[str, Record]) -> Table:
    """Cells, difference and interval by group, per search as well where one has searches."""
    columns = ["queries", "won", "lost", "difference", "95 % interval"]
    known = [(group.get("traffic") or {}).get("difference") for group in groups.values()]
    searches = any(difference is not None for difference in known)
    columns += ["per search", "95 % interval, this log window"] if searches else []
    return Table(
        (say(title), *(say(column) for column in columns)),
        tuple(
            (*_group_row(name, group), *(per_search(group) if searches else ()))
            for name, group in groups.items()
        ),
        wide=True,
    )


def _group_row(name: str, group: Record) -> tuple[Sentence, ...]:
    return (
        say(Data(name)),
        say(words.count(group.get("n"))),
        say(words.count(group.get("won"))),
        say(words.count(group.get("lost"))),
        say(words.signed(group.get("difference"))),
        say(words.interval(group.get("interval"))),
    )


def ranking_blocks(record: Record, contrast: Record) -> Iterator[Block]:
    """The primary measure once more, by the ranking that is not the protocol's own."""
    measure, _ = primary_of(contrast)
    other = contrast.get("other_ranking") or {}
    again = measured(other, measure)
    if not again:
        return
    own = str((record["experiment"].get("protocol") or {}).get("ranking") or "primary")
    yield Table(
        tuple(
            say(column)
            for column in ("ranking", "baseline", "treatment", "difference", "95 % interval", "p")
        ),
        tuple(
            (
                say(name),
                say(words.rate(found.get("baseline"))),
                say(words.rate(found.get("treatment"))),
                say(words.signed(found.get("difference"))),
                say(words.interval(found.get("interval"))),
                say(words.p_value(found.get("p"))),
            )
            for name, found in (
                (f"{own} (primary)", measured(contrast, measure)),
                (str(other.get("ranking") or "other"), again),
            )
        ),
        say(f"{measure}. What approximate search loses need not be the same in both arms."),
        wide=True,
    )
    n_gold = record["headline"]["n_gold"]
    for name in (contrast["baseline"], contrast["treatment"]):
        differ = (arm_by_name(record, name).get("rankings") or {}).get("hits_that_differ")
        if differ is not None:
            text = f": {differ:,} of {n_gold:,} queries change between hit and miss."
            yield Paragraph(say("From one ranking to the other, ", Data(name), text))


def closure_blocks(contrast: Record) -> Iterator[Block]:
    """Figures from instruments that share no step, and whether they agree."""
    met, broken = closures(contrast)
    if not met and not broken:
        return
    yield Table(
        (say("check"), say("verdict"), say("note"), say("expected"), say("found")),
        tuple(
            (
                say(prose(check["name"])),
                say("met" if check["met"] else "BROKEN"),
                say(prose(check["note"])) if check.get("note") else (),
                say(prose(_figure(check.get("expected")))),
                say(prose(_figure(check.get("found")))),
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
        yield Items(tuple(say(prose(_held(item))) for item in held))
    else:
        yield Paragraph(
            say("Nothing was checked to be equal in both arms, so no cause can be named.")
        )


def _held(item: object) -> str:
    if isinstance(item, Mapping):
        return ": ".join(str(value) for value in item.values())
    return str(item)
