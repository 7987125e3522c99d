"""
Files of records -> rows with the place where each stands.

Owns JSON Lines, JSON, CSV, TSV and Parquet: what is a row, and what is broken. It knows
no field names and turns no text into a number: `NA`, `null` and `007` stay what they are.
"""

import codecs
import csv
import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from evaluator import InputError
from evaluator.files.strict_json import Twice, parsed_json

SUFFIXES = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet")
_BATCH_ROWS = 1024
_MARK = codecs.BOM_UTF8


@dataclass(frozen=True, slots=True)
class Row:
    """One record, or why it is none; `place` is where a person finds it in the file."""

    place: str
    values: Mapping[str, Any]
    problem: str = ""


def read_rows(path: Path) -> Iterator[Row]:
    """
    The rows of the file, streamed; the suffix says the format.

    A broken line comes back as a row with a problem, so that all of them can be listed;
    a file that is broken as a whole raises InputError. Line ends inside quoted cells and
    strings are kept, and only `\\n` ends a line of JSON Lines.
    """
    suffix = path.suffix.lower()
    if suffix == ".parquet":
        return _parquet(path)
    if suffix in (".csv", ".tsv"):
        return _cells(path, "\t" if suffix == ".tsv" else ",")
    if suffix == ".json":
        return _json(path)
    if suffix in SUFFIXES:
        return _json_lines(path)
    raise InputError(f"{path}: unknown kind of file. Expected one of {', '.join(SUFFIXES)}.")


def _json_lines(path: Path) -> Iterator[Row]:
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            data = line.removeprefix(_MARK) if number == 1 else line
            if data.strip():
                yield _json_line(f"line {number}", data)


def _json_line(place: str, data: bytes) -> Row:
    try:
        return _record(place, parsed_json(data.rstrip(b"\r\n").decode("utf-8")))
    except UnicodeDecodeError:
        return Row(place, {}, "not UTF-8")
    except Twice as error:
        return Row(place, {}, str(error))
    except json.JSONDecodeError as error:
        return Row(place, {}, f"not JSON ({error.msg} at character {error.pos + 1})")
    except (RecursionError, ValueError):
        return Row(place, {}, "JSON that is nested too deeply or holds a number too long to read")


def _json(path: Path) -> Iterator[Row]:
    """The items of one JSON list; a `.json` file that is JSON Lines inside is read as that."""
    data = path.read_bytes()
    try:
        value = parsed_json(data.decode("utf-8-sig"))
    except Twice as error:
        raise InputError(f"{path}: {error} in one object. Leave one of them.") from None
    except json.JSONDecodeError as error:
        first = next(filter(bytes.strip, data.split(b"\n")), b"")
        if _json_line("", first.removeprefix(_MARK)).problem and data.strip():
            where = f"line {error.lineno}, character {error.colno}"
            raise InputError(
                f"{path} is not JSON ({error.msg} at {where}). Expected a list of objects, or one "
                "object a line."
            ) from None
        yield from _json_lines(path)
        return
    except (UnicodeDecodeError, RecursionError, ValueError):
        yield from _json_lines(path)
        return
    if isinstance(value, dict):
        value = [value]
    if not isinstance(value, list):
        raise InputError(f"{path} holds one {type(value).__name__}. Expected a list of objects.")
    for number, item in enumerate(value, start=1):
        yield _record(f"item {number}", item)


def _record(place: str, value: Any) -> Row:
    if isinstance(value, dict):
        return Row(place, value)
    return Row(place, {}, f"a {type(value).__name__}, not an object with named fields")


def _cells(path: Path, delimiter: str) -> Iterator[Row]:
    csv.field_size_limit(sys.maxsize)
    with path.open(encoding="utf-8-sig", newline="") as text:
        reader = csv.reader(text, delimiter=delimiter, strict=True)
        try:
            header = next(filter(None, reader), [])
            _check_header(path, header)
            start = reader.line_num + 1
            for cells in reader:
                place, start = f"line {start}", reader.line_num + 1
                if not cells:
                    continue
                if len(cells) == len(header):
                    yield Row(place, dict(zip(header, cells, strict=True)))
                else:
                    yield Row(place, {}, f"{len(cells)} cells, where the header has {len(header)}")
        except csv.Error as error:
            raise InputError(f"{path}, line {reader.line_num}: broken quoting ({error}).") from None
        except UnicodeDecodeError as error:
            raise InputError(
                f"{path} is not UTF-8 ({error.reason} after line {reader.line_num}). "
                "Save it as UTF-8."
            ) from None


def _check_header(path: Path, header: list[str]) -> None:
    repeated = sorted({name for name in header if header.count(name) > 1})
    if repeated:
        raise InputError(f"{path}: the header names {', '.join(repeated)} more than once.")
    if len(header) == 1 and any(mark in header[0] for mark in ";\t,|"):
        raise InputError(
            f"{path}: the header {header[0]!r} is one cell. "
            "Expected commas in .csv and tabs in .tsv files."
        )


def _parquet(path: Path) -> Iterator[Row]:
    try:
        with pq.ParquetFile(path) as file:
            number = 0
            for batch in file.iter_batches(batch_size=_BATCH_ROWS):
                for values in batch.to_pylist():
                    number += 1
                    yield Row(f"row {number}", values)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise InputError(f"{path} cannot be read as Parquet: {error}") from None
