"""
Strata: by the text of a query alone, or by what a log says of each search.

The rules on texts are crude on purpose: they are stated in the design, need no model, and give
the same answer everywhere. A stratum need not be right about a query, since any rule that is
fixed before the draw leaves its probabilities exact. Of columns and files, a query belongs to
the value under which it is searched for most; the files are read again for that, by the columns
that were used when they were read first.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluator import InputError
from evaluator.files.whole import file_sha256
from evaluator.text.words import ASKING, HELPING, WHOM
from labeler.logs.columns import Shape, read_count
from labeler.logs.file import Findings, open_log
from labeler.logs.formats import Log, log_in
from labeler.logs.group import NOT_NORMALISED, Keys
from labeler.logs.private import Guard
from labeler.logs.queries import LogQuery

QUESTION, KEYWORDS = "question", "keywords"
LENGTHS = ("1 word", "2 or 3 words", "4 to 7 words", "8 words or more")
_FROM = (1, 2, 4, 8)
_WORDS = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_OTHER_MARKS = "？؟՞"  # no wildcard, and in Chinese a question need not have a blank
_CLOSING = " .!)\"'”»"
_FEWEST_WORDS = 3  # "what if" and "when" may be titles; "who guidelines" is an organisation

TYPE_RULE = (
    "question: two words or more with a question mark at the end (a single word with one is a "
    "wildcard), or three words or more of which the first asks "
    "(how, what, why, when, where, who, which and their like in German, Dutch, Norwegian, "
    "Danish, Swedish, French, Spanish, Italian and Portuguese), or the first helps to ask and "
    "the second says of whom (can i, is the, darf ich, kan jeg); keywords: all others"
)
LENGTH_RULE = f"length in words: {', '.join(LENGTHS)}"


@dataclass(frozen=True, slots=True)
class Strata:
    """
    A stratum for each query of a log, by its key, and the rules that gave it, in words.

    `by` are the names under which the rules were asked for, `notes` what should be known of
    how they came out. Without any rule there is one stratum, which has no name.
    """

    by: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    stratum_by_query: Mapping[str, str] | None = None
    notes: tuple[str, ...] = ()

    def split(self, queries: Iterable[LogQuery]) -> dict[str, list[LogQuery]]:
        """The queries of each stratum, strata in the order of their names."""
        groups: dict[str, list[LogQuery]] = {}
        for query in queries:
            groups.setdefault(self.stratum(query.query), []).append(query)
        return dict(sorted(groups.items()))

    def stratum(self, query: str) -> str:
        """The stratum of a query by its key."""
        return "" if self.stratum_by_query is None else self.stratum_by_query[query]

    def crossed_with(self, other: "Strata") -> "Strata":
        """Each stratum of these divided by those of the other."""
        if self.stratum_by_query is None or other.stratum_by_query is None:
            return other if self.stratum_by_query is None else self
        crossed = {
            query: f"{stratum} / {other.stratum_by_query[query]}"
            for query, stratum in self.stratum_by_query.items()
        }
        return Strata(
            self.by + other.by, self.rules + other.rules, crossed, self.notes + other.notes
        )


def query_type(text: str) -> str:
    """`question` or `keywords`, by TYPE_RULE."""
    words = _words(text)
    end = text.rstrip(_CLOSING)[-1:]
    if (end == "?" and len(words) > 1) or (end and end in _OTHER_MARKS):
        return QUESTION
    if len(words) < _FEWEST_WORDS:
        return KEYWORDS
    asked = words[0] in ASKING or (words[0] in HELPING and words[1] in WHOM)
    return QUESTION if asked else KEYWORDS


def query_length(text: str) -> str:
    """The class of LENGTHS that the number of words falls into; no word counts as one."""
    number = len(_words(text))
    return LENGTHS[max(0, bisect_right(_FROM, number) - 1)]


TEXT_RULES: Mapping[str, tuple[str, Callable[[str], str]]] = {
    "type": (TYPE_RULE, query_type),
    "length": (LENGTH_RULE, query_length),
}


def text_strata(queries: Sequence[LogQuery], *, by: Sequence[str]) -> Strata:
    """Strata by the named rules of TEXT_RULES, crossed where there are several."""
    strata = Strata()
    for name in by:
        rule, kind = TEXT_RULES[name]
        found = {query.query: kind(query.text) for query in queries}
        strata = strata.crossed_with(Strata((name,), (rule,), found))
    return strata


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORDS.findall(text)]


FILE, COLUMN = "file", "column:"
EMPTY, UNKNOWN = "(empty)", "(not found)"
_RULES = (*TEXT_RULES, FILE, f"{COLUMN}NAME")


def make_strata(
    queries: Sequence[LogQuery],
    *,
    by: Sequence[str],
    logs: Sequence[Mapping[str, Any]] = (),
    files: Sequence[Path] = (),
) -> Strata:
    """
    Strata by all named rules, crossed: `type`, `length`, `file`, `column:NAME`.

    `logs` are the records of the logs that the queries came from, `files` the same logs on
    disk; only rules that are about single searches need them.

    Raises InputError for a rule or column that is not there, and for a file that is missing
    or is not the one that was read.
    """
    by_search = [name for name in by if name == FILE or name.startswith(COLUMN)]
    if "month" in by:
        raise InputError(
            f"Strata by month of the search were removed. There are {', '.join(_RULES)}."
        )
    unknown = [name for name in by if name not in TEXT_RULES and name not in by_search]
    if unknown:
        raise InputError(f"No rule {unknown[0]!r} for strata. There are {', '.join(_RULES)}.")
    strata = _search_strata(queries, by_search, logs, files) if by_search else Strata()
    return strata.crossed_with(text_strata(queries, by=[n for n in by if n in TEXT_RULES]))


def _search_strata(
    queries: Sequence[LogQuery],
    by: Sequence[str],
    logs: Sequence[Mapping[str, Any]],
    files: Sequence[Path],
) -> Strata:
    searches: dict[str, Counter[str]] = {}
    for record, file in _paired(logs, files):
        by_text: dict[str, Counter[str]] = {}
        for text, value, count in _searches(record, file, by):
            by_text.setdefault(text, Counter())[value] += count
        private = record.get("private") or {}
        choice, regions = private.get("choice"), private.get("regions", ())
        guard = Guard(choice, private.get("identifiers", ()), regions)
        keys = Keys(guard, record.get("normalising") != NOT_NORMALISED)
        for text, values in by_text.items():
            if (pair := keys.keyed(text, values.total())) is not None:
                searches.setdefault(pair[0], Counter()).update(values)
    found = {
        query.query: _most(searches[query.query]) if query.query in searches else UNKNOWN
        for query in queries
    }
    named = " / ".join("log file" if name == FILE else name.replace(":", " ", 1) for name in by)
    rules = (f"{named}: the one under which a query was searched for most, ties by name",)
    return Strata(tuple(by), rules, found, tuple(_notes(queries, searches, found)))


def _paired(
    logs: Sequence[Mapping[str, Any]], files: Sequence[Path]
) -> list[tuple[Mapping[str, Any], Path]]:
    """Each record of a log with its file, known by its digest."""
    absent = [str(path) for path in files if not path.is_file()]
    if absent:
        raise InputError(f"There is no file {absent[0]}. Give the path of a log with --log FILE.")
    path_by_sha256 = {file_sha256(path): path for path in files}
    missing = [str(log["file"]) for log in logs if log["sha256"] not in path_by_sha256]
    if missing or not logs:
        raise InputError(
            f"Strata by file or column need the log files again, unchanged: "
            f"{', '.join(missing[:5]) or 'there is no log'}. Name each with --log FILE."
        )
    return [(log, path_by_sha256[log["sha256"]]) for log in logs]


def _searches(
    record: Mapping[str, Any], path: Path, by: Sequence[str]
) -> Iterator[tuple[str, str, int]]:
    """Query, value and count of each line, several values joined to one."""
    columns = [name.removeprefix(COLUMN) for name in by if name != FILE]
    for row in _reopened(record, path).rows(Findings(), others=columns):
        searches = 1 if row.count_cell is None else read_count(row.count_cell)
        if searches is not None:
            cells = iter(row.others)
            values = [str(record["file"]) if name == FILE else next(cells) for name in by]
            yield row.query, " / ".join(value.strip() or EMPTY for value in values), searches


def _reopened(record: Mapping[str, Any], path: Path) -> Log:
    """The log as it was opened first."""
    columns = record.get("columns") or {}
    requests = record["layout"] == "web server log"
    tabular = columns and not requests
    shape = Shape(
        query_column=columns["query"] if tabular else None,
        count_column=(columns["count"] or "") if tabular else None,
        delimiter=record.get("delimiter"),
        encoding=record.get("encoding"),
        plain=record["layout"] == "plain lines",
        query_parameter=columns["query"] if requests else None,
        statuses=tuple(record.get("statuses", ())),
        skip_agents=tuple(record.get("skipped_agents", ())),
    )
    return log_in(open_log(path, encoding=shape.encoding), shape)


def _most(searches: Mapping[str, int]) -> str:
    return min(searches, key=lambda value: (-searches[value], value))


def _notes(
    queries: Sequence[LogQuery],
    searches: Mapping[str, Mapping[str, int]],
    found: Mapping[str, str],
) -> Iterator[str]:
    total = sum(query.count for query in queries)
    split = sum(
        sum(searches[query.query].values()) - searches[query.query][found[query.query]]
        for query in queries
        if query.query in searches
    )
    if split:
        yield (
            f"{split:,} of {total:,} searches stand under another value than the one their "
            "query belongs to."
        )
    lost = [query for query in queries if found[query.query] == UNKNOWN]
    if lost:
        yield (
            f"{len(lost):,} queries ({sum(query.count for query in lost):,} searches) are not "
            f"in the files as they stand in the workspace; their stratum is {UNKNOWN}."
        )
