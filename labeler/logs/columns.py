"""
Which column of a log is the query, the count and the time, and how their cells are read.

A guess is made only where one column alone has a name that people give to queries, or to
counts; the caller says what was guessed. Counts are whole numbers, at most with commas or
blanks between thousands, and times are ISO 8601: `1.234` and `03/04` mean different things in
different places.
"""

import difflib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

from evaluator import InputError

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


@dataclass(slots=True)
class Window:
    """The first and last time of a log, as if it were UTC where it has no zone."""

    _first: tuple[datetime, str, datetime] | None = None
    _last: tuple[datetime, str, datetime] | None = None
    unreadable: str = ""

    def see(self, cell: str) -> None:
        """Take a time into account."""
        if (time := read_time(cell)) is None:
            if cell.strip():
                self.unreadable = min(self.unreadable or cell, cell)
            return
        found = (time if time.tzinfo else time.replace(tzinfo=UTC), cell, time)
        if self._first is None or found < self._first:
            self._first = found
        if self._last is None or found > self._last:
            self._last = found

    def bounds(self) -> tuple[str | None, str | None]:
        """The first and the last time in ISO form, or None for both if there is none."""
        if self._first is None or self._last is None:
            return None, None
        return self._first[2].isoformat(), self._last[2].isoformat()
