"""
Which shape a file of judgements has, and its cells.

The suffix and the first line decide; nothing is tried twice. Tables that every tool can
write are read here: named columns, HiCAL, one object of grades. Lines, Quepid, OpenSearch and
Label Studio have readers of their own.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from evaluator import InputError
from evaluator.files.records import JSON_LINES, Row, csv_lines, read_rows, rows_under, tabbed_lines
from evaluator.labelset.format import ADJUDICATION, RULES
from evaluator.text.messages import counted
from labeler.exchange.imports import label_studio, opensearch, quepid
from labeler.exchange.imports.cells import (
    CHUNK_ID,
    DECISION,
    GRADE,
    NEED,
    OF_JUDGING,
    QUERY_FIELDS,
    QUERY_ID,
    QUERY_TEXT,
    RULE,
    TEXT,
    JudgedCell,
    ShapedFile,
    columns_of,
    names_in,
    one_name,
    unread,
)
from labeler.exchange.imports.json_files import SUFFIXES, read_json
from labeler.exchange.imports.lines import is_beir, read_lines

_HICAL = {"USER", "TOPIC", "DOCID", "JUDGMENT"}
_OF_A_LABEL_SET = {"event_id", "verdict"}
_KNOWN = (
    "Known shapes: TREC qrels (query 0 chunk grade), BEIR (query-id, corpus-id, score, with that "
    "header), three columns between tabs, .csv or .jsonl with query_id, chunk_id and grade, "
    "Quepid ratings, books and cases (.csv, .json, .zip), Label Studio, OpenSearch and grades by "
    "chunk by query (.json), HiCAL (.csv)."
)


def read_cells(path: Path) -> ShapedFile:
    """The cells of a file of any known shape. Raises InputError for every other."""
    suffix = path.suffix.lower()
    if suffix == ".csv":
        return _of_csv(path)
    if suffix in JSON_LINES:
        return _named(path, read_rows(path))
    if suffix in SUFFIXES:
        return _of_json(path, read_json(path))
    lines = tabbed_lines(path)
    if lines and _is_table(lines[0][1]):
        return _named(path, rows_under(path, lines[0][1], lines[1:]))
    return read_lines(path, known=_KNOWN)


def _is_table(header: Sequence[str]) -> bool:
    """Whether a line between tabs names columns of judgements; BEIR's own has another reader."""
    groups = ((*QUERY_ID, *QUERY_TEXT), CHUNK_ID, GRADE)
    named = all(set(header) & set(group) for group in groups)
    return named and not is_beir(header)


# CSV and JSON


def _of_csv(path: Path) -> ShapedFile:
    lines = csv_lines(path)
    if not lines:
        raise InputError(f"{path} holds no judgements.")
    header = [cell.strip() for cell in lines[0][1]]
    if set(header) >= _HICAL:
        return _hical(rows_under(path, header, lines[1:]))
    if quepid.is_ratings(header):
        return quepid.ratings(rows_under(path, quepid.RATINGS, lines[1:]))
    if quepid.is_book(header):
        return quepid.book_table(path, lines)
    if quepid.is_bare(header):
        return quepid.ratings(rows_under(path, quepid.RATINGS, lines), bare=True)
    return _named(path, rows_under(path, header, lines[1:]))


def _of_json(path: Path, document: Any) -> ShapedFile:
    if quepid.is_export(document):
        return quepid.export(path, document)
    if label_studio.is_export(document):
        return label_studio.export(path, document)
    if opensearch.is_export(document):
        return opensearch.judgement_list(path, document)
    if isinstance(document, list) and document and all(isinstance(d, dict) for d in document):
        rows = [Row(number, each) for number, each in enumerate(document, start=1)]
        return _named(path, rows, unit="item")
    if _maps_grades(document):
        return _mapped(document)
    raise InputError(f"{path} is JSON, but holds no judgements. {_KNOWN}")


def _named(path: Path, rows: Sequence[Row], *, unit: str = "line") -> ShapedFile:
    by_text = bool(rows) and not set(QUERY_ID) & set(rows[0].cells)
    if rows:
        _require(path, rows[0], by_text=by_text)
    query = QUERY_TEXT if by_text else QUERY_ID
    there = names_in(rows)
    groups = (query, CHUNK_ID, GRADE, *OF_JUDGING)
    names = tuple(one_name(there, group) for group in groups)
    said = (*names[1:], *DECISION)
    pairs = [row for row in rows if row.first(*said) is not None or not row.first(names[0])]
    alone = len(rows) - len(pairs)
    of_queries = (*QUERY_TEXT, *TEXT, *NEED, *QUERY_FIELDS)
    return ShapedFile(
        shape="named columns",
        cells=[cells for row in pairs for cells in _of_row(row, names)],
        by_text=by_text,
        unit=unit,
        notes=(
            *([f"{counted(alone, unit)} with a query and no chunk"] if alone else []),
            *_settled(pairs),
            *unread(rows, {*names, *of_queries, *DECISION, RULE}),
        ),
    )


def _of_row(row: Row, names: Sequence[str]) -> Iterator[JudgedCell]:
    """A judgement, and what an adjudicator decided on its pair, which our own tables repeat."""
    query, chunk_id, grade, *of_judging = row.each(names)
    yield JudgedCell(row.line, query, chunk_id, grade, 0, *of_judging)
    if row.first(DECISION[0]) is not None:
        decided, adjudicator, decided_at, why = row.each(DECISION)
        said = (adjudicator, why, decided_at)
        yield JudgedCell(row.line, query, chunk_id, decided, 0, *said, method=ADJUDICATION)


def _settled(rows: Sequence[Row]) -> list[str]:
    """What to do for the grades that our own table has where assessors differ."""
    settled = {
        (str(row.first(*QUERY_ID)), str(row.first(*CHUNK_ID)), row.first(RULE))
        for row in rows
        if row.cells.get(RULE) in RULES
    }
    return [
        f"on {counted(count, 'pair')} assessors differ, and the rule {rule} settled it in the "
        f"file; labeler freeze --rule {rule} settles it alike"
        for rule, count in sorted(Counter(rule for _, _, rule in settled).items())
    ]


def _require(path: Path, row: Row, *, by_text: bool) -> None:
    if set(row.cells) >= _OF_A_LABEL_SET:
        raise InputError(
            f"{path} holds the events of a frozen label set, undone ones and decisions among them. "
            "Bring them to another workspace with: labeler carry LABELS WORK"
        )
    query = set(QUERY_TEXT if by_text else QUERY_ID)
    wanted = {"query_id": query, "chunk_id": set(CHUNK_ID), "grade": set(GRADE)}
    missing = [name for name, names in wanted.items() if not names & set(row.cells)]
    if missing:
        raise InputError(
            f"{path} has no column {' and no column '.join(missing)}; its columns are "
            f"{columns_of(row)}. The first line must name query_id (or query, for "
            "the text), chunk_id and grade."
        )


def _maps_grades(document: Any) -> bool:
    """Whether this is qrels as one object, as ranx and pytrec_eval have them."""
    return (
        isinstance(document, dict)
        and bool(document)
        and all(isinstance(given, dict) for given in document.values())
        and all(type(grade) is int for given in document.values() for grade in given.values())
    )


def _mapped(document: Mapping[str, Mapping[str, int]]) -> ShapedFile:
    return ShapedFile(
        shape="qrels as one object",
        cells=[
            JudgedCell(number, query, chunk_id, grade, part=part)
            for number, (query, given) in enumerate(document.items(), start=1)
            for part, (chunk_id, grade) in enumerate(given.items(), start=1)
        ],
        unit="query",
        unjudged="-1",
    )


def _hical(rows: Sequence[Row]) -> ShapedFile:
    """HiCAL's export."""
    return ShapedFile(
        shape="HiCAL",
        cells=[
            JudgedCell(
                row.line,
                row.first("TOPIC"),
                row.first("DOCID"),
                row.first("JUDGMENT"),
                assessor=row.first("USER"),
                active_seconds=_measured(row.first("TIME_TO_JUDGE")),
                method=f"HiCAL {row.first('METHOD')}" if row.first("METHOD") else None,
            )
            for row in rows
        ],
    )


def _measured(seconds: str | None) -> str | None:
    """The seconds, without the 0.0 that HiCAL writes where it measured none."""
    return None if re.fullmatch(r"0+(\.0*)?", seconds or "0") else seconds
