"""
Test, interval and error bars on somebody else's slide, each held against the paired counts.
"""

from collections.abc import Callable, Iterator

from evaluator.audit.figures import Figure, Figures
from evaluator.audit.finding import Finding, broken, doubt, follows, verdict
from evaluator.cells import (
    Cells,
    exact_mcnemar,
    mid_p_mcnemar,
    one_arm_standard_error,
    paired_standard_error,
    tango_interval,
    unpaired_standard_error,
)


def cells_of(figures: Figures) -> Cells | None:
    """The paired table of n and three cells, the fourth left aside; None where it cannot be."""
    if not figures.has("n", "both", "won", "lost"):
        return None
    n, both, won, lost = (figures.counts[key] for key in ("n", "both", "won", "lost"))
    return Cells(n, both, won, lost) if 0 < n >= both + won + lost else None


def _test(figures: Figures) -> Iterator[Finding]:
    cells = cells_of(figures)
    if cells is None:
        return
    won, lost = cells.won, cells.lost
    exact = exact_mcnemar(won, lost)
    yield follows(
        f"{won} against {lost}: exact McNemar p = {exact:.3g}, mid-p {mid_p_mcnemar(won, lost):.3g}"
        f"; {lost} of {cells.n} queries ({lost / cells.n:.1%}) got worse and can be read"
    )
    if not figures.has("p"):
        return
    printed = figures.number("p")
    named = {
        "exact McNemar": exact,
        "mid-p McNemar": mid_p_mcnemar(won, lost),
        "McNemar chi-square": _chi_square_p(won, lost, corrected=False),
        "McNemar chi-square with continuity correction": _chi_square_p(won, lost, corrected=True),
    }
    agreeing = [name for name, p in named.items() if printed.fits(p)]
    yield verdict(
        bool(agreeing),
        f"p {printed} fits the cells by {', '.join(agreeing)}",
        f"p {printed} fits no test of {won} against {lost}: "
        + ", ".join(f"{name} {p:.3g}" for name, p in named.items()),
    )


def _chi_square_p(won: int, lost: int, *, corrected: bool) -> float:
    from scipy.stats import chi2

    if won + lost == 0:
        return 1.0
    gap = max(0, abs(won - lost) - corrected)
    return float(chi2.sf(gap**2 / (won + lost), 1))


def _interval(figures: Figures) -> Iterator[Finding]:
    cells = cells_of(figures)
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
    if not figures.has("n") or not figures.counts["n"]:
        return
    n, cells = figures.counts["n"], cells_of(figures)
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
