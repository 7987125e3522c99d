"""
TREC run and qrels files: read, checked line by line, and written.

It owns the text format and nothing else: which queries a run should answer, or whether a
chunk exists, is for others to say. Needs only the standard library and `labelset.format`, so any
tool can use these two files. Ids stand percent-encoded, since white space divides columns.
"""

import gzip
import math
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from urllib.parse import quote

from evaluator import InputError
from evaluator.labelset.format import decode_id, encode_id

Run = Mapping[str, Sequence[tuple[str, float]]]
"""Query id -> (chunk id, score), best first."""

_RUN_COLUMNS = "query_id Q0 chunk_id rank score tag"
_QRELS_COLUMNS = "query_id 0 chunk_id grade"
_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")
_NOT_IN_NUMBERS = re.compile(r"[^\x00-\x7f]|_")  # float() takes them, as no other tool does
_GZIP = b"\x1f\x8b"
_SHOWN_PROBLEMS = 5


def read_run(path: Path) -> dict[str, list[tuple[str, float]]]:
    """The ranked chunks of each query, best first, as `read_run_and_doubt` reads them."""
    return read_run_and_doubt(path)[0]


def read_run_and_doubt(path: Path) -> tuple[dict[str, list[tuple[str, float]]], str | None]:
    """
    The ranked chunks of each query, best first, and what speaks against its scores, if anything.

    Order is the score's, descending; equal scores follow the rank column, then the order
    of the lines. The standard evaluator ignores ranks and breaks ties by chunk id, which
    is no ranking that any system returned. Ranks that name another order than different
    scores mostly come from distances, where less is better: nothing here turns them round.

    Raises InputError listing every bad line: a wrong number of columns, a rank that is no
    integer, a score that is no finite number, a chunk that stands twice under one query,
    or a file without any result.
    """
    rows: dict[str, list[tuple[float, int, str]]] = {}
    line_of_pair: dict[tuple[str, str], int] = {}
    problems: list[str] = []
    for number, line in _lines(path):
        try:
            query_id, chunk_id, rank, score = _run_row(line)
        except ValueError as error:
            problems.append(f"line {number}: {error}")
            continue
        first = line_of_pair.setdefault((query_id, chunk_id), number)
        if first != number:
            problems.append(
                f"line {number}: chunk '{chunk_id}' stands a second time under query "
                f"'{query_id}' (first on line {first})"
            )
            continue
        rows.setdefault(query_id, []).append((score, rank, chunk_id))
    _refuse(path, problems, columns=_RUN_COLUMNS, what="run")
    if not rows:
        raise InputError(
            f"{path} holds no results, so there is nothing to measure. "
            f"A run has one line per result: {_RUN_COLUMNS}."
        )
    return ranked(rows)


def ranked(
    rows: Mapping[str, list[tuple[float, int, str]]],
) -> tuple[dict[str, list[tuple[str, float]]], str | None]:
    """
    A run from (score, rank, chunk id) of each query, and what speaks against its scores.

    The score decides, then the rank, then the order of the rows.
    """
    run, otherwise = {}, []
    for query_id, unsorted in rows.items():
        found = sorted(unsorted, key=lambda row: (-row[0], row[1]))
        run[query_id] = [(chunk_id, score) for score, _, chunk_id in found]
        if any(above[1] > below[1] for above, below in pairwise(found)):
            otherwise.append(query_id)
    if not otherwise:
        return run, None
    return run, (
        f"the rank column has another order than the scores, which decide, for {len(otherwise):,} "
        f"of {len(run):,} queries, such as {otherwise[0]}. Are they distances? Then write them "
        "negative"
    )


def write_run(path: Path, run: Run, *, tag: str) -> None:
    """
    Write a run; reading it back gives the same ids, order and scores.

    Raises ValueError when scores rise down a list, because a reader sorts by them and
    would see another ranking, or when an id or a score cannot stand in the format.
    """
    text = "".join(_run_lines(run, tag=encode_id(tag)))
    path.write_text(text, encoding="utf-8", newline="\n")


def read_qrels(path: Path) -> dict[str, dict[str, int]]:
    """
    Grade by chunk id by query id, negative grades included as they stand.

    Blank lines and lines that begin with `#` are skipped. A pair that stands twice with
    the same grade is one judgement; with two grades it is an error.

    Raises InputError listing every bad line, or for a file without any judgement.
    """
    qrels: dict[str, dict[str, int]] = {}
    problems: list[str] = []
    for number, line in _lines(path):
        if line.startswith("#"):
            continue
        try:
            query_id, chunk_id, grade = _qrels_row(line)
        except ValueError as error:
            problems.append(f"line {number}: {error}")
            continue
        if qrels.setdefault(query_id, {}).setdefault(chunk_id, grade) != grade:
            problems.append(
                f"line {number}: query '{query_id}', chunk '{chunk_id}' has grade {grade} here "
                f"and {qrels[query_id][chunk_id]} above"
            )
    _refuse(path, problems, columns=_QRELS_COLUMNS, what="qrels file")
    if not qrels:
        raise InputError(
            f"{path} holds no judgements. A qrels file has one line per judged pair: "
            f"{_QRELS_COLUMNS}."
        )
    return qrels


def query_column(query_id: str) -> str:
    """A query id as it stands in qrels: encoded, and no sign of a comment or byte-order mark."""
    return re.sub("^[#\ufeff]", lambda found: quote(found[0]), _encoded(query_id))


def qrels_lines(qrels: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    """The lines of a qrels file, sorted by query and chunk id, ids encoded."""
    for query_id in sorted(qrels):
        column = query_column(query_id)
        for chunk_id in sorted(qrels[query_id]):
            yield f"{column} 0 {_encoded(chunk_id)} {int(qrels[query_id][chunk_id])}\n"


def _run_row(line: str) -> tuple[str, str, int, float]:
    query_id, _, chunk_id, rank, score, _ = _columns(line, 6)
    if not _INTEGER.fullmatch(rank):
        raise ValueError(f"rank '{rank}' is not an integer")
    try:
        number = float(_NOT_IN_NUMBERS.sub("?", score))
    except ValueError:
        raise ValueError(f"score '{score}' is not a number") from None
    if not math.isfinite(number):
        raise ValueError(f"score '{score}' is not a finite number")
    return _decoded(query_id), _decoded(chunk_id), int(rank), number


def _qrels_row(line: str) -> tuple[str, str, int]:
    query_id, _, chunk_id, grade = _columns(line, 4)
    if not _INTEGER.fullmatch(grade):
        raise ValueError(f"grade '{grade}' is not an integer")
    return _decoded(query_id), _decoded(chunk_id), int(grade)


def _columns(line: str, expected: int) -> list[str]:
    """The fields of a line. Only blanks and tabs divide them: ids may hold other spaces."""
    fields = re.split(r"[ \t]+", line.strip(" \t"))
    if len(fields) != expected:
        raise ValueError(f"{len(fields)} columns, expected {expected}")
    return fields


def _decoded(text: str) -> str:
    try:
        return decode_id(text)
    except UnicodeDecodeError:
        raise ValueError(f"id '{text}' is not percent-encoded UTF-8") from None


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """
    The lines that hold something, with their numbers from 1.

    LF and CR LF end a line, and CR in a file without LF. A file may be compressed by gzip.
    """
    try:
        content = path.read_bytes()
        if content.startswith(_GZIP):
            content = gzip.decompress(content)
        text = content.decode("utf-8-sig")
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(f"{path} is compressed by gzip and damaged: {error}.") from None
    except OSError as error:
        raise InputError(f"Cannot read {path}: {error.strerror or error}.") from None
    except UnicodeDecodeError as error:
        bad = error.object[: error.start].count(b"\n") + 1
        raise InputError(f"{path}, line {bad}: not UTF-8. Save the file as UTF-8.") from None
    for number, line in enumerate(text.split("\n" if "\n" in text else "\r"), 1):
        if line.strip():
            yield number, line.rstrip("\r")


def _refuse(path: Path, problems: Sequence[str], *, columns: str, what: str) -> None:
    if not problems:
        return
    shown = [f"  {problem}" for problem in problems[:_SHOWN_PROBLEMS]]
    if len(problems) > _SHOWN_PROBLEMS:
        shown.append(f"  and {len(problems) - _SHOWN_PROBLEMS} more")
    count = f"{len(problems)} bad line{'s' if len(problems) > 1 else ''}"
    raise InputError(
        "\n".join([f"{path} has {count}. A {what} has the columns {columns}.", *shown])
    )


def _run_lines(run: Run, *, tag: str) -> Iterator[str]:
    for query_id, ranking in run.items():
        previous = math.inf
        for rank, (chunk_id, score) in enumerate(ranking, 1):
            if not math.isfinite(score) or score > previous:
                raise ValueError(
                    f"query '{query_id}', rank {rank}: score {score!r} after {previous!r}; "
                    "scores must be finite and must not rise"
                )
            previous = score
            yield f"{_encoded(query_id)} Q0 {_encoded(chunk_id)} {rank} {float(score)!r} {tag}\n"


def _encoded(text: str) -> str:
    if not text:
        raise ValueError("an empty id cannot stand in a TREC file")
    return encode_id(text)
