"""
Figures as people read them: signs, units, p-values, and what to print when there is none.

It knows nothing of records. A missing figure is said to be missing and never becomes 0.
"""

import math

MISSING = "not recorded"
LEVEL = 0.05
_SAME = "no change"
_NOTHING = 1e-12  # rounding of sums of shares, which are of the order of 1
_BESIDE = 1e-300  # an end at the least number above 0 is one that a test put beside 0

_ORIGINS = {"log": "log", "known-item": "known-answer", "authored": "authored"}


def rate(value: float | None) -> str:
    """A level between 0 and 1, three decimals."""
    return MISSING if value is None else f"{value:.3f}"


def signed(value: float | None) -> str:
    """A difference, three decimals and always a sign; what rounds to nothing has none."""
    if value is None:
        return MISSING
    return "0.000" if abs(value) < 0.0005 else f"{value:+.3f}"


def difference(before: float | None, after: float | None) -> str:
    """One level less another; nothing where one of them is missing."""
    return "" if before is None or after is None else signed(after - before)


def points(before: float | None, after: float | None) -> str:
    """A difference as points of a hundred, and apart from them as growth of the baseline."""
    if before is None or after is None:
        return ""
    text = f"{_one_decimal(100 * (after - before))} points"
    if not before:
        return text
    return f"{text}; {_one_decimal(100 * (after / before - 1))}% of the baseline"


def interval(bounds: object) -> str:
    """
    Both ends of an interval, each on its own side of 0 however close to it.

    "(0, +0.236]" where an exact test ended it beside 0, which it does not hold.
    """
    if not isinstance(bounds, (list, tuple)):
        return "no interval"
    low, high = bounds
    if 0 < low < _BESIDE:
        return f"(0, {_end(high)}]"
    return f"[{_end(low)}, 0)" if -_BESIDE < high < 0 else f"{_end(low)} to {_end(high)}"


def named_interval(bounds: object) -> str:
    """'95% interval -0.014 to +0.087', or that there is none."""
    return f"95% interval {interval(bounds)}" if bounds else interval(None)


def p_value(value: float | None) -> str:
    """
    A p-value: three decimals, or the order of magnitude of a small one. Never 0.

    One that decides must not be rounded up to the level it stays below: that takes more decimals.
    """
    if value is None:
        return MISSING
    if value <= 0:
        return "below 1e-300"
    if value >= 0.001:
        decimals = 3
        while value < LEVEL <= float(f"{value:.{decimals}f}"):
            decimals += 1
        return f"{value:.{decimals}f}"
    digits, exponent = f"{value:.1e}".split("e")
    return f"{digits}e{int(exponent)}"


def equals(p: str) -> str:
    """'= 0.012' or 'below 1e-300', to stand after the letter p."""
    return p if p.startswith("below") else f"= {p}"


def count(value: float | None) -> str:
    """A whole number with thousands marked."""
    return MISSING if value is None else f"{value:,.0f}"


def tokens(value: float | None) -> str:
    """A mean number of tokens; whole numbers stay whole."""
    if value is None:
        return MISSING
    return f"{value:,.0f}" if abs(value - round(value)) < 0.05 else f"{value:,.1f}"


def size(value: float | None) -> str:
    """Bytes in decimal units."""
    if value is None:
        return MISSING
    for unit in ("bytes", "kB", "MB", "GB"):
        if abs(value) < 1000:
            return f"{value:,.0f} {unit}" if unit == "bytes" else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} TB"


def seconds(value: float | None) -> str:
    """A duration in the unit that suits it."""
    if value is None:
        return MISSING
    if value < 1:
        return milliseconds(1000 * value)
    if value < 10:
        return f"{value:.2f} s"
    if value < 120:
        return f"{value:.0f} s"
    if value < 7200:
        return f"{value / 60:.1f} min"
    return f"{value / 3600:.1f} h"


def milliseconds(value: float | None) -> str:
    """A latency, with two digits that say something."""
    if value is None:
        return MISSING
    decimals = 0 if value >= 10 else 1 if value >= 1 else 2 if value >= 0.1 else 3
    return f"{value:.{decimals}f} ms"


def share(value: float | None) -> str:
    """A part of a whole in per cent."""
    return MISSING if value is None else f"{100 * value:.1f}%"


def growth(before: float | None, after: float | None) -> str:
    """How far a cost moved, relative to where it was."""
    if before is None or after is None or not before:
        return ""
    if math.isclose(before, after, rel_tol=5e-4):
        return _SAME
    relative = after / before - 1
    return f"x {after / before:.1f}" if relative >= 2 else f"{100 * relative:+.1f}%"


def token_change(before: float | None, after: float | None) -> str:
    """How far a number of tokens moved, and how far that is relative to where it was."""
    if before is None or after is None:
        return ""
    if math.isclose(before, after, abs_tol=0.005):
        return _SAME
    change = after - before  # with as many decimals as show that it is one
    added = f"{change:+.2f}" if abs(change) < 0.05 else f"{change:+,.1f}".removesuffix(".0")
    relative = growth(before, after)
    return f"{added} ({relative})" if relative not in ("", _SAME) else added


def count_change(before: float | None, after: float | None) -> str:
    """How far a count moved."""
    if before is None or after is None:
        return ""
    return _SAME if before == after else f"{after - before:+,.0f}"


def _one_decimal(value: float) -> str:
    """With a sign; what rounds to nothing has none."""
    return "0.0" if abs(value) < 0.05 else f"{value:+.1f}"


def _end(value: float) -> str:
    """As `signed`, with as many decimals as it takes to show on which side of 0 it lies."""
    decimals = 3
    while abs(value) > _NOTHING and not float(f"{value:.{decimals}f}"):
        decimals += 1
    return f"{value:+.{decimals}f}" if decimals > 3 else signed(value)


def queries(origin: str, split: str) -> str:
    """The queries that a headline speaks of, such as 'judged held-out log queries'."""
    named = " and ".join(_ORIGINS.get(each, each) for each in origin.split(" and "))
    parts = dict.fromkeys(part for part in ("judged", split, named) if part != "all")
    return " ".join([*parts, "queries"])


def utc(text: object) -> str:
    """A moment as a reader writes it, from ISO 8601."""
    written = str(text or MISSING)
    return written.replace("T", " ").removesuffix("Z").removesuffix("+00:00")[:16] + (
        " UTC" if "T" in written else ""
    )
