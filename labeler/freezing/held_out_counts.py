"""
The held-out slice of a workspace in numbers: documents, chunks, queries by class.

The rule itself is `HeldOutRule` in `evaluator/labelset/format.py`, fixed when a workspace is
made, so the slice can be watched from the first day on. Here it is counted, and what each
class could show is said; nothing is decided.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, get_args

from evaluator.labelset.format import Query, QueryClass
from evaluator.statistics.clusters import independent_units
from evaluator.statistics.power import FLIP_SHARE, detectable_difference, what_can_be_detected
from labeler.judging.adjudicate import Adjudicated, adjudicate_workspace, with_skips
from labeler.workspace.workspace import Workspace


def held_out(
    workspace: Workspace,
    *,
    adjudicated: Adjudicated | None = None,
    queries: Sequence[Query] | None = None,
) -> dict[str, Any]:
    """
    The held-out slice: its rule, its documents and chunks, and the queries of each class.

    A query's class follows its gold documents, so the numbers move while people judge.
    `gold_documents` is the mean over a class; `units` counts its queries, a group of
    paraphrases once, and all that have gold; `detects` is the smallest difference in hits that
    the units of a class show with a power of 80%, None where they are too few.
    """
    adjudicated = adjudicated or adjudicate_workspace(workspace)
    queries = list(with_skips(workspace)) if queries is None else queries
    rule = workspace.settings.held_out_rule
    chunks_by_doc = workspace.snapshot.documents()
    held = {doc_id: n for doc_id, n in chunks_by_doc.items() if rule.holds_out(doc_id)}
    gold_by_class: dict[str, list[int]] = {name: [] for name in get_args(QueryClass)}
    groups_by_class: dict[str, list[str | None]] = {name: [] for name in gold_by_class}
    group_by_query = {query.query_id: query.group for query in queries}
    for query_id, documents in gold_documents(workspace, adjudicated, queries).items():
        name = rule.query_class(documents)
        gold_by_class[name].append(len(documents))
        groups_by_class[name].append(group_by_query[query_id])
    groups_by_class.pop("no-gold")
    units = {name: independent_units(groups) for name, groups in groups_by_class.items()}
    with_gold = {name: gold for name, gold in gold_by_class.items() if name != "no-gold"}
    return {
        "salt": rule.salt,
        "buckets": rule.buckets,
        "held_out": list(rule.held_out),
        "documents": len(held),
        "of_documents": len(chunks_by_doc),
        "chunks": sum(held.values()),
        "of_chunks": sum(chunks_by_doc.values()),
        "classes": {name: len(gold) for name, gold in gold_by_class.items()},
        "gold_documents": {n: sum(gold) / len(gold) for n, gold in with_gold.items() if gold},
        "detects": {
            name: detectable_difference(n, flip_share=FLIP_SHARE) for name, n in units.items() if n
        },
        "units": units | {"with gold": independent_units(chain(*groups_by_class.values()))},
        "flip_share": FLIP_SHARE,
    }


def held_out_lines(held: Mapping[str, Any]) -> Iterator[str]:
    """The slice for a terminal, and what each class can detect with all that it rests on."""
    yield (
        f"Held out    {held['documents']:,} of {held['of_documents']:,} documents, "
        f"{held['chunks']:,} of {held['of_chunks']:,} chunks; queries: "
        + ", ".join(f"{count:,} {name}" for name, count in held["classes"].items())
    )
    for name, documents in held["gold_documents"].items():
        said = what_can_be_detected(
            held["classes"][name], flip_share=held["flip_share"], units=held["units"][name]
        )
        yield f"  {name}, {documents:.1f} gold documents a query: {said}"


def gold_documents(
    workspace: Workspace, adjudicated: Adjudicated, queries: Sequence[Query]
) -> dict[str, set[str]]:
    """The gold documents of each query that nobody skipped, by its id."""
    doc_by_chunk, least = workspace.pool.doc_by_chunk(), workspace.settings.min_grade
    return {
        query.query_id: {
            doc_by_chunk[chunk_id]
            for chunk_id, grade in adjudicated.qrels.get(query.query_id, {}).items()
            if grade >= least
        }
        for query in queries
        if query.skip_reason is None
    }
