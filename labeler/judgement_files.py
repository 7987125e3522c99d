"""
Files of judgements made elsewhere -> rows with a grade, or with the reason there is none.

Four shapes: TREC qrels, BEIR with its header, three tab-separated columns, and CSV or
JSON lines with named columns. It knows grades and their scale; which queries and chunks
exist is not asked here.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from evaluator import InputError
from evaluator.labelset import utc_text
from labeler.tables import (
    JSON_LINES,
    LineProblem,
    Row,
    file_sha256,
    numbered_lines,
    read_rows,
    refuse,
    stored_text,
)

QUERY_ID = ("query_id", "query-id", "qid", "_id", "id")
CHUNK_ID = ("chunk_id", "corpus-id", "corpus_id", "docid", "doc_id", "docno")
GRADE = ("grade", "score", "rating", "relevance", "rel")
UNSURE = ("unsure", "can't tell", "cannot tell")

Shape = Literal["TREC qrels", "BEIR", "three columns", "named columns"]
Verdict = Literal["grade", "unsure", "unjudged"]


@dataclass(frozen=True, slots=True)
class Graded:
    """One pair as a file has it. `unjudged` pairs were pooled and nobody said anything."""

    line: int
    query_id: str
    chunk_id: str
    grade: int | None
    verdict: Verdict
    assessor: str | None = None
    note: str | None = None
    judged_at: str | None = None


@dataclass(frozen=True, slots=True)
class JudgementFile:
    """What a file of judgements holds: every pair once per assessor."""

    name: str
    sha256: str
    shape: Shape
    pairs: tuple[Graded, ...]
    merged: int
    below_zero: int

    def count(self, verdict: Verdict) -> int:
        return sum(pair.verdict == verdict for pair in self.pairs)


@dataclass(frozen=True, slots=True)
class _Cells:
    line: int
    query_id: Any
    chunk_id: Any
    grade: Any
    assessor: Any = None
    note: Any = None
    judged_at: Any = None


def read_judgements(path: Path, *, scale: Sequence[int]) -> JudgementFile:
    """
    The judgements of a file, read onto a scale of grades.

    An empty grade and -1 leave a pair unjudged: it was pooled, and nobody said it is not
    relevant. `unsure` is kept as such. A grade below -1 says more than "not relevant",
    so it is read as 0, with what the file had in the note. `3.0` is 3. The same pair
    twice with one grade is one judgement.

    Raises InputError listing the lines with a grade that is no whole number or not on the
    scale, a pair with two grades by one assessor, or another number of columns.
    """
    shape, rows = _rows(path)
    pairs: dict[tuple[str, str, str | None], Graded] = {}
    problems: list[LineProblem] = []
    merged = 0
    for row in rows:
        try:
            pair = _graded(row, scale)
            key = (pair.query_id, pair.chunk_id, pair.assessor)
            merged += key in pairs
            pairs[key] = _one_of(pairs.get(key), pair)
        except ValueError as error:
            problems.append(LineProblem(row.line, str(error)))
    refuse(
        path,
        problems,
        todo=f"Grades must be on the workspace's scale ({', '.join(map(str, scale))}), empty, "
        f"or {UNSURE[0]!r}; a pair has one grade per assessor. Nothing was stored.",
    )
    return JudgementFile(
        name=path.name,
        sha256=file_sha256(path),
        shape=shape,
        pairs=tuple(pairs.values()),
        merged=merged,
        below_zero=sum((pair.note or "").startswith(_LOW) for pair in pairs.values()),
    )


_LOW = "grade below zero in the file: "


def _graded(row: _Cells, scale: Sequence[int]) -> Graded:
    grade, verdict = _grade(row.grade)
    note = stored_text(row.note) if row.note else None
    if grade is not None and grade < 0:
        note = f"{_LOW}{grade}" + (f"; {note}" if note else "")
        grade = 0
    if grade is not None and grade not in scale:
        raise ValueError(f"grade {grade} is not on the scale")
    return Graded(
        line=row.line,
        query_id=id_text(row.query_id, "query id"),
        chunk_id=id_text(row.chunk_id, "chunk id"),
        grade=grade,
        verdict=verdict,
        assessor=stored_text(row.assessor) if row.assessor else None,
        note=note,
        judged_at=_moment(row.judged_at) if row.judged_at else None,
    )


def _grade(value: Any) -> tuple[int | None, Verdict]:
    text = "" if value is None else str(value).strip()
    if text == "":
        return None, "unjudged"
    if text.lower() in UNSURE:
        return None, "unsure"
    if not re.fullmatch(r"[+-]?[0-9]{1,9}(\.0*)?", text):
        raise ValueError(f"grade {text!r} is no whole number")
    grade = int(text.split(".")[0])
    return (None, "unjudged") if grade == -1 else (grade, "grade")


def id_text(value: Any, what: str) -> str:
    """An id as text; JSON may hold whole numbers. Raises ValueError if there is none."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if value is None or value == "":
        raise ValueError(f"no {what}")
    return stored_text(value)


def _moment(value: Any) -> str:
    try:
        return utc_text(datetime.fromisoformat(str(value)))
    except ValueError:
        raise ValueError(f"{value!r} is no time with a zone, like 2026-01-31T09:30Z") from None


def _one_of(there: Graded | None, pair: Graded) -> Graded:
    if there is None or there.verdict == "unjudged":
        return pair
    if pair.verdict != "unjudged" and (pair.grade, pair.verdict) != (there.grade, there.verdict):
        one = there.grade if there.grade is not None else there.verdict
        other = pair.grade if pair.grade is not None else pair.verdict
        raise ValueError(
            f"query {pair.query_id!r}, chunk {pair.chunk_id!r} has {other} here "
            f"and {one} on line {there.line}"
        )
    return there


# The four shapes

_Three = tuple[str, str, str]


def _rows(path: Path) -> tuple[Shape, Iterator[_Cells]]:
    if path.suffix.lower() in (".csv", *JSON_LINES):
        return "named columns", _named(path)
    first = next((line for _, line in numbered_lines(path) if not line.startswith("#")), None)
    if first is None:
        raise InputError(f"{path} holds no judgements.")
    cells = first.split("\t")
    if len(cells) == 3 and cells[0] in QUERY_ID and cells[2] in GRADE:
        return "BEIR", _columns(path, _tabs, skip=1)
    if len(cells) == 3:
        return "three columns", _columns(path, _tabs)
    if len(first.split()) == 4:
        return "TREC qrels", _columns(path, _blanks, comments=True)
    raise InputError(
        f"{path} begins with {first[:80]!r}, which is no judgement. Known shapes: TREC qrels "
        "(query 0 chunk grade), BEIR (query-id, corpus-id, score, with that header), three "
        "columns between tabs, or a .csv or .jsonl file with query_id, chunk_id and grade."
    )


def _named(path: Path) -> Iterator[_Cells]:
    rows = read_rows(path)
    if rows:
        _require(path, rows[0])
    for row in rows:
        yield _Cells(
            row.line,
            row.first(*QUERY_ID),
            row.first(*CHUNK_ID),
            row.first(*GRADE),
            row.first("assessor", "judge", "user"),
            row.first("note", "notes", "comment"),
            row.first("judged_at", "timestamp"),
        )


def _require(path: Path, row: Row) -> None:
    columns = {"query_id": QUERY_ID, "chunk_id": CHUNK_ID, "grade": GRADE}
    missing = [name for name, names in columns.items() if not set(names) & set(row.cells)]
    if missing:
        raise InputError(
            f"{path} has no column {' and no column '.join(missing)}; its columns are "
            f"{', '.join(map(str, row.cells))}. The first line must name query_id, chunk_id "
            "and grade."
        )


def _columns(
    path: Path, split: Callable[[str], _Three], *, skip: int = 0, comments: bool = False
) -> Iterator[_Cells]:
    lines = [
        (number, line)
        for number, line in numbered_lines(path)
        if not (comments and line.startswith("#"))
    ]
    rows: list[_Cells] = []
    problems: list[LineProblem] = []
    for number, line in lines[skip:]:
        try:
            rows.append(_Cells(number, *split(line)))
        except ValueError as error:
            problems.append(LineProblem(number, str(error)))
    refuse(path, problems, todo="Every line must be of the shape of the first.")
    yield from rows


def _tabs(line: str) -> _Three:
    cells = line.split("\t")
    if len(cells) != 3:
        raise ValueError(f"{len(cells)} columns between tabs, expected 3")
    return cells[0], cells[1], cells[2]


def _blanks(line: str) -> _Three:
    """Query, chunk and grade of a TREC line; the second column says nothing."""
    cells = re.split(r"[ \t]+", line.strip(" \t"))
    if len(cells) != 4:
        raise ValueError(f"{len(cells)} columns, expected query, 0, chunk and grade")
    return cells[0], cells[2], cells[3]
