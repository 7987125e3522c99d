"""
The field names under which tools keep a chunk -> ours.

Our own records and BEIR's, LangChain's documents and LlamaIndex's nodes. It names values
and checks none of them, except that a map is a map.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

IDS = ("chunk_id", "_id", "id")
PLAIN, LANGCHAIN, LLAMA_INDEX = "a plain record", "a LangChain document", "a LlamaIndex node"
_READ = frozenset({"doc_id", "text", "title", "headings", "source", "attributes", "metadata"})
_LANGCHAIN_HEADING = re.compile(r"Header ([1-6])")


@dataclass(frozen=True, slots=True)
class Fields:
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
    """Why one record is no chunk."""


def shape_of(values: Mapping[str, Any]) -> str:
    """Which tool wrote the record."""
    if values.get("lc") == 1 or "page_content" in values:
        return LANGCHAIN
    if "id_" in values or values.get("class_name") == "TextNode":
        return LLAMA_INDEX
    return PLAIN


def plain_id_field(values: Mapping[str, Any]) -> str:
    """Where a plain record keeps its id: the first of `IDS` that it has, else nowhere."""
    return next((name for name in IDS if name in values), "")


def read_shape(shape: str, values: Mapping[str, Any], *, id_field: str) -> Fields:
    """The record's values under our names. Raises Unusable when a map is none."""
    if shape == LANGCHAIN:
        return _langchain(values)
    if shape == LLAMA_INDEX:
        return _llama_index(values)
    return Fields(
        chunk_id=values.get(id_field),
        doc_id=values.get("doc_id"),
        text=values.get("text"),
        title=values.get("title"),
        headings=_from_cell(values.get("headings"), "headings"),
        source=values.get("source"),
        attributes=_from_cell(values.get("attributes", values.get("metadata")), "attributes"),
        unread=tuple(values.keys() - _READ - {id_field}),
    )


def _langchain(values: Mapping[str, Any]) -> Fields:
    """`Header 1` to `Header 6`, which its Markdown splitter writes, are the heading path."""
    if values.get("lc") == 1:
        values = as_map(values.get("kwargs"), "kwargs")
    metadata = as_map(values.get("metadata"), "metadata")
    steps = sorted(filter(_LANGCHAIN_HEADING.fullmatch, metadata))
    headings = [metadata.pop(step) for step in steps]
    document = metadata.get("source")
    return Fields(
        chunk_id=values.get("id"),
        doc_id=document if isinstance(document, str) else None,
        text=values.get("page_content"),
        title=metadata.pop("title", None),
        headings=headings or metadata.pop("headings", None),
        attributes=metadata,
    )


def _llama_index(values: Mapping[str, Any]) -> Fields:
    """The document is the source node, under key `1` of the relationships."""
    metadata = as_map(values.get("metadata"), "metadata")
    relationships = values.get("relationships")
    origin = relationships.get("1") if isinstance(relationships, dict) else None
    return Fields(
        chunk_id=values.get("id_"),
        doc_id=origin.get("node_id") if isinstance(origin, dict) else None,
        text=values.get("text"),
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
