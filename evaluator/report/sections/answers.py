"""
Answers judged end to end, beside the retrieval figures and never in their place.
"""

from collections.abc import Iterator

from evaluator.record.facts import Record
from evaluator.report.document import Block, Data, Paragraph, Sentence, Table, say
from evaluator.text import figures as words


def answers_line(contrast: Record) -> Iterator[Sentence]:
    """One sentence under the headline, where somebody judged the answers."""
    found = contrast.get("answers")
    if not found:
        return
    yield say(
        f"Answers judged end to end: {words.rate(found['rate_treatment'])} correct with ",
        Data(contrast["treatment"]),
        f" and {words.rate(found['rate_baseline'])} with ",
        Data(contrast["baseline"]),
        f", a difference of {words.signed(found['difference'])} (95% interval "
        f"{words.interval(found['interval'])}; exact McNemar, p "
        f"{words.equals(words.p_value(found['mcnemar_exact_p']))}) on {found['n']:,} of "
        f"{found['asked']:,} queries. Exploratory: the headline is about retrieval.",
    )


def answers_blocks(contrast: Record) -> Iterator[Block]:
    """The four cells of the answers."""
    found = contrast.get("answers")
    if not found:
        return
    columns = ("queries", "right in both", "wrong in both", "won", "lost", "p", "mid-p")
    figures = ("n", "both", "neither", "won", "lost")
    yield Table(
        tuple(say(column) for column in columns),
        (
            (
                *(say(words.count(found[figure])) for figure in figures),
                say(words.p_value(found["mcnemar_exact_p"])),
                say(words.p_value(found["mid_p"])),
            ),
        ),
        say(
            "Won: right only with ",
            Data(contrast["treatment"]),
            ". Lost: right only with ",
            Data(contrast["baseline"]),
            ". p by the exact McNemar test. Every query counts once, with gold or without.",
        ),
        text_columns=0,
        wide=True,
    )
    if found["without_a_verdict"]:
        yield Paragraph(
            say(
                f"{found['without_a_verdict']:,} of {found['asked']:,} queries have no verdict in "
                "one of the arms and are left out here."
            )
        )
