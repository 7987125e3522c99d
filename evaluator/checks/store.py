"""
What a store holds now: an export, a snapshot, or a live store behind one function.

It fetches texts by chunk id and, where all rows can be seen, finds known texts under other
ids. What a difference means is decided in `store_chunks`.
"""

import importlib
import inspect
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluator import InputError
from evaluator.files.chunk_records import (
    Unusable,
    mapped,
    plain_id_field,
    read_shape,
    shape_of,
    unpacked,
)
from evaluator.files.records import SUFFIXES, Row, stream_rows
from evaluator.labelset.format import text_sha256
from evaluator.snapshot.snapshot import read_snapshot

_FUNCTION = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")


@dataclass(frozen=True, slots=True)
class Stored:
    """
    The texts of a store under the wanted ids, each with every row that has the id.

    `ids_by_sha256` says under which ids a wanted text stands; None where the store can only
    be asked by id, so that nothing can be said about moved texts. `rows` counts what was seen.
    """

    name: str
    texts: Mapping[str, Sequence[str]]
    ids_by_sha256: Mapping[str, Sequence[str]] | None
    rows: int


def read_store(
    where: str,
    chunk_ids: Sequence[str],
    *,
    sha256s: frozenset[str],
    id_field: str | None = None,
    text_field: str | None = None,
) -> Stored:
    """
    What a store holds under these ids, and where it holds texts of these digests.

    `where` is an export (JSON Lines, JSON, CSV, TSV, Parquet), a snapshot directory, or
    `module:function`: a function of a list of chunk ids that returns a mapping of ids to
    texts, or a list of texts in their order with None for what is not there. Raises
    InputError for anything that cannot be read as that.
    """
    path = Path(where)
    if not path.exists() and _FUNCTION.fullmatch(where):
        return _ask(where, chunk_ids)
    if not path.exists():
        raise InputError(
            f"There is no store {where}. Name an export ({', '.join(SUFFIXES)}), a snapshot, or "
            "a function as module:function."
        )
    rows: Iterator[tuple[str, str]]
    if path.is_dir():
        rows = ((chunk.chunk_id, chunk.text) for chunk in read_snapshot(path).chunks())
    else:
        rows = _exported(path, id_field, text_field)
    wanted, seen = frozenset(chunk_ids), 0
    texts: dict[str, list[str]] = defaultdict(list)
    ids: dict[str, list[str]] = defaultdict(list)
    for chunk_id, text in rows:
        seen += 1
        if chunk_id in wanted:
            texts[chunk_id].append(text)
        if (digest := text_sha256(text)) in sha256s:
            ids[digest].append(chunk_id)
    return Stored(where, dict(texts), dict(ids), seen)


def _exported(
    path: Path, id_field: str | None, text_field: str | None
) -> Iterator[tuple[str, str]]:
    """Id and text of every row of an export; a row without them is an error, not a gap."""
    columns = {"chunk_id": id_field, "text": text_field}
    chosen = {ours: theirs for ours, theirs in columns.items() if theirs}
    for row in (one for whole in stream_rows(path) for one in unpacked(whole)):
        yield _id_and_text(path, row, chosen)


def _id_and_text(path: Path, row: Row, chosen: Mapping[str, str]) -> tuple[str, str]:
    if row.problem:
        raise InputError(f"{path}, {row.place}: {row.problem}.")
    values = mapped(row.cells, chosen)
    id_field = "chunk_id" if "chunk_id" in chosen else plain_id_field(values)
    try:
        fields = read_shape(shape_of(values), values, id_field=id_field)
    except Unusable as error:
        raise InputError(f"{path}, {row.place}: {error}.") from None
    chunk_id = str(fields.chunk_id) if type(fields.chunk_id) is int else fields.chunk_id
    if not isinstance(chunk_id, str) or not isinstance(fields.text, str):
        names = ", ".join(map(repr, row.cells)) or "no fields"
        raise InputError(
            f"{path}, {row.place}: no id and text as strings among {names}. Say where they "
            "stand with --id-field and --text-field, as in payload.text."
        )
    return chunk_id, fields.text


def _ask(where: str, chunk_ids: Sequence[str]) -> Stored:
    function = _function(where)
    found = function(list(chunk_ids))
    pairs: list[tuple[str, Any]]
    if isinstance(found, Mapping):
        pairs = [(chunk_id, found.get(chunk_id)) for chunk_id in chunk_ids]
    elif (
        isinstance(found, Sequence) and not isinstance(found, str) and len(found) == len(chunk_ids)
    ):
        pairs = list(zip(chunk_ids, found, strict=True))
    else:
        raise InputError(
            f"{where} returned a {type(found).__name__} for {len(chunk_ids)} chunk ids. Expected "
            "a mapping of ids to texts, or as many texts as ids, None for what is not there."
        )
    odd = [chunk_id for chunk_id, text in pairs if not isinstance(text, str | None)]
    if odd:
        raise InputError(f"{where} returned no text for {odd[0]!r}, and not None either.")
    texts = {chunk_id: [text] for chunk_id, text in pairs if text is not None}
    return Stored(where, texts, None, len(texts))


def _function(where: str) -> Any:
    module_name, _, name = where.partition(":")
    here = str(Path.cwd())
    sys.path.insert(0, here)  # a file of one's own, beside where the command is typed
    try:
        function = getattr(importlib.import_module(module_name), name, None)
    except ImportError as error:
        raise InputError(
            f"Module {module_name!r} of {where} cannot be imported: {error}."
        ) from None
    finally:
        sys.path.remove(here)
    if not callable(function) or inspect.isclass(function):
        raise InputError(f"Module {module_name!r} has no function {name!r}.")
    return function
