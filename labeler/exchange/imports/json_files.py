"""
Files that hold one JSON document, as other tools export them, plain or zipped.
"""

import lzma
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from evaluator import InputError
from evaluator.files.records import LineProblem, parsed_json, read_text, refuse
from evaluator.text.messages import brief

T = TypeVar("T")

SUFFIXES = (".json", ".zip")
_BROKEN = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError),
    *(RuntimeError, UnicodeDecodeError),
)
_MOST_BYTES = 2**30  # an archive can claim to unpack to anything


def read_json(path: Path) -> Any:
    """
    The document in a .json file, or in the one .json file of a .zip.

    Raises InputError for what is no JSON, and for archives that cannot be opened or hold
    another number of such files.
    """
    text = _unpacked(path) if path.suffix.lower() == ".zip" else read_text(path)
    try:
        return parsed_json(text)
    except ValueError as error:
        raise InputError(
            f"{path} is no JSON ({brief(str(error))}). A file of one object a line is named .jsonl."
        ) from None


def objects(value: Any, name: str) -> list[Mapping[str, Any]]:
    """The objects of a list within a document. Raises ValueError for what is no such list."""
    listed = [] if value is None else value
    if isinstance(listed, list) and all(isinstance(each, dict) for each in listed):
        return listed
    raise ValueError(f"{name} is no list of objects")


def read_each(
    path: Path,
    entries: Any,
    read: Callable[[int, Mapping[str, Any]], Iterable[T]],
    *,
    unit: str,
    todo: str,
) -> list[T]:
    """
    What `read` makes of the objects of a list and their numbers from 1.

    Raises InputError that lists the entries which are no objects, or which `read` refuses.
    """
    made: list[T] = []
    problems: list[LineProblem] = []
    for number, entry in enumerate(entries if isinstance(entries, list) else [entries], start=1):
        try:
            if not isinstance(entry, dict):
                raise ValueError("no object with named fields")
            made += read(number, entry)
        except ValueError as error:
            problems.append(LineProblem(number, str(error), unit))
    refuse(path, problems, todo=todo)
    return made


def _unpacked(path: Path) -> str:
    try:
        with zipfile.ZipFile(path) as archive:
            members = [
                info
                for info in archive.infolist()
                if info.filename.lower().endswith(".json")
                and not info.filename.startswith("__MACOSX/")
            ]
            if len(members) != 1:
                raise InputError(f"{path} holds {len(members)} .json files, expected one.")
            if members[0].file_size > _MOST_BYTES:
                raise InputError(f"{path} unpacks to more than a gigabyte. Unpack it yourself.")
            return archive.read(members[0]).decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"Cannot read {path}: {error.strerror or error}.") from None
    except _BROKEN as error:
        reason = brief(str(error)) or "it ends too soon"
        raise InputError(f"{path} cannot be unpacked: {reason}. Unpack it yourself.") from None
