"""
What the labels leave open, in figures: unjudged chunks, assessors, clusters, near quotations.

Each line says what it holds and what it does not. None of them is a verdict; the contrast's
own test stays what it is.
"""

from collections.abc import Iterator, Mapping

from evaluator.contrasts.model import AssessorFigures, CellFigures, Contrast, Doubts
from evaluator.record.facts import cells_at, in_order, primary_figures
from evaluator.record.model import Record
from evaluator.report.document import Block, Command, Data, Sentence, Table, paragraph, row, say
from evaluator.text import figures as words
from evaluator.text.messages import counted, sentence

NOT_RECORDED = (
    "Negatives are not recorded: nobody can tell what was judged and found wanting from what was "
    "never judged, so there is no range of the difference."
)
_LESS_THAN_SHOWN = 0.0005


def doubt_blocks(contrast: Contrast) -> Iterator[Block]:
    """The range over unjudged chunks, what would undo it, and each assessor's verdict."""
    if contrast.doubts.reason:
        yield paragraph(NOT_RECORDED)
    else:
        yield from _ranges(contrast, contrast.doubts)
        yield from _sign(contrast.doubts)
    yield from _assessors(contrast)
    yield from _shared_documents(contrast)


def first_doubts(contrast: Contrast) -> Iterator[Sentence]:
    """For the first screen: clusters, the range of the difference, and sources that lose."""
    yield from clusters(contrast)
    yield from _first_range(contrast.doubts)
    yield from losing_groups(contrast, {"source": contrast.by_source})


def clusters(contrast: Contrast) -> Iterator[Sentence]:
    """A sentence where queries come in groups of paraphrases, with what it changes."""
    found = primary_figures(contrast)
    apart = found.ignoring_clusters
    if not apart:
        return
    reason = "" if found.interval else f" {sentence(found.interval_method)}."
    yield say(
        f"Paraphrases of one need count as one: {found.n:,} queries in {found.clusters:,} "
        f"clusters, the largest with {words.share(found.largest_share)} of them.{reason} With "
        f"every query by itself: p {words.equals(words.p_value(apart.p))}, "
        f"{words.named_interval(apart.interval)}."
    )


def losing_groups(
    contrast: Contrast, by_kind: Mapping[str, Mapping[str, CellFigures] | None]
) -> Iterator[Sentence]:
    """The groups that lose hits while all queries together gain some."""
    total = cells_at(contrast, contrast.primary.k)
    if total is None or total.difference <= 0:
        return
    for kind, groups in by_kind.items():
        for name, one in (groups or {}).items():
            if one.difference >= 0:
                continue
            chance = "" if one.interval[1] < 0 else ", an interval that includes 0"
            yield say(
                f"A loss under a gain in total, {kind} ",
                Data(name),
                f": {one.won:,} won and {one.lost:,} lost of {one.n:,} queries, "
                f"{words.signed(one.difference)} ({words.interval(one.interval)}{chance}).",
            )


def overlap_blocks(record: Record) -> Iterator[Block]:
    """How many of its words a query shares with its gold, class by class."""
    found = record.overlap
    if found is None or found.all.mean_share is None:
        return
    share, threshold = found.all.mean_share, found.threshold
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
    if share >= threshold:
        yield paragraph(
            f"The mean over all queries is {words.share(share)}, and from "
            f"{threshold:.0%} on they are near quotations of their gold, which any arm finds. "
            "Such a set forgives everything; a difference on it says little of real searches."
        )


def _ranges(contrast: Contrast, doubts: Doubts) -> Iterator[Block]:
    primary, pairs, k = contrast.primary.measure, doubts.unjudged_pairs, doubts.k
    if not pairs:
        yield paragraph(f"Every chunk in the first {k} of both arms was judged.")
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
            f"measure looks at ({pairs:,} pairs of query and chunk in the first {k}), each chunk "
            "with one value in both arms. Exact: both ends can be reached. Outer bound: no "
            f"assignment lies outside, and none may reach the ends. {doubts.not_covered}"
        ),
        text_columns=2,
        wide=True,
    )
    yield from _over_all(doubts, primary)


def _over_all(doubts: Doubts, primary: str) -> Iterator[Block]:
    one = doubts.primary_range
    if one is None or one.interval is None:
        return
    if doubts.per_search:
        yield paragraph(f"Per search the range of {primary} is {words.interval(one.interval)}.")
    if one.over_all != one.interval:
        yield paragraph(
            f"Over all queries, where one without gold may turn out to have some, the range "
            f"of {primary} is {words.interval(one.over_all)}."
        )


def _sign(doubts: Doubts) -> Iterator[Block]:
    sign = doubts.sign
    if sign is None or sign.method is None or sign.chunks == 0:
        return
    if sign.chunks is None:
        yield paragraph("No way to judge these chunks takes the difference to 0 or beyond.")
        return
    queries = counted(len(sign.by_query), "query", many="queries")
    yield paragraph(
        f"{sign.chunks:,} of these pairs, in {queries}, would take it to 0 "
        "or beyond if all of them were relevant; no shorter list does. They can be judged "
        "blindly for the next label set: ",
        Command("evaluator unjudged RESULTS -o FILE"),
        ".",
    )


def _first_range(doubts: Doubts) -> Iterator[Sentence]:
    one, sign = doubts.primary_range, doubts.sign
    if one is None or one.interval is None or sign is None:
        return
    low, high = one.interval
    if high - low < _LESS_THAN_SHOWN:
        return
    bound = "" if one.method == "exact" else " at most"
    chunks = sign.chunks
    such = "1 such chunk" if chunks == 1 else f"{chunks or 0:,} such chunks"
    turn = f"; {such}, if relevant, would take it to 0 or beyond" if chunks else ""
    yield say(
        f"What nobody judged in the first {doubts.k} of either arm could make the difference"
        f"{' per search' * bool(doubts.per_search)}{bound} anything from {words.signed(low)} to "
        f"{words.signed(high)}{turn}."
    )


def _assessors(contrast: Contrast) -> Iterator[Block]:
    if not (found := contrast.assessors):
        return
    k = contrast.primary.k
    columns = ("assessor", "judged", "with gold", "difference", "95% interval", "p")
    yield Table(
        row(*columns, f"won at {k}", f"lost at {k}"),
        tuple(_assessor(one) for one in found),
        say(
            f"{contrast.primary.measure} by each assessor's own labels, on the queries that he or "
            "she judged, before any adjudication; every query counts once."
        ),
        wide=True,
    )


def _assessor(one: AssessorFigures) -> tuple[Sentence, ...]:
    values, cells = one.measure, one.cells
    return row(
        Data(one.assessor),
        *map(words.count, (one.queries, one.with_gold)),
        words.signed(values.difference) if values else "no gold",
        words.interval(values and values.interval),
        words.p_value(values.p) if values else "",
        *(map(words.count, (cells.won, cells.lost)) if cells else ("", "")),
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
