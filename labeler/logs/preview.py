"""
What people look at to confirm or to correct how a log is read.

Before: its first rows, and which columns are taken for what; what looks like private data is
masked, nothing is counted, and an ambiguous header is a question here and no error. After:
which spellings were put together as one query.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from evaluator import InputError
from labeler.logs.access import parameters, reader_of, requests
from labeler.logs.columns import UNKNOWN, Columns, Shape, guess_query_columns
from labeler.logs.delimited import detect_delimiter, split_cells, without_comments
from labeler.logs.file import LogFile, open_log
from labeler.logs.formats import is_json, is_table, log_in
from labeler.logs.json_log import first_json_rows
from labeler.logs.private import Guard
from labeler.logs.queries import LogQuery

ROWS = 10
_WIDEST = 60
_SPELLINGS = 3


@dataclass(frozen=True, slots=True)
class LogPreview:
    """
    The first rows of a log under the names of their columns, and a guess.

    `columns` are what would be read, or None with a `question` that says what is missing.
    `parameters` are those of a web server's addresses, the commonest first.
    """

    file: str
    layout: str
    encoding: str
    delimiter: str | None
    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    columns: Columns | None
    question: str | None
    notes: tuple[str, ...]
    parameters: tuple[str, ...] = ()


def guess_columns(path: Path, shape: Shape = UNKNOWN) -> LogPreview:
    """
    The first rows of a log, and the columns that would be read, given what is said of it.

    Raises InputError for what is no log at all.
    """
    columns: Columns | None = None
    question: str | None = None
    notes: tuple[str, ...] = ()
    file = open_log(path, encoding=shape.encoding)
    layout, delimiter, names, rows = _first_rows(file, shape)
    try:
        log = log_in(file, shape)
        columns = Columns(**(log.described().get("columns") or _PLAIN))
        notes = () if layout == _ACCESS else log.notes  # those are about what was counted
    except InputError as error:
        question = str(error)
    guard = Guard()
    return LogPreview(
        file=path.name,
        layout=layout,
        encoding=file.encoding.removesuffix("-sig"),
        delimiter=delimiter,
        names=tuple(names),
        rows=tuple(tuple(guard.masked(cell[:200]) for cell in row) for row in rows),
        columns=columns,
        question=question,
        notes=notes,
        parameters=_parameters(file) if layout == _ACCESS else (),
    )


_PLAIN = {"query": "query", "count": None, "time": None}
_ACCESS = "web server log"


def _first_rows(
    file: LogFile, shape: Shape
) -> tuple[str, str | None, Sequence[str], Sequence[Sequence[str]]]:
    """Layout, delimiter, names of columns and first rows."""
    if not file.is_text:
        from labeler.logs.parquet_log import first_parquet_rows  # loads Arrow's part for Parquet

        return "Parquet", None, *first_parquet_rows(file, ROWS)
    head = file.head()
    if shape.query_column is None and reader_of([line for _, line in head]) is not None:
        found = list(requests([line for _, line in head]))[:ROWS]
        names = list(dict.fromkeys(name for row in found for name in row))
        return _ACCESS, None, names, [[row.get(name, "") for name in names] for row in found]
    if is_json(file, head):
        return "JSON", None, *first_json_rows(file, head, ROWS)
    filled = [(number, line.removeprefix("\ufeff")) for number, line in head if line.strip()]
    if not is_table(file, head, shape):
        return "plain lines", None, ["query"], [[line] for _, line in filled[:ROWS]]
    lines, _ = without_comments(filled, shape.delimiter, named=shape.query_column is not None)
    delimiter = shape.delimiter or detect_delimiter(lines[0][1], shape)
    cells = [split_cells(line, delimiter)[0] for _, line in lines[: ROWS + 1]]
    return "table", delimiter, cells[0], cells[1:]


def _parameters(file: LogFile) -> tuple[str, ...]:
    """The parameters of the first requests, those with names that people give to queries first."""
    names = [name for name, _ in parameters([line for _, line in file.head()])]
    likely = guess_query_columns(names)
    return tuple(likely + [name for name in names if name not in likely])


def preview_text(preview: LogPreview) -> str:
    """The preview for a terminal."""
    by = "" if preview.delimiter is None else f", cells separated by {preview.delimiter!r}"
    lines = [f"{preview.file}: {preview.layout}, {preview.encoding or 'no encoding'}{by}", ""]
    for at, name in enumerate(preview.names):
        cells = [row[at] if at < len(row) else "" for row in preview.rows[:4]]
        shown = " | ".join(cell.replace("\n", " ")[:_WIDEST] for cell in cells)
        lines.append(f"  {_use(name, preview.columns):5} {name:24} {shown}")
    if preview.question is not None:
        lines += ["", preview.question]
    if preview.parameters:
        lines += ["", f"Parameters, likely ones first: {', '.join(preview.parameters)}"]
    return "\n".join([*lines, *("", *preview.notes)])


def _use(name: str, columns: Columns | None) -> str:
    if columns is None:
        return ""
    uses = {columns.query: "query", columns.count: "count", columns.time: "time"}
    return uses.get(name.strip("\ufeff \t"), "")


@dataclass(slots=True)
class Spellings:
    """How many spellings became how many queries, and the most frequent with more than one."""

    spellings: int = 0
    queries: int = 0
    examples: list[LogQuery] = field(default_factory=list)

    def watch(self, queries: Iterable[LogQuery]) -> Iterator[LogQuery]:
        """The same queries, counted while they are taken."""
        for query in queries:
            self.queries += 1
            self.spellings += len(query.variants)
            if len(query.variants) > 1:
                self._keep(query)
            yield query

    def _keep(self, query: LogQuery) -> None:
        if len(self.examples) < _SPELLINGS or query.count > self.examples[-1].count:
            self.examples.append(query)
            self.examples.sort(key=lambda each: -each.count)
            del self.examples[_SPELLINGS:]


def spellings_text(found: Spellings, file: str) -> str:
    """What was put together, and how to keep it apart."""
    if found.spellings == found.queries:
        return f"{file}: no two spellings became one query."
    became = "1 query" if found.queries == 1 else f"{found.queries} queries"
    lines = [
        f"{file}: {found.spellings} spellings became {became}: letter case and blanks do not "
        "count; --no-normalise keeps them apart. Such as:"
    ]
    for query in found.examples:
        shown = [f"{text[:60]!r} ({count})" for text, count in query.variants[:_SPELLINGS]]
        more = len(query.variants) - len(shown)
        lines.append(f"  {', '.join(shown)}" + (f" and {more} more" if more else ""))
    return "\n".join(lines)
