"""
The queries that changed: a table to read, and in the appendix what happened to each.

Held-out flips stay counts unless the record says that they were opened.
"""

from collections.abc import Iterator, Sequence
from typing import Literal

from evaluator.contrasts.model import Contrast, FlipChunk, FlippedQuery, OutrankingChunk
from evaluator.record.facts import cells_at, shown_flips
from evaluator.record.model import Record
from evaluator.report.document import (
    Block,
    Data,
    DifferenceBars,
    Heading,
    Items,
    Sentence,
    Table,
    paragraph,
    row,
    say,
)
from evaluator.text import figures as words

_MOST_TO_READ = 12
_KINDS: tuple[Literal["lost"], Literal["won"]] = ("lost", "won")


def flip_blocks(record: Record, contrast: Contrast) -> Iterator[Block]:
    """The queries lost and won with their ranks, held-out ones as a count unless opened."""
    k, protocol = contrast.primary.k, record.experiment.protocol
    cells, depth = cells_at(contrast, k), protocol.depth if protocol else None
    if cells is None:
        return
    for kind, total in (("lost", cells.lost), ("won", cells.won)):
        shown = shown_flips(contrast, kind)
        yield Heading(say(f"{kind.capitalize()}: {total:,} of {cells.n:,} queries at k = {k}"))
        if shown:
            yield _flip_table(contrast, shown[:_MOST_TO_READ], depth)
        if not total:
            yield paragraph("None.")
        if (more := len(shown) - _MOST_TO_READ) > 0:
            yield paragraph(f"{more:,} more in the appendix.")
        if hidden := total - len(shown):
            yield paragraph(
                f"{hidden:,}{' more' * bool(shown)} not shown by name: held-out queries stay "
                "closed until they are asked for, and every look at them is counted."
            )
    yield from _moves(contrast)


def flip_story_blocks(contrast: Contrast) -> Iterator[Block]:
    """Every flip that may be named with its gold, tokens and causes, and the rules for these."""
    told = False
    for kind in _KINDS:
        if stories := tuple(_story(contrast, flip) for flip in shown_flips(contrast, kind)):
            told = True
            yield Heading(say(kind.capitalize()))
            yield Items(stories)
    rules = contrast.flips.rules
    if rules and told:
        yield Heading(say("The rules behind the guesses at a cause"))
        yield Items(tuple(say(f"{name}: {rule}.") for name, rule in rules.items()))


def _flip_table(contrast: Contrast, flips: Sequence[FlippedQuery], depth: int | None) -> Table:
    beyond = f"below {depth}" if depth else "not found"

    def rank(value: int | None) -> str:
        return beyond if value is None else str(value)

    ranks = (say("rank, ", Data(arm)) for arm in (contrast.baseline, contrast.treatment))
    return Table(
        row("query", "gold chunk", "ranked above it where missed", "guess", *ranks),
        tuple(
            row(
                Data(flip.text),
                Data(flip.chunk.chunk_id),
                _above(flip.outranked_by),
                _guess(contrast, flip),
                rank(flip.rank_baseline),
                rank(flip.rank_treatment),
            )
            for flip in flips
        ),
        text_columns=4,
        wide=True,
    )


def _above(chunks: Sequence[OutrankingChunk]) -> Sentence:
    """The chunks that outrank the gold one, by title where one is known."""
    parts: list[str | Data] = []
    for chunk in chunks:
        parts.append(f"{'; ' if parts else ''}{chunk.rank}. ")
        parts.append(
            "a held-out document" if chunk.held_out else Data(chunk.title or chunk.chunk_id)
        )
    return tuple(parts)


def _guess(contrast: Contrast, flip: FlippedQuery) -> str:
    if flip.causes:
        return ", ".join(flip.causes)
    # Of runs made elsewhere one rule can be tried; that it does not fit is no finding.
    return "no rule fits" if len(contrast.flips.rules) > 1 else ""


def _moves(contrast: Contrast) -> Iterator[Block]:
    """How far each query moved in the graded measures: bars, and beside them their extremes."""
    graded = {name: found for name, found in contrast.measures.items() if found.changes}
    if not graded:
        return
    rows = [
        row(
            name,
            *map(words.count, (found.up, found.down, found.n - found.up - found.down)),
            *map(words.signed, (max(found.changes or ()), min(found.changes or ()))),
        )
        for name, found in graded.items()
    ]
    columns = ("rose", "fell", "unchanged", "largest rise", "largest fall")
    yield Heading(say("How far each query moved"))
    for name, found in graded.items():
        yield DifferenceBars(name, found.changes or ())
    yield Table(row("measure", *columns), tuple(rows))


def _story(contrast: Contrast, flip: FlippedQuery) -> Sentence:
    """One query: its gold, the chunk that moved, its tokens, what outranks it, and why."""
    chunk, guess = flip.chunk, _guess(contrast, flip)
    group = f" ({flip.class_})" if flip.class_ else ""
    others = [chunk_id for chunk_id in flip.gold if chunk_id != chunk.chunk_id][:3]
    parts = [part for chunk_id in others for part in (", ", Data(chunk_id))]
    return say(
        Data(flip.text),
        f"{group}: gold ",
        Data(chunk.chunk_id),
        *parts,
        *_tokens(contrast, chunk),
        *_outranked(flip.outranked_by),
        f" Guess: {guess}." if guess else "",
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
