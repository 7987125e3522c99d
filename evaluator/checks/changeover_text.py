"""
A changeover as plain lines: two columns per contrast, then what they share and what differs.

It decides nothing; every verdict and sentence comes with the result.
"""

from collections.abc import Callable, Iterator

from evaluator.checks.changeover import (
    ArmChange,
    ChangedField,
    Changeover,
    Column,
    ContrastChange,
    ReplacedSet,
)
from evaluator.checks.shared_queries import SetShare, SharedQueries
from evaluator.report.document import visible
from evaluator.text import figures as words
from evaluator.text.messages import grid

_CELLS = {"both": "hit in both", "won": "won", "lost": "lost", "neither": "missed in both"}
_FIGURES: dict[str, Callable[[Column], str]] = {
    "primary measure": lambda column: column.measure,
    "baseline": lambda column: words.rate(column.baseline),
    "treatment": lambda column: words.rate(column.treatment),
    "difference": lambda column: words.signed(column.difference),
    "95% interval": lambda column: words.interval(column.interval),
    "interval for": lambda column: column.interval_of,
}


def changeover_text(found: Changeover) -> str:
    """The whole for a terminal."""
    if found.arms:
        return "\n".join([*_dates(found), "", *_differences(found.differences)])
    lines = ["Old and new label set", ""]
    for contrast in found.contrasts:
        lines += [f"{visible(contrast.treatment)} against {visible(contrast.baseline)}"]
        rows = [*_sets(found.old, found.new), *_figures(contrast)]
        lines += grid([("", "old", "new"), *rows])
        lines += ["", contrast.conclusion, *_shared_difference(contrast)]
        lines += [contrast.discontinuity] if contrast.discontinuity else []
        lines.append("")
    lines += [*_shared(found.shared), "", *_differences(found.differences)]
    return "\n".join(lines)


def _dates(found: Changeover) -> Iterator[str]:
    yield f"Label set {visible(str(found.old.name))} at two dates, paired by query"
    yield ""
    head = "arm", "measure", "n", "old", "new", "difference", "95% interval", "p", ""
    yield from grid([head, *map(_arm_change, found.arms)])
    yield ""
    yield (
        "Moved: the exact test of that arm and measure by itself stays below 5%. Whatever did not "
        "is within the noise of this set."
    )


def _arm_change(arm: ArmChange) -> tuple[str, ...]:
    return (
        visible(arm.arm),
        arm.measure,
        words.count(arm.n),
        words.rate(arm.old),
        words.rate(arm.new),
        words.signed(arm.difference),
        words.interval(arm.interval),
        words.p_value(arm.p),
        "moved" if arm.moved else "within the noise",
    )


def _sets(*sets: ReplacedSet) -> Iterator[tuple[str, ...]]:
    yield "label set", *(visible(str(one.name)) for one in sets)
    yield "frozen", *(words.utc(one.frozen_at) for one in sets)
    yield (
        "queries",
        *(f"{words.count(one.n)}, {words.count(one.n_gold)} with gold" for one in sets),
    )


def _figures(contrast: ContrastChange) -> Iterator[tuple[str, ...]]:
    columns = contrast.old, contrast.new
    for name, show in _FIGURES.items():
        yield name, *map(show, columns)
    if any(column.test for column in columns):
        yield "p", *map(_p, columns)
    yield "verdict", *(column.verdict for column in columns)
    for key, name in _CELLS.items():
        yield name, *(words.count(getattr(column.cells, key, None)) for column in columns)
    for measure, differences in contrast.other_measures.items():
        yield f"difference in {measure}", *map(words.signed, differences)


def _p(column: Column) -> str:
    if column.test is None:
        return "none per search"
    holm = column.p_holm
    family = "" if holm is None else f", {words.p_value(holm)} by Holm"
    return f"{words.p_value(column.p)}{family}"


def _shared_difference(contrast: ContrastChange) -> Iterator[str]:
    shared = contrast.shared
    if shared is not None and shared.n_gold:
        yield (
            f"On the {shared.n_gold:,} shared queries with gold in both, the difference in "
            f"{shared.measure} is {words.signed(shared.old)} in the old run and "
            f"{words.signed(shared.new)} in the new one."
        )


def _shared(shared: SharedQueries | None) -> Iterator[str]:
    if shared is None:
        yield "What the sets share is not known: a label set is not where its run read it."
        return
    old, new = shared.of_old, shared.of_new
    on = "" if shared.one_snapshot else ", by the chunks whose text is in both snapshots"
    yield (
        f"Shared by id and text: {shared.queries:,} of {old.queries:,} old queries "
        f"({_traffic(old)}) and of {new.queries:,} new ones ({_traffic(new)}); "
        f"{shared.judged_otherwise:,} of them were judged otherwise{on}."
    )
    if shared.same_id_other_text:
        yield f"Same id with another text: {shared.same_id_other_text:,}; not shared."


def _traffic(side: SetShare) -> str:
    share = side.traffic_share
    return "no traffic weights" if share is None else f"{words.share(share)} of the set's traffic"


def _differences(differences: tuple[ChangedField, ...]) -> Iterator[str]:
    if not differences:
        yield "Nothing else differs between the two runs."
        return
    yield "No pure changeover: the columns also differ in"
    for one in differences:
        yield f"- {visible(one.field)}: {_value(one.old)} -> {_value(one.new)}"


def _value(value: object) -> str:
    """One value of a record; a list without its brackets, and nothing as what it is."""
    listed = value if isinstance(value, list | tuple) else [value]
    return visible(", ".join("none" if each is None else str(each) for each in listed) or "none")
