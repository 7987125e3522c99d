"""
A changeover as plain lines: two columns per contrast, then what they share and what differs.

It decides nothing; every verdict and sentence comes with the result.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evaluator.report.document import visible
from evaluator.text import figures as words
from evaluator.text.messages import grid

Line = tuple[str, str, str]


def changeover_text(found: Mapping[str, Any]) -> str:
    """The whole for a terminal."""
    sets = [found["old"], found["new"]]
    lines = ["Old and new label set", ""]
    for contrast in found["contrasts"]:
        lines += [f"{visible(contrast['treatment'])} against {visible(contrast['baseline'])}"]
        rows = [*_sets(sets), *_figures(contrast), *_others(contrast)]
        lines += grid([("", "old", "new"), *rows])
        lines += ["", contrast["conclusion"], *_shared_difference(contrast)]
        lines += [contrast["discontinuity"]] if contrast["discontinuity"] else []
        lines.append("")
    lines += [*_shared(found["shared"]), "", *_differences(found["differences"])]
    return "\n".join(lines)


def _sets(sets: Sequence[Mapping[str, Any]]) -> Iterator[Line]:
    yield _row("label set", [visible(str(one["name"])) for one in sets])
    yield _row("frozen", [words.utc(one["frozen_at"]) for one in sets])
    gold = [f"{words.count(one['n'])}, {words.count(one['n_gold'])} with gold" for one in sets]
    yield _row("queries", gold)


def _figures(contrast: Mapping[str, Any]) -> Iterator[Line]:
    columns = [contrast["old"], contrast["new"]]
    yield _row("primary measure", [column["measure"] for column in columns])
    yield _row("baseline", [words.rate(column["baseline"]) for column in columns])
    yield _row("treatment", [words.rate(column["treatment"]) for column in columns])
    yield _row("difference", [words.signed(column["difference"]) for column in columns])
    yield _row("95% interval", [words.interval(column["interval"]) for column in columns])
    yield _row("interval for", [column["interval_of"] for column in columns])
    if any(column["test"] for column in columns):
        yield _row("p", [_p(column) for column in columns])
    yield _row("verdict", [column["verdict"] for column in columns])
    for name, key in (
        ("hit in both", "both"),
        ("won", "won"),
        ("lost", "lost"),
        ("missed in both", "neither"),
    ):
        yield _row(name, [words.count((column["cells"] or {}).get(key)) for column in columns])


def _p(column: Mapping[str, Any]) -> str:
    if column["test"] is None:
        return "none per search"
    holm = column["p_holm"]
    family = "" if holm is None else f", {words.p_value(holm)} by Holm"
    return f"{words.p_value(column['p'])}{family}"


def _others(contrast: Mapping[str, Any]) -> Iterator[Line]:
    for name, both in contrast["other_measures"].items():
        yield _row(f"difference in {name}", [words.signed(both["old"]), words.signed(both["new"])])


def _shared_difference(contrast: Mapping[str, Any]) -> Iterator[str]:
    shared = contrast["shared"]
    if shared is not None and shared["n_gold"]:
        yield (
            f"On the {shared['n_gold']:,} shared queries with gold in both, the difference in "
            f"{shared['measure']} is {words.signed(shared['old'])} in the old run and "
            f"{words.signed(shared['new'])} in the new one."
        )


def _shared(shared: Mapping[str, Any] | None) -> Iterator[str]:
    if shared is None:
        yield "What the sets share is not known: a label set is not where its run read it."
        return
    old, new = shared["of_old"], shared["of_new"]
    yield (
        f"Shared by id and text: {shared['queries']:,} of {old['queries']:,} old queries "
        f"({_traffic(old)}) and of {new['queries']:,} new ones ({_traffic(new)}); "
        f"{shared['judged_otherwise']:,} of them were judged otherwise{_on(shared)}."
    )
    if shared["same_id_other_text"]:
        yield f"Same id with another text: {shared['same_id_other_text']:,}; not shared."


def _on(shared: Mapping[str, Any]) -> str:
    return "" if shared["one_snapshot"] else ", by the chunks whose text is in both snapshots"


def _traffic(side: Mapping[str, Any]) -> str:
    share = side["traffic_share"]
    return "no traffic weights" if share is None else f"{words.share(share)} of the set's traffic"


def _differences(differences: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if not differences:
        yield "Nothing else differs between the two runs."
        return
    yield "No pure changeover: the columns also differ in"
    for one in differences:
        yield f"- {visible(one['field'])}: {_told(one['old'])} -> {_told(one['new'])}"


def _told(value: Any) -> str:
    """One value of a record; a list without its brackets, and nothing as what it is."""
    listed = value if isinstance(value, list) else [value]
    return visible(", ".join("none" if each is None else str(each) for each in listed) or "none")


def _row(name: str, values: Sequence[str]) -> Line:
    old, new = values
    return name, old, new
