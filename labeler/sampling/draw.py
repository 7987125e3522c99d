"""
Distinct queries with counts to a sample, and the design that drew it.

Pure: the sample depends on the seed and the counts, never on the order of the queries, on a
library's random numbers or on its version. How one stratum is drawn from is the business of
`designs`, what a stratum is that of `strata`. It knows nothing of log files or of judging.
"""

import hashlib
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluator import InputError
from evaluator.labelset.format import Query
from evaluator.text.moments import middle
from labeler.logs.queries import LogQuery
from labeler.sampling.designs import (
    CENSUS,
    CERTAINTY,
    DESIGNS,
    NO_VARIANCE,
    OUTSIDE,
    REST,
    TOP,
    Drawn,
    Terms,
)
from labeler.sampling.strata import Strata
from labeler.sampling.systematic import allocate, order_key
from labeler.workspace.sample_design import (
    Allotment,
    DesignName,
    DrawnPart,
    SampleDesign,
    SampleWindow,
)

_ID_DIGITS = 12
_ONE_STRATUM = Strata()


@dataclass(frozen=True, slots=True)
class Sample:
    """The queries drawn, in the order of their hash, and the design they were drawn by."""

    queries: tuple[Query, ...]
    design: SampleDesign


def draw_sample(
    queries: Sequence[LogQuery],
    *,
    size: int,
    seed: int,
    logs: Sequence[Mapping[str, Any]] = (),
    design: DesignName = "proportional",
    strata: Strata = _ONE_STRATUM,
    salt: str | None = None,
) -> Sample:
    """
    Draw `size` queries by a design, so that each stands for a known share of the searches.

    With strata, the queries are shared out by searches and drawn in each by the same
    design, its own certainty part included. Drawing with replacement and dropping what
    comes twice would give fewer queries and unknown probabilities. `logs` are the records
    of the log files, which become part of the design; `salt` is that of the permanent
    numbers, if it is another than the seed.

    Raises InputError for a size below 1 or below the number of strata, and for a log
    without searches.
    """
    _check(queries, size)
    population = [query for query in queries if query.count > 0]
    groups = strata.split(population)
    sizes = allocate(
        size,
        searches={name: sum(q.count for q in group) for name, group in groups.items()},
        queries={name: len(group) for name, group in groups.items()},
    )
    census = size >= len(population)
    drawn: dict[str, list[Drawn]] = {}
    for name, group in groups.items():
        terms = Terms(sizes[name], seed, name, str(seed) if salt is None else salt)
        drawn[name] = (
            [Drawn(query, CERTAINTY, 1.0) for query in group]
            if census
            else DESIGNS[design].draw(group, terms)
        )
    sample = _queries(drawn, seed=seed)
    searches = sum(query.count for query in population)
    method, variance, cannot_say = _in_words(groups, drawn, design=design, census=census)
    return Sample(
        sample,
        SampleDesign(
            design=design,
            method=method,
            variance=variance,
            cannot_say=cannot_say,
            seed=seed,
            size=size,
            population=len(population),
            never_searched=len(queries) - len(population),
            searches=searches,
            certainty=sum(query.inclusion_probability == 1.0 for query in sample),
            drawn=len(sample),
            share_of_traffic=sum(query.log_count or 0 for query in sample) / searches,
            share_of_queries=len(sample) / len(population),
            effective_queries=effective_queries(sample),
            allocation=_allocation(groups, sizes, drawn),
            strata=_parts(groups, drawn),
            by=strata.by,
            rules=strata.rules,
            notes=strata.notes,
            logs=tuple(dict(log) for log in logs),
            window=_window(logs),
        ),
    )


def stratum_name(stratum: str, part: str) -> str:
    """How a query's stratum and the part of the design that drew it are written as one."""
    return f"{stratum}: {part}" if stratum else part


def query_ids(queries: Iterable[str]) -> dict[str, str]:
    """
    An id for each query that the same query has in every sample.

    It is the beginning of the query's hash, made longer if two of these queries share it.
    """
    digests = {query: hashlib.sha256(query.encode()).hexdigest() for query in queries}
    digits = _ID_DIGITS
    while len({digest[:digits] for digest in digests.values()}) < len(digests):
        digits += 1
    return {query: f"q-{digest[:digits]}" for query, digest in digests.items()}


def _check(queries: Sequence[LogQuery], size: int) -> None:
    if size < 1:
        raise InputError(f"A sample of {size} queries cannot be drawn. Ask for 1 or more.")
    if not queries:
        raise InputError("There are no log queries to draw from. Read a query log first.")
    twice = [query for query, n in Counter(q.query for q in queries).items() if n > 1]
    if twice:
        raise InputError(f"Queries that are there more than once: {', '.join(twice[:5])!r}.")
    below = [query.query for query in queries if query.count < 0]
    if below:
        raise InputError(f"Queries with a count below 0: {', '.join(below[:5])!r}.")
    if not any(query.count for query in queries):
        raise InputError(
            f"All {len(queries):,} log queries have the count 0, so none was searched for. "
            "Name the column that holds the counts with --count-column when reading the log."
        )


def _queries(drawn: Mapping[str, Sequence[Drawn]], *, seed: int) -> tuple[Query, ...]:
    """The drawn queries of all strata in the order of their hash."""
    flat = [(stratum, each) for stratum, group in drawn.items() for each in group]
    flat.sort(key=lambda item: order_key(item[1].query.query, seed=seed))
    ids = query_ids([each.query.query for _, each in flat])
    return tuple(
        Query(
            query_id=ids[each.query.query],
            text=each.query.text,
            origin="log",
            stratum=stratum_name(stratum, each.part),
            log_count=each.query.count,
            inclusion_probability=each.probability,
            weight=None if each.probability is None else each.query.count / each.probability,
            variants=each.query.variants,
        )
        for stratum, each in flat
    )


def _in_words(
    groups: Mapping[str, Sequence[LogQuery]],
    drawn: Mapping[str, Sequence[Drawn]],
    *,
    design: DesignName,
    census: bool,
) -> tuple[str, str, str]:
    """The method, how its variance is estimated, and what it cannot say."""
    if census:
        return CENSUS, NO_VARIANCE, OUTSIDE
    chosen = DESIGNS[design]
    certain = sum(each.part == CERTAINTY for group in drawn.values() for each in group)
    open_to_chance = certain < sum(map(len, groups.values())) or design == TOP
    within = f"within each of {len(groups)} strata, " if len(groups) > 1 else ""
    variance = chosen.variance if open_to_chance else NO_VARIANCE
    return within + chosen.method, variance, chosen.cannot_say


def effective_queries(sample: Iterable[Query]) -> float | None:
    """
    How many queries of equal weight these are worth for the traffic, or None without weights.

    Source: Kish, Survey Sampling (1965), section 11.7: (sum w)^2 / sum w^2.
    """
    weights = [query.weight for query in sample if query.weight is not None]
    squares = math.fsum(weight * weight for weight in weights)
    return math.fsum(weights) ** 2 / squares if squares else None


def _allocation(
    groups: Mapping[str, Sequence[LogQuery]],
    sizes: Mapping[str, int],
    drawn: Mapping[str, Sequence[Drawn]],
) -> dict[str, Allotment]:
    return {
        name: Allotment(
            population=len(group),
            searches=sum(query.count for query in group),
            target=sizes[name],
            drawn=len(drawn[name]),
            drawn_searches=sum(each.query.count for each in drawn[name]),
            certainty=sum(each.part == CERTAINTY for each in drawn[name]),
        )
        for name, group in groups.items()
    }


def _parts(
    groups: Mapping[str, Sequence[LogQuery]], drawn: Mapping[str, Sequence[Drawn]]
) -> dict[str, DrawnPart]:
    """
    Each part by the name that is stored with a query.

    All queries of a certainty part are drawn; those of a rest are what is left.
    """
    parts: dict[str, DrawnPart] = {}
    for name, group in groups.items():
        fixed = [each for each in drawn[name] if each.part != REST]
        rest = [each for each in drawn[name] if each.part == REST]
        searches = sum(each.query.count for each in fixed)
        first = stratum_name(name, fixed[0].part if fixed else CERTAINTY)
        parts[first] = DrawnPart(len(fixed), searches, len(fixed))
        left = sum(query.count for query in group) - searches
        parts[stratum_name(name, REST)] = DrawnPart(len(group) - len(fixed), left, len(rest))
    return parts


def _window(logs: Sequence[Mapping[str, Any]]) -> SampleWindow:
    first, last = ([log.get(end) for log in logs] for end in ("first_at", "last_at"))
    if not (logs and all(first) and all(last)):
        return SampleWindow()
    return SampleWindow(min(map(str, first), key=middle), max(map(str, last), key=middle))
