"""
The queries whose hit changed: which gold chunk moved, and what stands before it now.

It finds what happened in two rankings and writes it down; why it may have happened is guessed
in `causes`. Flips of held-out queries are left out unless they were opened, and so is what a
held-out document says where it outranks the gold of another query.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluator.arms.arm import ArmRun
from evaluator.arms.setting import Setting
from evaluator.contrasts.model import (
    FlipChunk,
    FlippedQuery,
    Flips,
    OutrankingChunk,
    PrecisionFlip,
    PrecisionSample,
)
from evaluator.contrasts.pair import ArmPair
from evaluator.snapshot.chunk import Chunk
from evaluator.text.messages import first_words
from evaluator.trec import Run

_NAMED = 3


@dataclass(frozen=True, slots=True)
class HitChange:
    """
    One query that only one arm hits, and its gold chunk that this arm ranks best.

    `before_it` holds rank and chunk of what the other arm ranks before that chunk in its
    first k, and the arm that hits does not. The ranks are those of `chunk_id`, None below the
    depth of a run.
    """

    query_id: str
    won: bool
    chunk_id: str
    rank_baseline: int | None
    rank_treatment: int | None
    before_it: Sequence[tuple[int, str]]


Guess = Callable[[HitChange], Sequence[str]]
"""The names of the causes that fit a flip, of those in `causes.RULES`."""


@dataclass(frozen=True, slots=True)
class ShownTexts:
    """
    What may be shown of queries and chunks beside their ids.

    `chunk_by_id` is empty where no snapshot is at hand, `text_by_query` where the labels hold
    no texts. `holds_out` says of a document whether it is closed to looks.
    """

    class_by_query: Mapping[str, str]
    text_by_query: Mapping[str, str]
    chunk_by_id: Mapping[str, Chunk]
    holds_out: Callable[[str], bool]
    opened: bool


def named_flips(
    pair: ArmPair,
    *,
    won: Sequence[str],
    lost: Sequence[str],
    reading: ShownTexts,
    guess: Guess,
    rules: Mapping[str, str],
    tokens: Callable[[str], Mapping[str, int]] = lambda _: {},
) -> Flips:
    """
    Every lost and won query that may be named, with the rules behind the guesses at a cause.

    `tokens` counts those of a gold chunk.
    """

    def shown(query_ids: Sequence[str], is_won: bool) -> tuple[FlippedQuery, ...]:
        return tuple(
            _flipped(find_flip(pair, q, won=is_won), pair, reading, guess, tokens)
            for q in query_ids
            if reading.opened or reading.class_by_query.get(q) != "held-out"
        )

    return Flips(reading.opened, rules, won=shown(won, True), lost=shown(lost, False))


def find_flip(pair: ArmPair, query_id: str, *, won: bool) -> HitChange:
    """What happened to a query that one arm hits within k and the other does not."""
    hits, misses = pair.baseline, pair.treatment
    if won:
        hits, misses = misses, hits
    gold = pair.gold(query_id)
    rank_in_hits = _ranks(hits, query_id)
    chunk_id = next(c for c in rank_in_hits if c in gold)
    own = rank_in_hits[chunk_id]
    in_misses = _ranks(misses, query_id)
    ranks = (own, in_misses.get(chunk_id))
    return HitChange(
        query_id=query_id,
        won=won,
        chunk_id=chunk_id,
        rank_baseline=ranks[won],
        rank_treatment=ranks[not won],
        before_it=[
            (rank, c)
            for c, rank in in_misses.items()
            if rank <= pair.k and rank_in_hits.get(c, own + 1) > own
        ],
    )


def first_gold_rank(run: Run, query_id: str, gold: Sequence[str] | frozenset[str]) -> int | None:
    """The rank of a query's best gold chunk; None below the depth of the run."""
    return next((rank for c, rank in _ranks(run, query_id).items() if c in gold), None)


def _ranks(run: Run, query_id: str) -> dict[str, int]:
    return {c: rank for rank, (c, _) in enumerate(run.get(query_id, ()), 1)}


def _flipped(
    flip: HitChange,
    pair: ArmPair,
    reading: ShownTexts,
    guess: Guess,
    tokens: Callable[[str], Mapping[str, int]],
) -> FlippedQuery:
    query_id, gold = flip.query_id, pair.gold(flip.query_id)
    said: dict[str, Any] = {**_said(flip.chunk_id, reading), **tokens(flip.chunk_id)}
    return FlippedQuery(
        query_id=query_id,
        text=reading.text_by_query.get(query_id, query_id),
        class_=reading.class_by_query.get(query_id),
        gold=tuple(sorted(gold)),
        rank_baseline=first_gold_rank(pair.baseline, query_id, gold),
        rank_treatment=first_gold_rank(pair.treatment, query_id, gold),
        chunk=FlipChunk(flip.chunk_id, flip.rank_baseline, flip.rank_treatment, **said),
        outranked_by=tuple(
            OutrankingChunk(chunk_id, rank, **_said(chunk_id, reading))
            for rank, chunk_id in flip.before_it[:_NAMED]
        ),
        causes=tuple(guess(flip)),
    )


def _said(chunk_id: str, reading: ShownTexts) -> dict[str, Any]:
    """Title and first words of a chunk, where they are known and open."""
    chunk = reading.chunk_by_id.get(chunk_id)
    if chunk is None:
        return {}
    if not reading.opened and reading.holds_out(chunk.doc_id):
        return {"held_out": True}
    return {"title": chunk.title, "first_words": first_words(chunk.text)}


def precision_sample(
    a: ArmRun, b: ArmRun, setting: Setting, *, opened: bool
) -> PrecisionSample | None:
    """Whether arms that were not encoded in fp32 hit what they would in fp32, on a sample."""
    k, gold = setting.experiment.protocol.k, setting.labels.gold
    classes, flips = setting.population.class_by_query, []
    for run in (a, b):
        for query_id, first in (run.fp32_first or {}).items():
            hit = not gold(query_id).isdisjoint(each for each, _ in run.exact[query_id][:k])
            if hit == gold(query_id).isdisjoint(first):
                named = opened or classes[query_id] != "held-out"
                flips.append(PrecisionFlip(run.arm.name, query_id if named else None, hit))
    if a.fp32_first is None:
        return None
    return PrecisionSample(a.model.precision, k, len(a.fp32_first), tuple(flips))
