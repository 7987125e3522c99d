"""
What the labels leave open, in figures: unjudged chunks, assessors, clusters, near quotations.

Each line says what it holds and what it does not. None of them is a verdict; the contrast's
own test stays what it is.
"""

from collections.abc import Iterator, Sequence

from evaluator.record.facts import Record, cells_at, in_order, measured, primary_of
from evaluator.report.document import (
    Block,
    Command,
    Data,
    Sentence,
    Table,
    paragraph,
    row,
    say,
)
from evaluator.text import figures as words
from evaluator.text.messages import counted, sentence

NOT_RECORDED = (
    "Negatives are not recorded: nobody can tell what was judged and found wanting from what was "
    "never judged, so there is no range of the difference."
)
_ALONE_PER_SEARCH = (
    " The estimate per search takes every query by itself, so its intervals are narrower than "
    "they should be."
)
_LESS_THAN_SHOWN = 0.0005


def doubt_blocks(contrast: Record) -> Iterator[Block]:
    """The range over unjudged chunks, what would undo it, and each assessor's verdict."""
    doubts = contrast.get("doubts") or {}
    if doubts.get("reason"):
        yield paragraph(NOT_RECORDED)
    elif doubts:
        yield from _ranges(contrast, doubts)
        yield from _sign(doubts)
    yield from _assessors(contrast)
    yield from _shared_documents(contrast)


def first_doubts(contrast: Record) -> Iterator[Sentence]:
    """For the first screen: clusters, the range of the difference, and sources that lose."""
    yield from clusters(contrast)
    yield from _first_range(contrast.get("doubts") or {})
    yield from losing_groups(contrast, ("by_source",))


def clusters(contrast: Record) -> Iterator[Sentence]:
    """A sentence where queries come in groups of paraphrases, with what it changes."""
    found = measured(contrast, primary_of(contrast)[0])
    apart = found.get("ignoring_clusters")
    if not apart:
        return
    weighed = (contrast.get("traffic") or {}).get("difference") is not None
    reason = "" if found.get("interval") else f" {sentence(str(found['interval_method']))}."
    yield say(
        f"Paraphrases of one need count as one: {found['n']:,} queries in {found['clusters']:,} "
        f"clusters, the largest with {words.share(found['largest_share'])} of them.{reason} With "
        f"every query by itself: p {words.equals(words.p_value(apart['p']))}, "
        f"{words.named_interval(apart['interval'])}.{_ALONE_PER_SEARCH * weighed}"
    )


def losing_groups(
    contrast: Record, keys: Sequence[str] = ("by_source", "by_stratum", "by_class")
) -> Iterator[Sentence]:
    """The groups that lose hits while all queries together gain some."""
    total = cells_at(contrast, primary_of(contrast)[1])
    if total is None or total.difference <= 0:
        return
    for key in keys:
        groups, name = contrast.get(key) or {}, key.removeprefix("by_")
        losing = [group for group, one in groups.items() if (one.get("difference") or 0.0) < 0]
        for group in losing:
            one = groups[group]
            interval = one.get("interval")
            chance = "" if interval and interval[1] < 0 else ", an interval that includes 0"
            yield say(
                f"A loss under a gain in total, {name} ",
                Data(group),
                f": {one['won']:,} won and {one['lost']:,} lost of {one['n']:,} queries, "
                f"{words.signed(one['difference'])} ({words.interval(interval)}{chance}).",
            )


def overlap_blocks(record: Record) -> Iterator[Block]:
    """How many of its words a query shares with its gold, class by class."""
    found = record.get("overlap") or {}
    whole = found.get("all") or {}
    if whole.get("mean_share") is None:
        return
    rows = [*found["groups"].items(), ("all", whole)]
    threshold = found["threshold"]
    yield Table(
        row("class", "queries", "mean share", f"at {threshold:g} or more"),
        tuple(
            row(
                name,
                words.count(one["queries"]),
                words.share(one["mean_share"]),
                words.count(one["near_quotes"]),
            )
            for name, one in rows
        ),
        say(f"The {found['method']}."),
        wide=True,
    )
    if whole["mean_share"] >= threshold:
        yield paragraph(
            f"The mean over all queries is {words.share(whole['mean_share'])}, and from "
            f"{threshold:.0%} on they are near quotations of their gold, which any arm finds. "
            "Such a set forgives everything; a difference on it says little of real searches."
        )


def _ranges(contrast: Record, doubts: Record) -> Iterator[Block]:
    primary, _ = primary_of(contrast)
    pairs, k = doubts["unjudged_pairs"], doubts["k"]
    if not pairs:
        yield paragraph(f"Every chunk in the first {k} of both arms was judged.")
    ranges = doubts.get("ranges") or {}
    rows = []
    for name in in_order(ranges, primary=primary):
        one = ranges[name]
        low, high = one["interval"] or (None, None)
        rows.append(
            row(
                f"{name} (primary)" if name == primary else name,
                str(one["method"] or "not worked out for this measure"),
                words.signed(measured(contrast, name).get("difference")),
                words.signed(low) if low is not None else "",
                words.signed(high) if high is not None else "",
            )
        )
    yield Table(
        row("measure", "range", "difference", "least", "most"),
        tuple(rows),
        say(
            "Over all ways to judge what nobody judged among the chunks of either arm that a "
            f"measure looks at ({pairs:,} pairs of query and chunk in the first {k}), each chunk "
            "with one value in both arms. Exact: both ends can be reached. Outer bound: no "
            f"assignment lies outside, and none may reach the ends. {doubts['not_covered']}"
        ),
        text_columns=2,
        wide=True,
    )
    yield from _over_all(doubts, primary)


def _over_all(doubts: Record, primary: str) -> Iterator[Block]:
    one = doubts["primary_range"]
    if not one["interval"]:
        return
    if doubts["per_search"]:
        yield paragraph(f"Per search the range of {primary} is {words.interval(one['interval'])}.")
    if one["over_all"] != one["interval"]:
        yield paragraph(
            f"Over all queries, where one without gold may turn out to have some, the range "
            f"of {primary} is {words.interval(one['over_all'])}."
        )


def _sign(doubts: Record) -> Iterator[Block]:
    sign = doubts["sign"]
    chunks = sign["chunks"]
    if sign["method"] is None or chunks == 0:
        return
    if chunks is None:
        yield paragraph("No way to judge these chunks takes the difference to 0 or beyond.")
        return
    queries = counted(len(sign["by_query"]), "query", many="queries")
    yield paragraph(
        f"{chunks:,} of these pairs, in {queries}, would take it to 0 "
        "or beyond if all of them were relevant; no shorter list does. They can be judged "
        "blindly for the next label set: ",
        Command("evaluator unjudged RESULTS -o FILE"),
        ".",
    )


def _first_range(doubts: Record) -> Iterator[Sentence]:
    one = doubts.get("primary_range") or {}
    if not one.get("interval"):
        return
    low, high = one["interval"]
    if high - low < _LESS_THAN_SHOWN:
        return
    bound = "" if one["method"] == "exact" else " at most"
    chunks = doubts["sign"]["chunks"]
    such = "1 such chunk" if chunks == 1 else f"{chunks or 0:,} such chunks"
    turn = f"; {such}, if relevant, would take it to 0 or beyond" if chunks else ""
    yield say(
        f"What nobody judged in the first {doubts['k']} of either arm could make the difference"
        f"{' per search' * doubts['per_search']}{bound} anything from {words.signed(low)} to "
        f"{words.signed(high)}{turn}."
    )


def _assessors(contrast: Record) -> Iterator[Block]:
    found = contrast.get("assessors") or []
    if not found:
        return
    _, k = primary_of(contrast)
    columns = ("assessor", "judged", "with gold", "difference", "95% interval", "p")
    yield Table(
        row(*columns, f"won at {k}", f"lost at {k}"),
        tuple(_assessor(one) for one in found),
        say(
            f"{primary_of(contrast)[0]} by each assessor's own labels, on the queries that he or "
            "she judged, before any adjudication; every query counts once."
        ),
        wide=True,
    )


def _assessor(one: Record) -> tuple[Sentence, ...]:
    values, cells = one.get("measure") or {}, one.get("cells") or {}
    return row(
        Data(one["assessor"]),
        words.count(one["queries"]),
        words.count(one["with_gold"]),
        words.signed(values["difference"]) if values else "no gold",
        words.interval(values.get("interval")),
        words.p_value(values["p"]) if values else "",
        words.count(cells["won"]) if cells else "",
        words.count(cells["lost"]) if cells else "",
    )


def _shared_documents(contrast: Record) -> Iterator[Block]:
    found = contrast.get("shared_documents")
    if not found:
        return
    interval = found["interval_method"]
    if found["interval"]:
        interval = words.named_interval(found["interval"])
    yield paragraph(
        "Sensitivity, no verdict: with queries that share a gold document as one, "
        f"{found['n']:,} queries are {found['clusters']:,} clusters (the largest with "
        f"{words.share(found['largest_share'])} of them), p "
        f"{words.equals(words.p_value(found['p']))}, {interval}."
    )
