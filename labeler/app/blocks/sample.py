"""
What owners' pages say of logs, of what is private in them, of samples and of the held-out slice.

It turns records into the blocks of a sheet, which shows texts of logs as they are. It draws
nothing, counts nothing and keeps nothing.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import streamlit as st

from evaluator.text.messages import counted, sentence
from labeler.app.frame import session
from labeler.app.frame.components import SheetBlock, facts, notes, numbers, sheet, table
from labeler.freezing.held_out_counts import held_out
from labeler.sampling.designs import REST
from labeler.sampling.draw import Sample
from labeler.sampling.successor import successor_text
from labeler.workspace.sample_design import DesignName, SampleDesign
from labeler.workspace.workspace import Workspace

DESIGN_NAMES: Mapping[DesignName, str] = {
    "proportional": "In proportion to searches, to speak for the traffic",
    "permanent": "The same with permanent numbers, for a sample that will have successors",
    "uniform": "Every distinct query alike, to speak for distinct queries",
    "top": "The most frequent, which stand for nothing but themselves",
}
RULE_NAMES: Mapping[str, str] = {"type": "Type", "length": "Length", "file": "File"}
_PARTS: Mapping[DesignName, tuple[str, str]] = {
    "proportional": ("Head: so frequent that all are taken", "Tail: drawn in proportion"),
    "permanent": ("Head: so frequent that all are taken", "Tail: drawn in proportion"),
    "uniform": ("All taken", "Drawn, each with the same chance"),
    "top": ("Head: the most frequent, all taken", "Tail: left out"),
}
_DONE = {
    "drop": "They were dropped: nobody sees them, and they are not drawn.",
    "mask": "They were masked: people see what is left, such as [e-mail].",
    "keep": "They were kept as they are, and people will see them.",
}
_UNDECIDED = "Nobody has decided what to do. Read the log again with --private drop, mask or keep."
_MOST_STRATA = 40
_CLASSES = {
    "held-out": "All relevant documents held out",
    "tuning": "None held out",
    "mixed": "Some of each",
    "no-gold": "Nothing relevant so far",
}
_COLUMNS = (
    "Queries by where their relevant documents lie",
    "Queries>",
    "Documents a query>",
    "Can detect>",
)


def log_block(logs: Sequence[Mapping[str, Any]]) -> SheetBlock:
    """One row a log file."""
    rows = [
        [
            str(log["file"]),
            f"{log['searches']:,}",
            f"{log['distinct']:,}",
            _day(log.get("first_at")),
            _day(log.get("last_at")),
        ]
        for log in logs
    ]
    columns = ["Log file", "Searches>", "Distinct queries>", "From>", "To>"]
    return table("Query logs", columns, rows)


def private_rows(logs: Sequence[Mapping[str, Any]]) -> list[tuple[str, str, str]]:
    """For each log how much private data was found in it, of which kinds, and what was done."""
    return [_private_row(str(log["file"]), log.get("private")) for log in logs]


def _private_row(file: str, found: Mapping[str, Any] | None) -> tuple[str, str, str]:
    if not found:
        return "care", f"{file}: nobody looked for private data.", "Read the log again."
    if not found["queries"]:
        return "good", f"{file}: no private data found.", f"Looked for {_looked_for(found)}."
    kinds = ", ".join(
        f"{kind} in {each['queries']:,} ({counted(each['searches'], 'search', many='searches')})"
        for kind, each in found["kinds"].items()
    )
    text = (
        f"{file}: {counted(found['queries'], 'query', many='queries')} held private data, "
        f"asked in {counted(found['searches'], 'search', many='searches')}."
    )
    done = _DONE.get(found["choice"], _UNDECIDED)
    return (
        "good" if found["choice"] in ("drop", "mask") else "care",
        text,
        f"{sentence(kinds)}. {done}",
    )


def _looked_for(found: Mapping[str, Any]) -> str:
    """The kinds by name; the rules at length are in the record that is frozen."""
    kinds = [rule.partition(":")[0] for rule in str(found["rules"]).split("; ")]
    if found["identifiers"]:
        own = len(found["identifiers"])
        kinds.append(f"{own} pattern{'s' if own > 1 else ''} of your own")
    return ", ".join(kinds)


def worth_blocks(design: SampleDesign) -> tuple[SheetBlock, ...]:
    """The shares that a sample covers, what it is worth, and what it cannot say."""
    return numbers(*_shares(design)), facts(("Cannot say", f"{design.cannot_say}."))


def kept_blocks(design: SampleDesign) -> tuple[SheetBlock, ...]:
    """The design of the sample that the workspace holds."""
    name = DESIGN_NAMES.get(design.design, "")
    rows = [("Design", name), ("Size and seed", f"{design.size:,} and {design.seed}")]
    if design.by:
        named = [RULE_NAMES.get(rule, rule.replace(":", " ", 1)) for rule in design.by]
        rows.append(("Shared out by", ", ".join(named)))
    if design.cannot_say:
        rows.append(("Cannot say", f"{design.cannot_say}."))
    if design.refresh:
        rows.append(("Successor", successor_text(design)))
    return numbers(*_shares(design)), facts(*rows)


def _shares(design: SampleDesign) -> Iterator[tuple[str, str]]:
    drawn, size = design.drawn, design.size
    yield "queries drawn", f"{drawn:,}" if drawn == size else f"{drawn:,} for {size:,}"
    yield "of all searches are for them", f"{design.share_of_traffic:.1%}"
    yield f"of {design.population:,} distinct queries", f"{drawn / design.population:.1%}"
    effective = design.effective_queries
    yield "queries of equal weight (Kish)", "none" if effective is None else f"{effective:,.0f}"


def cover_blocks(sample: Sample) -> Iterator[SheetBlock]:
    """Head and tail, each stratum, the most frequent queries, and how it was made."""
    columns = ["Part of the log", "Queries>", "Drawn>", "Searches>", "For the drawn>"]
    yield table("Head and tail", columns, _part_rows(sample.design))
    yield from _strata_blocks(sample.design)
    columns = ["Most frequent queries drawn", "Searches>", "Chance to be drawn>"]
    most = sorted(sample.queries, key=lambda query: (-(query.log_count or 0), query.text))[:10]
    chances = [query.inclusion_probability for query in most]
    rows = [
        # A query of a design without chance has none, which is not the same as 1.
        [query.text, f"{query.log_count:,}", "none" if chance is None else f"{chance:.3f}"]
        for query, chance in zip(most, chances, strict=True)
    ]
    yield table("Most frequent queries drawn", columns, rows)
    yield notes(*_notes(sample.design))


def _part_rows(design: SampleDesign) -> Iterator[list[str]]:
    """Head, which was taken whatever happened, and tail, the rest."""
    import pandas as pd

    is_tail = [name.rpartition(": ")[2] == REST for name in design.strata]
    parts = pd.DataFrame(list(design.strata.values())).groupby(is_tail).sum()
    left = sum(each.drawn_searches for each in design.allocation.values())
    for tail, queries, searches, drawn in parts.itertuples():
        for_drawn = left if tail else searches
        left -= for_drawn
        if queries:
            name = _PARTS[design.design][tail]
            yield [name, f"{queries:,}", f"{drawn:,}", f"{searches:,}", _of(for_drawn, searches)]


def _of(drawn: int, searches: int) -> str:
    return f"{drawn:,} ({drawn / searches:.0%})" if searches else f"{drawn:,}"


def _strata_blocks(design: SampleDesign) -> Iterator[SheetBlock]:
    """The strata with the most searches; nothing where the log was not cut."""
    strata = {name: each for name, each in design.allocation.items() if name}
    if not strata:
        return
    largest = sorted(strata, key=lambda name: -strata[name].searches)[:_MOST_STRATA]
    rows = [
        [
            name,
            f"{strata[name].population:,}",
            f"{strata[name].searches / design.searches:.1%}",
            f"{strata[name].target:,}",
            f"{strata[name].drawn:,}",
            _of(strata[name].drawn_searches, strata[name].searches),
        ]
        for name in largest
    ]
    columns = ["Stratum", "Queries>", "Of searches>", "Target>", "Drawn>", "For the drawn>"]
    yield table("Strata", columns, rows)
    if len(strata) > len(largest):
        yield notes(f"{len(strata) - len(largest):,} smaller strata are not shown.")


def _notes(design: SampleDesign) -> Iterator[str]:
    method = design.method
    yield f"{sentence(method)}."
    if design.effective_queries is None:
        yield "Without chances there are no weights, so it is worth nothing for the traffic."
    else:
        yield (
            "Effective queries: how many of equal weight it is worth, for what can be said about "
            "such traffic in general (Kish)."
        )
    yield from (f"Shared out by {rule}." for rule in design.rules)
    yield from design.notes


def _day(moment: object) -> str:
    return str(moment)[:10] if moment else "not stated"


def slice_of(workspace: Workspace) -> dict[str, Any]:
    """The slice by itself."""
    return session.kept("held-out", workspace, held_out)


def show_slice(held: Mapping[str, Any]) -> None:
    """The slice under its heading."""
    st.header("Held-out documents", anchor=False)
    st.caption(
        "Documents kept away from all tuning, by a rule on their id. A query's class follows from "
        "the documents of its relevant chunks, so these numbers move while people judge."
    )
    sheet(
        numbers(
            ("documents held out", f"{held['documents']:,} of {held['of_documents']:,}"),
            ("chunks held out", f"{held['chunks']:,} of {held['of_chunks']:,}"),
        ),
        facts(("Rule", _rule(held))),
        table("Queries by class", _COLUMNS, [_row(held, name) for name in _CLASSES]),
        notes(
            "Can detect: the smallest difference between two arms, in the share of queries with "
            "a relevant chunk among the first k, that shows in 4 of 5 experiments if "
            f"{held['flip_share']:.0%} of the queries change (exact McNemar, 5%)."
        ),
        key="held-out",
    )


def _row(held: Mapping[str, Any], name: str) -> list[str]:
    documents, detects = held["gold_documents"].get(name), held["detects"].get(name)
    too_few = "too few" if name in held["detects"] else "–"
    return [
        _CLASSES[name],
        f"{held['classes'][name]:,}",
        "–" if documents is None else f"{documents:.1f}",
        too_few if detects is None else f"{detects:.3f}",
    ]


def _rule(held: Mapping[str, Any]) -> str:
    buckets = ", ".join(map(str, held["held_out"]))
    which = f"bucket {buckets} of {held['buckets']}" if buckets else "no bucket"
    return f"{which}, by a hash of the salt {held['salt']} and the document's id"
