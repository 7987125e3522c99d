"""What a sample covers of the log it was drawn from, as a short table; it draws nothing."""

import textwrap
from collections.abc import Iterator, Mapping

from evaluator.text.messages import counted, grid
from labeler.sampling.designs import CERTAINTY, REST, TOP
from labeler.workspace.sample_design import Allotment, DrawnPart, SampleDesign

_MOST_STRATA = 40
_INDENT, _WIDTH = 12, 96


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
