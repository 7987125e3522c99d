"""
The contrast by every way of searching: exact, by the graph, and by graphs of other seeds.

What approximate search loses need not be the same in both arms, so a verdict that another
ranking does not share is stamped on the first screen. All of it counts every query once.
"""

from collections.abc import Iterator, Sequence

from evaluator.record.facts import Record, arm_by_name, cells_at, measured, primary_of
from evaluator.report.document import Block, Data, Paragraph, Sentence, Stamp, Table, prose, say
from evaluator.report.sections.headline import speaks_of_searches
from evaluator.text import figures as words


def ranking_blocks(record: Record, contrast: Record) -> Iterator[Block]:
    """The primary measure once more by the other ranking and by every seed, and the spread."""
    measure, k = primary_of(contrast)
    other = contrast.get("other_ranking") or {}
    if not measured(other, measure):
        return
    own = str((record["experiment"].get("protocol") or {}).get("ranking") or "primary")
    rows = [(f"{own} (primary)", contrast), (str(other.get("ranking") or "other"), other)]
    seeds = _seeds(contrast)
    rows += [(f"hnsw, seed {found['seed']}", found) for found in seeds[1:]]
    weighs = speaks_of_searches(record, contrast)
    weighed = ", though the headline weighs them by their searches" * weighs
    columns = ["ranking", "baseline", "treatment", "difference", "95% interval", "p"]
    columns += [f"won at {k}", f"lost at {k}"]
    yield Table(
        tuple(say(column) for column in columns),
        tuple(_row(name, found, measure, k) for name, found in rows),
        say(
            f"{measure}, every query counted once{weighed}. What approximate search loses need "
            "not be the same in both arms."
        ),
        wide=True,
    )
    yield from _spread(contrast, seeds, measure)
    n_gold = record["headline"]["n_gold"]
    for name in (contrast["baseline"], contrast["treatment"]):
        differ = (arm_by_name(record, name).get("rankings") or {}).get("hits_that_differ")
        if differ is not None:
            text = f": {differ:,} of {n_gold:,} queries change between hit and miss."
            yield Paragraph(say("From one ranking to the other, ", Data(name), text))


def ranking_stamps(record: Record, contrast: Record) -> Iterator[Stamp]:
    """The error of approximate search does not cancel between arms, so every verdict counts."""
    measure, _ = primary_of(contrast)
    found, other = measured(contrast, measure), contrast.get("other_ranking") or {}
    again = measured(other, measure)
    if not found:
        return
    unweighted = ", queries unweighted" * speaks_of_searches(record, contrast)
    if again and _verdict(found) != _verdict(again):
        yield Stamp(
            say("THE OTHER RANKING SAYS OTHERWISE"),
            "warn",
            say(f"By {other.get('ranking')} {_figures(again)}{unweighted}."),
        )
    for one in _seeds(contrast)[1:]:
        seeded = measured(one, measure)
        if _verdict(seeded) != _verdict(found):
            yield Stamp(
                say("ANOTHER GRAPH SAYS OTHERWISE"),
                "warn",
                say(f"By hnsw with seed {one['seed']} {_figures(seeded)}{unweighted}."),
            )
            return


def _seeds(contrast: Record) -> Sequence[Record]:
    """The graphs by seed, the declared one first."""
    found: Sequence[Record] = (contrast.get("index_seeds") or {}).get("seeds") or ()
    return found


def _row(name: str, found: Record, measure: str, k: int | None) -> tuple[Sentence, ...]:
    values, cells = measured(found, measure), cells_at(found, k)
    return (
        say(name),
        say(words.rate(values.get("baseline"))),
        say(words.rate(values.get("treatment"))),
        say(words.signed(values.get("difference"))),
        say(words.interval(values.get("interval"))),
        say(words.p_value(values.get("p"))),
        say(words.count(cells.won if cells else None)),
        say(words.count(cells.lost if cells else None)),
    )


def _spread(contrast: Record, seeds: Sequence[Record], measure: str) -> Iterator[Block]:
    """How far the seed of the graph moves the difference, or why nobody knows."""
    note = (contrast.get("index_seeds") or {}).get("note")
    if note:
        yield Paragraph(say(prose(note)))
    found = [measured(one, measure)["difference"] for one in seeds]
    if len(found) > 1:
        low, high = words.signed(min(found)), words.signed(max(found))
        listed = ", ".join(str(one["seed"]) for one in seeds)
        text = f"is {low} in all of them" if low == high else f"runs from {low} to {high}"
        yield Paragraph(
            say(f"Over {len(found)} graphs with the seeds {listed} the difference {text}.")
        )


def _figures(found: Record) -> str:
    return (
        f"the difference is {words.signed(found['difference'])}, "
        f"p {words.equals(words.p_value(found['p']))}"
    )


def _verdict(found: Record) -> str:
    """Better, worse or not distinguishable, at the level that decides."""
    if found["p"] >= words.LEVEL:
        return "not distinguishable"
    return "better" if found["difference"] > 0 else "worse"
