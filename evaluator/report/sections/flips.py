"""
The queries that changed: a table to scan, and under it what happened to each.

Lost queries are told at once, won ones on request. Held-out flips stay counts unless the
record says that they were opened.
"""

from collections.abc import Iterator, Sequence

from evaluator.contrasts.model import Contrast, FlipChunk, FlippedQuery, OutrankingChunk
from evaluator.record.facts import cells_at, shown_flips
from evaluator.record.model import Record
from evaluator.report.document import (
    Block,
    Data,
    Fold,
    Heading,
    Items,
    Sentence,
    Table,
    paragraph,
    row,
    say,
)
from evaluator.text import figures as words

_LONG_LIST = {"lost": 40, "won": 12}


def flip_blocks(record: Record, contrast: Contrast) -> Iterator[Block]:
    """The queries lost and won by name, held-out ones as a count unless they were opened."""
    k, protocol = contrast.primary.k, record.experiment.protocol
    cells, depth = cells_at(contrast, k), protocol.depth if protocol else None
    if cells is None:
        return
    for kind, total in (("lost", cells.lost), ("won", cells.won)):
        shown = shown_flips(contrast, kind)
        title = say(f"{kind.capitalize()}: {total:,} of {cells.n:,} queries at k = {k}")
        blocks = [*_flips(contrast, shown, hidden=total - len(shown), depth=depth)]
        told = tuple(story for flip in shown if (story := _story(contrast, flip)))
        if told and kind == "lost":
            blocks.append(Items(told))
        if len(shown) > _LONG_LIST[kind]:
            yield Fold(title, tuple(blocks))
        else:
            yield Heading(title)
            yield from blocks
        if told and kind == "won":
            yield Fold(say("What happened to each won query"), (Items(told),))
    rules = contrast.flips.rules
    if rules and cells.won + cells.lost:
        items = tuple(say(f"{name}: {rule}.") for name, rule in rules.items())
        yield Fold(say("The rules behind the guesses at a cause"), (Items(items),))


def _flips(
    contrast: Contrast, shown: list[FlippedQuery], *, hidden: int, depth: int | None
) -> Iterator[Block]:
    if shown:
        yield _flip_table(contrast, shown, depth)
    elif hidden <= 0:
        yield paragraph("None.")
    if hidden > 0:
        yield paragraph(
            f"{hidden:,}{' more' if shown else ''} not shown by name: held-out queries stay "
            "closed until they are asked for, and every look at them is counted."
        )


def _flip_table(contrast: Contrast, flips: list[FlippedQuery], depth: int | None) -> Table:
    beyond = f"below {depth}" if depth else "not found"

    def rank(value: int | None) -> str:
        return beyond if value is None else str(value)

    arms = (contrast.baseline, contrast.treatment)
    ranks = (say("first gold rank, ", Data(arm)) for arm in arms)
    return Table(
        row("query", "class", "gold chunks", *ranks),
        tuple(
            row(
                Data(flip.text),
                flip.class_ or "unknown",
                _gold(flip.gold),
                rank(flip.rank_baseline),
                rank(flip.rank_treatment),
            )
            for flip in flips
        ),
        text_columns=3,
        wide=True,
    )


def _gold(chunk_ids: Sequence[str], most: int = 3) -> Sentence:
    parts = [part for chunk_id in chunk_ids[:most] for part in (", ", Data(chunk_id))][1:]
    more = len(chunk_ids) - most
    return say(*parts, f" and {more} more") if more > 0 else say(*parts)


def _story(contrast: Contrast, flip: FlippedQuery) -> Sentence:
    """One query: the gold chunk, its tokens, what stands before it where it is missed, why."""
    chunk, causes = flip.chunk, flip.causes
    guess = f" Guess: {', '.join(causes)}." if causes else ""
    # Of runs made elsewhere one rule can be tried; that it does not fit is no finding.
    if not causes and len(contrast.flips.rules) > 1:
        guess = " Guess: none of the rules fits."
    return say(
        Data(flip.text),
        ": gold ",
        Data(chunk.chunk_id),
        *_tokens(contrast, chunk),
        *_outranked(flip.outranked_by),
        guess,
    )


def _tokens(contrast: Contrast, chunk: FlipChunk) -> Sentence:
    """Header and body tokens, of both arms where they differ."""
    if chunk.body_tokens_baseline is None:
        return say(".")
    before, after = (
        f"header {words.count(header)}, body {words.count(body)} tokens"
        for header, body in (
            (chunk.header_tokens_baseline, chunk.body_tokens_baseline),
            (chunk.header_tokens_treatment, chunk.body_tokens_treatment),
        )
    )
    if before == after:
        return say(f" ({before}).")
    baseline, treatment = Data(contrast.baseline), Data(contrast.treatment)
    return say(f" ({before} with ", baseline, f"; {after} with ", treatment, ").")


def _outranked(chunks: Sequence[OutrankingChunk]) -> Sentence:
    parts: list[str | Data] = []
    for chunk in chunks:
        lead = "; " if parts else " Before it: "
        parts += [f"{lead}{chunk.rank}. ", Data(chunk.chunk_id)]
        if chunk.held_out:
            parts.append(" (a held-out document)")
        elif chunk.first_words:
            parts.append(" (")
            if chunk.title:
                parts += [Data(chunk.title), ": "]
            parts += [Data(chunk.first_words), ")"]
    return (*parts, ".") if parts else ()
