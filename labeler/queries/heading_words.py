"""
Queries written by people who had the headings before them, told by their words.

A header rule cannot be judged by queries that were made from headings. Nobody can see a
mind, but such queries have more words of headings than the bodies of the documents explain,
and more than what people type into the search box. What is found is a flag for somebody to
look at; no query is left out for it.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from evaluator.labelset.format import Query
from evaluator.snapshot.chunk import Chunk
from evaluator.text.messages import counted
from evaluator.text.words import FUNCTION_WORDS

RULE = (
    "score: the share of a query's content words that stand in titles or headings, minus the "
    "share that words as frequent in the bodies have on average; flagged if at most 5% of the "
    "reference with as many content words (four or more being one class) score as high"
)
OUTLIER = 0.05
COMMON, COMMON_CHUNKS = 0.25, 3  # words in more of the chunks than both are no content words
_WORDS = re.compile(r"[^\W_]{3,}")
_LONGEST_CLASS = 4
_LISTED = 20
_FEWEST = 19  # of the reference: with fewer, nothing can be within 5%


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """
    What the words of a snapshot tell about headings.

    `expected` is, by class of frequency in the bodies, the share of words that stand in a
    heading; a word that no body holds is expected in none.
    """

    chunks: int
    headings: frozenset[str]
    bodies: Mapping[str, int]
    expected: Mapping[int, float]

    def content_words(self, text: str) -> list[str]:
        """Distinct words of three letters or more that say what a text is about."""
        most = max(COMMON * self.chunks, COMMON_CHUNKS)
        return [
            word
            for word in dict.fromkeys(_words(text))
            if word not in FUNCTION_WORDS and self.bodies.get(word, 0) <= most
        ]

    def score(self, words: Sequence[str]) -> float:
        """How much more of these words stand in headings than bodies explain, -1 to 1."""
        excess = [
            (word in self.headings) - self.expected.get(_frequency(self.bodies.get(word, 0)), 0.0)
            for word in words
        ]
        return math.fsum(excess) / len(excess)


@dataclass(frozen=True, slots=True)
class Wording:
    """
    One query's words. `as_high` is the share of the reference that scores as high.

    Both figures are None for a query without content words, or where too little of the
    reference is as long.
    """

    query_id: str
    text: str
    origin: str
    in_headings: tuple[str, ...]
    others: tuple[str, ...]
    score: float | None
    as_high: float | None

    @property
    def flagged(self) -> bool:
        return self.as_high is not None and self.as_high <= OUTLIER


@dataclass(frozen=True, slots=True)
class OriginWording:
    """
    The queries of one origin. `by_chance` is how many of them would be flagged if they were
    worded as the reference is, `p` the probability of so many or more.
    """

    origin: str
    checked: int
    flagged: int
    by_chance: float
    p: float


@dataclass(frozen=True, slots=True)
class WordingCheck:
    """
    Every query that no log gave, those worded most like headings first.

    `reference` is the number of log queries that they are compared with.
    """

    reference: int
    groups: tuple[OriginWording, ...]
    queries: tuple[Wording, ...]

    def as_record(self) -> dict[str, Any]:
        """Plain values for JSON, with the rule and the ids that are flagged."""
        flagged = [each.query_id for each in self.queries if each.flagged]
        return {"rule": RULE, "flagged": flagged, **asdict(self)}


def read_vocabulary(chunks: Iterable[Chunk]) -> Vocabulary:
    """The words of titles and headings, and of bodies, each chunk read once."""
    bodies: Counter[str] = Counter()
    headings: set[str] = set()
    seen: set[tuple[str, ...]] = set()
    number = 0
    for chunk in chunks:
        number += 1
        bodies.update(set(_words(chunk.text)))
        path = (chunk.title, *chunk.headings)
        if path not in seen:
            seen.add(path)
            headings.update(_words(" ".join(path)))
    words: Counter[int] = Counter()
    inside: Counter[int] = Counter()
    for word, holding in bodies.items():
        words[_frequency(holding)] += 1
        inside[_frequency(holding)] += word in headings
    expected = {frequency: inside[frequency] / words[frequency] for frequency in words}
    return Vocabulary(number, frozenset(headings), bodies, expected)


def check_wording(
    queries: Iterable[Query], vocabulary: Vocabulary, *, log: Sequence[str]
) -> WordingCheck:
    """
    The queries that no log gave against the wording of the log.

    `log` are the texts of the log's distinct queries. Without them there are scores and no
    flags: people type subjects, as headings do, so that every third honest query would be
    flagged against the sentences of the documents.
    """
    reference: dict[int, list[float]] = defaultdict(list)
    for text in log:
        if words := vocabulary.content_words(text):
            reference[min(len(words), _LONGEST_CLASS)].append(vocabulary.score(words))
    checked = [_wording(query, vocabulary, reference) for query in queries if query.origin != "log"]
    checked.sort(key=lambda each: (each.as_high or 1.0, -(each.score or -1.0), each.query_id))
    number = sum(map(len, reference.values()))
    return WordingCheck(number, tuple(_groups(checked)), tuple(checked))


def wording_text(check: WordingCheck) -> str:
    """The check for a person at a terminal: each group, then queries by name."""
    return "\n".join(_lines(check))


def _lines(check: WordingCheck) -> Iterator[str]:
    if not check.queries:
        yield "There are no known-answer or authored queries to check."
        return
    if not check.reference:
        yield (
            "There is no query log to compare with, so nothing is flagged. Highest scores "
            "(0: as many words of headings as bodies explain):"
        )
        for each in check.queries[:_LISTED]:
            if each.score is not None:
                yield f"  {each.score:+.2f} {_named(each)}"
        return
    yield f"Compared with {check.reference:,} queries of the log."
    for group in check.groups:
        if group.checked:
            yield (
                f"{group.origin}: {group.flagged} of {group.checked} queries have more words of "
                f"headings than 95% of the log's; by chance {group.by_chance:.1f} would "
                f"(binomial, p = {group.p:.2g})"
            )
    if unchecked := sum(each.as_high is None for each in check.queries):
        yield (
            f"Not compared: {unchecked} of {counted(len(check.queries), 'query', many='queries')} "
            "without content words, or with too few like them in the log."
        )
    flagged = [each for each in check.queries if each.flagged]
    yield from (f"  {_named(each)}" for each in flagged)
    if flagged:
        yield "A flag is a reason to ask who wrote a query and what they had seen."


def _named(each: Wording) -> str:
    return f"{each.query_id}: {each.text!r} (in headings: {', '.join(each.in_headings) or 'none'})"


def _frequency(chunks: int) -> int:
    """The class of a word that so many chunks hold: 0, 1, 2 to 3, 4 to 7 and so on."""
    return chunks.bit_length()


def _wording(
    query: Query, vocabulary: Vocabulary, reference: Mapping[int, Sequence[float]]
) -> Wording:
    words = vocabulary.content_words(query.text)
    alike = reference.get(min(len(words), _LONGEST_CLASS), [])
    score = vocabulary.score(words) if words else None
    as_high = None
    if score is not None and len(alike) >= _FEWEST:
        # The query itself counts as one of them, as in a permutation test
        as_high = (1 + sum(other >= score - 1e-12 for other in alike)) / (1 + len(alike))
    return Wording(
        query_id=query.query_id,
        text=query.text,
        origin=query.origin,
        in_headings=tuple(word for word in words if word in vocabulary.headings),
        others=tuple(word for word in words if word not in vocabulary.headings),
        score=score,
        as_high=as_high,
    )


def _groups(checked: Sequence[Wording]) -> Iterator[OriginWording]:
    from scipy.stats import binom  # slow to import, and only needed here

    for origin in sorted({each.origin for each in checked}):
        group = [each for each in checked if each.origin == origin and each.as_high is not None]
        flagged = sum(each.flagged for each in group)
        yield OriginWording(
            origin=origin,
            checked=len(group),
            flagged=flagged,
            by_chance=OUTLIER * len(group),
            p=float(binom.sf(flagged - 1, len(group), OUTLIER)),
        )


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORDS.findall(text)]
