"""
Cutoff by treatment: what a larger k would have given without the treatment, and its price.
"""

from collections.abc import Iterator

from evaluator.record.facts import Record, arm_by_name
from evaluator.report.document import Block, Data, Paragraph, Sentence, Table, prose, say
from evaluator.text import figures as words


def cutoff_blocks(record: Record, contrast: Record) -> Iterator[Block]:
    """The four cells with their margins, the same in words, and what the larger k costs."""
    table = contrast.get("k_by_treatment")
    if not table:
        return
    yield _cells(contrast, table)
    yield Paragraph(say(str(table["text"])))
    yield from (Paragraph(say(prose(note))) for note in table.get("notes") or ())
    yield from _price(record, contrast, table)


def _cells(contrast: Record, table: Record) -> Table:
    """Levels inside; in the margins what each change does at each level of the other."""
    k, k2 = table["k"], table["k2"]
    rows: list[tuple[Sentence, ...]] = []
    for role in ("baseline", "treatment"):
        at_k, at_k2 = table[f"{role}_k"], table[f"{role}_k2"]
        shown = words.rate(at_k), words.rate(at_k2), words.difference(at_k, at_k2)
        rows.append((say(Data(contrast[role])), *map(say, shown)))
    effects = table["effect_of_treatment"]
    rows.append(
        (
            say("treatment less baseline"),
            say(words.signed(effects["at_k"])),
            say(words.signed(effects["at_k2"])),
            say(f"interaction {words.signed(table['interaction'])}"),
        )
    )
    return Table(
        (
            say(str(table.get("measure") or "Success@k").split("@")[0]),
            say(f"k = {k}"),
            say(f"k = {k2}"),
            say("larger k less smaller"),
        ),
        tuple(rows),
        say(
            f"Main effects: treatment {words.signed(table['main_effect_of_treatment'])}, "
            f"k {words.signed(table['main_effect_of_k'])}. Subtracted, not tested."
        ),
    )


def _price(record: Record, contrast: Record, table: Record) -> Iterator[Block]:
    k, k2 = table["k"], table["k2"]
    costs = arm_by_name(record, contrast["treatment"]).get("costs") or {}
    per_query = costs.get("header_tokens_per_query") or {}
    if per_query.get(str(k)) and per_query.get(str(k2)):
        yield Paragraph(
            say(
                f"A larger k has its own price: twice the retrieved text, and "
                f"{words.tokens(per_query[str(k2)])} instead of {words.tokens(per_query[str(k)])} "
                "header tokens per query in ",
                Data(contrast["treatment"]),
                ".",
            )
        )
