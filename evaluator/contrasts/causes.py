"""
Guesses at why a query flipped, each by a rule that a reader can check.

A rule that fits is a hint where to look and no finding: several can fit one flip, and none
may. Beside them stands how far queries repeat the words of their gold: a query that is nearly a
quotation of its chunk is found by any arm, so a header can only look unneeded.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from evaluator.arms.arm import ArmRun
from evaluator.arms.ranking import NEAR
from evaluator.contrasts.flips import HitChange
from evaluator.contrasts.model import GroupOverlap, WordOverlap
from evaluator.contrasts.pair import ArmPair
from evaluator.labelset.format import LabelSet
from evaluator.snapshot.chunk import Chunk
from evaluator.text.words import FUNCTION_WORDS, words_of

RULES: Mapping[str, str] = {
    "equal texts": "in the arm that misses, a chunk with the very text of the gold chunk is in the "
    "first k: only the labels tell the two apart",
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
OVERLAP_METHOD = (
    "distinct words of the query that stand in its gold chunk, as a share; words are runs of "
    "letters and digits in any case, whole, without stemming or stop words; in scripts without "
    "blanks each character; the gold chunk with the largest share counts"
)
NEAR_QUOTE = 0.8


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
            "equal texts": has_equal_text(
                self.pair, flip, lambda chunk_id: self.bodies[self.row_by_chunk[chunk_id]]
            ),
            "header outweighs body": bool(misses.inputs.header[row] > _body_tokens(misses, row)),
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


def has_equal_text(pair: ArmPair, flip: HitChange, text_of: Callable[[str], str | None]) -> bool:
    """Whether the arm that misses has the very text of the gold chunk in its first k."""
    ranked = (pair.baseline if flip.won else pair.treatment).get(flip.query_id, ())
    gold = text_of(flip.chunk_id)
    return gold is not None and any(text_of(chunk_id) == gold for chunk_id, _ in ranked[: pair.k])


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


def shared_words(query: str, golds: Iterable[str]) -> float | None:
    """The share of the query's words that its best gold text holds; None without any word."""
    wanted = words_of(query)
    found = [len(wanted & words_of(gold)) for gold in golds]
    return max(found) / len(wanted) if wanted and found else None


def overlap_of(labels: LabelSet, query_ids: Iterable[str], chunks: Iterable[Chunk]) -> WordOverlap:
    """
    The mean share over all these queries and in each class, and how many are near quotations.

    A warning is due on the whole only: a class of three queries proves nothing.
    """
    text_by_query = {query.query_id: query.text for query in labels.queries}
    text_by_chunk = {chunk.chunk_id: chunk.text for chunk in chunks}
    members: dict[str, list[float]] = {}
    for query_id in sorted(query_ids):
        golds = [text_by_chunk[c] for c in labels.gold(query_id) if c in text_by_chunk]
        share = shared_words(text_by_query[query_id], golds)
        if share is not None:
            members.setdefault(labels.query_class(query_id), []).append(share)
    return WordOverlap(
        method=OVERLAP_METHOD,
        threshold=NEAR_QUOTE,
        all=_group([share for shares in members.values() for share in shares]),
        groups={group: _group(members[group]) for group in sorted(members)},
    )


def _body_tokens(run: ArmRun, row: int) -> int:
    return int(run.inputs.offered[row] - run.inputs.front[row])


def _group(shares: Sequence[float]) -> GroupOverlap:
    mean = fmean(shares) if shares else None
    return GroupOverlap(len(shares), mean, sum(share >= NEAR_QUOTE for share in shares))
