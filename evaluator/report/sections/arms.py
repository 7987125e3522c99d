"""
The whole row: every arm with its measures and all its costs, side by side.
"""

from collections.abc import Iterator

from evaluator.record.facts import in_order, level_word
from evaluator.record.model import Record, RecordedArm
from evaluator.report.document import (
    Block,
    Data,
    Fold,
    Items,
    ReportSection,
    Sentence,
    Table,
    prose,
    row,
    say,
)
from evaluator.report.sections.costs import prices, usage_note
from evaluator.text import figures as words


def arms_section(record: Record) -> ReportSection:
    """The whole row: measures and every cost, one column for each arm."""
    arms = record.arms
    rows = [*_measure_rows(record), *_judged_rows(record)]
    pair = len(arms) == 2
    for price in prices(arms):
        figures = [price.figure(arm) for arm in arms]
        change = [price.moved(arms[0], arms[1])] if pair else []
        rows.append(row(price.label, *map(price.show, figures), *change))
    return ReportSection(
        "arms",
        say("The whole row: measures and costs"),
        (
            Table(
                row("measure or cost", *(Data(arm.name) for arm in arms), *(row("change") * pair)),
                tuple(rows),
                _row_caption(record),
            ),
            *_arm_notes(record),
        ),
    )


def _measure_rows(record: Record) -> Iterator[tuple[Sentence, ...]]:
    arms = record.arms
    names = {name for arm in arms for name in arm.measures}
    primary = record.contrasts[0].primary.measure if record.contrasts else None
    for name in in_order(names, primary=primary):
        levels = [arm.measures[name] for arm in arms]
        cells = [words.rate(level.gold) for level in levels]
        if record.headline.n != record.headline.n_gold:
            cells = [f"{words.rate(level.gold)} ({words.rate(level.all)})" for level in levels]
        if len(arms) == 2:
            cells.append(words.difference(levels[0].gold, levels[1].gold))
        yield row(f"{name}, {level_word(record)} level", *cells)


def _judged_rows(record: Record) -> Iterator[tuple[Sentence, ...]]:
    arms = record.arms
    names = in_order({name for arm in arms for name in arm.judged})
    change = row("") * (len(arms) == 2)
    for name in names:
        yield row(name, *(words.share(arm.judged.get(name)) for arm in arms), *change)
    if not names:
        yield row("Judged@k", *("negatives not recorded" for _ in arms), *change)


def _row_caption(record: Record) -> Sentence:
    asked = record.headline
    n, n_gold = asked.n, asked.n_gold
    over = f"Measures are means over the {n_gold:,} queries with gold"
    if n != n_gold:
        over += f"; in parentheses over all {n:,}, a query without gold counting as a miss"
    rest = f"Judged@k and header tokens per query are means over all {n:,} queries"
    if record.snapshot:
        rest += ", inputs and headers over all chunks"
    return say(f"{over}. {rest}. The cutoff of each measure stands in its name.")


def _arm_notes(record: Record) -> Iterator[Block]:
    notes: list[Sentence] = [note] if (note := usage_note(record.arms)) else []
    for arm in record.arms:
        name, costs = Data(arm.name), arm.costs
        if costs and costs.vectors_reused:
            reused = (
                f": {costs.vectors_reused:,} vectors were reused; the encoding times are "
                "those measured when they were made."
            )
            notes.append(say(name, reused))
        if missing := arm.unanswered:
            count = f": {len(missing):,} queries have no results and score 0: "
            more = f" and {len(missing) - 10:,} more." if len(missing) > 10 else "."
            notes.append(say(name, count, Data(", ".join(missing[:10])), more))
        notes += [say(name, ": ", prose(notice)) for notice in arm.notices or ()]
    if notes:
        yield Items(tuple(notes))
    strings = tuple(_arm_strings(arm) for arm in record.arms)
    columns = ("arm", "query prefix", "document prefix", "header", "model")
    table = Table(row(*columns), strings, text_columns=len(columns), wide=True)
    yield Fold(say("What each arm puts before the texts"), (table,))


def _arm_strings(arm: RecordedArm) -> tuple[Sentence, ...]:
    prefixes = (arm.query_prefix, arm.doc_prefix)
    return row(
        Data(arm.name),
        *(words.MISSING if prefix is None else Data(f"'{prefix}'") for prefix in prefixes),
        Data(_header(arm)),
        Data(arm.model.source if arm.model else words.MISSING),
    )


def _header(arm: RecordedArm) -> str:
    """The rule with what it leaves out, and what a file of headers took to make."""
    said = [arm.header or words.MISSING]
    said += [f"{key} {value}" for key, value in (arm.header_options or {}).items()]
    file = arm.header_file or {}
    if file.get("cost") is not None:
        models = ", ".join(file.get("models") or ())
        said.append(f"made at a cost of {file['cost']:g}" + (f" by {models}" if models else ""))
    return "; ".join(said)
