"""
The field names under which tools keep a chunk -> ours.

Our own records and BEIR's, LangChain's documents and LlamaIndex's nodes. It names values
and checks none of them, except that a map is a map.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from evaluator.files.records import Row

IDS = ("chunk_id", "_id", "id")
PLAIN, LANGCHAIN, LLAMA_INDEX = "a plain record", "a LangChain document", "a LlamaIndex node"
_NODES = frozenset({"TextNode", "Node", "IndexNode", "Document"})
_ATTRIBUTE = "attributes."
_READ = frozenset({"doc_id", "text", "title", "headings", "source", "attributes", "metadata"})
_EXPORTED = frozenset({"doc_id", "title", "headings"})
_LANGCHAIN_HEADING = re.compile(r"Header ([1-6])")


@dataclass(frozen=True, slots=True)
class RecordFields:
    """A record's values under our names, not checked yet."""

    chunk_id: Any
    doc_id: Any
    text: Any
    title: Any = None
    headings: Any = None
    source: Any = None
    attributes: Any = None
    unread: tuple[str, ...] = ()


class Unusable(Exception):
    """Why one record is not what it should be."""


def unpacked(row: Row) -> Iterator[Row]:
    """
    The records of a file that holds them all in one object, else the row itself.

    LlamaIndex keeps a docstore as one map of nodes by id, each in an envelope of its own
    (`__data__`, at times JSON as text), and a labelled set as a map `corpus` of texts by id.
    """
    store, corpus = row.cells.get("docstore/data"), row.cells.get("corpus")
    if isinstance(store, dict):
        for name, envelope in store.items():
            yield _opened(replace(row, inside=f", node {name!r}"), envelope)
    elif isinstance(corpus, dict) and "relevant_docs" in row.cells:
        for name, text in corpus.items():
            yield replace(row, cells={"id_": name, "text": text}, inside=f", node {name!r}")
    else:
        yield _opened(row, row.cells) if "__data__" in row.cells else row


def _opened(row: Row, envelope: Any) -> Row:
    values = envelope.get("__data__", envelope) if isinstance(envelope, dict) else envelope
    if isinstance(values, str):
        try:
            values = json.loads(values)
        except (ValueError, RecursionError):
            problem = "a node whose __data__ is text that is not JSON"
            return replace(row, cells={}, problem=problem)
    if not isinstance(values, dict):
        problem = f"a {type(values).__name__}, not an object with named fields"
        return replace(row, cells={}, problem=problem)
    return replace(row, cells=values)


def is_source_document(values: Mapping[str, Any]) -> bool:
    """Whether it is a document that LlamaIndex keeps beside the nodes that it was cut into."""
    return values.get("class_name") == "Document"


def shape_of(values: Mapping[str, Any]) -> str:
    """Which tool wrote the record."""
    if values.get("lc") == 1 or "page_content" in values:
        return LANGCHAIN
    if "id_" in values or values.get("class_name") in _NODES:
        return LLAMA_INDEX
    return PLAIN


def plain_id_field(values: Mapping[str, Any]) -> str:
    """Where a plain record keeps its id: the first of `IDS` that it has, else nowhere."""
    return next((name for name in IDS if name in values), "")


def mapped(values: Mapping[str, Any], columns: Mapping[str, str]) -> dict[str, Any]:
    """
    The record with the columns of a map under our names; those not named keep their own.

    A column is a field of that name, else a path of names with dots (`meta.page`). A column
    that is missing from a record is empty there. `attributes.NAME` adds one attribute.
    """
    taken = {theirs if theirs in values else theirs.split(".")[0] for theirs in columns.values()}
    found = {name: value for name, value in values.items() if name not in taken}
    attributes = {}
    for ours, theirs in columns.items():
        value = at_path(values, theirs)
        if ours.startswith(_ATTRIBUTE):
            attributes[ours.removeprefix(_ATTRIBUTE)] = value
        else:
            found[ours] = value
    if attributes:
        given = _from_cell(found.get("attributes", found.pop("metadata", None)), "attributes")
        found["attributes"] = {**as_map(given, "attributes"), **attributes}
    return found


def in_record(values: Mapping[str, Any], column: str) -> bool:
    """Whether a record has this column, or the first name of this path."""
    return column in values or column.split(".", maxsplit=1)[0] in values


def at_path(values: Mapping[str, Any] | None, path: str | None) -> Any:
    """The value of a field, or at a path of names with dots; None where there is none."""
    if not path or not values or path in values:
        return values[path] if path and values else None
    value: Any = values
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value


def read_shape(shape: str, values: Mapping[str, Any], *, id_field: str) -> RecordFields:
    """The record's values under our names. Raises Unusable when a map is none."""
    if shape == LANGCHAIN:
        return _langchain(values)
    if shape == LLAMA_INDEX:
        return _llama_index(values)
    values = _as_exported(values)
    return RecordFields(
        chunk_id=values.get(id_field),
        doc_id=values.get("doc_id"),
        text=values.get("text"),
        title=values.get("title"),
        headings=_from_cell(values.get("headings"), "headings"),
        source=values.get("source"),
        attributes=_from_cell(values.get("attributes", values.get("metadata")), "attributes"),
        unread=tuple(values.keys() - _READ - {id_field}),
    )


def _as_exported(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """
    A BEIR record of our own export with what it keeps in the metadata in its place.

    It is there since BEIR's models put a title before the text, and nobody judged that.
    """
    metadata = values.get("metadata")
    if not isinstance(metadata, dict) or metadata.keys() != _EXPORTED or "doc_id" in values:
        return values
    return {**values, **metadata, "metadata": None}


def _langchain(values: Mapping[str, Any]) -> RecordFields:
    """`Header 1` to `Header 6`, which its Markdown splitter writes, are the heading path."""
    if values.get("lc") == 1:
        values = as_map(values.get("kwargs"), "kwargs")
    metadata = as_map(values.get("metadata"), "metadata")
    steps = sorted(filter(_LANGCHAIN_HEADING.fullmatch, metadata))
    headings = [metadata.pop(step) for step in steps]
    document = metadata.get("source")
    return RecordFields(
        chunk_id=values.get("id"),
        doc_id=document if isinstance(document, str) else None,
        text=values.get("page_content"),
        title=metadata.pop("title", None),
        headings=headings or metadata.pop("headings", None),
        attributes=metadata,
    )


def _llama_index(values: Mapping[str, Any]) -> RecordFields:
    """The document is the source node, under key `1` of the relationships."""
    metadata = as_map(values.get("metadata"), "metadata")
    relationships = values.get("relationships")
    origin = relationships.get("1") if isinstance(relationships, dict) else None
    resource = values.get("text_resource")
    text = values.get("text")
    if text is None and isinstance(resource, dict):
        text = resource.get("text")
    return RecordFields(
        chunk_id=values.get("id_"),
        doc_id=origin.get("node_id") if isinstance(origin, dict) else None,
        text=text,
        title=metadata.pop("title", None),
        headings=metadata.pop("headings", None),
        attributes=metadata,
    )


def _from_cell(value: Any, name: str) -> Any:
    """A list or map as it is; one written as JSON into a CSV cell, parsed."""
    if not isinstance(value, str):
        return value
    if not value:
        return None
    try:
        parsed = json.loads(value)
    except ValueError:
        parsed = None
    if not isinstance(parsed, list | dict):
        raise Unusable(f"{name} is the text {value[:40]!r}, not a JSON list or object")
    return parsed


def as_map(value: Any, name: str) -> dict[str, Any]:
    """The value as a map of its own; Parquet hands out maps as lists of pairs."""
    try:
        return {str(key): content for key, content in dict(value or {}).items()}
    except (TypeError, ValueError):
        raise Unusable(f"its {name} are not a map of names to values") from None
