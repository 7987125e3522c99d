"""
Kinds of queries told apart by their text alone, and strata that are put together from kinds.

The rules are crude on purpose: they are stated in the design, need no model, and give the
same answer everywhere. A stratum need not be right about a query, since any rule that is
fixed before the draw leaves its probabilities exact.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from evaluator.text.function_words import ASKING, HELPING, WHOM
from labeler.logs.queries import LogQuery

QUESTION, KEYWORDS = "question", "keywords"
LENGTHS = ("1 word", "2 or 3 words", "4 to 7 words", "8 words or more")
_FROM = (1, 2, 4, 8)
_WORDS = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_OTHER_MARKS = "？؟՞"  # no wildcard, and in Chinese a question need not have a blank
_CLOSING = " .!)\"'”»"
_FEWEST_WORDS = 3  # "what if" and "when" may be titles; "who guidelines" is an organisation

TYPE_RULE = (
    "question: two words or more with a question mark at the end (a single word with one is a "
    "wildcard), or three words or more of which the first asks "
    "(how, what, why, when, where, who, which and their like in German, Dutch, Norwegian, "
    "Danish, Swedish, French, Spanish, Italian and Portuguese), or the first helps to ask and "
    "the second says of whom (can i, is the, darf ich, kan jeg); keywords: all others"
)
LENGTH_RULE = f"length in words: {', '.join(LENGTHS)}"


@dataclass(frozen=True, slots=True)
class Strata:
    """
    A stratum for each query of a log, by its key, and the rules that gave it, in words.

    `by` are the names under which the rules were asked for, `notes` what should be known of
    how they came out. Without any rule there is one stratum, which has no name.
    """

    by: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    stratum_by_query: Mapping[str, str] | None = None
    notes: tuple[str, ...] = ()

    def split(self, queries: Iterable[LogQuery]) -> dict[str, list[LogQuery]]:
        """The queries of each stratum, strata in the order of their names."""
        groups: dict[str, list[LogQuery]] = {}
        for query in queries:
            groups.setdefault(self.stratum(query.query), []).append(query)
        return dict(sorted(groups.items()))

    def stratum(self, query: str) -> str:
        """The stratum of a query by its key."""
        return "" if self.stratum_by_query is None else self.stratum_by_query[query]

    def crossed_with(self, other: "Strata") -> "Strata":
        """Each stratum of these divided by those of the other."""
        if self.stratum_by_query is None or other.stratum_by_query is None:
            return other if self.stratum_by_query is None else self
        crossed = {
            query: f"{stratum} / {other.stratum_by_query[query]}"
            for query, stratum in self.stratum_by_query.items()
        }
        return Strata(
            self.by + other.by, self.rules + other.rules, crossed, self.notes + other.notes
        )


def query_type(text: str) -> str:
    """`question` or `keywords`, by TYPE_RULE."""
    words = _words(text)
    end = text.rstrip(_CLOSING)[-1:]
    if (end == "?" and len(words) > 1) or (end and end in _OTHER_MARKS):
        return QUESTION
    if len(words) < _FEWEST_WORDS:
        return KEYWORDS
    asked = words[0] in ASKING or (words[0] in HELPING and words[1] in WHOM)
    return QUESTION if asked else KEYWORDS


def query_length(text: str) -> str:
    """The class of LENGTHS that the number of words falls into; no word counts as one."""
    number = len(_words(text))
    return LENGTHS[max(0, bisect_right(_FROM, number) - 1)]


TEXT_RULES: Mapping[str, tuple[str, Callable[[str], str]]] = {
    "type": (TYPE_RULE, query_type),
    "length": (LENGTH_RULE, query_length),
}


def text_strata(queries: Sequence[LogQuery], *, by: Sequence[str]) -> Strata:
    """Strata by the named rules of TEXT_RULES, crossed where there are several."""
    strata = Strata()
    for name in by:
        rule, kind = TEXT_RULES[name]
        found = {query.query: kind(query.text) for query in queries}
        strata = strata.crossed_with(Strata((name,), (rule,), found))
    return strata


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORDS.findall(text)]
