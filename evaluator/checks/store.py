"""
What a store holds now: an export, a snapshot, a live store, or one behind one function.

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
from evaluator.checks.live import StoredRow, StoreFields, fetch_rows, is_address, live_store
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
    Rows of another tenant than the wanted one count as not there; `tenants` says whose they are.
    """

    name: str
    texts: Mapping[str, Sequence[str]]
    ids_by_sha256: Mapping[str, Sequence[str]] | None
    rows: int
    tenants: Mapping[str, Sequence[str]]


def read_store(
    where: str,
    chunk_ids: Sequence[str],
    *,
    sha256s: frozenset[str],
    fields: StoreFields,
) -> Stored:
    """
    What a store holds under these ids, and where it holds texts of these digests.

    `where` is an export (JSON Lines, JSON, CSV, TSV, Parquet), a snapshot directory, the
    address of a live store, or `module:function`: a function of a list of chunk ids that
    returns a mapping of ids to texts, or a list of texts in their order with None for what is
    not there. Raises InputError for anything that cannot be read as that.
    """
    path = Path(where)
    if is_address(where):
        with live_store(where, fields) as store:
            return _sorted_out(where, fetch_rows(store, chunk_ids), chunk_ids, fields, None)
    if not path.exists() and _FUNCTION.fullmatch(where):
        if fields.tenant:
            raise InputError(f"--tenant does not go with {where}, which is asked by id alone.")
        return _ask(where, chunk_ids)
    if not path.exists():
        raise InputError(
            f"There is no store {where}. Name an export ({', '.join(SUFFIXES)}), a snapshot, a "
            "live store (postgresql:, chroma+http:, qdrant:, lancedb:), or a function as "
            "module:function."
        )
    rows: Iterator[StoredRow]
    if not path.is_dir():
        rows = _exported(path, fields)
    elif fields.tenant:
        raise InputError(f"--tenant does not go with the snapshot {where}.")
    else:
        rows = (StoredRow(c.chunk_id, c.text, None) for c in read_snapshot(path).chunks())
    return _sorted_out(where, rows, chunk_ids, fields, sha256s)


def _sorted_out(
    where: str,
    rows: Iterator[StoredRow],
    chunk_ids: Sequence[str],
    fields: StoreFields,
    sha256s: frozenset[str] | None,
) -> Stored:
    """Rows by id and, where digests are given, ids by the digest of their text."""
    wanted, seen, without = frozenset(chunk_ids), 0, 0
    texts: dict[str, list[str]] = defaultdict(list)
    ids: dict[str, list[str]] = defaultdict(list)
    tenants: dict[str, list[str]] = defaultdict(list)
    for chunk_id, text, tenant in rows:
        seen += 1
        if fields.tenant and str(tenant) != fields.tenant[1]:
            tenants[chunk_id].append("none" if tenant is None else repr(tenant))
            continue
        without += text is None
        if not isinstance(text := text or "", str):
            raise InputError(f"{where}: the text of {chunk_id!r} is a {type(text).__name__}.")
        if chunk_id in wanted:
            texts[chunk_id].append(text)
        if sha256s is not None and (digest := text_sha256(text)) in sha256s:
            ids[digest].append(chunk_id)
    if without and without == sum(map(len, texts.values())):
        raise InputError(f"{where}: no row has a text there. Say where it is with --text-field.")
    return Stored(where, dict(texts), None if sha256s is None else dict(ids), seen, dict(tenants))


def _exported(path: Path, fields: StoreFields) -> Iterator[StoredRow]:
    """Id and text of every row of an export; a row without them is an error, not a gap."""
    columns = {"chunk_id": fields.chunk_id, "text": fields.text}
    chosen = {ours: theirs for ours, theirs in columns.items() if theirs}
    owner = {"tenant": fields.tenant[0]} if fields.tenant else {}
    for row in (one for whole in stream_rows(path) for one in unpacked(whole)):
        chunk_id, text = _id_and_text(path, row, chosen)
        yield StoredRow(chunk_id, text, mapped(row.cells, owner)["tenant"] if owner else None)


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
    return Stored(where, texts, None, len(texts), {})


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
