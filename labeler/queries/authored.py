"""
Queries for a product without traffic, written by people who read documents.

An author is shown documents as running text: no title, no heading, no chunk, no search
result, since whoever has seen those writes queries that a header finds. What the author had
seen before is declared and frozen with the query. It draws no page.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from evaluator import InputError
from evaluator.labelset.format import Query, encode_id
from evaluator.snapshot.snapshot import Snapshot
from labeler.exchange.imports.queries import query_id_of, unusable
from labeler.workspace.workspace import Workspace

Seen = Literal["none", "documents", "headings", "chunks"]
SEEN: Mapping[Seen, str] = {
    "none": "nothing of the documents",
    "documents": "documents, as their readers see them",
    "headings": "titles or headings apart from their text, or how documents are filed",
    "chunks": "chunks, or results of the search that is to be measured",
}
_LINE_OF_A_TABLE = re.compile(r"\||[-*•] |\d+[.)] ")
_ENDS = ".!?:…"
_LONGEST_OVERLAP = 2000  # characters that two chunks in a row may share


@dataclass(frozen=True, slots=True)
class AuthoringTask:
    """A document to read: its place in this author's order, and its running text."""

    number: int
    documents: int
    doc_id: str
    text: str


def reading_order(snapshot: Snapshot, *, author: str) -> list[str]:
    """
    The documents in an order of their own for each author.

    So no author's fatigue falls on the same documents as another's, and the first ones of
    an alphabet are not asked about most.
    """
    return sorted(
        snapshot.documents(),
        key=lambda doc_id: hashlib.sha256(f"{author}:{doc_id}".encode()).hexdigest(),
    )


def read_document(snapshot: Snapshot, *, author: str, number: int) -> AuthoringTask:
    """The document at a place from 0 in an author's order."""
    order = reading_order(snapshot, author=author)
    if not 0 <= number < len(order):
        raise InputError(f"There are {len(order)} documents; there is no number {number + 1}.")
    return AuthoringTask(number, len(order), order[number], document_text(snapshot, order[number]))


def document_text(snapshot: Snapshot, doc_id: str) -> str:
    """
    The running text of a document, put together from its chunks in their order.

    What two chunks in a row share is shown once, and where a chunk was cut within a sentence
    or a table it goes on there, so that no border shows. Titles and headings are not in a
    chunk's text and so are not in this.
    """
    number = snapshot.documents().get(doc_id, 0)
    if not number:
        raise InputError(f"There is no document {doc_id!r} in the snapshot.")
    ids = [f"{encode_id(doc_id)}#{at}" for at in range(number)]
    by_id = snapshot.fetch(sorted(ids))
    chunks = [by_id[chunk_id] for chunk_id in ids if chunk_id in by_id]
    if len(chunks) < number:  # ids that end in no position: in the order of the ids
        chunks = [chunk for chunk in snapshot.chunks() if chunk.doc_id == doc_id]
    text, before = "", ""
    for chunk in chunks:
        shared = _shared(before, chunk.text)
        new, before = chunk.text[shared:].rstrip(), chunk.text
        if new:
            joint = "" if not text or (shared and new[0].isspace()) else _joint(text, new)
            text += joint + new
    return text.strip()


def add_authored(workspace: Workspace, text: str, *, seen: Seen, need: str | None = None) -> Query:
    """
    Add a query that somebody wrote, with what they declare to have seen.

    Raises InputError for a text that is none, and for a query that is there already.
    """
    if reason := unusable(text):
        raise InputError(f"This query cannot be kept: {reason}.")
    if seen not in SEEN:
        raise InputError(f"Seen {seen!r} is none of {', '.join(SEEN)}.")
    query = Query(
        query_id=query_id_of(text, origin="authored"),
        text=text,
        need=need or None,
        origin="authored",
    )
    workspace.queries.add([query])
    workspace.queries.declare_seen({query.query_id: seen})
    return query


def _joint(before: str, after: str) -> str:
    """
    What stands between a text and the next part of it: as in the text itself, or as fits.

    Chunks are kept without the blanks at their ends. A part that begins with a small letter
    goes on with the sentence before it, and lines of a table or list stay together.
    """
    last, first = before.rsplit("\n", 1)[-1].strip(), after.strip().split("\n", 1)[0]
    if _LINE_OF_A_TABLE.match(last) and _LINE_OF_A_TABLE.match(first):
        return "\n"
    if first[:1].islower() and last[-1:] not in _ENDS:
        return " "
    return "\n\n"


def _shared(before: str, text: str) -> int:
    """How many characters at the beginning of a text the text before it ends with."""
    longest = min(len(before), len(text), _LONGEST_OVERLAP)
    return next((n for n in range(longest, 19, -1) if before.endswith(text[:n])), 0)
