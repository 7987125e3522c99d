"""
Queries and chunks as a file names them -> those of the workspace, or why there is none.

A query that goes by its text is the one with that very text, else the one with the same
key of a query log, if there is exactly one. Nothing is matched by likeness.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from evaluator.labelset.format import Query, decode_id
from evaluator.text.messages import some_ids
from labeler.exchange.imports.judgements import Graded, JudgementFile
from labeler.logs.group import normalised


class KnownQueries:
    """The queries of a workspace, as files may name them."""

    def __init__(self, queries: Iterable[Query]) -> None:
        self.ids: set[str] = set()
        self._ids_by_text: dict[str, list[str]] = {}
        self._ids_by_key: dict[str, list[str]] = {}
        for query in queries:
            self.ids.add(query.query_id)
            self._ids_by_text.setdefault(query.text, []).append(query.query_id)
            self._ids_by_key.setdefault(normalised(query.text), []).append(query.query_id)

    def named(self, text: str) -> Sequence[str]:
        """The ids of the queries that the text names: one, none, or several that it may mean."""
        exact = self._ids_by_text.get(text, ())
        return exact or self._ids_by_key.get(normalised(text), ())


@dataclass(slots=True)
class Matched:
    """
    The judgements whose query and chunk are there, and how many of each that is not.

    All five count judgements by the name that the file gives. `set_aside` are chunks of the
    corpus that the snapshot could not hold.
    """

    pairs: list[Graded] = field(default_factory=list)
    strange_queries: Counter[str] = field(default_factory=Counter)
    ambiguous_queries: Counter[str] = field(default_factory=Counter)
    strange_chunks: Counter[str] = field(default_factory=Counter)
    ambiguous_chunks: Counter[str] = field(default_factory=Counter)
    set_aside: Counter[str] = field(default_factory=Counter)

    def unknown(self) -> list[str]:
        """Lines that say what is not there."""
        named = (
            (
                "queries that neither the file of queries nor the workspace has",
                self.strange_queries,
            ),
            ("queries that several of the workspace may be", self.ambiguous_queries),
            ("chunks that the snapshot does not have", self.strange_chunks),
            (
                "chunks that two of the snapshot may be, one spelled as it stands and one decoded",
                self.ambiguous_chunks,
            ),
        )
        return [_counted(count_by_name, what) for what, count_by_name in named if count_by_name]

    def left_out(self, reasons: Mapping[str, str], *, also_unknown: bool) -> list[str]:
        """Notes on chunks that were set aside when the snapshot was made, and on the unknown."""
        by_reason: dict[str, dict[str, int]] = {}
        for chunk_id, count in self.set_aside.items():
            by_reason.setdefault(reasons[chunk_id], {})[chunk_id] = count
        lines = [
            _counted(count_by_id, f"chunks that the snapshot set aside ({reason})")
            for reason, count_by_id in sorted(by_reason.items())
        ]
        return [f"Left out: {line}." for line in lines + (self.unknown() if also_unknown else [])]


def match(
    graded: JudgementFile,
    *,
    queries: KnownQueries,
    chunk_ids: Collection[str],
    set_aside: Collection[str],
) -> Matched:
    """The judgements of a file with the ids of the workspace; nothing is dropped uncounted."""
    matched = Matched()
    encoded = graded.reading.encoded
    for pair in graded.pairs:
        if graded.reading.by_text:
            found = queries.named(pair.query)
        else:
            found = _known(pair.query, queries.ids, encoded=encoded)
        if len(found) > 1:
            matched.ambiguous_queries[pair.query] += 1
        elif not found:
            matched.strange_queries[pair.query] += 1
        named = _known(pair.chunk_id, chunk_ids, encoded=encoded)
        if len(named) > 1:
            matched.ambiguous_chunks[pair.chunk_id] += 1
        elif not named:
            if aside := _known(pair.chunk_id, set_aside, encoded=encoded):
                matched.set_aside[aside[0]] += 1
            else:
                matched.strange_chunks[pair.chunk_id] += 1
        elif len(found) == 1:
            matched.pairs.append(replace(pair, query=found[0], chunk_id=named[0]))
    return matched


def possible_chunk_ids(graded: JudgementFile) -> list[str]:
    """Every chunk id that the file may mean, sorted."""
    ids = {pair.chunk_id for pair in graded.pairs}
    if graded.reading.encoded:
        ids |= {_decoded(chunk_id) for chunk_id in ids}
    return sorted(ids)


def _known(stated: str, ids: Collection[str], *, encoded: bool) -> list[str]:
    """The ids that it can be: as it stands, or decoded where the format cannot hold blanks."""
    readings = dict.fromkeys((stated, _decoded(stated) if encoded else stated))
    return [name for name in readings if name in ids]


def _decoded(stated: str) -> str:
    try:
        return decode_id(stated)
    except UnicodeDecodeError:
        return stated


def _counted(count_by_name: Mapping[str, int], what: str) -> str:
    judgements, names = sum(count_by_name.values()), sorted(count_by_name)
    return f"{judgements} judgements of {len(names)} {what}: {some_ids(names)}"
