"""
Files of judgements made elsewhere -> rows with a grade, or with the reason there is none.

It knows grades and their scale. How a file is laid out is the business of
`imports/shapes.py`; which queries and chunks exist is not asked here.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from evaluator import InputError
from evaluator.files.ids import NAME as ID_MAP
from evaluator.files.ids import id_map_beside
from evaluator.files.records import LineProblem, refuse, stored_text
from evaluator.files.whole import file_sha256
from evaluator.labelset.format import ADJUDICATION, text_sha256, utc_text
from labeler.exchange.imports.cells import UNSURE, JudgedCell, ShapedFile, id_text
from labeler.exchange.imports.shapes import read_cells
from labeler.workspace.records import BY_MODEL, CHECKED_BY

GradeVerdict = Literal["grade", "unsure", "unjudged"]
_LOW = "grade below zero in the file: "


@dataclass(frozen=True, slots=True)
class Graded:
    """
    One pair as a file has it. `unjudged` pairs were pooled and nobody said anything.

    `query` is an id, or the text where the file names queries by text. `part` counts the
    judgements of one line from 1, if it has several.
    """

    line: int
    part: int
    query: str
    chunk_id: str
    grade: int | None
    verdict: GradeVerdict
    assessor: str | None = None
    note: str | None = None
    judged_at: str | None = None
    active_seconds: float | None = None
    method: str | None = None
    text_sha256: str | None = None

    @property
    def decides(self) -> bool:
        """Whether an adjudicator settled a disagreement, which is no judgement."""
        return self.method == ADJUDICATION


@dataclass(frozen=True, slots=True)
class JudgementFile:
    """What a file of judgements holds: every pair once per assessor, and decisions on pairs."""

    name: str
    sha256: str
    reading: ShapedFile
    pairs: tuple[Graded, ...]
    merged: int
    below_zero: int

    @property
    def shape(self) -> str:
        return self.reading.shape

    def without_models(self) -> tuple["JudgementFile", int]:
        """The file without what a model proposed, and how many judgements that were."""
        kept = tuple(p for p in self.pairs if not (p.method or "").startswith(BY_MODEL))
        return replace(self, pairs=kept), len(self.pairs) - len(kept)

    def count(self, verdict: GradeVerdict) -> int:
        return sum(pair.verdict == verdict and not pair.decides for pair in self.pairs)


def read_judgements(
    path: Path, *, scale: Sequence[int], meanings: Mapping[int, str] | None = None
) -> JudgementFile:
    """
    The judgements of a file, read onto a scale of grades.

    A grade is a whole number, or the very words that the scale has for one (`meanings`).
    An empty grade and -1 leave a pair unjudged: it was pooled, and nobody said it is not
    relevant. `unsure` is kept as such. A grade below -1 says more than "not relevant",
    so it is read as 0, with what the file had in the note. `3.0` is 3. The same pair
    twice with one grade is one judgement.

    Raises InputError listing the lines with a grade that is no whole number or not on the
    scale, a pair with two grades by one assessor, or another number of columns.
    """
    reading = _with_own_ids(path, read_cells(path))
    if not reading.cells and not reading.notes:
        raise InputError(f"{path} holds no judgements.")
    grades = _Grades(scale, meanings or {})
    pairs: dict[tuple[str, str, str | None, bool], Graded] = {}
    problems: list[LineProblem] = []
    merged = 0
    for cells in reading.cells:
        try:
            pair = grades.graded(cells)
            who = None if pair.decides else pair.assessor
            key = (pair.query, pair.chunk_id, who, pair.decides)
            merged += key in pairs and not pair.decides
            pairs[key] = _one_of(pairs.get(key), pair, reading.unit)
        except ValueError as error:
            problems.append(LineProblem(cells.line, str(error), reading.unit))
    refuse(
        path,
        problems,
        todo=f"Grades must be on the workspace's scale ({', '.join(map(str, scale))}), empty, "
        f"or {UNSURE[0]!r}; a pair has one grade per assessor. Nothing was stored.",
    )
    return JudgementFile(
        name=path.name,
        sha256=file_sha256(path),
        reading=reading,
        pairs=tuple(pairs.values()),
        merged=merged,
        below_zero=sum((pair.note or "").startswith(_LOW) for pair in pairs.values()),
    )


def _with_own_ids(path: Path, reading: ShapedFile) -> ShapedFile:
    """The cells with the ids that a map beside the file gives back, if there is one."""
    ids = id_map_beside(path) if reading.mapped else None
    if ids is None:
        return reading
    cells = [
        replace(
            each,
            query=ids.get(each.query, each.query),
            chunk_id=ids.get(each.chunk_id, each.chunk_id),
        )
        for each in reading.cells
    ]
    note = f"ids as {ID_MAP} beside it gives them"
    return replace(reading, cells=cells, encoded=False, notes=(*reading.notes, note))


class _Grades:
    """A scale, and how grades are written on it."""

    def __init__(self, scale: Sequence[int], meanings: Mapping[int, str]) -> None:
        self._scale = scale
        self._grade_by_word = {word.casefold(): grade for grade, word in meanings.items()}

    def graded(self, cells: JudgedCell) -> Graded:
        grade, verdict = self._grade(cells.grade)
        note = stored_text(cells.note) if cells.note else None
        if grade is not None and grade < 0:
            note = f"{_LOW}{grade}" + (f"; {note}" if note else "")
            grade = 0
        if grade is not None and grade not in self._scale:
            raise ValueError(f"grade {grade} is not on the scale")
        return Graded(
            line=cells.line,
            part=cells.part,
            query=id_text(cells.query, "query"),
            chunk_id=id_text(cells.chunk_id, "chunk id"),
            grade=grade,
            verdict=verdict,
            assessor=id_text(cells.assessor, "assessor") if cells.assessor else None,
            note=note,
            judged_at=_moment(cells.judged_at) if cells.judged_at else None,
            active_seconds=_seconds(cells.active_seconds),
            method=_method(cells),
            text_sha256=_shown(cells.shown) if cells.shown else None,
        )

    def _grade(self, value: Any) -> tuple[int | None, GradeVerdict]:
        text = "" if value is None else str(value).strip()
        if text == "":
            return None, "unjudged"
        if text.lower() in UNSURE:
            return None, "unsure"
        if not re.fullmatch(r"[+-]?[0-9]{1,9}(\.0*)?", text):
            if text.casefold() in self._grade_by_word:
                return self._grade_by_word[text.casefold()], "grade"
            raise ValueError(f"grade {text!r} is no whole number")
        grade = int(text.split(".")[0])
        return (None, "unjudged") if grade == -1 else (grade, "grade")


def _method(cells: JudgedCell) -> str | None:
    """How a grade was given; that a model proposed it, and who checked that."""
    if not cells.model or cells.model in ("people", "person", "human"):
        return stored_text(cells.method) if cells.method else None
    checked = f"{CHECKED_BY}{stored_text(cells.checked_by)}" if cells.checked_by else ""
    return f"{BY_MODEL}{stored_text(cells.model)}{checked}"


def _shown(value: Any) -> str:
    """The digest of the text that an assessor read; a file gives either."""
    text = stored_text(value)
    return text if re.fullmatch("[0-9a-f]{64}", text) else text_sha256(text)


def _moment(value: Any) -> str:
    try:
        return utc_text(datetime.fromisoformat(str(value)))
    except ValueError:
        raise ValueError(f"{value!r} is no time with a zone, like 2026-01-31T09:30Z") from None


def _seconds(value: Any) -> float | None:
    if value in (None, ""):
        return None
    try:
        seconds = float(value)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{value!r} are no seconds") from None
    if not math.isfinite(seconds) or seconds < 0:
        raise ValueError(f"{value!r} are no seconds")
    return seconds


def _one_of(there: Graded | None, pair: Graded, unit: str) -> Graded:
    if there is None or there.verdict == "unjudged":
        return pair
    if pair.verdict != "unjudged" and (pair.grade, pair.verdict) != (there.grade, there.verdict):
        one = there.grade if there.grade is not None else there.verdict
        other = pair.grade if pair.grade is not None else pair.verdict
        raise ValueError(
            f"query {pair.query!r}, chunk {pair.chunk_id!r} has {other} here "
            f"and {one} on {unit} {there.line}"
        )
    return there
