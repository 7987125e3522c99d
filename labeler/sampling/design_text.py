"""
What a sample covers of the log it was drawn from, as numbers and as a short table.

It counts; it draws nothing. Head is what was taken whatever happened, tail is the rest.
"""

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evaluator.labelset.format import Query
from evaluator.text.messages import counted, grid
from labeler.logs.queries import LogQuery
from labeler.sampling.designs import CERTAINTY, REST, TOP

if TYPE_CHECKING:
    from labeler.sampling.draw import Sample

_MOST_STRATA = 40
_INDENT, _WIDTH = 12, 96


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many queries a part of the log has, how many were drawn, and their searches."""

    queries: int
    searches: int
    drawn: int
    drawn_searches: int


@dataclass(frozen=True, slots=True)
class StratumCoverage:
    """The same for a stratum, with how many it was to give and how many were certain."""

    name: str
    covered: Coverage
    target: int
    certain: int


@dataclass(frozen=True, slots=True)
class Preview:
    """
    What a sample covers: head and tail, each stratum, and the most frequent queries in it.

    `strata` has one entry, without a name, where the log was not cut into strata.
    """

    head: Coverage
    tail: Coverage
    top: tuple[Query, ...]
    strata: tuple[StratumCoverage, ...]
    effective_queries: float | None
    cannot_say: str


def preview(queries: Sequence[LogQuery], sample: "Sample") -> Preview:
    """What the sample covers of the head and of the tail, and its ten most frequent queries."""
    head = [query for query in sample.queries if not _by_chance(query)]
    tail = [query for query in sample.queries if _by_chance(query)]
    head_searches, tail_searches = _searches(head), _searches(tail)
    population = [query.count for query in queries if query.count > 0]
    return Preview(
        head=Coverage(len(head), head_searches, len(head), head_searches),
        tail=Coverage(
            len(population) - len(head),
            sum(population) - head_searches,
            len(tail),
            tail_searches,
        ),
        top=tuple(
            sorted(sample.queries, key=lambda query: (-(query.log_count or 0), query.text))[:10]
        ),
        strata=tuple(_strata(sample.design)),
        effective_queries=sample.design["effective_queries"],
        cannot_say=sample.design["cannot_say"],
    )


def design_text(design: Mapping[str, Any]) -> str:
    """
    How a sample was drawn and what it covers, for a person at a terminal.

    First how much of the log it is, then a line for each stratum (the largest, if there are
    very many) and for what was certain and what was left to chance, then the design in words.
    """
    lines = [fact("Drawn", drawn_text(design)), fact("Seed", design["seed"]), ""]
    lines += grid(_rows(design))
    effective = design.get("effective_queries")
    worth = "nothing for the traffic, since no query has a weight"
    if effective is not None:
        worth = (
            f"{counted(round(effective), 'query', many='queries')} of equal weight, for what can "
            "be said about such traffic in general (Kish)"
        )
    lines += ["", fact("Worth", worth)]
    lines += [fact("Strata", rule) for rule in design.get("rules", ())]
    lines += [fact("Note", note) for note in design.get("notes", ())]
    lines += [fact("Method", design["method"]), fact("Variance", design["variance"])]
    lines += [fact("Cannot say", design["cannot_say"])] if "cannot_say" in design else []
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


def drawn_text(design: Mapping[str, Any]) -> str:
    """How much of the log a sample is, in a few words."""
    return (
        f"{design['drawn']:,} of {design['population']:,} distinct queries "
        f"({design['share_of_queries']:.1%}), {design['share_of_traffic']:.1%} of "
        f"{design['searches']:,} searches"
    )


_PART_NAMES = {CERTAINTY: "taken with certainty", TOP: "most frequent", REST: "by chance"}
_HEADER = ("", "queries", "searches", "of traffic", "target", "drawn", "searches for them")


def _rows(design: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """The header, a row a stratum, and then what was certain and what was not."""
    yield _HEADER
    total = design["searches"]
    strata = {name: each for name, each in design.get("allocation", {}).items() if name}
    largest = sorted(strata, key=lambda name: -strata[name]["searches"])[:_MOST_STRATA]
    for name, each in strata.items():
        if name in largest:
            covered = each["drawn_searches"] / each["searches"]
            target, drawn = str(each["target"]), str(each["drawn"])
            yield *_counts(name, each, total), target, drawn, f"{covered:.0%}"
    if len(strata) > len(largest):
        yield (f"and {len(strata) - len(largest)} smaller strata", *[""] * 6)
    for part, name in _PART_NAMES.items():
        each = _summed(design["strata"], part)
        if each["population"]:
            shown = "left out" if part == REST and design.get("design") == TOP else name
            yield (*_counts(shown, each, total), "", f"{each['sampled']}", "")


def _counts(name: str, each: Mapping[str, int], total: int) -> tuple[str, ...]:
    share = f"{each['searches'] / total:.1%}"
    return name, f"{each['population']:,}", f"{each['searches']:,}", share


def _summed(parts: Mapping[str, Mapping[str, int]], part: str) -> dict[str, int]:
    """Population, searches and sampled of one part of the design, over all strata."""
    of_part = [each for name, each in parts.items() if name.rpartition(": ")[2] == part]
    return {
        key: sum(each[key] for each in of_part) for key in ("population", "searches", "sampled")
    }


def _by_chance(query: Query) -> bool:
    return (query.stratum or "").rpartition(": ")[2] == REST


def _strata(design: Mapping[str, Any]) -> Iterable[StratumCoverage]:
    for name, each in design["allocation"].items():
        yield StratumCoverage(
            name=name,
            covered=Coverage(
                each["population"],
                each["searches"],
                each["drawn"],
                each["drawn_searches"],
            ),
            target=each["target"],
            certain=each["certainty"],
        )


def _searches(queries: Iterable[Query]) -> int:
    return sum(query.log_count or 0 for query in queries)
