"""
Test, interval and error bars on somebody else's slide, each held against the paired counts.
"""

import re
from collections.abc import Callable, Iterator, Mapping

from evaluator.checks.audit.figures import Figure, Figures
from evaluator.checks.audit.finding import Finding, broken, doubt, follows, verdict
from evaluator.statistics.cells import (
    Cells,
    exact_mcnemar,
    mid_p_mcnemar,
    one_arm_standard_error,
    paired_standard_error,
    tango_interval,
    unpaired_standard_error,
)

_OTHER_MEASURES = re.compile(r"(R|P|precision|M?RR|M?AP|nDCG)\b", re.IGNORECASE)


def counts_hits(figures: Figures) -> bool:
    """Whether `before` and `after` may be shares of queries with a hit, as the cells count them."""
    return not _OTHER_MEASURES.match(figures.texts.get("measure", ""))


def queries_counted(figures: Figures) -> int:
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
    rates = [key for key in ("before", "after") if figures.has(key) and counts_hits(figures)]

    def fitting(of: int) -> bool:
        shown = {key: figures.number(key) for key in rates}
        return all(
            rate.fits(hits.get(key, round(rate.value * of)) / of) for key, rate in shown.items()
        )

    return gold if fitting(gold) and not fitting(n) else n


def cells_of(figures: Figures) -> Cells | None:
    """The paired table of three cells, the fourth left aside; None where it cannot be."""
    if not figures.has("n", "both", "won", "lost"):
        return None
    n = queries_counted(figures)
    both, won, lost = (figures.counts[key] for key in ("both", "won", "lost"))
    return Cells(n, both, won, lost) if 0 < n >= both + won + lost else None


def level_cells(figures: Figures) -> Cells | None:
    """The paired table, where `before` and `after` are shares of its hits."""
    return cells_of(figures) if counts_hits(figures) else None


def _test(figures: Figures) -> Iterator[Finding]:
    cells = cells_of(figures)
    if cells is None:
        return
    won, lost = cells.won, cells.lost
    named = {
        "exact McNemar": exact_mcnemar(won, lost),
        "mid-p McNemar": mid_p_mcnemar(won, lost),
        "McNemar chi-square": _chi_square_p(won, lost, corrected=False),
        "McNemar chi-square with continuity correction": _chi_square_p(won, lost, corrected=True),
    }
    exact, mid_p, *_ = named.values()
    yield follows(
        f"{won} against {lost}: exact McNemar p = {exact:.3g}, mid-p {mid_p:.3g}"
        f"; {lost} of {cells.n} queries ({lost / cells.n:.1%}) got worse and can be read"
    )
    if figures.has("p"):
        yield _printed_p(figures, named, f"{won} against {lost}")


def _printed_p(figures: Figures, named: Mapping[str, float], split: str) -> Finding:
    """The printed p against those of the tests by name, and against the one that is named."""
    printed, test = figures.number("p"), figures.texts.get("test", "")
    if not counts_hits(figures):
        measure = figures.texts["measure"]
        return doubt(f"p {printed}: of {measure}, or of the hits that the cells count?")
    agreeing = [name for name, p in named.items() if printed.fits(p)]
    meant = _tests_meant(test) or tuple(agreeing)
    if agreeing and not set(agreeing).intersection(meant):
        other = " and ".join(f"{named[name]:.3g} by {name}" for name in meant)
        return broken(f"p {printed} is by {', '.join(agreeing)}, not by {test!r}: it is {other}")
    return verdict(
        bool(agreeing),
        f"p {printed} fits the cells by {', '.join(agreeing)}",
        f"p {printed} fits no test of {split}: "
        + ", ".join(f"{name} {p:.3g}" for name, p in named.items()),
    )


def _tests_meant(test: str) -> tuple[str, ...]:
    """The tests that a name may stand for; none where it names no kind of McNemar's test."""
    words = test.lower()
    if "mid" in words:
        return ("mid-p McNemar",)
    if "exact" in words or "binomial" in words:
        return ("exact McNemar",)
    if "chi" in words:
        corrected = "McNemar chi-square with continuity correction"
        return (corrected,) if "continuity" in words else ("McNemar chi-square", corrected)
    return ()


def _chi_square_p(won: int, lost: int, *, corrected: bool) -> float:
    from scipy.stats import chi2

    if won + lost == 0:
        return 1.0
    gap = max(0, abs(won - lost) - corrected)
    return float(chi2.sf(gap**2 / (won + lost), 1))


def _interval(figures: Figures) -> Iterator[Finding]:
    cells = level_cells(figures)
    if cells is not None:
        low, high = tango_interval(cells)
        yield follows(f"95% interval of the difference, Tango score: {low:+.3f} to {high:+.3f}")
    if figures.interval is None:
        return
    low_end, high_end = figures.interval
    if low_end.value > high_end.value:
        yield broken(f"the interval runs backwards, from {low_end} to {high_end}")
        return
    if cells is None:
        yield from _holds_the_difference(figures, low_end, high_end)
        return
    error = paired_standard_error(cells)
    ways = {
        "Tango score": tango_interval(cells),
        "paired Wald": (cells.difference - 1.96 * error, cells.difference + 1.96 * error),
    }
    agreeing = [
        name for name, (low, high) in ways.items() if low_end.fits(low) and high_end.fits(high)
    ]
    yield verdict(
        bool(agreeing),
        f"the interval {low_end} to {high_end} fits the cells: {', '.join(agreeing)}",
        f"the interval {low_end} to {high_end} fits the cells in no way known here: "
        + ", ".join(f"{name} {low:.3f} to {high:.3f}" for name, (low, high) in ways.items()),
    )


def _holds_the_difference(figures: Figures, low: Figure, high: Figure) -> Iterator[Finding]:
    """The least that an interval must do, where there are no cells to compute it from."""
    if not figures.has("before", "after"):
        return
    before, after = figures.number("before"), figures.number("after")
    points, slack = after.value - before.value, before.slack + after.slack
    if points + slack < low.value - low.slack or points - slack > high.value + high.slack:
        yield broken(
            f"the interval {low} to {high} does not hold the difference, after less before: "
            f"{points:.4g}"
        )


def _errors(figures: Figures) -> Iterator[Finding]:
    """Standard errors under the name of what they are; none of them decides."""
    if not figures.has("n") or not figures.counts["n"] or not counts_hits(figures):
        return
    n, cells = queries_counted(figures), cells_of(figures)
    rates = {
        key: figures.number(key).value
        for key in ("standard_error_of", "before", "after")
        if figures.has(key)
    }
    ways = {
        f"one arm's error at {rate:g}": one_arm_standard_error(rate, n) for rate in rates.values()
    }
    if cells is not None:
        ways["the paired difference's error (Wald)"] = paired_standard_error(cells)
        ways["the error as if the arms had answered other queries"] = unpaired_standard_error(cells)
    if figures.has("standard_error") and ways:
        yield _named("standard error", figures.number("standard_error"), ways)
    if figures.has("band") and ways:
        doubled = {f"twice {name}": 2 * value for name, value in ways.items()}
        yield _named("band", figures.number("band"), doubled)
        yield doubt("a band of twice one arm's error is a rule of thumb and no test of two arms")


def _named(what: str, printed: Figure, ways: dict[str, float]) -> Finding:
    agreeing = [name for name, value in ways.items() if printed.fits(value)]
    return verdict(
        bool(agreeing),
        f"the {what} {printed} is {', or '.join(agreeing)}",
        f"the {what} {printed} is none of these: "
        + ", ".join(f"{name} {value:.4f}" for name, value in ways.items()),
    )


STATISTICS_CHECKS: tuple[Callable[[Figures], Iterator[Finding]], ...] = (_test, _interval, _errors)
