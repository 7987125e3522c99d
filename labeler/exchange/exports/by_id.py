"""
Exports that name queries and chunks by their ids: TREC, BEIR, ranx, and tables.

Ids that a format cannot hold are percent-encoded there, and a map gives them back.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from csv import QUOTE_NONE
from typing import Any
from urllib.parse import quote

from evaluator import InputError
from evaluator.files.ids import ASSESSORS
from evaluator.files.ids import NAME as ID_MAP
from evaluator.files.records import COLUMN, MARK, guarded
from evaluator.labelset.format import Judgement, PoolEntry, Query, encode_id
from evaluator.labelset.frames import qrels_frame
from evaluator.trec import qrels_lines, query_column
from labeler.exchange.exports.content import Content, Files, Written
from labeler.exchange.imports.cells import DECISION, RULE, UNSURE

_TABLE = (
    *("query_id", "query", "need", "origin", "group", "filter", "chunk_id", "document"),
    *("assessor", "grade", "judged_at", "active_seconds", "note", "adjudicated", RULE),
    *DECISION,
    COLUMN,
)
_BARE = ("grade", "active_seconds", "adjudicated", "decided", COLUMN)  # numbers, our own words


def trec(content: Content) -> Written:
    """Qrels after adjudication, those of every assessor, the queries, and the map of ids."""
    files: Files = {"qrels.txt": qrels_lines(content.qrels)}
    for assessor, qrels in content.grades_by_assessor.items():
        files[f"{ASSESSORS}/{_file_name(assessor)}.txt"] = qrels_lines(qrels)
    files["queries.jsonl"] = _queries(content, query_column)
    names = content.grades_by_assessor
    cut = sum(len(quote(name, safe=" ")) > _MOST for name in names)
    notes = (f"{cut} names of assessors are too long for a file, and cut short.",)
    return files | _id_map(content, encode_id, query_column), notes if cut else ()


def beir(content: Content) -> Written:
    """
    Corpus, queries and judgements as BEIR's loader takes them.

    Titles stand under metadata: BEIR's models put `title` before every text, and nobody
    judged that. Ids stay as they are unless one of them cannot stand between tabs.
    """
    if content.snapshot is None:
        raise InputError(
            "BEIR needs the texts of all chunks, and the snapshot that was judged is not beside "
            "the label set. Name it with --snapshot DIR."
        )
    chunk_ids = list(content.snapshot.chunk_ids())
    ids = [*content.query_by_id, *chunk_ids]
    unsafe = any(re.search(r'[\t\r\n"]', name) for name in ids)
    as_id = (lambda name: encode_id(name).replace('"', "%22")) if unsafe else str
    notes = [
        "Titles are in the corpus's metadata: BEIR's models put a title before the text, and "
        "plain text is what was judged."
    ]
    if same := content.query_by_id.keys() & set(chunk_ids):
        notes.append(f"{len(same)} query ids are chunk ids too; BEIR leaves such results out.")
    files: Files = {
        "corpus.jsonl": _corpus(content, as_id),
        "queries.jsonl": _queries(content, as_id),
        "qrels/test.tsv": _tabbed(content, as_id),
    }
    return files | _id_map(content, as_id, as_id, chunk_ids=chunk_ids), tuple(notes)


def ranx(content: Content) -> Written:
    """
    One JSON object: grade by chunk by query.

    Not Parquet: ranx asks for columns of objects there, which pandas 3 no longer reads.
    """
    return {
        "qrels.json": [json.dumps(content.qrels, ensure_ascii=False, sort_keys=True) + "\n"]
    }, ()


def table(content: Content) -> Written:
    """
    One line per judgement that stands, and one for each pair that nobody judged or query that
    has no pair. What was decided on a pair stands on each of its lines, beside the judgements
    and not among them, so that nobody counts an adjudicator as one more assessor.

    With the byte-order mark by which spreadsheets know UTF-8.
    """
    import pandas as pd

    frame = pd.DataFrame(list(_rows(content)), columns=list(_TABLE), dtype=object)
    texts = [name for name in _TABLE if name not in _BARE]
    frame[texts] = frame[texts].map(guarded, na_action="ignore")
    text = "\ufeff" + frame.to_csv(index=False, lineterminator="\r\n")
    return {"judgements.csv": [text]}, ()


def _rows(content: Content) -> Iterator[dict[str, Any]]:
    unpooled = dict(content.query_by_id)
    for entry in content.pool():
        unpooled.pop(entry.query_id, None)
        pair = _of_query(content.query_by_id[entry.query_id]) | _of_pair(content, entry)
        given = content.given(entry)
        for assessor, event in sorted(given.items()):
            yield pair | {
                "assessor": assessor,
                "grade": _graded(event),
                "judged_at": event.judged_at,
                "active_seconds": event.active_seconds,
                "note": event.note,
            }
        if not given:
            yield pair
    for query in unpooled.values():
        yield _of_query(query)


def _of_query(query: Query) -> dict[str, Any]:
    filters = None if query.filter is None else json.dumps(dict(query.filter), ensure_ascii=False)
    return {
        "query_id": query.query_id,
        "query": query.text,
        "need": query.need,
        "origin": query.origin,
        "group": query.group,
        "filter": filters,
        COLUMN: MARK,
    }


def _of_pair(content: Content, entry: PoolEntry) -> dict[str, Any]:
    pair: dict[str, Any] = {
        "chunk_id": entry.chunk_id,
        "document": entry.doc_id,
        "adjudicated": content.qrels.get(entry.query_id, {}).get(entry.chunk_id),
        RULE: content.rule if entry[:2] in content.settled else None,
    }
    if decision := content.decision(entry):
        said = (_graded(decision), decision.assessor, decision.judged_at, decision.note)
        pair |= dict(zip(DECISION, said, strict=True))
    return pair


def _graded(event: Judgement) -> str | int:
    return UNSURE[0] if event.grade is None else event.grade


# Names of files

_MOST = 200  # characters of a file name without its suffix; file systems hold 255 bytes


def _file_name(assessor: str) -> str:
    """The name of an assessor as a file may have it, or the beginning and the digest of it."""
    name = quote(assessor, safe=" ")
    if len(name) <= _MOST:
        return name
    return f"{name[: _MOST - 11]}-{hashlib.sha256(name.encode()).hexdigest()[:10]}"


# Lines of JSON


def _queries(content: Content, as_id: Callable[[str], str]) -> Iterator[str]:
    for query in content.query_by_id.values():
        yield _json({"_id": as_id(query.query_id), "text": query.text, **_known(query)})


def _known(query: Query) -> dict[str, Any]:
    """What the readers of other tools leave alone, and ours takes up again."""
    filters = None if query.filter is None else dict(query.filter)
    known = {"need": query.need, "filter": filters, "group": query.group}
    return {"origin": query.origin} | {name: v for name, v in known.items() if v is not None}


def _corpus(content: Content, as_id: Callable[[str], str]) -> Iterator[str]:
    for chunk in content.snapshot.chunks() if content.snapshot else ():
        metadata = {"doc_id": chunk.doc_id, "title": chunk.title, "headings": list(chunk.headings)}
        yield _json(
            {"_id": as_id(chunk.chunk_id), "title": "", "text": chunk.text, "metadata": metadata}
        )


def _json(row: Mapping[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False) + "\n"


def _tabbed(content: Content, as_id: Callable[[str], str]) -> Iterator[str]:
    frame = qrels_frame(content.labels).sort_values(["query_id", "chunk_id"])
    frame = frame[["query_id", "chunk_id", "grade"]]
    frame.columns = ["query-id", "corpus-id", "score"]
    frame = frame.assign(**{name: frame[name].map(as_id) for name in ("query-id", "corpus-id")})
    yield frame.to_csv(sep="\t", index=False, lineterminator="\n", quoting=QUOTE_NONE)


# Ids


def _id_map(
    content: Content,
    as_chunk: Callable[[str], str],
    as_query: Callable[[str], str],
    *,
    chunk_ids: Iterable[str] = (),
) -> Files:
    """
    The ids that stand otherwise than they are, if any, by how they stand.

    `chunk_ids` are those of a corpus in the export, of which the pool holds a part.
    """
    ids = {(as_query(query_id), query_id) for query_id in content.query_by_id}
    ids |= {(as_chunk(entry.chunk_id), entry.chunk_id) for entry in content.pool()}
    ids |= {(as_chunk(chunk_id), chunk_id) for chunk_id in chunk_ids}
    encoded = {written: name for written, name in ids if written != name}
    if not encoded:
        return {}
    return {ID_MAP: [json.dumps(encoded, ensure_ascii=False, indent=1, sort_keys=True) + "\n"]}
