"""
The differences of two label sets as lines for a person.

Lists are cut after the first few, with a count; the JSON has all of them.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from labeler.sets.differences import Changed, Differences, Regraded, SetFacts

_SHOWN = 8
_WIDTH = 60
_RELATIONS = {
    "same set": "This is the same label set twice.",
    "names it": "The new set supersedes the old one: its manifest holds the old digest.",
    "names another set": "The new set supersedes a third one, not the old one.",
    "names none": "The new set does not say that it supersedes any.",
    "is superseded by the first": "The old set supersedes the new one. Give them the other way.",
}
_WHOLE = ("text", "need", "skip_reason")  # fields of a query that are shown old and new


def differences_text(found: Differences) -> str:
    """What changed from the old set to the new one, a line each, the counts first."""
    lines = [_set("old", found.old), _set("new", found.new), _RELATIONS[found.supersedes]]
    if found.supersedes == "same set":
        return "\n".join(lines)
    for part in (_settings, _queries, _pairs, _grades, _judgements, _gold):
        lines += ["", *part(found)]
    return "\n".join(lines)


def _set(which: str, facts: SetFacts) -> str:
    return (
        f"{which}  {facts.name} version {facts.version}, frozen {facts.frozen_at[:10]}, "
        f"{facts.sha256[:12]}: {facts.queries:,} queries, {facts.pairs:,} pairs, "
        f"{facts.graded:,} graded"
    )


def _settings(found: Differences) -> Iterator[str]:
    if not found.settings:
        yield "Settings: scale, gold, rule, held-out rule, snapshot and sample are the same."
        return
    yield f"Settings: {len(found.settings)} changed"
    for each in found.settings:
        if isinstance(each.old, Mapping) and isinstance(each.new, Mapping):
            old, new = (dict(_leaves(each.name, side)) for side in (each.old, each.new))
            yield from _listed(
                [
                    f"  {name}: {_short(old.get(name))} -> {_short(new.get(name))}"
                    for name in sorted(old.keys() | new.keys())
                    if old.get(name) != new.get(name)
                ]
            )
        else:
            yield f"  {each.name}: {_setting(each.old)} -> {_setting(each.new)}"


def _queries(found: Differences) -> Iterator[str]:
    both = found.old.queries - len(found.queries_out)
    yield (
        f"Queries: {both} in both sets, {len(found.queries_in)} in, {len(found.queries_out)} out"
    )
    yield from _listed([f"  in   {query.text}" for query in found.queries_in])
    yield from _listed([f"  out  {query.text}" for query in found.queries_out])
    by_field: dict[str, list[Changed]] = {}
    for each in found.query_fields:
        by_field.setdefault(each.name, []).append(each)
    for field, changes in by_field.items():
        yield f"  {field} changed: {len(changes)}"
        if field in _WHOLE:
            shown = [f"    {c.query_id}: {_short(c.old)} -> {_short(c.new)}" for c in changes]
            yield from _listed(shown)
    if found.old.weight != found.new.weight:
        yield f"  weights add up to {_number(found.old.weight)} -> {_number(found.new.weight)}"


def _pairs(found: Differences) -> Iterator[str]:
    yield (
        f"Pool: {found.pairs_both} pairs in both sets, {len(found.pairs_in)} in "
        f"({found.grades_in} graded), {len(found.pairs_out)} out ({found.grades_out} graded)"
    )
    if found.pairs_renamed:
        yield f"  {found.pairs_renamed} of those in both have another chunk id and the same text"
    if found.ids_reused:
        yield f"  {len(found.ids_reused)} chunk ids name another text now, so their pairs are out"


def _grades(found: Differences) -> Iterator[str]:
    kinds = Counter(_kind(each) for each in found.regraded)
    told = [f"{kinds[kind]} {kind}" for kind in ("changed", "newly graded", "no longer graded")]
    yield f"Grades of pairs in both sets: {', '.join(told)}"
    yield from _listed(
        [
            f"  {each.query_id}, {each.chunk_id}: {_grade(each.old)} -> {_grade(each.new)} "
            f"({'; '.join(each.because) or 'nothing on record says why'})"
            for each in found.regraded
            if _kind(each) != "newly graded"
        ]
    )


def _kind(each: Regraded) -> str:
    if each.old is None:
        return "newly graded"
    return "no longer graded" if each.new is None else "changed"


def _judgements(found: Differences) -> Iterator[str]:
    if not found.judgements:
        yield "Judgements: the same events."
        return
    yield "Judgements since the old set:"
    for each in found.judgements:
        told = (
            (each.grades, "grades"),
            (each.unsure, "can't tell"),
            (each.undone, "undone"),
            (each.carried, "carried by overlap"),
            (each.decisions, "decisions on disagreements"),
            (each.gone, "of the old set gone"),
        )
        yield f"  {each.assessor}: {', '.join(f'{count} {what}' for count, what in told if count)}"


def _gold(found: Differences) -> Iterator[str]:
    yield (
        f"Gold: {found.old.with_gold} of {found.old.queries} queries have some in the old set, "
        f"{found.new.with_gold} of {found.new.queries} in the new one; of the queries in both "
        f"{len(found.gold)} have other gold"
    )
    moved = []
    for each in found.gold:
        told = [f"gained {', '.join(each.gained)}"] if each.gained else []
        told += [f"lost {', '.join(each.lost)}"] if each.lost else []
        moved.append(f"  {_short(each.text)}: {'; '.join(told)}")
    yield from _listed(moved)
    for name, count in found.old.by_class.items():
        if count or found.new.by_class[name]:
            yield f"  {name}: {count} -> {found.new.by_class[name]} queries"
    moves = Counter((old, new) for _, old, new in found.class_moves)
    for (old, new), count in sorted(moves.items()):
        yield f"  {count} moved from {old} to {new}"
    if found.gold or found.settings or found.queries_in or found.queries_out:
        yield (
            "Levels on the two sets cannot be compared as they are: "
            "evaluator changeover sets results on both side by side."
        )


def _listed(lines: Sequence[str]) -> list[str]:
    more = [f"  and {len(lines) - _SHOWN} more"] if len(lines) > _SHOWN else []
    return [*lines[:_SHOWN], *more]


def _leaves(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """The single values of a record in records and lists, each under the names that lead to it."""
    if isinstance(value, Mapping):
        for key, each in value.items():
            yield from _leaves(f"{name}, {key}" if key else name, each)
    elif isinstance(value, list | tuple) and any(isinstance(each, Mapping) for each in value):
        for place, each in enumerate(value, 1):
            yield from _leaves(f"{name} {place}", each)
    else:
        yield name, value


def _setting(value: Any) -> str:
    """A setting that one of the sets lacks; of a sampling design only what names it."""
    if isinstance(value, Mapping):
        named = [f"{key} {value[key]}" for key in ("size", "seed") if key in value]
        return ", ".join([str(value.get("design")), *named])
    return _short(value)


def _short(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list | tuple):
        return _short(", ".join(map(_short, value)) or None)
    text = "nothing" if value is None else str(value)
    if re.fullmatch("[0-9a-f]{64}", text):
        return text[:12]
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…"


def _grade(grade: int | None) -> str:
    return "unjudged" if grade is None else str(grade)


def _number(value: float | None) -> str:
    return "none" if value is None else f"{value:,.0f}"
