"""
What a carry brings and what it loses, as lines for a person.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from labeler.sets.carry.carry import Carry
from labeler.sets.carry.plan import PART, Carried, Fate, How

_SHOWN = 10
_REASONS = 3
_NAMES: tuple[tuple[How, str], ...] = (
    ("exact", "by equal text"),
    ("overlap", "by overlap"),
    ("ambiguous", "ambiguous"),
    ("lost", "lost"),
)


def carry_text(carry: Carry) -> str:
    """The counts, the rules they follow from, and the queries that lose something."""
    carried = carry.carried
    gold = sum(fate.gold for fate in carried.fates)
    lines = [
        f"{carry.labels.name} ({carry.labels.sha256[:12]}): {len(carried.queries)} queries come "
        f"along with their weights. Of {len(carried.fates)} judged pairs, {gold} of them gold:"
    ]
    for how, name in _NAMES:
        lines.append(f"  {name:<14} {carried.count(how)}, {carried.count(how, gold=True)} gold")
    lines += [*_rules(carry), *_pool(carried), *_losses(carried)]
    return "\n".join(lines)


def carry_record(carry: Carry) -> dict[str, Any]:
    """Everything that `text` tells, for JSON, with the fate of every judged pair."""
    fates = [asdict(fate) for fate in carry.carried.fates]
    return {**carry.as_record(), "to_judge": carry.carried.to_judge, "fates": fates}


def _rules(carry: Carry) -> Iterator[str]:
    if carry.carried.elsewhere:
        yield (
            f"{carry.carried.elsewhere} pairs go by an equal text that stands in another document "
            "only; no grade passes between documents otherwise."
        )
    if carry.had_texts:
        yield (
            "By overlap, within one document: a new chunk is gold if it holds at least "
            f"{carry.least:.0%} of a gold chunk's words in a row, and not relevant if it lies "
            "wholly in text that was judged not relevant."
        )
    else:
        yield (
            "The snapshot that was judged is not at hand, so only equal texts were found. "
            "Name it with --snapshot DIR to find overlaps too."
        )


def _pool(carried: Carried) -> Iterator[str]:
    yield (
        f"The pool has {len(carried.pool):,} pairs, {carried.to_judge:,} of them to be judged: "
        f"unjudged before, ambiguous, or a chunk with {PART:.0%} or more of a lost gold text. "
        "Fill it up with labeler pool."
    )


def _losses(carried: Carried) -> Iterator[str]:
    by_query: dict[str, list[Fate]] = {}
    for fate in carried.fates:
        by_query.setdefault(fate.query_id, []).append(fate)
    losing = {q: f for q, f in by_query.items() if any(fate.is_loss for fate in f)}
    if not losing:
        yield "Nothing is lost."
        return
    text_by_id = {query.query_id: query.text for query in carried.queries}
    yield f"Queries that lose judgements, {len(losing)} of {len(by_query)} judged, most gold first:"
    order = sorted(losing, key=lambda q: (-sum(f.is_loss and f.gold for f in losing[q]), q))
    for query_id in order[:_SHOWN]:
        yield from _query(text_by_id[query_id], losing[query_id])
    if len(order) > _SHOWN:
        yield f"  and {len(order) - _SHOWN} more; --json has all"


def _query(text: str, fates: Sequence[Fate]) -> Iterator[str]:
    counts = ", ".join(f"{sum(fate.how == how for fate in fates)} {name}" for how, name in _NAMES)
    lost = sorted((f for f in fates if f.is_loss), key=lambda f: (not f.gold, f.chunk_id))
    gold = [fate for fate in fates if fate.gold]
    kept = sum(not fate.is_loss for fate in gold)
    yield f"  {text}: {counts}; gold kept {kept} of {len(gold)}"
    for fate in lost[:_REASONS]:
        grade = "no grade" if fate.grade is None else f"grade {fate.grade}"
        yield f"    {fate.chunk_id} ({grade}): {fate.reason}"
