"""
What the labels leave open, in figures: unjudged chunks, assessors, clusters, near quotations.

Each line says what it holds and what it does not. None of them is a verdict; the contrast's
own test stays what it is.
"""

from collections.abc import Iterator

from evaluator.contrasts.model import Contrast, Doubts
from evaluator.record.facts import in_order, level_word, primary_figures
from evaluator.record.model import Record
from evaluator.report.document import (
    Block,
    Command,
    Data,
    Items,
    Table,
    paragraph,
    prose,
    row,
    say,
)
from evaluator.text import figures as words
from evaluator.text.messages import counted

NOT_RECORDED = (
    "Negatives are not recorded: nobody can tell what was judged and found wanting from what was "
    "never judged, so there is no range of the difference."
)
_OPTIMISTIC = (
    "Quote the difference, not a level: only chunks that somebody judged can be gold, and a pool "
    "flatters the system that filled it."
)
_NOT_QUOTABLE = (
    "No level is quotable: the chunk set is a sample, and fewer distractors flatter every arm. "
    "The difference may be narrower or wider than on the whole."
)


def doubt_blocks(record: Record, contrast: Contrast) -> Iterator[Block]:
    """What could change the verdict: unjudged chunks, each assessor, clusters, near quotations."""
    if contrast.doubts.reason:
        yield paragraph(NOT_RECORDED)
    else:
        yield from _unjudged(contrast.doubts, contrast.primary.measure)
    yield from _condensed(contrast)
    yield paragraph(_NOT_QUOTABLE if level_word(record) == "not quotable" else _OPTIMISTIC)
    yield from _clusters(contrast)
    yield from _assessors(contrast)
    yield from _shared_documents(contrast)
    yield from _near_quotes(record)
    yield from _precision(contrast)
    if contrast.notices:
        yield Items(tuple(say(prose(notice)) for notice in contrast.notices))


def _precision(contrast: Contrast) -> Iterator[Block]:
    """Which hits of vectors in bf16 are none in fp32, or the other way round."""
    found = contrast.precision
    if found is None:
        return
    many = len(found.differ)
    yield paragraph(
        f"All vectors are in {found.precision}. Of {counted(found.n, 'query', many='queries')} "
        f"with gold, asked again of both arms in fp32, {counted(many, 'hit')} at {found.k} by "
        f"exact search {'differs' if many == 1 else 'differ'}{':' if many else '.'}"
    )
    if many:
        made = {True: f"hit in {found.precision} alone", False: "hit in fp32 alone"}
        lines = (
            say(
                Data(each.query_id or "a held-out query"),
                " with ",
                Data(each.arm),
                f": {made[each.hit]}",
            )
            for each in found.differ
        )
        yield Items(tuple(lines))


def _condensed(contrast: Contrast) -> Iterator[Block]:
    """Both arms over judged chunks alone, where one of them has much more that nobody judged."""
    if not contrast.condensed:
        return
    yield paragraph(
        "The arms differ by more than five points in what was judged. Over judged chunks alone, "
        "with every other chunk left out of the lists:"
    )
    rows = []
    for name, one in contrast.condensed.items():
        levels = words.rate(one.baseline), words.rate(one.treatment), words.signed(one.difference)
        rows.append(row(name, *levels, words.interval(one.interval), words.p_value(one.p)))
    arms = Data(contrast.baseline), Data(contrast.treatment)
    yield Table(row("measure", *arms, "difference", "95% interval", "p"), tuple(rows))


def range_blocks(contrast: Contrast) -> Iterator[Block]:
    """The range of every measure over all ways to judge what nobody judged."""
    doubts, primary = contrast.doubts, contrast.primary.measure
    if doubts.reason:
        return
    rows = []
    for name in in_order(doubts.ranges, primary=primary):
        one = doubts.ranges[name]
        least, most = map(words.signed, one.interval) if one.interval else ("", "")
        rows.append(
            row(
                f"{name} (primary)" if name == primary else name,
                one.method or "not worked out for this measure",
                words.signed(contrast.measures[name].difference),
                least,
                most,
            )
        )
    yield Table(
        row("measure", "range", "difference", "least", "most"),
        tuple(rows),
        say(
            "Over all ways to judge what nobody judged among the chunks of either arm that a "
            "measure looks at, each chunk with one value in both arms. Exact: both ends can be "
            "reached. Outer bound: no assignment lies outside, and none may reach the ends. "
            f"{doubts.not_covered}"
        ),
        text_columns=2,
        wide=True,
    )


def overlap_blocks(record: Record) -> Iterator[Block]:
    """How many of its words a query shares with its gold, class by class."""
    found = record.overlap
    if found is None or found.all.mean_share is None:
        return
    threshold = found.threshold
    yield Table(
        row("class", "queries", "mean share", f"at {threshold:g} or more"),
        tuple(
            row(
                name,
                words.count(one.queries),
                words.share(one.mean_share),
                words.count(one.near_quotes),
            )
            for name, one in (*found.groups.items(), ("all", found.all))
        ),
        say(f"The {found.method}."),
        wide=True,
    )


def _near_quotes(record: Record) -> Iterator[Block]:
    found = record.overlap
    share = found.all.mean_share if found else None
    if found and share is not None and share >= found.threshold:
        yield paragraph(
            f"A query shares {words.share(share)} of its words with its gold in the mean. From "
            f"{found.threshold:.0%} on queries are near quotations, which any arm finds. Such a "
            "set forgives everything; a difference on it says little of real searches."
        )


def _unjudged(doubts: Doubts, primary: str) -> Iterator[Block]:
    """How far unjudged chunks could move the primary difference, and what would undo it."""
    one, sign, pairs = doubts.primary_range, doubts.sign, doubts.unjudged_pairs or 0
    if not pairs:
        yield paragraph(f"Every chunk in the first {doubts.k} of both arms was judged.")
    if one is None or one.interval is None:
        return
    bound = "" if one.method == "exact" else "at most "
    over_all = ""
    if one.over_all != one.interval:
        over_all = f"; over all queries, also those without gold, {words.interval(one.over_all)}"
    yield paragraph(
        f"Nobody judged {counted(pairs, 'pair')} of query and chunk in the first {doubts.k} of "
        f"either arm. Judging them could make the difference in {primary}"
        f"{' per search' * bool(doubts.per_search)} anything {bound}from "
        f"{words.signed(one.interval[0])} to {words.signed(one.interval[1])}{over_all}. That is "
        "the doubt from the labels alone; chance comes on top."
    )
    if sign is None or sign.method is None or sign.chunks == 0:
        return
    if sign.chunks is None:
        yield paragraph("No way to judge them takes the difference to 0 or beyond.")
        return
    queries = counted(len(sign.by_query), "query", many="queries")
    yield paragraph(
        f"If {counted(sign.chunks, 'pair')} of them, in {queries}, turned out relevant, the "
        "difference would be 0 or beyond; no shorter list does that. They can be judged "
        "blindly for the next label set: ",
        Command("evaluator unjudged RESULTS -o FILE"),
        ".",
    )


def _clusters(contrast: Contrast) -> Iterator[Block]:
    """A sentence where queries come in groups of paraphrases, with what it changes."""
    found = primary_figures(contrast)
    apart = found.ignoring_clusters
    if apart:
        yield paragraph(
            f"Paraphrases of one need count as one: {found.n:,} queries in {found.clusters:,} "
            f"clusters, the largest with {words.share(found.largest_share)} of them. With "
            f"every query by itself: p {words.equals(words.p_value(apart.p))}, "
            f"{words.named_interval(apart.interval)}."
        )


def _assessors(contrast: Contrast) -> Iterator[Block]:
    if not (found := contrast.assessors):
        return
    k = contrast.primary.k
    columns = ("assessor", "judged", "with gold", "difference", "95% interval", "p")
    yield Table(
        row(*columns, f"won at {k}", f"lost at {k}"),
        tuple(
            row(
                Data(one.assessor),
                *map(words.count, (one.queries, one.with_gold)),
                words.signed(one.measure.difference) if one.measure else "no gold",
                words.interval(one.measure and one.measure.interval),
                words.p_value(one.measure.p) if one.measure else "",
                *(map(words.count, (one.cells.won, one.cells.lost)) if one.cells else ("", "")),
            )
            for one in found
        ),
        say(
            f"{contrast.primary.measure} by each assessor's own labels, on the queries that he or "
            "she judged, before any adjudication; every query counts once."
        ),
        wide=True,
    )


def _shared_documents(contrast: Contrast) -> Iterator[Block]:
    if not (found := contrast.shared_documents):
        return
    interval = words.named_interval(found.interval) if found.interval else found.interval_method
    yield paragraph(
        "Sensitivity, no verdict: with queries that share a gold document as one, "
        f"{found.n:,} queries are {found.clusters:,} clusters (the largest with "
        f"{words.share(found.largest_share)} of them), p "
        f"{words.equals(words.p_value(found.p))}, {interval}."
    )
