"""
Queries whose answer is known from elsewhere -> judged pairs, each answer found in the text.

An answer is a chunk id, or a document and a quotation that exactly one chunk of it holds.
The chunk so named gets the highest grade, as a judgement of "known answer", and stands in
the pool whatever any system finds.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from evaluator import InputError
from evaluator.files.records import LineProblem, Row, read_rows, refuse, stored_text
from evaluator.files.whole import file_sha256
from evaluator.labelset.format import Judgement, Origin, Query, utc_text
from evaluator.snapshot.chunk import Chunk
from evaluator.snapshot.snapshot import Snapshot
from labeler.exchange.imports.cells import NEED, TEXT, id_text, unread
from labeler.exchange.imports.queries import query_id_of, unusable
from labeler.workspace.pairs import entries
from labeler.workspace.records import KNOWN_ANSWER
from labeler.workspace.workspace import Workspace

_COLUMNS = ("query_id", *TEXT, *NEED, "chunk_id", "doc_id", "quotation")


@dataclass(frozen=True, slots=True)
class Added:
    """How many queries were added, how many of their answers, and what a person should know."""

    queries: int
    answers: int
    notes: tuple[str, ...] = ()


class Quotations:
    """Where the chunks of some documents can be found by what they say."""

    def __init__(self, snapshot: Snapshot, doc_ids: Collection[str]) -> None:
        self._texts_by_doc: dict[str, dict[str, str]] = {}
        self.chunk_by_id: dict[str, Chunk] = {}
        for chunk in snapshot.chunks() if doc_ids else ():
            if chunk.doc_id in doc_ids:
                texts = self._texts_by_doc.setdefault(chunk.doc_id, {})
                texts[chunk.chunk_id] = _one_line(chunk.text)
                self.chunk_by_id[chunk.chunk_id] = chunk

    def chunk_id(self, doc_id: str, quotation: str) -> str:
        """
        The one chunk of a document that holds the quotation, however its lines are broken.

        Raises ValueError with the reason when there is no such document or chunk, or when
        several chunks hold the quotation.
        """
        if doc_id not in self._texts_by_doc:
            raise ValueError(f"there is no document {doc_id!r} in the snapshot")
        wanted = _one_line(quotation)
        texts = self._texts_by_doc[doc_id]
        found = [chunk_id for chunk_id, text in texts.items() if wanted in text]
        if not wanted or len(found) != 1:
            raise ValueError(
                f"the quotation {quotation[:60]!r} stands in {len(found) if wanted else 'any'} "
                f"of the {len(texts)} chunks of {doc_id!r}, expected one"
            )
        return found[0]


def add_known(
    workspace: Workspace,
    path: Path,
    *,
    origin: Origin = "known-item",
    seen: str | None = None,
    now: datetime,
) -> Added:
    """
    Add the queries of a CSV or JSON lines file, with their answers.

    Columns: query, need (optional), and chunk_id, or doc_id and quotation. A query that
    stands on several lines has several answers. Authored queries may have none; `seen` is
    what their authors declare to have seen of the documents.

    Raises InputError, with nothing stored, listing the lines whose answer is missing or
    cannot be found, and queries that the workspace has already; and for a file without any.
    """
    rows = read_rows(path)
    if not rows:
        raise InputError(f"{path} holds no queries.")
    quotations = Quotations(workspace.snapshot, {str(row.first("doc_id")) for row in rows})
    named = {str(row.first("chunk_id")) for row in rows if row.first("chunk_id") is not None}
    chunk_by_id = {**quotations.chunk_by_id, **workspace.snapshot.fetch(sorted(named))}
    queries: dict[str, Query] = {}
    answers: dict[tuple[str, str], int] = {}
    problems: list[LineProblem] = []
    for row in rows:
        try:
            query = _query(row, origin)
            chunk_id = _answer(row, quotations, chunk_by_id)
            if chunk_id is None and origin == "known-item":
                raise ValueError("no answer: give chunk_id, or doc_id and quotation")
            queries.setdefault(query.query_id, query)
            if queries[query.query_id].text != query.text:
                raise ValueError(f"query {query.query_id!r} stands above with another text")
            if chunk_id is not None:
                answers.setdefault((query.query_id, chunk_id), row.line)
        except ValueError as error:
            problems.append(LineProblem(row.line, str(error)))
    refuse(path, problems, todo="Mend these lines. Nothing was stored.")
    used = {chunk_id: chunk_by_id[chunk_id] for _, chunk_id in answers}
    pool = entries(answers, source=KNOWN_ANSWER, chunk_by_id=used)
    best = max(grade for grade, _ in workspace.settings.grades)
    workspace.add_judged(
        queries=tuple(queries.values()),
        pool=pool,
        judgements=_judgements(path, answers, grade=best, now=now),
        source={
            "source": KNOWN_ANSWER,
            "kind": KNOWN_ANSWER,
            "depth": None,
            "files": [{"file": path.name, "sha256": file_sha256(path)}],
        },
    )
    if seen is not None:
        workspace.queries.declare_seen(dict.fromkeys(queries, seen))
    return Added(len(queries), len(answers), tuple(unread(rows, _COLUMNS)))


def _query(row: Row, origin: Origin) -> Query:
    text = row.first(*TEXT)
    if reason := unusable(text):
        raise ValueError(reason)
    stated, need = row.first("query_id"), row.first(*NEED)
    return Query(
        query_id=query_id_of(text, origin=origin) if stated is None else id_text(stated, "id"),
        text=stored_text(text),
        need=None if need is None else stored_text(need),
        origin=origin,
    )


def _answer(row: Row, quotations: Quotations, chunk_by_id: Mapping[str, Chunk]) -> str | None:
    chunk_id, doc_id, quotation = (row.first(c) for c in ("chunk_id", "doc_id", "quotation"))
    if chunk_id is not None:
        if str(chunk_id) not in chunk_by_id:
            raise ValueError(f"there is no chunk {chunk_id!r} in the snapshot")
        return str(chunk_id)
    if doc_id is None and quotation is None:
        return None
    if doc_id is None or quotation is None:
        raise ValueError("doc_id and quotation go together")
    return quotations.chunk_id(str(doc_id), str(quotation))


def _judgements(
    path: Path, answers: Mapping[tuple[str, str], int], *, grade: int, now: datetime
) -> list[Judgement]:
    sha256 = file_sha256(path)
    return [
        Judgement(
            event_id=f"known-{sha256[:16]}-{line}",
            query_id=query_id,
            chunk_id=chunk_id,
            assessor=KNOWN_ANSWER,
            grade=grade,
            verdict="grade",
            judged_at=utc_text(now),
            method=KNOWN_ANSWER,
            imported_from=path.name,
        )
        for (query_id, chunk_id), line in sorted(answers.items())
    ]


def _one_line(text: str) -> str:
    return " ".join(text.split())
