"""
The pairs and events of a workspace file, as a frozen label set has them.

Statements on a plain connection and nothing else; the parts of the workspace run them.
"""

import sqlite3
from collections.abc import Iterator
from heapq import merge
from itertools import groupby
from operator import attrgetter, itemgetter

from evaluator import InputError
from evaluator.labelset.format import ADJUDICATION, Judgement, PoolEntry


def pool_entries(db: sqlite3.Connection, query_id: str | None = None) -> Iterator[PoolEntry]:
    """The pairs to judge, of one query or of all, by query and chunk, with all that found each."""
    where = "" if query_id is None else "WHERE p.query_id = ?"
    found = db.execute(
        "SELECT p.query_id, p.chunk_id, doc_id, text_sha256, source FROM pool AS p "
        f"LEFT JOIN pool_found USING (query_id, chunk_id) {where} ORDER BY 1, 2, source",
        [] if query_id is None else [query_id],
    )
    for pair, rows in groupby(found, key=itemgetter(0, 1, 2, 3)):
        sources = tuple(row[4] for row in rows if row[4] is not None)
        yield PoolEntry._make([*pair, sources])


def decisions(db: sqlite3.Connection) -> Iterator[Judgement]:
    """
    Every decision of an adjudicator ever, in time order.

    Raises InputError for one with a note that is no text, as only another program writes it.
    """
    found = db.execute(
        "SELECT event_id, d.query_id, d.chunk_id, adjudicator, grade, verdict, decided_at, "
        "text_sha256, rule, note FROM decisions AS d LEFT JOIN pool USING (query_id, chunk_id) "
        "ORDER BY decided_at, seq"
    )
    for *judged, sha256, rule, note in found:
        if note is not None and not isinstance(note, str):
            raise InputError(
                f"The note of the decision {judged[0]!r} on query {judged[1]!r}, chunk "
                f"{judged[2]!r}, is no text: the workspace file was edited. Restore it from a copy."
            )
        words = [f"rule: {rule}"] if rule else []
        said = "; ".join([*words, *([note] if note else [])]) or None
        yield Judgement._make([*judged, None, None, ADJUDICATION, sha256, said, None])


def events(db: sqlite3.Connection) -> Iterator[Judgement]:
    """
    Judgements and decisions together, every one ever, in time order.

    Judgements come before what was decided at the same moment.
    """
    columns = ", ".join(Judgement._fields)
    judged = db.execute(f"SELECT {columns} FROM judgements ORDER BY judged_at, seq")
    return merge(map(Judgement._make, judged), decisions(db), key=attrgetter("judged_at"))
