"""
The pairs and events of a workspace file, as a frozen label set has them.

Statements on a plain connection and nothing else: the store runs them, and so does the second
process of a large freeze, which needs no more of the store than this.
"""

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import chain
from typing import TypeVar

from evaluator import InputError
from evaluator.labelset.format import ADJUDICATION, EventRow, Judgement, PairRow, canonical_line

_DECISIONS = (
    "SELECT event_id, d.query_id, d.chunk_id, adjudicator, grade, verdict, decided_at, "
    "text_sha256, rule, note FROM decisions AS d LEFT JOIN pool USING (query_id, chunk_id) "
    "ORDER BY decided_at, seq"
)
_NOT_CHECKED = {"active_seconds", "position", "note", "imported_from"}
T = TypeVar("T")


def pair_rows(
    db: sqlite3.Connection, query_id: str | None = None, *, to_check: bool = False
) -> Iterator[PairRow]:
    """
    The pairs to judge, of one query or of all, by query and chunk, with all that found each.

    Those `to_check` are without: to say which sources a million pairs have takes as long as
    all else.
    """
    if to_check:
        found = db.execute("SELECT query_id, chunk_id, doc_id, text_sha256 FROM pool ORDER BY 1, 2")
        return ((*pair, ()) for pair in found)
    where = "" if query_id is None else "WHERE p.query_id = ?"
    found = db.execute(
        "SELECT p.query_id, p.chunk_id, doc_id, text_sha256, source FROM pool AS p "
        f"LEFT JOIN pool_found USING (query_id, chunk_id) {where} ORDER BY 1, 2, source",
        [] if query_id is None else [query_id],
    )
    return _with_all_sources(found)


def decisions(db: sqlite3.Connection) -> Iterator[Judgement]:
    """
    Every decision of an adjudicator ever, in time order.

    Raises InputError for one with a note that is no text, as only another program writes it.
    """
    for *judged, sha256, rule, note in db.execute(_DECISIONS):
        if note is not None and not isinstance(note, str):
            raise InputError(
                f"The note of the decision {judged[0]!r} on query {judged[1]!r}, chunk "
                f"{judged[2]!r}, is no text: the workspace file was edited. Restore it from a copy."
            )
        words = [f"rule: {rule}"] if rule else []
        said = "; ".join([*words, *([note] if note else [])]) or None
        yield Judgement._make([*judged, None, None, ADJUDICATION, sha256, said, None])


def event_rows(db: sqlite3.Connection, *, to_check: bool = False) -> Iterator[EventRow]:
    """
    Judgements and decisions together, every one ever, in time order.

    Judgements `to_check` have None for all that a label set checks by its spelling alone.
    """
    columns = ["NULL" if to_check and c in _NOT_CHECKED else c for c in Judgement._fields]

    def judged(condition: str, *values: str) -> Iterable[EventRow]:
        return db.execute(_judgements(", ".join(columns), condition), values)

    return _in_time(judged, ((each.judged_at, each) for each in decisions(db)))


def event_lines(db: sqlite3.Connection) -> Iterator[str]:
    """
    The same as lines of JSON, which SQLite spells in half the time that Python takes.

    Only seconds are spelled here: SQLite gives no more than 15 of their digits.
    """
    names = sorted(set(Judgement._fields) - {"active_seconds"})
    rest = ", ".join(f"'{name}', {name}" for name in names)
    columns = f"active_seconds, json_object({rest})"

    def judged(condition: str, *values: str) -> Iterable[str]:
        return (
            f'{{"active_seconds":{"null" if seconds is None else repr(seconds)},{line[1:]}\n'
            for seconds, line in db.execute(_judgements(columns, condition), values)
        )

    return _in_time(
        judged, ((each.judged_at, canonical_line(each._asdict())) for each in decisions(db))
    )


def _judgements(columns: str, condition: str) -> str:
    return f"SELECT {columns} FROM judgements WHERE {condition} ORDER BY judged_at, seq"


def _in_time(judged: Callable[..., Iterable[T]], decided: Iterable[tuple[str, T]]) -> Iterator[T]:
    """
    Judgements, and behind those of the same moment what was decided.

    They are asked for from one decision to the next, since merging takes as long as reading.
    """

    def parts() -> Iterator[Iterable[T]]:
        after, values = "judged_at >= ''", list[str]()
        for at, decision in list(decided):
            yield judged(f"{after} AND judged_at <= ?", *values, at)
            yield [decision]
            after, values = "judged_at > ?", [at]
        yield judged(after, *values)

    return chain.from_iterable(parts())


def _with_all_sources(found: Iterable[tuple[str, str, str, str, str | None]]) -> Iterator[PairRow]:
    """One row a pair, of rows in order of which each has one that found it, or None."""

    @cache
    def alone(source: str | None) -> tuple[str, ...]:
        return () if source is None else (source,)

    last: PairRow | None = None
    for query_id, chunk_id, doc_id, sha256, source in found:
        if last and chunk_id == last[1] and query_id == last[0]:
            last = (*last[:4], last[4] + alone(source))
            continue
        if last:
            yield last
        last = query_id, chunk_id, doc_id, sha256, alone(source)
    if last:
        yield last
