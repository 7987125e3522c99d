"""
Which shape a file of judgements has, and its cells.

The suffix and the first line decide; nothing is tried twice. Tables that every tool can
write are read here: TREC qrels, BEIR, three columns, named columns, HiCAL. Quepid and Label
Studio have readers of their own.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evaluator import InputError
from labeler.imports import label_studio, opensearch, quepid
from labeler.imports.cells import Cells, Reading
from labeler.imports.columns import ASSESSOR, CHUNK_ID, GRADE, JUDGED_AT, NOTE, QUERY_ID, QUERY_TEXT
from labeler.imports.json_files import SUFFIXES, read_json
from labeler.imports.tables import (
    JSON_LINES,
    LineProblem,
    Row,
    csv_lines,
    numbered_lines,
    read_rows,
    refuse,
    rows_under,
)

_HICAL = {"USER", "TOPIC", "DOCID", "JUDGMENT"}
_KNOWN = (
    "Known shapes: TREC qrels (query 0 chunk grade), BEIR (query-id, corpus-id, score, with that "
    "header), three columns between tabs, .csv or .jsonl with query_id, chunk_id and grade, "
    "Quepid ratings, books and cases (.csv, .json, .zip), Label Studio and OpenSearch (.json), "
    "HiCAL (.csv)."
)


def read_cells(path: Path) -> Reading:
    """The cells of a file of any known shape. Raises InputError for every other."""
    suffix = path.suffix.lower()
    if suffix == ".csv":
        return _of_csv(path)
    if suffix in JSON_LINES:
        return _named(path, read_rows(path))
    if suffix in SUFFIXES:
        return _of_json(path, read_json(path))
    return _of_lines(path)


# CSV and JSON


def _of_csv(path: Path) -> Reading:
    lines = csv_lines(path)
    if not lines:
        raise InputError(f"{path} holds no judgements.")
    header = [cell.strip() for cell in lines[0][1]]
    if set(header) >= _HICAL:
        return _hical(rows_under(path, header, lines[1:]))
    if quepid.is_ratings(header):
        return quepid.ratings(rows_under(path, quepid.RATINGS, lines[1:]))
    if quepid.is_book(header):
        return quepid.book_table(rows_under(path, header, lines[1:]), judges=header[2:])
    if quepid.is_bare(header):
        return quepid.ratings(rows_under(path, quepid.RATINGS, lines), bare=True)
    return _named(path, rows_under(path, header, lines[1:]))


def _of_json(path: Path, document: Any) -> Reading:
    if quepid.is_export(document):
        return quepid.export(path, document)
    if label_studio.is_export(document):
        return label_studio.export(path, document)
    if opensearch.is_list(document):
        return opensearch.judgement_list(path, document)
    if isinstance(document, list) and document and all(isinstance(d, dict) for d in document):
        rows = [Row(number, each) for number, each in enumerate(document, start=1)]
        return _named(path, rows, unit="item")
    raise InputError(f"{path} is JSON, but holds no judgements. {_KNOWN}")


def _named(path: Path, rows: Sequence[Row], *, unit: str = "line") -> Reading:
    by_text = bool(rows) and not set(QUERY_ID) & set(rows[0].cells)
    if rows:
        _require(path, rows[0], by_text=by_text)
    query = QUERY_TEXT if by_text else QUERY_ID
    return Reading(
        shape="named columns",
        cells=[
            Cells(
                row.line,
                row.first(*query),
                row.first(*CHUNK_ID),
                row.first(*GRADE),
                assessor=row.first(*ASSESSOR),
                note=row.first(*NOTE),
                judged_at=row.first(*JUDGED_AT),
                active_seconds=row.first("active_seconds", "lead_time"),
            )
            for row in rows
        ],
        by_text=by_text,
        unit=unit,
    )


def _require(path: Path, row: Row, *, by_text: bool) -> None:
    query = set(QUERY_TEXT if by_text else QUERY_ID)
    wanted = {"query_id": query, "chunk_id": set(CHUNK_ID), "grade": set(GRADE)}
    missing = [name for name, names in wanted.items() if not names & set(row.cells)]
    if missing:
        raise InputError(
            f"{path} has no column {' and no column '.join(missing)}; its columns are "
            f"{', '.join(map(str, row.cells))}. The first line must name query_id (or query, for "
            "the text), chunk_id and grade."
        )


def _hical(rows: Sequence[Row]) -> Reading:
    """HiCAL's export, in which a time of 0 was not measured."""
    return Reading(
        shape="HiCAL",
        cells=[
            Cells(
                row.line,
                row.first("TOPIC"),
                row.first("DOCID"),
                row.first("JUDGMENT"),
                assessor=row.first("USER"),
                active_seconds=row.first("TIME_TO_JUDGE"),
                method=f"HiCAL {row.first('METHOD')}" if row.first("METHOD") else None,
            )
            for row in rows
        ],
    )


# Lines


def _of_lines(path: Path) -> Reading:
    lines = list(numbered_lines(path))
    first = next((line for _, line in lines if not line.startswith("#")), None)
    if first is None:
        raise InputError(f"{path} holds no judgements.")
    cells = first.split("\t")
    if len(cells) == 3 and cells[0] in QUERY_ID and cells[2] in GRADE:
        return _tabbed(path, lines[1:], shape="BEIR")
    if len(cells) == 3:
        return _tabbed(path, lines, shape="three columns")
    if len(first.split()) == 4:
        return _trec(path, [each for each in lines if not each[1].startswith("#")])
    raise InputError(f"{path} begins with {first[:80]!r}, which is no judgement. {_KNOWN}")


def _tabbed(path: Path, lines: Sequence[tuple[int, str]], *, shape: str) -> Reading:
    split = [(number, line.split("\t")) for number, line in lines]
    _refuse_lengths(path, split, expected=3, columns="columns between tabs, expected 3")
    cells = [Cells(number, c[0], c[1], c[2]) for number, c in split]
    return Reading(shape, cells, mapped=shape == "BEIR")


def _trec(path: Path, lines: Sequence[tuple[int, str]]) -> Reading:
    """
    TREC qrels: query, iteration or judge, chunk, grade.

    The second column says who judged when a pair stands there with two of its values, or
    when all of them are words. Otherwise it is the iteration, which says nothing.
    """
    split = [(number, re.split(r"[ \t]+", line.strip(" \t"))) for number, line in lines]
    columns = "columns, expected query, 0, chunk and grade"
    _refuse_lengths(path, split, expected=4, columns=columns)
    judges = _judges([cells for _, cells in split])
    several = len({cells[1] for _, cells in split}) > 1
    note = "its second column holds several values and was not read: no pair has two of them"
    return Reading(
        shape="TREC qrels with judges in the second column" if judges else "TREC qrels",
        cells=[
            Cells(number, cells[0], cells[2], cells[3], assessor=cells[1] if judges else None)
            for number, cells in split
        ],
        encoded=True,
        mapped=True,
        notes=(note,) if several and not judges else (),
    )


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
