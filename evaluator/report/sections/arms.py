"""
The whole row: every arm with its measures and all its costs, side by side.
"""

from collections.abc import Iterator

from evaluator.record.facts import Record, in_order, level_word, primary_of
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
    arms = record["arms"]
    rows = [*_measure_rows(record), *_judged_rows(record)]
    pair = len(arms) == 2
    for price in prices(arms):
        figures = [price.figure(arm) for arm in arms]
        change = row(price.change(figures[0], figures[1])) if pair else ()
        rows.append(row(price.label, *(price.show(figure) for figure in figures), *change))
    return ReportSection(
        "arms",
        say("The whole row: measures and costs"),
        (
            Table(
                row(
                    "measure or cost",
                    *(Data(arm["name"]) for arm in arms),
                    *(row("change") * pair),
                ),
                tuple(rows),
                _row_caption(record),
            ),
            *_arm_notes(record),
        ),
    )


def _measure_rows(record: Record) -> Iterator[tuple[Sentence, ...]]:
    arms = record["arms"]
    names = {name for arm in arms for name in arm.get("measures") or {}}
    primary = primary_of(record["contrasts"][0])[0] if record["contrasts"] else None
    for name in in_order(names, primary=primary):
        found = [(arm.get("measures") or {}).get(name) or {} for arm in arms]
        cells = [
            say(words.rate(values.get("gold")))
            if record["headline"]["n"] == record["headline"]["n_gold"]
            else say(f"{words.rate(values.get('gold'))} ({words.rate(values.get('all'))})")
            for values in found
        ]
        change: tuple[Sentence, ...] = ()
        if len(arms) == 2:
            change = row(words.difference(found[0].get("gold"), found[1].get("gold")))
        yield row(f"{name}, {level_word(record)} level", *cells, *change)


def _judged_rows(record: Record) -> Iterator[tuple[Sentence, ...]]:
    arms = record["arms"]
    names = in_order({name for arm in arms for name in arm.get("judged") or {}})
    change = row("") * (len(arms) == 2)
    for name in names:
        figures = [(arm.get("judged") or {}).get(name) for arm in arms]
        yield row(name, *(words.share(figure) for figure in figures), *change)
    if not names:
        yield row("Judged@k", *("negatives not recorded" for _ in arms), *change)


def _row_caption(record: Record) -> Sentence:
    asked = record["headline"]
    n, n_gold = asked["n"], asked["n_gold"]
    over = f"Measures are means over the {n_gold:,} queries with gold"
    if n != n_gold:
        over += f"; in parentheses over all {n:,}, a query without gold counting as a miss"
    rest = f"Judged@k and header tokens per query are means over all {n:,} queries"
    if (record.get("snapshot") or {}).get("chunks"):
        rest += ", inputs and headers over all chunks"
    return say(f"{over}. {rest}. The cutoff of each measure stands in its name.")


def _arm_notes(record: Record) -> Iterator[Block]:
    notes: list[Sentence] = [note] if (note := usage_note(record["arms"])) else []
    for arm in record["arms"]:
        name, costs = Data(arm["name"]), arm.get("costs") or {}
        if costs.get("vectors_reused"):
            notes.append(
                say(
                    name,
                    f": {costs['vectors_reused']:,} vectors were reused; the encoding times are "
                    "those measured when they were made.",
                )
            )
        unanswered = arm.get("unanswered") or []
        if unanswered:
            notes.append(
                say(
                    name,
                    f": {len(unanswered):,} queries have no results and score 0: ",
                    Data(", ".join(unanswered[:10])),
                    "." if len(unanswered) <= 10 else f" and {len(unanswered) - 10:,} more.",
                )
            )
        notes += [say(name, ": ", prose(notice)) for notice in arm.get("notices") or ()]
    if notes:
        yield Items(tuple(notes))
    strings = tuple(_arm_strings(arm) for arm in record["arms"])
    columns = ("arm", "query prefix", "document prefix", "header", "model")
    table = Table(row(*columns), strings, text_columns=len(columns), wide=True)
    yield Fold(say("What each arm puts before the texts"), (table,))


def _arm_strings(arm: Record) -> tuple[Sentence, ...]:
    model = arm.get("model") or {}
    return row(
        Data(arm["name"]),
        *(
            say(Data(f"'{arm[key]}'")) if arm.get(key) is not None else say(words.MISSING)
            for key in ("query_prefix", "doc_prefix")
        ),
        Data(_header(arm)),
        Data(str(model.get("source") or words.MISSING)),
    )


def _header(arm: Record) -> str:
    """The rule with what it leaves out, and what a file of headers took to make."""
    said = [str(arm.get("header") or words.MISSING)]
    said += [f"{key} {value}" for key, value in (arm.get("header_options") or {}).items()]
    file = arm.get("header_file") or {}
    if file.get("cost") is not None:
        models = ", ".join(file.get("models") or {})
        said.append(f"made at a cost of {file['cost']:g}" + (f" by {models}" if models else ""))
    return "; ".join(said)
