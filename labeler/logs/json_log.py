"""
Logs as JSON: lines of objects, search answers, bulk files, and the query log format UBI.

In a UBI log a row with `action_name` is an event, also where it repeats the query, and a
query row is one search. Numbers keep the digits they are written with.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice
from typing import Any

from evaluator import InputError
from evaluator.files.records import Twice, each_once
from labeler.logs.columns import (
    Columns,
    LogRow,
    Shape,
    choose_columns,
    guess_query_columns,
    require_count,
)
from labeler.logs.file import ByteProgress, Findings, Line, LogFile

WHOLE_LIMIT = 256_000_000  # characters of a document that is not one object a line
UBI_QUERY = "user_query"
_ACTIONS = frozenset({"index", "create", "update", "delete"})
_ABSENT = object()
_HALF_PAIR = re.compile("[\ud800-\udfff]")
_DECODER = json.JSONDecoder(
    object_pairs_hook=each_once, parse_int=str, parse_float=str, parse_constant=str
)


@dataclass(frozen=True, slots=True)
class JsonLog:
    """A log of JSON objects, one a line, or (`whole`) in documents that run over lines."""

    file: LogFile
    whole: bool
    ubi: bool
    columns: Columns

    @property
    def notes(self) -> tuple[str, ...]:
        """What to say about how the file is read."""
        if self.whole:
            return ("The file is not one object a line; entries are numbered instead of lines.",)
        return ()

    def rows(
        self, findings: Findings, progress: ByteProgress | None = None, others: Sequence[str] = ()
    ) -> Iterator[LogRow]:
        """The rows that may be searches; every other line goes to the findings."""
        names = self.columns
        met: set[str] = set()
        for number, row in _documents(self.file, self.whole, findings, progress):
            if row.get("action_name"):
                findings.counts["events"] += 1
                continue
            value = _at(row, names.query, _ABSENT)
            if value is _ABSENT:
                findings.report(number, f"the row has no {names.query!r}", _shown(row))
                continue
            query = _text(value)
            if query is None:
                findings.report(number, f"{names.query!r} is not a text", _shown(row))
            elif _HALF_PAIR.search(query):
                findings.report(number, "half a surrogate pair is not text", _shown(row))
            else:
                count = None if names.count is None else _cell(_at(row, names.count)) or ""
                time = None if names.time is None else _cell(_at(row, names.time))
                cells = {name: _cell(_at(row, name)) for name in others}
                met |= {name for name, cell in cells.items() if cell is not None}
                more = tuple(cell or "" for cell in cells.values())
                yield LogRow(number, query, count, time, more)
        if lost := [name for name in others if name not in met]:
            raise InputError(f"{self.file.path.name} has no column {lost[0]!r} in any row.")

    def described(self) -> dict[str, Any]:
        """What the record of a log says about JSON."""
        layout = "UBI log" if self.ubi else "JSON document" if self.whole else "JSON lines"
        return {"layout": layout, "columns": asdict(self.columns)}


def first_json_rows(
    file: LogFile, head: Sequence[Line], rows: int
) -> tuple[tuple[str, ...], list[list[str]]]:
    """The keys of the first objects, and their values as texts."""
    whole = _is_whole([line for _, line in head if line.strip()])
    found = [row for _, row in islice(_documents(file, whole, Findings(), None), rows)]
    names = tuple(dict.fromkeys(path for row in found for path in _paths(row)))
    return names, [[_brief(_at(row, name)) for name in names] for row in found]


def looks_like_json(head: Sequence[Line]) -> bool:
    """Whether the first line that is not empty holds an object, or a list of objects."""
    value = _parsed(next((line for _, line in head if line.strip()), ""))
    objects = value if isinstance(value, list) else [value]
    return bool(objects) and isinstance(objects[0], dict)


def open_json(file: LogFile, head: Sequence[Line], shape: Shape) -> JsonLog:
    """The JSON log that a file holds, judged by its first rows. Raises InputError if none."""
    whole = _is_whole([line for _, line in head if line.strip()])
    first = [row for _, row in islice(_documents(file, whole, Findings(), None), 100)]
    rows = [row for row in first if not row.get("action_name")]
    names = list(dict.fromkeys(path for row in rows for path in _paths(row)))
    if not first:
        raise InputError(f"{file.path.name} holds no JSON objects that could be searches.")
    ubi = UBI_QUERY in names or len(rows) < len(first)
    if shape.query_column is None and (UBI_QUERY in names or not rows):
        names = list(dict.fromkeys([*names, UBI_QUERY]))
        shape = Shape(query_column=UBI_QUERY, count_column=shape.count_column or "")
    where = file.path.name
    if shape.query_column is None and not guess_query_columns(names):  # else inside of something
        nested = [name for name in names if guess_query_columns([name.rpartition(".")[2]])]
        shape = replace(shape, query_column=nested[0]) if len(nested) == 1 else shape
    columns = choose_columns(names, shape, where=where)
    cells = ([_brief(_at(row, name)) for name in names] for row in rows)
    require_count(names, cells, columns, shape, where)
    return JsonLog(file, whole, ubi, columns)


def _paths(row: Mapping[str, Any]) -> Iterator[str]:
    """The keys of an object, and those of objects in it as `key.key`; a query is one value."""
    for key, value in row.items():
        yield key
        if isinstance(value, dict) and not _is_typed(value) and "query" not in value:
            yield from (f"{key}.{inner}" for inner in _paths(value))


def _at(row: Mapping[str, Any], path: str, absent: Any = None) -> Any:
    """What stands under a key, or under `key.key`."""
    if path in row:
        return row[path]
    key, _, rest = path.partition(".")
    inner = row.get(key)
    return _at(inner, rest, absent) if rest and isinstance(inner, dict) else absent


def _is_typed(value: Mapping[str, Any]) -> bool:
    """Whether an object is a single value as MongoDB writes them: {"$oid": ...}."""
    return len(value) == 1 and next(iter(value)).startswith("$")


def _is_whole(lines: Sequence[str]) -> bool:
    """Whether objects run over several lines, as in a file that was printed to be read."""
    if not lines or lines[0].lstrip("\ufeff ").startswith("["):
        return not lines or not isinstance(_parsed(lines[0]), list)
    objects = sum(isinstance(_parsed(line), dict) for line in lines)
    return objects * 2 < len(lines)


def _parsed(text: str) -> Any:
    try:
        return _DECODER.decode(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return None


def _documents(
    file: LogFile, whole: bool, findings: Findings, progress: ByteProgress | None
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The objects of a file, each with its line (or entry), out of whatever wraps them."""
    documents = enumerate(_values_of_document(file), 1)
    values = documents if whole else _values_of_lines(file, findings, progress)
    update = False
    for number, value in values:
        action = _action(value)
        if action is not None:
            findings.counts["action lines"] += 1
            update = action == "update"
            continue
        for row in _unwrapped(value["doc"] if update and "doc" in value else value):
            findings.lines += whole
            place = findings.lines if whole else number
            if isinstance(row, dict):
                yield place, row
            else:
                findings.report(place, "not a JSON object", _shown(row))
        update = False


def _values_of_lines(
    file: LogFile, findings: Findings, progress: ByteProgress | None
) -> Iterator[tuple[int, Any]]:
    for number, line in file.lines(findings, progress):
        if not line.strip("\ufeff \t"):
            findings.report(number, "the line is empty", line, kind="blank")
            continue
        try:
            value = _DECODER.decode(line.removeprefix("\ufeff"))
        except Twice:
            findings.report(number, "an object has the same key twice", line)
        except (ValueError, RecursionError):
            findings.report(number, "the line is not JSON", line)
        else:
            yield number, value


def _values_of_document(file: LogFile) -> Iterator[Any]:
    """The values of a text of one or more JSON documents."""
    text, at = file.whole(WHOLE_LIMIT), 0
    while at < len(text):
        if text[at] in " \t\n\r\ufeff":
            at += 1
            continue
        try:
            value, at = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            raise InputError(
                f"{file.path.name} is not complete JSON: {error}. "
                "Export it again, or write one object a line."
            ) from None
        yield value


def _action(value: Any) -> str | None:
    """The action of a bulk file's action line: the document follows on the next line."""
    if not isinstance(value, dict) or len(value) != 1:
        return None
    ((action, about),) = value.items()
    return action if action in _ACTIONS and isinstance(about, dict) else None


def _unwrapped(value: Any) -> Iterator[Any]:
    """The rows of a list, of the answer to a search, or of its hits; else the value itself."""
    if isinstance(value, dict) and len(value) == 1:  # {"searches": [...]}, as Algolia answers
        (only,) = value.values()
        if isinstance(only, list) and only and all(isinstance(each, dict) for each in only):
            value = only
    for item in value if isinstance(value, list) else [value]:
        hits = item.get("hits") if isinstance(item, dict) else None
        hits = hits.get("hits") if isinstance(hits, dict) else hits
        for row in hits if isinstance(hits, list) and _are_hits(hits) else [item]:
            source = row.get("_source") if isinstance(row, dict) else None
            yield source if isinstance(source, dict) else row


def _are_hits(hits: list[Any]) -> bool:
    """Whether a list came from a search engine, and is not a logged list of results."""
    return all(isinstance(hit, dict) and isinstance(hit.get("_source"), dict) for hit in hits)


def _text(value: Any) -> str | None:
    """A query as text: numbers by their digits, nothing as blank, objects by their `query`."""
    if isinstance(value, dict) and "query" in value:
        value = value["query"]
    return "" if value is None or value == {} else _cell(value)


def _cell(value: Any) -> str | None:
    while isinstance(value, dict) and _is_typed(value):
        (value,) = value.values()
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else None


def _brief(value: Any) -> str:
    text = _text(value)
    return _shown(value) if text is None else text


def _shown(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)[:1000]
