"""
How far queries repeat the words of their gold: the mark of a set that is too easy.

A query that is nearly a quotation of its chunk is found by any arm, so a header can only
look unneeded. It owns what counts as a word and what counts as too much. It knows no arms.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

from evaluator.labelset.format import LabelSet
from evaluator.snapshot.chunk import Chunk
from evaluator.text.words import words_of

METHOD = (
    "distinct words of the query that stand in its gold chunk, as a share; words are runs of "
    "letters and digits in any case, whole, without stemming or stop words; in scripts without "
    "blanks each character; the gold chunk with the largest share counts"
)
NEAR_QUOTE = 0.8


def shared_words(query: str, golds: Iterable[str]) -> float | None:
    """The share of the query's words that its best gold text holds; None without any word."""
    wanted = words_of(query)
    found = [len(wanted & words_of(gold)) for gold in golds]
    return max(found) / len(wanted) if wanted and found else None


def overlap_of(
    labels: LabelSet, query_ids: Iterable[str], chunks: Iterable[Chunk]
) -> dict[str, Any]:
    """The overlap of these queries with their gold, by class of query."""
    text_by_query = {query.query_id: query.text for query in labels.queries}
    gold_by_query = {query_id: labels.gold(query_id) for query_id in query_ids}
    return overlap_record(
        text_by_query,
        gold_by_query=gold_by_query,
        text_by_chunk={chunk.chunk_id: chunk.text for chunk in chunks},
        group_by_query={query_id: labels.query_class(query_id) for query_id in gold_by_query},
    )


def overlap_record(
    text_by_query: Mapping[str, str],
    *,
    gold_by_query: Mapping[str, Collection[str]],
    text_by_chunk: Mapping[str, str],
    group_by_query: Mapping[str, str],
) -> dict[str, Any]:
    """
    The mean share over all queries and in each group, and how many are near quotations.

    A warning is due on the whole only: a group of three queries proves nothing.
    """
    members: dict[str, list[float]] = {}
    for query_id in sorted(gold_by_query):
        golds = [text_by_chunk[c] for c in gold_by_query[query_id] if c in text_by_chunk]
        share = shared_words(text_by_query[query_id], golds)
        if share is not None:
            members.setdefault(group_by_query[query_id], []).append(share)
    return {
        "method": METHOD,
        "threshold": NEAR_QUOTE,
        "all": _group([share for shares in members.values() for share in shares]),
        "groups": {group: _group(members[group]) for group in sorted(members)},
    }


def _group(shares: Sequence[float]) -> dict[str, Any]:
    return {
        "queries": len(shares),
        "mean_share": fmean(shares) if shares else None,
        "near_quotes": sum(share >= NEAR_QUOTE for share in shares),
    }
