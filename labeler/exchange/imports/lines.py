"""
Files of judgements whose lines are parted at blanks or tabs: TREC qrels, BEIR, three columns.

The first line that is no comment decides which of them it is; nothing is tried twice.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote

from evaluator import InputError
from evaluator.files.ids import ASSESSORS
from evaluator.files.records import LineProblem, numbered_lines, refuse
from evaluator.text.messages import brief
from labeler.exchange.imports.cells import GRADE, QUERY_ID, JudgedCell, ShapedFile


def read_lines(path: Path, *, known: str) -> ShapedFile:
    """The judgements. Raises InputError, with the shapes that are `known`, for any other file."""
    lines = list(numbered_lines(path))
    first = next((line for _, line in lines if not line.startswith("#")), None)
    if first is None:
        raise InputError(f"{path} holds no judgements.")
    cells = first.split("\t")
    if is_beir(cells):
        return _tabbed(path, lines[1:], shape="BEIR")
    if len(cells) == 3:
        return _tabbed(path, lines, shape="three columns")
    if len(_split(first)) == 4:
        return _trec(path, lines)
    raise InputError(f"{path} begins with {brief(first)!r}, which is no judgement. {known}")


def is_beir(header: Sequence[str]) -> bool:
    """Whether the cells of a first line are the header of BEIR's judgements."""
    return len(header) == 3 and header[0] in QUERY_ID and header[2] in GRADE


def _tabbed(path: Path, lines: Sequence[tuple[int, str]], *, shape: str) -> ShapedFile:
    split = [(number, line.split("\t")) for number, line in lines]
    _refuse_lengths(path, split, expected=3, columns="columns between tabs, expected 3")
    cells = [JudgedCell(number, c[0], c[1], c[2]) for number, c in split]
    return ShapedFile(shape, cells, mapped=shape == "BEIR")


def _trec(path: Path, lines: Sequence[tuple[int, str]]) -> ShapedFile:
    """
    TREC qrels: query, iteration or judge, chunk, grade.

    The second column says who judged when a pair stands there with two of its values, or
    when all of them are words. Otherwise it is the iteration, which says nothing.
    """
    split = [(number, _split(line)) for number, line in lines if not line.startswith("#")]
    columns = "columns, expected query, 0, chunk and grade"
    _refuse_lengths(path, split, expected=4, columns=columns)
    judges = _judges([cells for _, cells in split])
    several = len({cells[1] for _, cells in split}) > 1
    notes = []
    if comments := len(lines) - len(split):
        notes.append(f"{comments} lines that begin with # are comments")
    if several and not judges:
        notes.append(
            "its second column holds several values and was not read: no pair has two of them"
        )
    named = None if judges or path.absolute().parent.name != ASSESSORS else unquote(path.stem)
    if named:
        notes.append(f"judged by {named}, as the name of the file says")
    return ShapedFile(
        shape="TREC qrels with judges in the second column" if judges else "TREC qrels",
        cells=[
            JudgedCell(number, cells[0], cells[2], cells[3], assessor=cells[1] if judges else named)
            for number, cells in split
        ],
        encoded=True,
        mapped=True,
        notes=tuple(notes),
    )


def _split(line: str) -> list[str]:
    """The columns of a line. Only blanks and tabs part them: ids may hold other spaces."""
    return re.split(r"[ \t]+", line.strip(" \t"))


def _judges(lines: Sequence[Sequence[str]]) -> bool:
    value_by_pair: dict[tuple[str, str], str] = {}
    for query, value, chunk, _ in lines:
        if value_by_pair.setdefault((query, chunk), value) != value:
            return True
    values = set(value_by_pair.values())
    return all(value != "Q0" and re.search(r"[^\W\d_]", value) for value in values)


def _refuse_lengths(
    path: Path, lines: Sequence[tuple[int, Sequence[str]]], *, expected: int, columns: str
) -> None:
    problems = [
        LineProblem(number, f"{len(cells)} {columns}")
        for number, cells in lines
        if len(cells) != expected
    ]
    refuse(path, problems, todo="Every line must be of the shape of the first.")
