"""
What has to stand beside a difference before anybody can judge it, and does not.
"""

import re
from collections.abc import Iterator

from evaluator.checks.audit.figures import Figures
from evaluator.checks.audit.finding import Finding, absent, broken, doubt

_HELD_STILL = ("chunks", "model", "filters", "index", "queries")
# Any one key of the first part answers the question of the second.
_QUESTIONS: tuple[tuple[tuple[str, ...], str], ...] = (
    (("changed",), "changed: what differs between the two arms, and is it one thing?"),
    (("n",), "n: over how many queries?"),
    (
        ("n_gold",),
        "n_gold: how many of the queries have a relevant chunk at all, and do the others count "
        "as misses?",
    ),
    (("queries_from",), "queries_from: real searches, or written by somebody who knew the change?"),
    (("k", "k_before"), "k: which cutoff, and was it chosen before?"),
    (
        ("both",),
        "both, won, lost: the paired counts. Two rates do not say how many queries got worse",
    ),
    (("p",), "p and test: could the split be chance?"),
    (("interval",), "interval: how large, how small may the difference be?"),
    (
        ("before_2k",),
        "before_2k: what would a larger k alone have given? The index for it exists already",
    ),
    (("labels",), "labels: which label set, under which digest?"),
    (
        ("labels_frozen_at",),
        "labels_frozen_at: when were the labels last written? After the work had begun they are "
        "not usable",
    ),
    (("work_begun_at",), "work_begun_at: when did the work on the change begin?"),
    (("split",), "split: were the documents of these queries open to tuning?"),
    (("index",), "index: exact or hnsw, and with which parameters? Its error need not cancel"),
    (("judged_after",), "judged_before, judged_after: how much of the first k did anybody judge?"),
    (("chunks_after",), "chunks_before, chunks_after: is it one chunk set?"),
    (
        ("truncated_after",),
        "truncated_before, truncated_after: does the model read the whole text?",
    ),
    (
        ("header_tokens_per_query",),
        "header_tokens_per_query: the cost that recurs with every query",
    ),
    (("index_growth",), "index_growth: bytes on disk"),
    (("encode_factor", "encode_hours"), "encode_factor: what does encoding everything again cost?"),
    (("latency_ms_after",), "latency_ms_before, latency_ms_after: what does a query take?"),
)


def missing(figures: Figures) -> Iterator[Finding]:
    """Every question that the figures leave open, in the order in which to ask."""
    yield from _which_recall(figures)
    for keys, question in _QUESTIONS:
        if not any(figures.has(key) for key in keys):
            yield absent(question)
    held = figures.lists.get("held_still", ())
    open_ = [thing for thing in _HELD_STILL if thing not in held]
    if open_:
        yield absent(f"held_still: were {', '.join(open_)} the same in both arms?")
    if figures.has("n", "n_gold") and figures.counts["n_gold"] > figures.counts["n"]:
        yield broken("more queries have gold than there are queries")
    if figures.has("judged_before", "judged_after"):
        before, after = figures.number("judged_before"), figures.number("judged_after")
        if not before.fits(after.value, slack=after.slack + 0.02):
            yield doubt(
                f"{before.value:.0%} of the first k was judged before and {after.value:.0%} after; "
                "what nobody judged counts as a miss, so the figures favour one arm"
            )


def _which_recall(figures: Figures) -> Iterator[Finding]:
    measure = figures.texts.get("measure", "")
    if not measure:
        yield absent("measure: which one? Success@k and R@k are both called recall")
    elif re.match(r"recall\b", measure, re.IGNORECASE):
        yield absent(
            f"measure: {measure!r} names two measures. Is it the share of queries with any gold "
            "in the first k (Success@k), or the mean share of a query's gold (R@k)? Four cells and "
            "McNemar's test belong to the first only"
        )
