"""
The first screen: what an executive reads, and nothing that has to be taken back below.

The headline is one sentence with measure, cutoff, queries, label set, difference, interval
and p. Causal words appear only where `facts.may_name_a_cause` allows them.
"""

from collections.abc import Iterator

from evaluator.contrasts.model import Contrast
from evaluator.record.facts import (
    arm_by_name,
    cells_at,
    closures,
    completed_after,
    cutoffs,
    deciding_p,
    level_word,
    may_name_a_cause,
    order_verdict,
    primary_figures,
)
from evaluator.record.model import Record
from evaluator.report.document import (
    Data,
    FirstScreen,
    Sentence,
    Stamp,
    in_both,
    interval_line,
    prose,
    say,
)
from evaluator.report.sections.doubts import first_doubts
from evaluator.report.sections.headline import (
    HeadlineFigures,
    headline,
    speaks_of_searches,
    test_name,
)
from evaluator.report.sections.outside import answers_line, judged_shares, unknown_chunks_stamps
from evaluator.report.sections.rankings import ranking_stamps
from evaluator.text import figures as words
from evaluator.text.messages import sentence

OPTIMISTIC = (
    "Levels are optimistic: only chunks that somebody judged can be gold. "
    "Quote the difference, not a level."
)
NOT_QUOTABLE = (
    "No level is quotable: the chunk set is a sample, and fewer distractors flatter every arm. "
    "The difference may be narrower or wider than on the whole."
)

_HEADLINE_STAMPS = {
    "INCLUDES TUNING DOCUMENTS": "Queries count whose gold documents were open to tuning.",
    "TUNING DOCUMENTS": "All these queries have gold documents that were open to tuning.",
    "SAMPLED CORPUS: NO LEVEL IS QUOTABLE": "Fewer distractors flatter every arm, and not alike.",
    "LABELS NOT FROZEN": "Nothing shows that the labels are those that were judged.",
}
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
    plain = _plain_claim(contrast, found), _evidence(record, contrast, found)
    if order_verdict(record) == "contradicted":
        lead, then = _AFTER_TREATMENT if completed_after(record) else _NOT_USABLE
        return say(lead), say(then, *plain[0], *plain[1])
    if found.rules_out_zero is None or not may_name_a_cause(record, contrast):
        return plain
    cause = _FACTORS.get(contrast.factor or "", "Changing one thing")
    if not found.rules_out_zero:
        lead = f"{cause} made no difference that these queries can show:"
        return say(lead), say(" ", *plain[0], *plain[1])
    verb = "raised" if found.difference > 0 else "lowered"
    levels = f"from {words.rate(found.baseline)} to {words.rate(found.treatment)}"
    return say(f"{cause} {verb} {found.measure} {levels}"), plain[1]


def beside(record: Record, contrast: Contrast | None) -> tuple[Sentence, ...]:
    """What stands directly under the headline: the other denominator, traffic, cautions."""
    if contrast is None:
        return (_caution(record),)
    return (
        *_over_all_queries(record, contrast),
        *_what_decides(record, contrast),
        *judged_shares(contrast),
        *answers_line(contrast),
        *first_doubts(contrast),
        _caution(record),
        *(say(prose(notice)) for notice in contrast.notices),
    )


def _caution(record: Record) -> Sentence:
    return say(NOT_QUOTABLE if level_word(record) == "not quotable" else OPTIMISTIC)


def stamps(record: Record, contrast: Contrast | None) -> tuple[Stamp, ...]:
    """The verdicts that no output may leave out, worst first."""
    found = [*_order_stamp(record), *_headline_stamp(record), *_missing_stamps(record)]
    if contrast is not None:
        found += [
            *unknown_chunks_stamps(contrast),
            *_contrast_stamps(contrast),
            *ranking_stamps(record, contrast),
            *_cutoff_stamp(record, contrast),
        ]
    return tuple(sorted(found, key=lambda stamp: ("bad", "warn", "note").index(stamp.tone)))


def first_screen(record: Record, contrast: Contrast) -> FirstScreen:
    """The figures of the first screen's charts."""
    measure, cells_name = contrast.primary.measure, contrast.k_by_treatment.measure
    found, tested = headline(record, contrast), primary_figures(contrast)
    test = test_name(tested)
    named = sentence(test) if measure == cells_name else f"{measure}, {test}"
    p = f"{named}: p {words.equals(words.p_value(tested.p))}"
    if speaks_of_searches(record, contrast):
        p = "The interval is per search; the cells count every query once"
    return FirstScreen(
        baseline=Data(contrast.baseline),
        treatment=Data(contrast.treatment),
        measure=found.measure,
        level_baseline=found.baseline,
        level_treatment=found.treatment,
        difference=found.difference,
        relative=words.points(found.baseline, found.treatment),
        interval=interval_line(say(measure), found.difference, found.interval),
        p=p,
        cells=cells_at(contrast, contrast.primary.k),
        cells_name=cells_name,
    )


def _plain_claim(contrast: Contrast, found: HeadlineFigures) -> Sentence:
    """Both levels, without a word on why."""
    after, before = words.rate(found.treatment), words.rate(found.baseline)
    levels = in_both(contrast.treatment, after, contrast.baseline, before)
    return say(f"{found.measure} is ", *levels)


def _evidence(record: Record, contrast: Contrast, found: HeadlineFigures) -> Sentence:
    """Difference, interval, what decides, queries, label set and cutoff."""
    k, asked = contrast.primary.k, record.headline
    name = words.queries(asked.origin, asked.split)
    n, n_gold = asked.n, asked.n_gold
    which = f"all {n:,} {name}" if n == n_gold else f"the {n_gold:,} of {n:,} {name} that have gold"
    interval = words.named_interval(found.interval)
    return say(
        f", a difference of {words.signed(found.difference)} ({interval}{found.basis}) on "
        f"{which}{found.whom} in label set ",
        Data(record.labels.name),
        "." if k is None else f", at k = {k}.",
    )


def _over_all_queries(record: Record, contrast: Contrast) -> Iterator[Sentence]:
    """The same with every query without gold as a miss, and how much traffic those carry."""
    asked = record.headline
    without = asked.n - asked.n_gold
    before, after = _levels_over_all(record, contrast)
    if not without or before is None or after is None:
        return
    traffic = record.labels.traffic_without_gold
    share = "" if traffic is None else f" Without gold is {words.share(traffic)} of their traffic."
    name = words.queries(asked.origin, asked.split)
    whom = ", weighted by their searches" if speaks_of_searches(record, contrast) else ""
    yield say(
        f"Over all {asked.n:,} {name}{whom}, with {without:,} without gold counted as misses: ",
        *in_both(contrast.treatment, words.rate(after), contrast.baseline, words.rate(before)),
        f", a difference of {words.signed(after - before)}.{share}",
    )


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


def _what_decides(record: Record, contrast: Contrast) -> Iterator[Sentence]:
    """A word where the interval does not say what decides, as in families and with clusters."""
    number = len(record.contrasts)
    unadjusted = f"The interval is not adjusted for the {number} contrasts of this file"
    if speaks_of_searches(record, contrast):
        if number > 1:
            yield say(f"{unadjusted}.")
        return
    found, decides = primary_figures(contrast), deciding_p(contrast)
    if not found.interval:
        return
    low, high = found.interval
    # One that the test ended at 0 does not hold it.
    without_zero = low > 0 or high < 0 or (found.p < words.LEVEL and 0 in found.interval)
    if without_zero == (decides < words.LEVEL):
        return
    if found.p < words.LEVEL <= decides:
        yield say(f"{unadjusted}; the adjusted p decides.")
    else:
        yield say(
            f"The interval and the test disagree on whether 0 is possible; the {test_name(found)} "
            "test decides."
        )


def _order_stamp(record: Record) -> Iterator[Stamp]:
    verdict, stamp = order_verdict(record), record.labels.order and record.labels.order.stamp
    if completed_after(record):
        because = "It stands beside the number on the superseded label set, never in its place."
        yield Stamp(say(str(stamp)), "warn", say(because))
    elif verdict == "contradicted":
        because = "Work on the treatment is dated before the labels were frozen."
        yield Stamp(say(stamp or "NOT USABLE"), "bad", say(because))
    elif verdict == "unknown":
        because = "Nothing shows whether the labels came before the treatment."
        yield Stamp(say(stamp or "ORDER NOT SHOWN"), "warn", say(because))
    elif stamp:
        yield Stamp(say(stamp), "warn", say("See the order of labels and treatment."))


def _headline_stamp(record: Record) -> Iterator[Stamp]:
    for stamp in (record.headline.stamp or "").split("; "):
        if stamp:
            yield Stamp(say(stamp), "warn", say(_HEADLINE_STAMPS.get(stamp, "")))


def _missing_stamps(record: Record, most: int = 5) -> Iterator[Stamp]:
    """
    A query without results is a miss like any other in the figures, but not for a reader.

    Those that are reported apart are among the notes on the arm and not of the headline's n.
    """
    asked = record.headline.query_ids
    for arm in record.arms:
        without = [q for q in arm.unanswered if q in asked]
        if without:
            count = f": {len(without):,} of {record.headline.n:,} queries score 0: "
            more = f" and {len(without) - most:,} more." if len(without) > most else "."
            because = say(Data(arm.name), count, Data(", ".join(without[:most])), more)
            yield Stamp(say("QUERIES WITHOUT RESULTS"), "warn", because)


def _contrast_stamps(contrast: Contrast) -> Iterator[Stamp]:
    if not contrast.held_still:
        because = "Other things may differ between the arms."
        yield Stamp(say("HELD STILL: NOT VERIFIED"), "warn", say(because))
    if contrast.label and contrast.label != contrast.factor:
        yield Stamp(say(contrast.label.upper()), "warn")
    _, broken = closures(contrast)
    if broken:
        names = prose("; ".join(check.name for check in broken))
        yield Stamp(say("FIGURES DO NOT CLOSE"), "warn", say("Broken: ", names, "."))


def _cutoff_stamp(record: Record, contrast: Contrast) -> Iterator[Stamp]:
    """A cutoff that reaches the whole corpus makes every query a hit."""
    chunks = record.snapshot.chunks if record.snapshot else None
    reached = [k for k in cutoffs(contrast) if chunks is not None and k >= chunks]
    if reached:
        because = (
            f"There are {chunks} chunks, so at k = {reached[0]} every gold chunk is found by "
            "construction and no arm can differ."
        )
        yield Stamp(say("k REACHES THE WHOLE CORPUS"), "warn", say(because))
