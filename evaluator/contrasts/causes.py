"""
Guesses at why a query flipped, each by a rule that a reader can check.

A rule that fits is a hint where to look and no finding: several can fit one flip, and none
may. It owns the rules and their words, and reads only what two arms ranked and embedded.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluator.arms.arm import ArmRun
from evaluator.contrasts.flips import HitChange
from evaluator.contrasts.pair import ArmPair
from evaluator.text.function_words import FUNCTION_WORDS
from evaluator.text.words import words_of

# Of the distance from the first to the last score of the list that misses.
NEAR = 0.02

RULES: Mapping[str, str] = {
    "header outweighs body": "the header of the gold chunk has more tokens than its body has, in "
    "the arm that misses",
    "misleading path": "in the arm that misses, the header of a chunk that outranks the gold "
    "chunk holds a word of the query that the gold chunk's header does not hold, apart from words "
    "such as 'the' and 'for'",
    "header names it": "in the arm that hits, the header of the gold chunk holds a word of the "
    "query that its body does not hold, apart from words such as 'the' and 'for'",
    "truncated": "the model cuts the gold chunk in the arm that misses and not in the other",
    "near tie": "in the arm that misses, the gold chunk's score lies below the k-th by no more "
    f"than {NEAR:.0%} of the distance between the first and the last score of that list",
    "approximate search": "by exact search the arm that misses has the gold chunk in its first k",
}


@dataclass(frozen=True, slots=True)
class Evidence:
    """What two arms embedded, to guess from. `row_by_chunk` leads into their inputs."""

    pair: ArmPair
    baseline: ArmRun
    treatment: ArmRun
    row_by_chunk: Mapping[str, int]
    text_by_query: Mapping[str, str]
    bodies: Sequence[str]
    is_approximate: bool

    def causes(self, flip: HitChange) -> list[str]:
        """The rules that fit, in the order of `RULES`."""
        hits, misses = self.baseline, self.treatment
        if flip.won:
            hits, misses = misses, hits
        row = self.row_by_chunk[flip.chunk_id]
        fits = {
            "header outweighs body": _header_outweighs(misses, row),
            "misleading path": self._misleads(flip, misses, row),
            "header names it": self._names(flip, hits, row),
            "truncated": bool(misses.inputs.truncated[row] and not hits.inputs.truncated[row]),
            "near tie": is_near_tie(self.pair, flip),
            "approximate search": self.is_approximate and self._exact_hits(flip, misses),
        }
        return [name for name in RULES if fits[name]]

    def _misleads(self, flip: HitChange, misses: ArmRun, row: int) -> bool:
        asked = self._query_words(flip) - words_of(misses.inputs.headers[row])
        return any(
            asked & words_of(misses.inputs.headers[self.row_by_chunk[c]]) for _, c in flip.before_it
        )

    def _names(self, flip: HitChange, hits: ArmRun, row: int) -> bool:
        return bool(
            self._query_words(flip)
            & words_of(hits.inputs.headers[row]) - words_of(self.bodies[row])
        )

    def _exact_hits(self, flip: HitChange, misses: ArmRun) -> bool:
        first = misses.exact.get(flip.query_id, ())[: self.pair.k]
        return any(chunk_id == flip.chunk_id for chunk_id, _ in first)

    def _query_words(self, flip: HitChange) -> set[str]:
        return words_of(self.text_by_query[flip.query_id]) - FUNCTION_WORDS


def is_near_tie(pair: ArmPair, flip: HitChange) -> bool:
    """Whether the arm that misses had the gold chunk just below its first k, by score."""
    ranked = (pair.baseline if flip.won else pair.treatment).get(flip.query_id, ())
    score = dict(ranked).get(flip.chunk_id)
    if score is None or len(ranked) < pair.k:
        return False
    scores = [value for _, value in ranked]
    return scores[pair.k - 1] - score <= NEAR * (scores[0] - scores[-1])


def tokens_of(baseline: ArmRun, treatment: ArmRun, row: int) -> dict[str, int]:
    """
    Header and body tokens of one chunk in both arms, as offered to the model.

    The body's are what is left without prefix and header, the model's own marks included.
    """
    return {
        f"{what}_tokens_{arm}": int(count)
        for arm, run in (("baseline", baseline), ("treatment", treatment))
        for what, count in (
            ("header", run.inputs.header[row]),
            ("body", _body_tokens(run, row)),
        )
    }


def _header_outweighs(run: ArmRun, row: int) -> bool:
    return bool(run.inputs.header[row] > _body_tokens(run, row))


def _body_tokens(run: ArmRun, row: int) -> int:
    return int(run.inputs.offered[row] - run.inputs.front[row])
