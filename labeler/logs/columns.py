"""
Which column of a log is the query, the count and the time, and how their cells are read.

A guess is made only where one column alone has a name that people give to queries, or to
counts; the caller says what was guessed. Counts are whole numbers, at most with commas or
blanks between thousands. Times are ISO 8601, or begin with day or month where the column says
which: `1.234` and `03/04` mean different things in different places.
"""

import difflib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import NamedTuple

from evaluator import InputError

_LISTED = 5  # times in doubt that are named with their lines
MOST_SEARCHES = 10**12  # on one line: what is longer is an id in the wrong column

# From what search logs and the exports of web analytics call them. The second group are
# words that also name other things, so they count only where nothing of the first is there.
_QUERY_NAMES = (
    frozenset(
        {
            *("query", "user query", "raw query", "search query", "query text", "querytext"),
            *("query string", "search string", "search term", "search terms", "searchterm"),
            *("search text", "search keyword", "search phrase", "search", "top queries"),
        }
    ),
    frozenset({"q", "keyword", "keywords", "phrase", "term", "terms", "text"}),
)
_COUNT_NAMES = frozenset(
    {
        *("count", "counts", "query count", "search count", "log count", "searches"),
        *("total searches", "frequency", "freq", "views", "impressions", "volume"),
        *("search volume", "occurrences", "unique searches", "total unique searches"),
        *("event count", "search impressions"),
    }
)
_TIME_NAMES = ("timestamp", "@timestamp", "datetime", "created at", "searched at", "date", "time")

# Words of names that may mean how often, in the languages that search boxes here hear.
_OFTEN = re.compile(
    "count|number|total|times|often|hits|visits|sessions|users|events|clicks|impress|searches|freq"
    "|anzahl|häufigkeit|klicks|besuche|aufrufe|suchen|antal|aantal|nombre|visites|veces|número|volte"
)
_GROUPED = re.compile(
    "[1-9][0-9]{0,2}"
    "(?P<mark>[, '\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}\N{THIN SPACE}])"
    "[0-9]{3}(?:(?P=mark)[0-9]{3})*"
)
_EPOCH_UNITS = {10: 1, 13: 1_000, 16: 1_000_000}  # digits of a present time -> parts of a second


class LogRow(NamedTuple):
    """
    One line that may be a search: its number, the query, and the cells for count and time.

    `others` are the cells of more columns where somebody asked for them.
    """

    line: int
    query: str
    count_cell: str | None
    time_cell: str | None
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Shape:
    """
    What the caller says of a log. None is left to be judged by its first lines.

    An empty `count_column` says that every line is one search.
    """

    query_column: str | None = None
    count_column: str | None = None
    delimiter: str | None = None
    encoding: str | None = None
    plain: bool = False
    query_parameter: str | None = None
    statuses: Sequence[str] = ()
    skip_agents: Sequence[str] = ()


UNKNOWN = Shape()


@dataclass(frozen=True, slots=True)
class Columns:
    """The names of the columns that are read; None where there is none."""

    query: str
    count: str | None
    time: str | None


def choose_columns(names: Sequence[str], shape: Shape, *, where: str, advice: str = "") -> Columns:
    """
    The columns as named by the caller, or else as guessed from their names.

    Raises InputError with the list of columns if a column is missing, repeated, or one of
    several that it may be; `advice` is what else to do where none is known to hold queries.
    """
    return Columns(
        query=_query_column(names, shape.query_column, where, advice),
        count=_count_column(names, shape.count_column, where),
        time=next((name for wanted in _TIME_NAMES for name in _called(names, {wanted})), None),
    )


def require_count(
    names: Sequence[str], rows: Iterable[Sequence[str]], columns: Columns, shape: Shape, where: str
) -> None:
    """
    Raise InputError where a row may stand for more than one search, and nobody has said.

    That is so where no column of counts or times is known, and one that is called as counts may
    be holds whole numbers in all the first rows.
    """
    if columns.count is not None or columns.time is not None or shape.count_column is not None:
        return
    cells = [row for row in rows if len(row) == len(names)]
    likely = [
        name
        for at, name in enumerate(names)
        if name != columns.query
        and _OFTEN.search(name.casefold())
        and cells
        and all(read_count(row[at]) is not None for row in cells)
    ]
    if likely:
        raise InputError(
            f"{where} holds whole numbers in {', '.join(map(repr, likely))}, which may say how "
            f"often each query came. Say --count-column {likely[0]!r} if so, or "
            '--count-column "" if every row is one search.'
        )


def guess_query_columns(names: Sequence[str]) -> list[str]:
    """The columns that have a name which people give to queries."""
    strong, weak = (_called(names, known) for known in _QUERY_NAMES)
    return strong or weak


def guess_count_columns(names: Sequence[str]) -> list[str]:
    """The columns that have a name which people give to counts."""
    return _called(names, _COUNT_NAMES)


def _called(names: Sequence[str], known: frozenset[str] | set[str]) -> list[str]:
    return [name for name in names if plain_name(name) in known]


def plain_name(name: str) -> str:
    """A column name without what exporters vary: case, underscores, hyphens, blanks."""
    return " ".join(name.replace("_", " ").replace("-", " ").casefold().split())


def _query_column(names: Sequence[str], wanted: str | None, where: str, advice: str) -> str:
    if wanted is not None:
        return named_column(names, wanted, option="--query-column", where=where)
    found = guess_query_columns(names)
    if not found:
        raise InputError(
            f"{where} has no column that is known to hold queries. {_list(names)}\n"
            f"Name the one that does with --query-column NAME.{advice}"
        )
    if len(found) > 1:
        raise InputError(
            f"{where} has {len(found)} columns that may hold the queries: "
            f"{', '.join(map(repr, found))}. {_list(names)}\n"
            "Name the right one with --query-column NAME"
            f"{_and_rename(found)}."
        )
    return found[0]


def _count_column(names: Sequence[str], wanted: str | None, where: str) -> str | None:
    if wanted == "":
        return None
    if wanted is not None:
        return named_column(names, wanted, option="--count-column", where=where)
    found = guess_count_columns(names)
    if len(found) > 1:
        raise InputError(
            f"{where} has {len(found)} columns that may hold the counts: "
            f"{', '.join(map(repr, found))}. {_list(names)}\n"
            f"Name the right one with --count-column NAME{_and_rename(found)}, "
            'or say --count-column "" if every line is one search.'
        )
    return found[0] if found else None


def named_column(names: Sequence[str], wanted: str, *, option: str, where: str) -> str:
    """
    The column that is called as the caller wants it, or nearly.

    Raises InputError that names the caller's option if there is none, or several.
    """
    found = [name for name in names if name == wanted] or [
        name for name in names if plain_name(name) == plain_name(wanted)
    ]
    if len(found) == 1:
        return found[0]
    if found:
        raise InputError(
            f"{where} has {len(found)} columns called {wanted!r} ({option}). {_list(names)}\n"
            "Give each column its own name in the header."
        )
    likely = difflib.get_close_matches(wanted, names, n=1)
    hint = f" Did you mean {likely[0]!r}?" if likely else ""
    raise InputError(f"{where} has no column {wanted!r} ({option}).{hint} {_list(names)}")


def _and_rename(found: Sequence[str]) -> str:
    return "" if len(set(found)) == len(found) else ", after giving each its own name"


def _list(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name[:40]) for name in names[:30])
    more = f" and {len(names) - 30} more" if len(names) > 30 else ""
    return f"Its columns: {shown}{more}."


def read_count(cell: str) -> int | None:
    """
    The searches that a count cell stands for, or None if it is not a whole number from 0.

    `3.0` is 3, since pandas writes whole numbers so where one is missing; `3.000` may be
    three thousand, and `1,234` and `1 234` are, by whatever blank.
    """
    digits = cell.strip().removesuffix(".0")
    if mark := thousands_mark(digits):
        digits = digits.replace(mark, "")
    if not (digits.isascii() and digits.isdecimal() and len(digits) <= len(str(MOST_SEARCHES))):
        return None
    return int(digits)


def thousands_mark(cell: str) -> str | None:
    """The comma or blank between all thousands of a count that people wrote; None without any."""
    found = _GROUPED.fullmatch(cell.strip())
    return found["mark"] if found else None


def read_time(cell: str) -> datetime | None:
    """The time of an ISO 8601 cell, or of one with seconds (or parts of them) since 1970."""
    cell = cell.strip()
    if len(cell) in _EPOCH_UNITS and cell.isascii() and cell.isdecimal():
        return datetime.fromtimestamp(int(cell) / _EPOCH_UNITS[len(cell)], tz=UTC)
    try:
        return datetime.fromisoformat(cell)
    except ValueError:
        return None


_DAY = re.compile(
    r"(?P<a>\d{1,2})(?P<mark>[/.-])(?P<b>\d{1,2})(?P=mark)(?P<year>\d{4})"
    r"(?:,?[ T]+(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d))?"
    r"(?: ?(?P<half>[AaPp])[Mm])?)?"
)
_WRITTEN_OUT = ("%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y", "%d-%b-%Y", "%Y/%m/%d")
DAY_FIRST, MONTH_FIRST = "the day first", "the month first"


def _days(cell: str) -> dict[str, datetime]:
    """What a time that is not ISO 8601 may be, by what it begins with; "" where it is one thing."""
    cell = cell.strip()
    if (found := _DAY.fullmatch(cell)) is None:
        for form in _WRITTEN_OUT:
            with suppress(ValueError):
                return {"": datetime.strptime(cell, form)}
        return {}
    hour, half = int(found["hour"] or 0), (found["half"] or "").casefold()
    hour = hour % 12 + 12 * (half == "p") if half else hour
    clock = (hour, int(found["minute"] or 0), int(found["second"] or 0))
    orders = {DAY_FIRST: (found["b"], found["a"]), MONTH_FIRST: (found["a"], found["b"])}
    times: dict[str, datetime] = {}
    for order, (month, day) in orders.items():
        with suppress(ValueError):
            times[order] = datetime(int(found["year"]), int(month), int(day), *clock)
    if found["mark"] == "." and DAY_FIRST in times:  # no language puts points behind months
        return {"": times[DAY_FIRST]}
    return times


@dataclass(slots=True)
class Window:
    """
    The first and last time of a log, as if it were UTC where it has no zone.

    Times that may begin with the day or with the month are kept both ways until one of them can
    be only one of the two.
    """

    _bounds: dict[str, tuple[datetime, datetime]] = field(default_factory=dict)
    _certain: set[str] = field(default_factory=set)
    _doubtful: list[tuple[int, str]] = field(default_factory=list)
    _unreadable: list[tuple[int, str]] = field(default_factory=list)
    _many: Counter[str] = field(default_factory=Counter)

    def see(self, cell: str, line: int) -> None:
        """Take a time into account."""
        if not cell.strip():
            return
        time = read_time(cell)
        times = _days(cell) if time is None else {"": time}
        if not times or "" not in times:
            listed, kind = (self._doubtful, "doubtful") if times else (self._unreadable, "no time")
            self._many[kind] += 1
            if len(listed) < _LISTED:
                listed.append((line, cell))
        if len(times) == 1:
            self._certain |= times.keys()
        for order, found in times.items():
            first, last = self._bounds.get(order, (found, found))
            self._bounds[order] = (min(first, found, key=_utc), max(last, found, key=_utc))

    def bounds(self) -> tuple[str | None, str | None]:
        """The first and the last time in ISO form, or None for both if there is none."""
        order = self._order()
        known = [self._bounds[name] for name in ("", order) if name in self._bounds]
        if not known:
            return None, None
        first = min((each[0] for each in known), key=_utc)
        return first.isoformat(), max((each[1] for each in known), key=_utc).isoformat()

    def notes(self) -> list[str]:
        """Which times were read how, and which were not used, with their first lines."""
        notes = []
        order = self._order()
        if self._doubtful and order is not None:
            notes.append(f"Times such as {self._doubtful[0][1]!r} are read with {order}.")
        elif self._doubtful:
            notes.append(
                f"{self._many['doubtful']:,} times may begin with the day or the month "
                f"({_said(self._doubtful)}); not used."
            )
        if self._unreadable:
            said = _said(self._unreadable)
            notes.append(f"{self._many['no time']:,} times cannot be read ({said}); not used.")
        return notes

    def _order(self) -> str | None:
        """What the times in doubt begin with, where some of them say so and none the contrary."""
        certain = self._certain & {DAY_FIRST, MONTH_FIRST}
        return next(iter(certain)) if len(certain) == 1 else None


def _utc(time: datetime) -> datetime:
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def _said(listed: Sequence[tuple[int, str]]) -> str:
    return ", ".join(f"line {line}: {cell[:40]!r}" for line, cell in listed)
