"""
A contrast taken apart: by class, source, stratum and origin, per query and per search.

It owns which queries make a group, and hands each group to the statistics that the whole
contrast gets. It computes nothing itself.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from evaluator.contrasts.figures import cells_by_group
from evaluator.contrasts.model import CellFigures, Contrast
from evaluator.labelset.format import LabelSet, Query
from evaluator.snapshot.chunk import Chunk
from evaluator.statistics.per_search import traffic_by_group


def with_groups(
    contrast: Contrast,
    before: Mapping[str, float],
    after: Mapping[str, float],
    *,
    gold_ids: Sequence[str],
    labels: LabelSet,
    chunks: Sequence[Chunk],
) -> Contrast:
    """
    The contrast with the cells of each class, stratum, source of the gold and origin.

    `before` and `after` are the hits of both arms over all asked queries with gold, and
    `gold_ids` those that a headline speaks of. Origins are compared over all of them, since a
    headline speaks of one; sources only where `chunks` or the label set tell them. One group
    alone has no cells.
    """
    told = chunks or "source_by_gold_document" in labels.manifest["pooling"]
    own = tuple({q: hits[q] for q in gold_ids} for hits in (before, after))

    def cells(
        hits: Sequence[Mapping[str, float]], group_by_query: Mapping[str, str]
    ) -> dict[str, CellFigures]:
        a, b = hits
        if len({group_by_query[query_id] for query_id in a}) < 2:
            return {}
        estimates = traffic_by_group(a, b, queries=labels.queries, group_by_query=group_by_query)
        found = cells_by_group(a, b, group_by_query=group_by_query)
        return {group: replace(found[group], traffic=estimates[group]) for group in found}

    def by(group_of: Callable[[Query], str]) -> dict[str, str]:
        return {query.query_id: group_of(query) for query in labels.queries}

    return replace(
        contrast,
        by_class=cells(own, by(lambda query: labels.query_class(query.query_id))),
        by_stratum=cells(own, by(lambda query: query.stratum or "(none)")),
        by_source=cells(own, sources(labels, gold_ids, chunks)) if told else None,
        by_origin=cells((before, after), by(lambda query: query.origin)),
    )


def sources(labels: LabelSet, query_ids: Sequence[str], chunks: Sequence[Chunk]) -> dict[str, str]:
    """
    The source of each query's gold; "several" where its gold lies in more than one.

    Without chunks it is taken from what the label set says of the documents of its gold.
    """
    source_by_chunk = {chunk.chunk_id: chunk.source or "(none)" for chunk in chunks}
    if not chunks:
        stated = labels.manifest["pooling"].get("source_by_gold_document", {})
        pairs = labels.doc_id_by_chunk.items()
        source_by_chunk = {c: stated[doc_id] or "(none)" for c, doc_id in pairs if doc_id in stated}
    found = {}
    for query_id in query_ids:
        gold = labels.gold(query_id)
        names = {source_by_chunk.get(chunk_id, "(not in the snapshot)") for chunk_id in gold}
        found[query_id] = names.pop() if len(names) == 1 else "several"
    return found
