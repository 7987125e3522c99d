"""
What a sample covers of the log it was drawn from, as numbers and as a short table.

It counts; it draws nothing. Head is what was taken whatever happened, tail is the rest.
"""

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from evaluator.labelset.format import Query
from evaluator.text.messages import counted, grid
from labeler.logs.queries import LogQuery
from labeler.sampling.designs import CERTAINTY, REST, TOP
from labeler.workspace.sample_design import Allotment, DrawnPart, SampleDesign

_MOST_STRATA = 40
_INDENT, _WIDTH = 12, 96


@dataclass(frozen=True, slots=True)
class Covered:
    """How many queries a part of the log has, how many were drawn, and their searches."""

    queries: int
    searches: int
    drawn: int
    drawn_searches: int


@dataclass(frozen=True, slots=True)
class StratumCoverage:
    """The same for a stratum, with how many it was to give and how many were certain."""

    name: str
    covered: Covered
    target: int
    certain: int


@dataclass(frozen=True, slots=True)
class Coverage:
    """
    What a sample covers: head and tail, each stratum, and the most frequent queries in it.

    `strata` has one entry, without a name, where the log was not cut into strata.
    """

    head: Covered
    tail: Covered
    top: tuple[Query, ...]
    strata: tuple[StratumCoverage, ...]
    effective_queries: float | None
    cannot_say: str


def coverage(log: Sequence[LogQuery], drawn: Sequence[Query], design: SampleDesign) -> Coverage:
    """What a sample covers of head and tail of its log, and its ten most frequent queries."""
    head = [query for query in drawn if not _by_chance(query)]
    tail = [query for query in drawn if _by_chance(query)]
    population = [query.count for query in log if query.count > 0]
    head_searches = _searches(head)
    left = sum(population) - head_searches
    return Coverage(
        head=Covered(len(head), head_searches, len(head), head_searches),
        tail=Covered(len(population) - len(head), left, len(tail), _searches(tail)),
        top=tuple(sorted(drawn, key=lambda query: (-(query.log_count or 0), query.text))[:10]),
        strata=tuple(_strata(design)),
        effective_queries=design.effective_queries,
        cannot_say=design.cannot_say,
    )


def design_text(design: SampleDesign) -> str:
    """
    How a sample was drawn and what it covers, for a person at a terminal.

    First how much of the log it is, then a line for each stratum (the largest, if there are
    very many) and for what was certain and what was left to chance, then the design in words.
    """
    lines = [fact("Drawn", drawn_text(design)), fact("Seed", design.seed), ""]
    lines += grid(_rows(design))
    effective = design.effective_queries
    worth = "nothing for the traffic, since no query has a weight"
    if effective is not None:
        worth = (
            f"{counted(round(effective), 'query', many='queries')} of equal weight, for what can "
            "be said about such traffic in general (Kish)"
        )
    lines += ["", fact("Worth", worth)]
    lines += [fact("Strata", rule) for rule in design.rules]
    lines += [fact("Note", note) for note in design.notes]
    lines += [fact("Method", design.method), fact("Variance", design.variance)]
    lines += [fact("Cannot say", design.cannot_say)] if design.cannot_say else []
    return "\n".join(lines)


def fact(name: str, text: object) -> str:
    """A name and what is to be said under it, in lines that fit a terminal."""
    indent = " " * _INDENT
    return textwrap.fill(
        f"{name:<{_INDENT}}{text}",
        _WIDTH,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def drawn_text(design: SampleDesign) -> str:
    """How much of the log a sample is, in a few words."""
    return (
        f"{design.drawn:,} of {design.population:,} distinct queries "
        f"({design.share_of_queries:.1%}), {design.share_of_traffic:.1%} of "
        f"{design.searches:,} searches"
    )


_PART_NAMES = {CERTAINTY: "taken with certainty", TOP: "most frequent", REST: "by chance"}
_HEADER = ("", "queries", "searches", "of traffic", "target", "drawn", "searches for them")


def _rows(design: SampleDesign) -> Iterator[tuple[str, ...]]:
    """The header, a row a stratum, and then what was certain and what was not."""
    yield _HEADER
    total = design.searches
    strata = {name: each for name, each in design.allocation.items() if name}
    largest = sorted(strata, key=lambda name: -strata[name].searches)[:_MOST_STRATA]
    for name, each in strata.items():
        if name in largest:
            covered = each.drawn_searches / each.searches
            yield *_counts(name, each, total), str(each.target), str(each.drawn), f"{covered:.0%}"
    if len(strata) > len(largest):
        yield (f"and {len(strata) - len(largest)} smaller strata", *[""] * 6)
    for part, name in _PART_NAMES.items():
        summed = _summed(design.strata, part)
        if summed.population:
            shown = "left out" if part == REST and design.design == TOP else name
            yield (*_counts(shown, summed, total), "", f"{summed.sampled}", "")


def _counts(name: str, each: Allotment | DrawnPart, total: int) -> tuple[str, ...]:
    return name, f"{each.population:,}", f"{each.searches:,}", f"{each.searches / total:.1%}"


def _summed(parts: Mapping[str, DrawnPart], part: str) -> DrawnPart:
    """One part of the design over all strata."""
    of_part = [each for name, each in parts.items() if name.rpartition(": ")[2] == part]
    return DrawnPart(
        sum(each.population for each in of_part),
        sum(each.searches for each in of_part),
        sum(each.sampled for each in of_part),
    )


def _by_chance(query: Query) -> bool:
    return (query.stratum or "").rpartition(": ")[2] == REST


def _strata(design: SampleDesign) -> Iterator[StratumCoverage]:
    for name, each in design.allocation.items():
        covered = Covered(each.population, each.searches, each.drawn, each.drawn_searches)
        yield StratumCoverage(name, covered, each.target, each.certainty)


def _searches(queries: Iterable[Query]) -> int:
    return sum(query.log_count or 0 for query in queries)
