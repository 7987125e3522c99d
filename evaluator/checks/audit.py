"""
Somebody else's figures: what adds up, what does not, and what is missing to judge them.

It checks cells, rates and the sums that must close. It trusts no figure and repairs none: a
cell that does not fit is named, and the remainder is used.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from evaluator.checks.audit_figures import KEYS, Figures
from evaluator.statistics.cells import PairedCells, exact_mcnemar
from evaluator.statistics.intervals import tango_interval

FindingKind = Literal["does not add up", "adds up", "follows", "missing"]

_TITLES: Mapping[FindingKind, str] = {
    "does not add up": "Does not add up",
    "missing": "Missing",
    "adds up": "Adds up",
    "follows": "Follows from the figures",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check has to say; `follows` is computed from the figures."""

    kind: FindingKind
    text: str


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
        _paired_table,
        _rates,
        _difference,
        _closures,
        _missing,
    )
    found = tuple(finding for check in checks for finding in check(figures))
    return Audit(figures.path, figures.texts.get("name", ""), found)


def audit_text(found: Audit) -> str:
    """What is wrong first, then what is missing, what fits and what follows."""
    count = sum(one.kind == "does not add up" for one in found.findings)
    missing = sum(one.kind == "missing" for one in found.findings)
    things = "1 thing does" if count == 1 else f"{count} things do"
    lines = [f"{found.name or found.path}: {things} not add up, {missing} are not stated"]
    for kind, title in _TITLES.items():
        texts = [one.text for one in found.findings if one.kind == kind]
        if texts:
            lines += ["", title, *(f"- {text}" for text in texts)]
    return "\n".join(lines)


def audit_json(found: Audit) -> dict[str, Any]:
    """The same for a program."""
    return asdict(found) | {"adds_up": found.adds_up}


def _verdict(met: bool, good: str, bad: str) -> Finding:
    return Finding("adds up", good) if met else Finding("does not add up", bad)


def _paired_table(figures: Figures) -> Iterator[Finding]:
    """The cells against n; the fourth is what is left and never an entry of its own."""
    if figures.has("n", "n_gold") and figures.counts["n_gold"] > figures.counts["n"]:
        yield Finding("does not add up", "more queries have gold than there are queries")
    if not figures.has("n", "both", "won", "lost"):
        return
    both, won, lost = (figures.counts[key] for key in ("both", "won", "lost"))
    n, cells, hits = _queries_counted(figures), _cells(figures), both + won + lost
    if cells is None:
        sum_ = f"both {both} + won {won} + lost {lost} = {hits}, of n = {n}"
        yield Finding("does not add up", f"the paired table is impossible: {sum_}")
        return
    if n != figures.counts["n"]:
        said = f"the cells are of the {n} queries with gold, of {figures.counts['n']}"
        yield Finding("adds up", said)
    neither = figures.counts.get("neither", cells.neither)
    yield _verdict(
        neither == cells.neither,
        f"the four cells add up to {n}, with {neither} missed in both",
        f"the four cells add up to {hits + neither}, not {n}: missed in both is what is left, "
        f"{cells.neither}, and not {neither}. Neither rate depends on it",
    )
    low, high = tango_interval(cells.n, cells.won, cells.lost)
    yield Finding(
        "follows",
        f"{won} against {lost}: exact McNemar p = {exact_mcnemar(won, lost):.3g}; 95% interval of "
        f"the difference in hits {low:+.3f} to {high:+.3f} (Tango score); {lost} of {n} queries "
        f"({lost / n:.1%}) got worse and can be read",
    )


def _rates(figures: Figures) -> Iterator[Finding]:
    """Each rate against the cells, or at least against the number of queries."""
    if not figures.counts.get("n"):
        return
    cells, n, rates = _cells(figures), _queries_counted(figures), figures.rates()
    for key, rate in rates.items():
        hits = round(rate.value * n)
        sum_ = f"{hits} / {n} = {hits / n:.4g}"
        if cells is not None:
            other, more = ("lost", cells.lost) if key == "before" else ("won", cells.won)
            hits = cells.both + more
            sum_ = f"(both {cells.both} + {other} {more}) / {n} = {hits / n:.4g}"
        elif not figures.texts.get("measure", "").lower().startswith(("success", "hit")):
            continue  # that it is a share of queries is not said
        good, bad = f"{key} {rate} is {sum_}", f"{key} is printed as {rate}, but {sum_}"
        yield _verdict(rate.fits(hits / n), good, bad)

    if cells is None and len(rates) == 2:
        hits_before, hits_after = (round(rate.value * n) for rate in rates.values())
        least, most = max(0, hits_before - hits_after), min(hits_before, n - hits_after)
        yield Finding(
            "follows",
            f"won less lost is {hits_after - hits_before}, and no more can be known from two "
            f"rates: lost may be anything from {least} to {most}",
        )


def _difference(figures: Figures) -> Iterator[Finding]:
    """The printed difference against the two rates."""
    if not figures.has("before", "after", "difference"):
        return
    before, after = figures.numbers["before"], figures.numbers["after"]
    cells = _cells(figures) if figures.rates() else None
    points = after.value - before.value if cells is None else cells.difference
    printed = figures.numbers["difference"]
    yield _verdict(
        printed.fits(points, slack=before.slack + after.slack if cells is None else 0.0),
        f"the printed difference {printed} is after less before",
        f"the printed difference is {printed}, after less before gives {points:.4g}",
    )


def _closures(figures: Figures) -> Iterator[Finding]:
    """One chunk set, inputs that grow by the header alone, and k headers for every query."""
    counts, numbers = figures.counts, figures.numbers
    if figures.has("chunks_before", "chunks_after"):
        before, after = counts["chunks_before"], counts["chunks_after"]
        yield _verdict(
            before == after,
            f"{before:,} chunks before and after, as one chunking gives",
            f"{before:,} chunks before and {after:,} after: two chunk sets, so the ids that the "
            "labels name need not mean the same",
        )
    if figures.has("input_tokens_before", "input_tokens_after", "header_tokens"):
        small, large = numbers["input_tokens_before"], numbers["input_tokens_after"]
        header, gap = numbers["header_tokens"], large.value - small.value
        grow = f"inputs grow by {gap:g} tokens, {small} to {large},"
        yield _verdict(
            header.fits(gap, slack=small.slack + large.slack),
            f"{grow} as the mean header of {header}",
            f"{grow} but the mean header has {header}: text was cut or tokenised otherwise",
        )
    if figures.has("k", "header_tokens", "header_tokens_per_query"):
        header, k, printed = numbers["header_tokens"], counts["k"], "header_tokens_per_query"
        paid, product = numbers[printed], f"{header} header tokens times k = {k}"
        yield _verdict(
            paid.fits(header.value * k, slack=header.slack * k),
            f"{printed} {paid} is {product}",
            f"{printed} is printed as {paid}, but {product} is {header.value * k:g}; retrieved "
            "chunks may have longer or shorter headers than the mean",
        )


def _missing(figures: Figures) -> Iterator[Finding]:
    """Every question that the figures leave open, in the order in which to ask."""
    measure = figures.texts.get("measure", "")
    if re.match(r"recall\b", measure, re.IGNORECASE):
        yield Finding(
            "missing",
            f"measure: {measure!r} names two measures. Is it the share of queries with any gold "
            "in the first k (Success@k), or the mean share of a query's gold (R@k)? Four cells and "
            "McNemar's test belong to the first only",
        )
    for key, _, question in KEYS:
        if "?" in question and not figures.has(key):
            yield Finding("missing", f"{key}: {question}")


def _cells(figures: Figures) -> PairedCells | None:
    """The paired table of three cells, the fourth left aside; None where it cannot be."""
    if not figures.has("n", "both", "won", "lost"):
        return None
    n = _queries_counted(figures)
    both, won, lost = (figures.counts[key] for key in ("both", "won", "lost"))
    return PairedCells(n, both, won, lost) if 0 < n >= both + won + lost else None


def _queries_counted(figures: Figures) -> int:
    """
    How many queries the cells and rates are over: n, or n_gold where they fit only that.

    A rate over the queries with gold is as good as one over all, as long as it is said.
    """
    n = figures.counts["n"]
    gold = figures.counts.get("n_gold", n)
    if not 0 < gold < n:
        return n
    hits: dict[str, int] = {}
    if figures.has("both", "won", "lost"):
        both, won, lost = (figures.counts[key] for key in ("both", "won", "lost"))
        if figures.has("neither"):
            return gold if both + won + lost + figures.counts["neither"] == gold else n
        hits = {"before": both + lost, "after": both + won}

    def fitting(of: int) -> bool:
        return all(
            rate.fits(hits.get(key, round(rate.value * of)) / of)
            for key, rate in figures.rates().items()
        )

    return gold if fitting(gold) and not fitting(n) else n
