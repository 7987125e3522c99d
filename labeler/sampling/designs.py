"""
The designs: ways to draw queries from one stratum, each with what it cannot say.

A design gives every query it could have drawn a known chance, or says that it does not.
How a log is cut into strata, and what becomes of the drawn queries, is no matter here.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from labeler.logs.queries import LogQuery
from labeler.sampling.systematic import (
    PERMANENT_NUMBERS,
    draw_start,
    order_key,
    permanent_number,
    split_certainty,
    systematic,
)
from labeler.workspace.sample_design import DesignName

Part = Literal["certainty", "rest", "top"]

CERTAINTY: Part = "certainty"
REST: Part = "rest"
TOP: Part = "top"
CENSUS = "every query that was searched for, since no more were there than were asked for"
NO_VARIANCE = "none: nothing was left to chance"
OUTSIDE = "what is asked outside this window of the log"


@dataclass(frozen=True, slots=True)
class Drawn:
    """A query that was drawn, by which part of the design, and how likely that was."""

    query: LogQuery
    part: Part
    probability: float | None


@dataclass(frozen=True, slots=True)
class Terms:
    """What a draw from one stratum is told; `salt` is that of its permanent numbers."""

    size: int
    seed: int
    stratum: str
    salt: str


@dataclass(frozen=True, slots=True)
class Design:
    """How it draws, how its variance is estimated, and what nobody can learn from it."""

    method: str
    variance: str
    cannot_say: str
    draw: Callable[[Sequence[LogQuery], Terms], list[Drawn]]


def proportional(queries: Sequence[LogQuery], terms: Terms) -> list[Drawn]:
    """
    By searches, without replacement, exactly as many as asked for.

    The inclusion probability of a query outside the certainty part is n x / X, where x is
    its count, X the count of all the rest and n what is left to draw.

    Source: Madow (1949) for systematic sampling proportional to size.
    """
    certain, rest = split_certainty(queries, size=terms.size)
    left = terms.size - len(certain)
    ordered = sorted(rest, key=lambda query: order_key(query.query, seed=terms.seed))
    total = sum(query.count for query in ordered)
    start = draw_start(terms.seed, below=total, stratum=terms.stratum)
    chosen = systematic([query.count for query in ordered], size=left, start=start)
    return [Drawn(query, CERTAINTY, 1.0) for query in certain] + [
        Drawn(ordered[at], REST, left * ordered[at].count / total) for at in chosen
    ]


def permanent(queries: Sequence[LogQuery], terms: Terms) -> list[Drawn]:
    """
    By searches, each query by itself: drawn if its permanent number is below its probability.

    The probabilities are those of `proportional`. A query that has the same number in two
    logs is in both samples with the smaller of its two probabilities, and no design can do
    better; the price is that the size is left to chance.

    Source: Brewer, Early and Joyce (1972) for Poisson sampling with permanent numbers.
    """
    certain, rest = split_certainty(queries, size=terms.size)
    left, total = terms.size - len(certain), sum(query.count for query in rest)

    def is_below(query: LogQuery) -> bool:
        number = permanent_number(query.query, salt=terms.salt)
        return number * total < left * query.count * PERMANENT_NUMBERS

    return [Drawn(query, CERTAINTY, 1.0) for query in certain] + [
        Drawn(query, REST, left * query.count / total) for query in rest if is_below(query)
    ]


def uniform(queries: Sequence[LogQuery], terms: Terms) -> list[Drawn]:
    """Every distinct query alike: those whose hash comes first."""
    ordered = sorted(queries, key=lambda query: order_key(query.query, seed=terms.seed))
    part = CERTAINTY if terms.size >= len(queries) else REST
    probability = min(1.0, terms.size / len(queries))
    return [Drawn(query, part, probability) for query in ordered[: terms.size]]


def top(queries: Sequence[LogQuery], terms: Terms) -> list[Drawn]:
    """
    The most frequent, ties by hash. Without probabilities, so that no weight can be made.

    A probability of 1 would be true of these queries and would make any reader take them
    for the whole log, as the rest never appears.
    """
    ordered = sorted(
        queries, key=lambda query: (-query.count, order_key(query.query, seed=terms.seed))
    )
    return [Drawn(query, TOP, None) for query in ordered[: terms.size]]


DESIGNS: Mapping[DesignName, Design] = {
    "proportional": Design(
        method=(
            "probability proportional to the number of searches, without replacement: queries "
            "that would be drawn once or more on average are taken with certainty, repeated "
            "over the rest until none is left; the rest by systematic sampling in the order of "
            "sha256(seed:query), with a start drawn from the seed"
        ),
        variance=(
            "systematic sampling has no unbiased estimator of variance, because some pairs of "
            "queries can never be drawn together; in an order as good as random, use the "
            "approximation of Hartley and Rao (1962) over the rest; queries taken with "
            "certainty add no variance"
        ),
        cannot_say=(
            f"{OUTSIDE}; and little of any one rare query, since each that was drawn stands for "
            "many that were not"
        ),
        draw=proportional,
    ),
    "permanent": Design(
        method=(
            "Poisson sampling with permanent random numbers, probability proportional to the "
            "number of searches: queries that would be drawn once or more on average are taken "
            "with certainty, repeated over the rest until none is left; any other is drawn if "
            "its permanent number is below its inclusion probability"
        ),
        variance=(
            "Poisson sampling: the sum over the drawn of (1 - p) (w e)^2, where p is the "
            "inclusion probability, w the weight as a share and e the distance of a query's "
            "difference from the weighted mean; queries taken with certainty add none"
        ),
        cannot_say=(
            "how many queries it will have before it is drawn, since its size is as asked for "
            "on average only; otherwise what a proportional sample cannot: "
            f"{OUTSIDE}, and much of any one rare query"
        ),
        draw=permanent,
    ),
    "uniform": Design(
        method=(
            "simple random sampling without replacement of distinct queries, however often they "
            "were searched for: those that come first in the order of sha256(seed:query)"
        ),
        variance=(
            "the textbook variance with finite population correction; with equal probabilities "
            "the approximation of Hartley and Rao (1962) is the same"
        ),
        cannot_say=(
            "much about the traffic: the few queries that most searches are for are hardly ever "
            "drawn, so an estimate for the traffic is exact in its weights and worth few "
            "queries; it speaks for distinct queries, most of them rare"
        ),
        draw=uniform,
    ),
    "top": Design(
        method=(
            "the most frequent queries, ties in the order of sha256(seed:query); no chance, no "
            "inclusion probabilities, no weights"
        ),
        variance="none: nothing was left to chance, and nothing stands for what was left out",
        cannot_say=(
            "anything about the queries it leaves out, which never had a chance to be in it; "
            "no estimate for the traffic or for distinct queries can be made from it, and its "
            "plain mean is the mean of these queries only"
        ),
        draw=top,
    ),
}
