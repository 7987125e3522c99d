"""
The first screen: what a committee reads, and nothing that has to be taken back below.

The headline is one sentence with measure, queries, label set, difference, interval and p; its
verb names the measure. Causal words appear only where `facts.may_name_a_cause` allows them.
"""

import math
from collections.abc import Iterator
from statistics import NormalDist

from evaluator import InputError
from evaluator.contrasts.model import UNEVENLY_JUDGED, Contrast, MeasureFigures
from evaluator.record.facts import (
    arm_by_name,
    cells_at,
    completed_after,
    header_tokens,
    in_order,
    is_clustered,
    level_word,
    may_name_a_cause,
    order_in_words,
    order_verdict,
    primary_figures,
)
from evaluator.record.model import Record
from evaluator.report.document import (
    Data,
    FirstScreen,
    Interval,
    Sentence,
    Table,
    drawn_interval,
    in_both,
    prose,
    row,
    say,
)
from evaluator.report.sections.groups import counted_queries, losing_sources
from evaluator.report.sections.headline import (
    HeadlineFigures,
    headline,
    plainly,
    speaks_of_searches,
    test_name,
)
from evaluator.statistics.power import POWER, queries_needed
from evaluator.text import figures as words
from evaluator.text.messages import counted, sentence

_LEAST = 0.0005  # prints as no difference
# What `labeler plan` reckons with, too.
_HOURS_A_QUERY = 2 / 60, 4 / 60
_RECALL = {"Success": "hit rate", "R": "share of gold found"}

_NOT_USABLE = (
    "Not usable: the labels were frozen after work on the treatment had begun.",
    " For the record: ",
)
_AFTER_TREATMENT = (
    "A sensitivity analysis: the labels were completed after work on the treatment had begun.",
    " Beside the number on the superseded label set: ",
)
_FACTORS = {
    "header": "Changing only the header",
    "formatting": "Changing only the prefixes",
    "model": "Changing only the model",
}


def claim_and_evidence(record: Record, contrast: Contrast | None) -> tuple[Sentence, Sentence]:
    """The sentence for the meeting, in two parts: what is claimed, and on what it rests."""
    if contrast is None:
        return say("One arm was run, so there is nothing to compare."), ()
    found = headline(record, contrast)
    measure = f"the {plainly(found.measure)}"
    after, before = words.rate(found.treatment), words.rate(found.baseline)
    levels = in_both(contrast.treatment, after, contrast.baseline, before)
    plain = say(f"{sentence(measure)} is ", *levels), _evidence(record, found)
    if order_verdict(record) == "contradicted":
        lead, then = _AFTER_TREATMENT if completed_after(record) else _NOT_USABLE
        return say(lead), say(then, *plain[0], *plain[1])
    if found.rules_out_zero is None or not may_name_a_cause(record, contrast):
        return plain
    cause = _FACTORS.get(contrast.factor or "", "Changing one thing")
    if not found.rules_out_zero:
        lead = f"{cause} made no difference in {measure} that these queries can show:"
        return say(lead), say(" ", *levels, *plain[1])
    verb = "raised" if found.difference > 0 else "lowered"
    return say(f"{cause} {verb} {measure} from {before} to {after}"), plain[1]


def beneath(record: Record, contrast: Contrast) -> tuple[Sentence, ...]:
    """Under the headline: what decided before or among several tests, what says otherwise."""
    return (
        *_earlier_choices(record),
        *_what_decides(record, contrast),
        *_otherwise(record, contrast),
        *losing_sources(contrast),
    )


def _earlier_choices(record: Record, most: int = 5) -> Iterator[Sentence]:
    """The other primary measures that these arms had before on these labels, and what came out."""
    found = [(one, choice) for one in record.contrasts for choice in one.earlier_choices or ()]
    for contrast, choice in found[:most]:
        yield say(
            *("Chosen before on these labels for ", Data(contrast.treatment), " against "),
            *(Data(contrast.baseline), ": ", prose(choice.measure), ", with a difference of "),
            f"{words.signed(choice.difference)} on {choice.n:,} queries (split ",
            prose(choice.split),
            f"), p {words.equals(words.p_value(choice.p))}.",
        )
    if len(found) > most:
        yield say(f"{len(found) - most:,} more choices were made before; the ledger lists them.")


def facts(record: Record, contrast: Contrast | None) -> dict[str, Sentence]:
    """What else a decision hangs on, a line each: order, labels, costs, k alone, more queries."""
    found = {"Labels before treatment": say(f"{order_in_words(record)}.")}
    if contrast is not None:
        found |= {
            f"Judged@{contrast.primary.k}": _judged(record, contrast),
            "Header tokens per query": _header_tokens(record, contrast),
            "By the graph": _by_exact_search(record, contrast),
            "A larger k": _by_k_alone(contrast),
            "To show a difference": _effort(record, contrast),
        }
    return {label: text for label, text in found.items() if text}


def first_screen(record: Record, contrast: Contrast) -> FirstScreen:
    """The figures of the first screen's charts and of its table."""
    measure, cells_name = contrast.primary.measure, contrast.k_by_treatment.measure
    found, tested = headline(record, contrast), primary_figures(contrast)
    test = test_name(tested)
    named = sentence(test) if measure == cells_name else f"{measure}, {test}"
    basis = f"{named}: p {words.equals(words.p_value(tested.p))}"
    if speaks_of_searches(record, contrast):
        basis = "The interval is per search; the cells count every query once"
    return FirstScreen(
        baseline=Data(contrast.baseline),
        treatment=Data(contrast.treatment),
        measure=found.measure,
        level_baseline=found.baseline,
        level_treatment=found.treatment,
        difference=found.difference,
        relative=words.points(found.baseline, found.treatment),
        interval=drawn_interval(found.difference, found.interval),
        basis=basis,
        cells=cells_at(contrast, contrast.primary.k),
        cells_name=cells_name,
        measures=_measures(record, contrast, found),
    )


def _evidence(record: Record, found: HeadlineFigures) -> Sentence:
    """Difference, interval, what decides, queries and label set."""
    asked = record.headline
    name = words.queries(asked.origin, asked.split)
    n, n_gold = asked.n, asked.n_gold
    which = f"all {n:,} {name}" if n == n_gold else f"the {n_gold:,} of {n:,} {name} that have gold"
    return say(
        f", a difference of {words.signed(found.difference)} ({found.basis}) on "
        f"{which}{found.whom} in label set ",
        Data(record.labels.name),
        ".",
    )


def _what_decides(record: Record, contrast: Contrast) -> Iterator[Sentence]:
    """A word where the interval alone does not say what decides: in families, with clusters."""
    found, number = primary_figures(contrast), len(record.contrasts)
    if number > 1:
        yield say(
            f"One of {number} contrasts of this file: p adjusted by Holm decides, the interval is "
            "not adjusted."
        )
    if found.clusters and not speaks_of_searches(record, contrast):
        reason = "" if found.interval else f"; {found.interval_method}"
        yield say(
            f"Paraphrases of one need count as one: {counted_queries(found.n)} in "
            f"{found.clusters:,} clusters{reason}."
        )


def _otherwise(record: Record, contrast: Contrast) -> Iterator[Sentence]:
    """The measures that changed beyond chance where the headline did not, or the other way."""
    found, primary = headline(record, contrast), contrast.primary.measure
    if found.rules_out_zero is None:
        return
    up = found.difference > 0 if found.rules_out_zero else None
    said = [
        f"{name} {'rose' if one.difference > 0 else 'fell'} by {abs(one.difference):.3f}"
        for name in in_order(contrast.measures, primary=primary)
        if (one := contrast.measures[name]).p < words.LEVEL
        and name != primary
        and (one.difference > 0) != up
    ]
    if said:
        change = "No difference in" if up is None else "A rise of" if up else "A fall of"
        yield say(f"{change} {found.measure}; {', '.join(said)} (exploratory, p unadjusted).")


def _measures(record: Record, contrast: Contrast, headlined: HeadlineFigures) -> Table:
    """Every declared measure with interval and p, the primary one over all queries as well."""
    primary, asked = contrast.primary.measure, record.headline
    searches = speaks_of_searches(record, contrast)
    rows: list[tuple[Sentence, ...]] = []
    drawn: list[Interval | None] = []

    def add(name: str, one: MeasureFigures | HeadlineFigures) -> None:
        levels = words.rate(one.baseline), words.rate(one.treatment), words.signed(one.difference)
        p = "" if one.p is None else words.p_value(one.p)
        rows.append(row(name, *levels, words.interval(one.interval), p))
        drawn.append(drawn_interval(one.difference, one.interval))

    label = ", primary" * (not searches)
    add(f"{plainly(headlined.measure)}{label}", headlined)
    if asked.n != asked.n_gold:
        before, after = _levels_over_all(record, contrast)
        levels = words.rate(before), words.rate(after), words.difference(before, after)
        rows.append(row(f"over all {counted_queries(asked.n)}", *levels, "", ""))
        drawn.append(None)
    for name in in_order(contrast.measures, primary=primary)[0 if searches else 1 :]:
        add(plainly(name), contrast.measures[name])
    arms = Data(contrast.baseline), Data(contrast.treatment)
    return Table(
        row("measure", *arms, "difference", "95% interval", "p"),
        tuple(rows),
        say(_measures_caption(record, contrast)),
        wide=True,
        intervals=tuple(drawn),
    )


def _measures_caption(record: Record, contrast: Contrast) -> str:
    """What gold is, what the measures are called elsewhere, and which way the levels lean."""
    without, grade = record.headline.n - record.headline.n_gold, record.labels.min_grade
    families = {name.split("@")[0].split("(")[0] for name in contrast.measures}
    said = [f"Gold is grade {grade} or more (rel={grade})."]
    said += ["nDCG: linear gain."] * ("nDCG" in families)
    recall = [plain for family, plain in _RECALL.items() if family in families]
    if recall:
        are = "are both" if len(recall) > 1 else "is"
        said.append(
            f"The {' and the '.join(recall)} {are} also called recall@{contrast.primary.k}."
        )
    if without:
        traffic = record.labels.traffic_without_gold
        share = "" if traffic is None else f" ({words.share(traffic)} of the traffic)"
        said.append(f"{counted_queries(without)} without gold{share} count as misses over all.")
    said.append("p is unadjusted; only the primary measure decides.")
    if level_word(record) == "not quotable":
        said.append("No level is quotable.")
    elif families <= {"Success", "RR", "P"}:
        said.append("A chunk judged later can only raise these levels.")
    else:
        said.append("Levels are optimistic; those of hits and first ranks can only rise.")
    return " ".join(said)


def _levels_over_all(record: Record, contrast: Contrast) -> tuple[float | None, float | None]:
    """Both levels of the headline with queries without gold as misses."""
    if speaks_of_searches(record, contrast):
        found = contrast.traffic_over_all
        return (found.baseline, found.treatment) if found else (None, None)
    levels = [
        arm_by_name(record, name).measures.get(contrast.primary.measure)
        for name in (contrast.baseline, contrast.treatment)
    ]
    before, after = (level.all if level else None for level in levels)
    return before, after


def _judged(record: Record, contrast: Contrast) -> Sentence:
    """The judged share of both arms, which way the unjudged lean, and where it says nothing."""
    chunks, name = contrast.chunks, f"Judged@{contrast.primary.k}"
    arms = contrast.baseline, contrast.treatment
    before, after = (
        chunks.runs[arm].judged if chunks else arm_by_name(record, arm).judged.get(name)
        for arm in arms
    )
    if before is None or after is None:
        return say("negatives not recorded.")
    parts = [*in_both(arms[0], words.share(before), arms[1], words.share(after))]
    parts.append(". What nobody judged counts as a miss")
    if abs(after - before) > UNEVENLY_JUDGED:
        parts.append(", so the arm with less of it judged may be better than it looks")
    parts.append(".")
    if chunks and not chunks.negatives_recorded:
        parts.append(" Only relevant chunks are recorded, so this is not how much was looked at.")
    for arm, share in zip(arms, (before, after), strict=True):
        if not share:
            look = f" has nothing judged in its first {contrast.primary.k}: nobody looked."
            parts += [" ", Data(arm), look]
    return tuple(parts)


def _header_tokens(record: Record, contrast: Contrast) -> Sentence:
    """What the retrieved headers add to a context, in both arms."""
    k, names = contrast.primary.k or 0, (contrast.baseline, contrast.treatment)
    before, after = (header_tokens(arm_by_name(record, name)).get(k) for name in names)
    if before is None and after is None:
        return ()
    pair = (words.tokens(tokens or 0.0) for tokens in (before, after))
    both = in_both(names[0], next(pair), names[1], next(pair))
    return say(*both, f", in the first {k} chunks.")


def _by_k_alone(contrast: Contrast) -> Sentence:
    """How much of the difference a larger k would have bought without the treatment."""
    table = contrast.k_by_treatment
    effect, alone = table.effect_of_treatment.at_k, table.baseline_k2 - table.baseline_k
    to = f" from {words.rate(table.baseline_k)} to {words.rate(table.baseline_k2)}"
    if effect <= 0:
        share = "there is no gain at k that it could stand in for"
    elif alone < effect:
        share = f"{alone:.3f} of the {effect:.3f} was available by k alone"
    else:
        share = f"the whole {effect:.3f} was available by k alone"
    takes = f"k = {table.k2} takes "
    return say(takes, Data(contrast.baseline), f"{to} ({words.signed(alone)}): {share}.")


def _by_exact_search(record: Record, contrast: Contrast) -> Sentence:
    """Where the headline is by the graph: how much it finds, and whether exact search agrees."""
    protocol, other = record.experiment.protocol, contrast.other_ranking
    if protocol is None or protocol.ranking != "hnsw" or other is None:
        return ()
    names = contrast.baseline, contrast.treatment
    found = [arm_by_name(record, name).rankings for name in names]
    recalls = [words.share(each.graph_recall) if each else words.MISSING for each in found]
    exact, own = other.measures[contrast.primary.measure], primary_figures(contrast)
    verdicts = [
        (one.p < words.LEVEL and math.copysign(1, one.difference)) or 0 for one in (exact, own)
    ]
    agrees = "the same" if verdicts[0] == verdicts[1] else "ANOTHER"
    return say(
        "the graph finds ",
        *in_both(names[0], recalls[0], names[1], recalls[1]),
        f" of the first k of exact search, which gives {agrees} verdict: a difference of "
        f"{words.signed(exact.difference)}, p {words.equals(words.p_value(exact.p))}.",
    )


def _effort(record: Record, contrast: Contrast) -> Sentence:
    """How many queries and hours would show a difference of this size, where none was shown."""
    found, asked = headline(record, contrast), record.headline
    if found.rules_out_zero is not False or not asked.n_gold:
        return ()
    needed = _queries_needed(contrast, found)
    size = words.signed(found.difference)
    if needed is None:
        return say(f"No number of queries that anybody judges would show {size}.")
    more = math.ceil((needed - asked.n_gold) * asked.n / asked.n_gold)
    if more <= 0:
        return ()
    least, most = (max(1, round(each * more)) for each in _HOURS_A_QUERY)
    hours = f"{least:,} to {most:,} hours" if least < most else counted(most, "hour")
    return say(
        f"About {needed:,} queries with gold would show {size} in 4 of 5 experiments. That is "
        f"{more:,} more to judge, {hours} at 2 to 4 minutes a query."
    )


def _queries_needed(contrast: Contrast, found: HeadlineFigures) -> int | None:
    """Exact for hits; elsewhere from the width of the interval, which holds groups and weights."""
    difference, cells = abs(found.difference), cells_at(contrast, contrast.primary.k)
    hits = cells and found.measure == contrast.k_by_treatment.measure
    if difference < _LEAST:
        return None
    try:
        if cells and hits and not is_clustered(contrast):
            return queries_needed(difference, flip_share=(cells.won + cells.lost) / cells.n)
    except InputError:
        return None
    if not found.interval:
        return None
    z = NormalDist().inv_cdf
    error = (found.interval[1] - found.interval[0]) / 2 / z(1 - words.LEVEL / 2)
    ratio = (z(1 - words.LEVEL / 2) + z(POWER)) * error / difference
    return math.ceil(primary_figures(contrast).n * ratio**2)
