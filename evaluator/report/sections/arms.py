"""
Every arm side by side: its levels, and what it puts before the texts.
"""

from collections.abc import Iterator

from evaluator.record.facts import formatting, in_order
from evaluator.record.model import Record, RecordedArm
from evaluator.report.document import (
    Block,
    Data,
    Items,
    ReportSection,
    Sentence,
    Table,
    prose,
    row,
    say,
)
from evaluator.report.sections.costs import prices
from evaluator.text import figures as words


def arms_section(record: Record) -> ReportSection:
    """Levels of every arm, costs where more than two arms stand beside each other, and strings."""
    arms = record.arms
    blocks: list[Block] = [
        Table(
            row("measure", *(Data(arm.name) for arm in arms)),
            tuple(_level_rows(record)),
            _caption(record),
        )
    ]
    if len(arms) != 2:
        rows = [row(p.label, *(p.show(p.figure(arm)) for arm in arms)) for p in prices(arms)]
        blocks += [Table(row("cost", *(Data(arm.name) for arm in arms)), tuple(rows))] * bool(rows)
    if notes := tuple(_arm_notes(record)):
        blocks.append(Items(notes))
    columns = ("arm", "query prefix", "document prefix", "header", "model")
    strings = tuple(_arm_strings(arm) for arm in arms)
    blocks.append(Table(row(*columns), strings, text_columns=len(columns), wide=True))
    return ReportSection("arms", say("Every arm"), tuple(blocks))


def _level_rows(record: Record) -> Iterator[tuple[Sentence, ...]]:
    arms = record.arms
    primary = record.contrasts[0].primary.measure if record.contrasts else None
    for name in in_order({name for arm in arms for name in arm.measures}, primary=primary):
        levels = [arm.measures[name] for arm in arms]
        cells = [words.rate(level.gold) for level in levels]
        if record.headline.n != record.headline.n_gold:
            cells = [f"{words.rate(level.gold)} ({words.rate(level.all)})" for level in levels]
        yield row(name, *cells)
    names = in_order({name for arm in arms for name in arm.judged})
    for name in names:
        yield row(name, *(words.share(arm.judged.get(name)) for arm in arms))
    if not names:
        yield row("Judged@k", *("negatives not recorded" for _ in arms))


def _caption(record: Record) -> Sentence:
    asked = record.headline
    n, n_gold = asked.n, asked.n_gold
    over = f"Means over the {n_gold:,} queries with gold"
    if n != n_gold:
        over += f"; in parentheses over all {n:,}, a query without gold counting as a miss"
    return say(
        f"{over}. Judged@k and header tokens are means over all {n:,} queries. A level says what "
        "these arms reach on these labels; it is not the ceiling."
    )


def _arm_notes(record: Record) -> Iterator[Sentence]:
    yield from _prefix_steps(record)
    for arm in record.arms:
        name, costs = Data(arm.name), arm.costs
        if costs and costs.vectors_reused:
            yield say(name, f": {costs.vectors_reused:,} vectors were reused.")
        if missing := arm.unanswered:
            count = f": {len(missing):,} queries have no results and score 0: "
            more = f" and {len(missing) - 10:,} more." if len(missing) > 10 else "."
            yield say(name, count, Data(", ".join(missing[:10])), more)
        yield from (say(name, ": ", prose(notice)) for notice in arm.notices or ())


def _prefix_steps(record: Record) -> Iterator[Sentence]:
    """The two steps from reversed to prescribed prefixes, where arms without any stand between."""
    alike: dict[object, dict[str, RecordedArm]] = {}
    for arm in record.arms:
        level = formatting(arm)
        if arm.model is not None and level not in ("other", None):
            alike.setdefault((arm.model.identity, arm.header_sha256), {})[level] = arm
    name = record.contrasts[0].primary.measure if record.contrasts else ""
    for arms in alike.values():
        if len(arms) < 3 or name not in arms["none"].measures:
            continue
        backward, none, right = (
            arms[way].measures[name].gold for way in ("reversed", "none", "prescribed")
        )
        yield say(
            f"{name} moves by {words.signed(right - backward)} from reversed to prescribed "
            f"prefixes: {words.signed(none - backward)} by taking the wrong ones away, "
            f"{words.signed(right - none)} by the right ones."
        )


def _arm_strings(arm: RecordedArm) -> tuple[Sentence, ...]:
    prefixes = (arm.query_prefix, arm.doc_prefix)
    return row(
        Data(arm.name),
        *(
            words.MISSING if prefix is None else Data(f"'{prefix}'") if prefix else "none"
            for prefix in prefixes
        ),
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
