"""
Somebody else's figures: what adds up, what does not, and what is missing to judge them.

Each check looks at a few figures of the slide and says one sentence. It trusts no figure and
repairs none: a cell that does not fit is named, and the remainder is used.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from evaluator.checks.audit.costs import COST_CHECKS
from evaluator.checks.audit.figures import Figures
from evaluator.checks.audit.finding import Finding, broken, fits, follows, verdict
from evaluator.checks.audit.missing import missing
from evaluator.checks.audit.statistics import (
    STATISTICS_CHECKS,
    cells_of,
    counts_hits,
    level_cells,
    queries_counted,
)
from evaluator.statistics.cells import exact_mcnemar
from evaluator.text.moments import instant

__all__ = ["Audit", "Finding", "audit"]


@dataclass(frozen=True, slots=True)
class Audit:
    """Everything that can be said of some figures."""

    path: str
    name: str
    findings: tuple[Finding, ...]

    @property
    def adds_up(self) -> bool:
        return not any(one.kind == "does not add up" for one in self.findings)


def audit(figures: Figures) -> Audit:
    """Check the figures against each other, and list what is not stated."""
    checks: tuple[Callable[[Figures], Iterator[Finding]], ...] = (
        _one_cause,
        _order,
        _paired_table,
        _levels,
        _difference,
        _wider,
        *STATISTICS_CHECKS,
        *COST_CHECKS,
        missing,
    )
    found = tuple(finding for check in checks for finding in check(figures))
    return Audit(figures.path, figures.texts.get("name", ""), found)


def _one_cause(figures: Figures) -> Iterator[Finding]:
    changed = figures.lists.get("changed", ())
    if len(changed) > 1:
        yield broken(
            f"{len(changed)} things changed at once ({', '.join(changed)}): no arithmetic can say "
            "which of them made the difference"
        )
    if figures.has("k_before", "k_after"):
        before, after = figures.counts["k_before"], figures.counts["k_after"]
        if before != after:
            yield broken(
                f"k is {before} before and {after} after: the first {min(before, after)} are among "
                f"the first {max(before, after)}, so the larger k cannot lose, whatever was changed"
            )
    measure = figures.texts.get("measure", "")
    cutoff = re.search(r"@(\d+)$", measure)
    if cutoff and figures.has("k") and int(cutoff[1]) != figures.counts["k"]:
        yield broken(f"the measure is {measure}, and k is {figures.counts['k']}")


def _order(figures: Figures) -> Iterator[Finding]:
    if not figures.has("labels_frozen_at", "work_begun_at"):
        return
    frozen, begun = figures.texts["labels_frozen_at"], figures.texts["work_begun_at"]
    if instant(frozen) > instant(begun):
        yield broken(
            f"the labels were written on {frozen}, after the work on the change had begun on "
            f"{begun}: NOT USABLE, they may have moved with it"
        )
    else:
        yield fits(f"the labels, of {frozen}, are not younger than the change, of {begun}")


def _paired_table(figures: Figures) -> Iterator[Finding]:
    """The cells against n; the fourth is what is left and never an entry of its own."""
    if not figures.has("n", "both", "won", "lost"):
        yield from _rates_only(figures)
        return
    both, won, lost = (figures.counts[key] for key in ("both", "won", "lost"))
    n, cells = queries_counted(figures), cells_of(figures)
    if not n:
        yield broken("n is 0: of no queries there is no paired table")
        return
    if cells is None:
        yield broken(
            f"the paired table is impossible: both {both} + won {won} + lost {lost} = "
            f"{both + won + lost}, more than n = {n}"
        )
        return
    if n != figures.counts["n"]:
        yield fits(f"the cells are of the {n} queries with gold, of {figures.counts['n']}")
    if figures.has("neither"):
        printed = figures.counts["neither"]
        total = both + won + lost + printed
        yield verdict(
            printed == cells.neither,
            f"the four cells add up to {n}",
            f"the four cells add up to {total}, not {n}: missed in both is what is left, "
            f"{cells.neither}, and not {printed}. Neither rate depends on it",
        )
    else:
        yield follows(f"missed in both is what is left of {n}: {cells.neither}")


def _rates_only(figures: Figures) -> Iterator[Finding]:
    """What two rates leave open: only the difference of won and lost is known."""
    if not figures.has("n", "before", "after") or not counts_hits(figures):
        return
    n = queries_counted(figures)
    hits_before, hits_after = (round(figures.number(key).value * n) for key in ("before", "after"))
    more = hits_after - hits_before
    least = max(0, -more)
    most = min(hits_before, n - hits_after)
    if not 0 <= least <= most:
        return
    low, high = (exact_mcnemar(lost + more, lost) for lost in (least, most))
    yield follows(
        f"won less lost is {more}, and no more can be known from two rates: lost may be anything "
        f"from {least} to {most}, and the exact McNemar p anything from {low:.2g} to {high:.2g}"
    )


def _levels(figures: Figures) -> Iterator[Finding]:
    """Each rate against the cells, or at least against the number of queries."""
    cells = level_cells(figures)
    parts = {"before": "lost", "after": "won"}
    for key, other in parts.items():
        if not figures.has(key) or not figures.has("n"):
            continue
        rate, n = figures.number(key), queries_counted(figures)
        if cells is not None:
            hits = cells.both + (cells.lost if other == "lost" else cells.won)
            sum_ = f"(both {cells.both} + {other} {hits - cells.both}) / {n} = {hits / n:.4g}"
            yield verdict(
                rate.fits(hits / n),
                f"{key} {rate} is {sum_}",
                f"{key} is printed as {rate}, but {sum_}",
            )
        elif n and _is_hit_rate(figures) and not rate.fits(round(rate.value * n) / n):
            yield broken(
                f"{key} {rate} is no share of {n} queries: the nearest are "
                f"{int(rate.value * n) / n:.4f} and {(int(rate.value * n) + 1) / n:.4f}"
            )


def _is_hit_rate(figures: Figures) -> bool:
    return figures.texts.get("measure", "").lower().startswith(("success", "hit"))


def _difference(figures: Figures) -> Iterator[Finding]:
    """Points of a hundred and growth, which are two things."""
    if not figures.has("before", "after"):
        return
    before, after = figures.number("before"), figures.number("after")
    cells = level_cells(figures)
    points = after.value - before.value if cells is None else cells.difference
    growth = f" or {points / before.value:+.1%} of the level before" if before.value else ""
    yield follows(f"the difference is {100 * points:+.3g} points{growth}; the two are not the same")
    slack = before.slack + after.slack if cells is None else 0.0
    if figures.has("difference"):
        printed = figures.number("difference")
        yield verdict(
            printed.fits(points, slack=slack),
            f"the printed difference {printed} is after less before",
            f"the printed difference is {printed}, after less before gives {points:.4g}",
        )
    if figures.has("relative") and before.value:
        printed = figures.number("relative")
        yield verdict(
            printed.fits(points / before.value, slack=slack / before.value * 2),
            f"the printed growth {printed} is the difference over before",
            f"the printed growth is {printed}, the difference over before is "
            f"{points / before.value:.4g}",
        )


def _wider(figures: Figures) -> Iterator[Finding]:
    """A larger k cannot lose a hit, and what it gives alone is not the change's doing."""
    for key in ("before", "after"):
        if figures.has(key, f"{key}_2k"):
            at_k, at_2k = figures.number(key), figures.number(f"{key}_2k")
            if at_2k.value + at_2k.slack < at_k.value - at_k.slack:
                yield broken(f"{key} falls from {at_k} to {at_2k} at twice the cutoff: impossible")
    if figures.has("before", "after", "before_2k"):
        before, after, wider = (figures.number(k).value for k in ("before", "after", "before_2k"))
        if wider < before or after <= before:
            return
        yield follows(
            f"twice the cutoff takes the baseline from {before:g} to {wider:g} without the change: "
            f"{max(0.0, after - wider):.3g} of the {after - before:.3g} is beyond its reach"
        )
