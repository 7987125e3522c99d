"""
Records of chunks that were cut elsewhere -> chunks, never cut again.

Owns the field names of our own records, BEIR, LangChain and LlamaIndex, and what makes a
record unusable. The text is the text field alone: a reader that asked a framework for
"text with metadata" would show the header to the assessor and to the plain arm.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evaluator import InputError
from evaluator.files.chunk_records import (
    IDS,
    LANGCHAIN,
    PLAIN,
    RecordFields,
    Unusable,
    as_map,
    in_record,
    is_source_document,
    mapped,
    plain_id_field,
    read_shape,
    shape_of,
    unpacked,
)
from evaluator.files.ids import NAME as ID_MAP
from evaluator.files.ids import id_map_beside
from evaluator.files.records import Row, stream_rows
from evaluator.snapshot.chunk import Chunk, Skipped
from evaluator.text.messages import counted, first_few
from evaluator.text.words import is_blank
from labeler.corpus.choices import USUAL, CorpusChoices

_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_SHOWN = 5
BEIR = "corpus.jsonl"


@dataclass(slots=True)
class Notes:
    """What was found on the way; complete once all chunks have been taken."""

    skipped: list[Skipped] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def read_ready(path: Path, notes: Notes, reading: CorpusChoices = USUAL) -> Iterator[Chunk]:
    """
    The chunks of a file, with their ids exactly as given.

    The shape is told by the first record: LangChain (`page_content`, or serialised with
    `lc`), LlamaIndex (`id_`), else our own and BEIR (an id under `chunk_id`, `_id` or
    `id`; `text`; optionally `doc_id`, else the chunk is its own document; `title`,
    `headings` as a list, `source`, and `attributes` or `metadata` as a map). Empty
    headings are no step. A record of another shape is a problem, not a second guess.
    With a column map every record is one of ours, its fields taken from where the map says.
    In BEIR's folder a map of ids, as our export writes one, gives back the ids that it encoded.
    The documents that a LlamaIndex docstore keeps beside its nodes are set aside.

    An integer id becomes its digits. Only a file in which no record has an id (LangChain),
    or a field for one (our own), gets derived ones: the first 16 hex digits of SHA-256 over
    document id, NUL and text, with `-2`, `-3` for equal ones in order.

    Records with an empty text, or with characters that cannot be stored (NUL, half of
    a surrogate pair), are set aside with a reason. Raises InputError, after reading all, when a
    record is broken, has no id or no text, or repeats an id; the first few are named.
    """
    ids = id_map_beside(path) if path.name == BEIR else None
    reader = _Reader(notes, reading, ids or {})
    for packed in stream_rows(path):
        for row in [packed] if reading.columns else unpacked(packed):
            chunk = reader.chunk(row)
            if chunk is not None:
                yield chunk
    reader.finish(path)


class _Reader:
    def __init__(self, notes: Notes, reading: CorpusChoices, ids: Mapping[str, str]) -> None:
        self._notes = notes
        self._reading = reading
        self._ids = ids
        self._given_back = 0
        self._source_documents = 0
        self._columns_met: set[str] = set()
        self._first_names: tuple[str, ...] = ()
        self._shape = ""
        self._id_field = ""
        self._derives: bool | None = None
        self._places: dict[str, str] = {}
        self._derived: Counter[str] = Counter()
        self._problems: list[str] = []
        self._problem_count = 0
        self._hint = ""
        self._empty = 0
        self._rows = 0
        self._unread: set[str] = set()
        self._dropped: Counter[str] = Counter()

    def chunk(self, row: Row) -> Chunk | None:
        self._rows += 1
        try:
            if row.problem:
                raise Unusable(row.problem)
            if is_source_document(row.cells) and not self._reading.columns:
                self._source_documents += 1
                return None
            return self._checked(row.place, self._fields(row.cells))
        except Unusable as problem:
            self._problem_count += 1
            if len(self._problems) < _SHOWN:
                self._problems.append(f"  {row.place}: {problem}")
            return None

    def finish(self, path: Path) -> None:
        self._refuse_unmet_columns(path)
        if self._problem_count:
            more = self._problem_count - len(self._problems)
            raise InputError(
                "\n".join(
                    [
                        f"{path}: {self._problem_count} of {self._rows} records cannot be used.",
                        *self._problems,
                        *([f"  and {more} more"] if more else []),
                        f"Mend or remove them{self._hint}; nothing was written.",
                    ]
                )
            )
        if not self._rows:
            raise InputError(f"{path} holds no chunk. Expected at least one record.")
        if self._source_documents == self._rows:
            raise InputError(
                f"{path} holds whole documents and no nodes. Name a store of the nodes that they "
                "were cut into, or a folder of the documents themselves."
            )
        if not self._places:
            reasons = [f"{skipped.path}: {skipped.reason}" for skipped in self._notes.skipped]
            raise InputError(
                f"{path} holds no chunk that can be used; all {self._rows} were set aside. "
                f"{first_few(reasons)}."
            )
        self._warn()

    def _refuse_unmet_columns(self, path: Path) -> None:
        never = sorted(set(self._reading.columns.values()) - self._columns_met)
        if never and self._first_names:
            raise InputError(
                f"{path}: no record has {', '.join(map(repr, never))}, which the column map names. "
                f"The first record has {', '.join(self._first_names)}."
            )

    def _warn(self) -> None:
        warnings = self._notes.warnings
        if self._empty:
            warnings.append(f"{counted(self._empty, 'record')} with no text set aside")
        if self._given_back:
            warnings.append(f"ids as {ID_MAP} beside it gives them ({self._given_back})")
        if self._source_documents:
            documents = counted(self._source_documents, "whole document")
            warnings.append(f"{documents} beside the nodes set aside")
        if self._derives:
            warnings.append("no record has an id; ids were derived from document id and text")
        if self._unread:
            names = [name or "one without a name" for name in sorted(self._unread)]
            warnings.append(f"fields that were not read: {', '.join(names)}")
        for name, count in sorted(self._dropped.items()):
            warnings.append(
                f"attribute {name!r} left out of {counted(count, 'record')}: a list or an object"
            )

    def _fields(self, values: Mapping[str, Any]) -> RecordFields:
        if self._reading.columns:
            values = self._mapped(values)
        shape = PLAIN if self._reading.columns else shape_of(values)
        self._shape = self._shape or shape
        if shape != self._shape:
            raise Unusable(f"{shape}, in a file whose first record is {self._shape}")
        if shape == PLAIN:
            self._id_field = self._id_field or plain_id_field(values)
            if "text" not in values and not self._reading.columns:
                self._hint = ", or say with --columns how their fields are called"
                raise Unusable(f"no text, only {first_few([*map(repr, values)])}")
        fields = read_shape(shape, values, id_field=self._id_field)
        self._unread.update(fields.unread)
        return fields

    def _mapped(self, values: Mapping[str, Any]) -> dict[str, Any]:
        columns = self._reading.columns
        self._first_names = self._first_names or tuple(values)
        self._columns_met |= {c for c in columns.values() if in_record(values, c)}
        return mapped(values, columns)

    def _checked(self, place: str, fields: RecordFields) -> Chunk | None:
        if fields.text is None:
            raise Unusable("no text")
        text = _text(fields.text, "text")
        doc_id = _id(fields.doc_id, "doc_id")
        chunk_id = self._chunk_id(_id(fields.chunk_id, "id"), doc_id, text)
        if chunk_id in self._places:
            raise Unusable(f"id {chunk_id!r} stands in {self._places[chunk_id]} already")
        chunk = Chunk(
            chunk_id=chunk_id,
            doc_id=doc_id or chunk_id,
            text=text,
            title=_text(fields.title, "title"),
            headings=_headings(fields.headings),
            source=self._reading.source(doc_id or chunk_id, _text(fields.source, "source")),
            attributes=self._attributes(fields.attributes),
        )
        if reason := _reason_to_set_aside(chunk):
            self._empty += is_blank(text)
            where = f"{place}, chunk {chunk_id!r}"
            self._notes.skipped.append(Skipped(where, reason, chunk_id))
            return None
        self._places[chunk_id] = place
        return chunk

    def _chunk_id(self, given: str, doc_id: str, text: str) -> str:
        if self._derives is None:
            has_no_field = self._shape == PLAIN and not self._id_field
            self._derives = not given and (self._shape == LANGCHAIN or has_no_field)
        if not self._derives:
            if not given:
                raise Unusable(f"no id (expected one under {' or '.join(IDS)})")
            self._given_back += given in self._ids
            return self._ids.get(given, given)
        if given:
            raise Unusable("an id, where the first record has none")
        content = f"{doc_id}\0{text}".encode("utf-8", "surrogatepass")
        digest = hashlib.sha256(content).hexdigest()[:16]
        self._derived[digest] += 1
        count = self._derived[digest]
        return digest if count == 1 else f"{digest}-{count}"

    def _attributes(self, value: Any) -> dict[str, str]:
        """The scalars as text; lists and objects cannot filter a query and are left out."""
        kept: dict[str, str] = {}
        for name, content in as_map(value, "attributes").items():
            if isinstance(content, dict | list):
                self._dropped[name] += 1
            elif content is not None:
                is_text = isinstance(content, str)
                kept[name] = content if is_text else json.dumps(content, default=str)
        return kept


def _id(value: Any, name: str) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    text = _text(value, name)
    return text if text.strip() else ""


def _text(value: Any, name: str) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise Unusable(f"its {name} is a {type(value).__name__}, not a string")
    return value


def _headings(value: Any) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(step, str | None) for step in value):
        raise Unusable("its headings are not a list of strings")
    return tuple(step for step in value if step and step.strip())


def _reason_to_set_aside(chunk: Chunk) -> str:
    parts = {
        "id": chunk.chunk_id,
        "doc_id": chunk.doc_id,
        "text": chunk.text,
        "title": chunk.title,
        "headings": "\n".join(chunk.headings),
        "source": chunk.source,
        "attributes": "\n".join(map("\n".join, chunk.attributes.items())),
    }
    for name, part in parts.items():
        if found := _UNSTORABLE.search(part):
            what = "a NUL character" if found.group() == "\0" else "half of a surrogate pair"
            return f"{what} in its {name}"
    return "no text" if is_blank(chunk.text) else ""
