"""The age of a label set for a person at a terminal: figures first, then queries by name."""

from collections.abc import Iterator, Sequence

from evaluator.text.messages import grid
from labeler.sampling.age import BY_CHANCE, DISTANCE, Age, Moved
from labeler.sampling.design_text import fact

_LISTED = 10


def age_text(age: Age, *, then: str, now: str) -> str:
    """What has changed, with the windows `then` and `now` in words."""
    return "\n".join(_lines(age, then, now))


def _lines(age: Age, then: str, now: str) -> Iterator[str]:
    yield fact("Label set", f"{age.labels}, {age.queries:,} queries from a log")
    yield fact("Then", f"{age.searches_then:,} searches, {then}")
    yield fact("Now", f"{age.searches_now:,} searches for {age.distinct_now:,} queries, {now}")
    yield fact(
        "Carried",
        f"{age.carried_then:.1%} of the searches then were for the set's queries, "
        f"{age.carried_now:.1%} are now",
    )
    yield fact("Still asked", f"{age.still_asked:,} of {age.queries:,} queries{_vanished(age)}")
    if age.would_stay is not None:
        yield fact(
            "Successor",
            f"one of the same size would keep {age.would_stay:,.0f} of {age.queries:,} on average",
        )
    for note in age.notes:
        yield fact("Note", note)
    yield ""
    yield from grid([_HEADER, *_rows(age)])
    for kinds in age.kinds:
        yield ""
        yield from grid(
            [
                (f"by {kinds.rule}", "then", "now"),
                *((name, f"{before:.1%}", f"{after:.1%}") for name, before, after in kinds.shares),
            ]
        )
        yield f"distance {kinds.distance:.3f}, by chance {kinds.by_chance:.3f}"
    yield from ("", fact("Distance", DISTANCE), fact("By chance", BY_CHANCE))
    frequent = sum(moved.now for moved in age.would_be_certain)
    yield from _named(
        f"Frequent now and not in the set: {len(age.would_be_certain):,} queries, "
        f"{frequent:.1%} of the searches",
        age.would_be_certain,
    )
    yield from _named("Queries of the set that moved most", age.moved)
    yield from _named(f"No longer asked: {len(age.vanished):,} queries", age.vanished)


_HEADER = ("", "queries", "still asked", "of traffic then", "now", "distance within", "by chance")


def _rows(age: Age) -> Iterator[tuple[str, ...]]:
    for part in age.parts:
        yield (
            part.name or "all",
            f"{part.queries:,}",
            f"{part.still_asked:,}",
            f"{part.then:.1%}",
            f"{part.now:.1%}",
            "-" if part.distance is None else f"{part.distance:.3f}",
            "-" if part.by_chance is None else f"{part.by_chance:.3f}",
        )


def _vanished(age: Age) -> str:
    if age.vanished_weight is None or not age.vanished:
        return ""
    return (
        f"; the others stood for about {age.vanished_weight:.1%} of the searches then, which are "
        "gone too"
    )


def _named(title: str, queries: Sequence[Moved]) -> Iterator[str]:
    if not queries:
        return
    yield ""
    yield title
    for moved in queries[:_LISTED]:
        then = "" if moved.then is None else f"{moved.then:.2%} then, "
        yield f"  {moved.text}: {then}{moved.now:.2%} now"
    if len(queries) > _LISTED:
        yield f"  and {len(queries) - _LISTED:,} more"
