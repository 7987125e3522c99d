"""
The verdicts in capitals at the top of every output, which none of them may leave out.

On the order of labels and treatment, on what was not held still or does not fit together, and
on runs made elsewhere whose chunks no label knows: of runs made here all chunks are known.
"""

from collections.abc import Iterator

from evaluator.contrasts.model import Contrast, MeasureFigures
from evaluator.record.facts import (
    arm_by_name,
    closures,
    completed_after,
    cutoffs,
    formatting,
    order_verdict,
    primary_figures,
)
from evaluator.record.model import Record
from evaluator.report.document import Data, Stamp, prose, say
from evaluator.report.sections.headline import speaks_of_searches
from evaluator.text import figures as words

# A run is a stranger when a tenth of the other run's known share is more than its own.
_HARDLY_ANY = 0.1
_HEADLINE_STAMPS = {
    "INCLUDES TUNING DOCUMENTS": "Queries count whose gold documents were open to tuning.",
    "TUNING DOCUMENTS": "All these queries have gold documents that were open to tuning.",
    "SAMPLED CORPUS: NO LEVEL IS QUOTABLE": "Fewer distractors flatter every arm, and not alike.",
    "LABELS NOT FROZEN": "Nothing shows that the labels are those that were judged.",
}


def stamps(record: Record, contrast: Contrast | None) -> tuple[Stamp, ...]:
    """The verdicts that no output may leave out, worst first."""
    found = [
        *_order_stamp(record),
        *_headline_stamp(record),
        *_missing_stamps(record),
        *_model_stamps(record),
    ]
    if contrast is not None:
        found += [
            *_unknown_chunks_stamps(contrast),
            *_contrast_stamps(contrast),
            *_ranking_stamps(record, contrast),
            *_cutoff_stamp(record, contrast),
            *_prefix_stamp(record, contrast),
        ]
    return tuple(sorted(found, key=lambda stamp: ("bad", "warn", "note").index(stamp.tone)))


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


def _model_stamps(record: Record) -> Iterator[Stamp]:
    """Judgements that models proposed, and those that were left out when the labels were made."""
    left_out = (record.labels.assessment or {}).get("left_out")
    if left_out and left_out["gold"]:
        because = "When they were imported, their query or chunk was not known."
        yield Stamp(say(f"{left_out['gold']:,} JUDGEMENTS OF GOLD LEFT OUT"), "warn", say(because))
    of_models = (record.labels.assessment or {}).get("by_model") or {}
    for name, counts in of_models.items():
        judgements, checked = counts["judgements"], counts["checked"]
        text = say(f"{judgements:,} JUDGEMENTS BY A MODEL: ", Data(name))
        yield Stamp(text, "warn", say(f"Somebody checked {checked:,} of them."))


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


def _prefix_stamp(record: Record, contrast: Contrast) -> Iterator[Stamp]:
    """A verdict where neither arm has the prefixes that the model's makers prescribe."""
    arms = [arm_by_name(record, name) for name in (contrast.baseline, contrast.treatment)]
    if {formatting(arm) for arm in arms} <= {"none", "reversed", "other"}:
        because = (
            "Neither arm has the prefixes that the model names, so both levels may be far below "
            "what it can do, and a gain may be part of what the prefixes would give."
        )
        yield Stamp(say("PREFIXES ARE NOT THE MODEL'S"), "warn", say(because))


def _unknown_chunks_stamps(contrast: Contrast) -> Iterator[Stamp]:
    """A verdict on each run whose ids are known to no label, or hardly any of them."""
    chunks = contrast.chunks
    if chunks is None:
        return
    known = {name: 1 - run.unknown / run.ids for name, run in chunks.runs.items() if run.ids}
    for name, share in known.items():
        run, most = chunks.runs[name], max(known.values())
        if share > _HARDLY_ANY * most or not run.unknown:
            continue
        more = run.unknown_distinct - len(run.unknown_first)
        which = f"{run.unknown:,} of {run.ids:,} ids in the first {chunks.k}"
        yield Stamp(
            say(f"UNKNOWN CHUNKS: {which} are in no {chunks.known_from}"),
            "bad",
            say(
                Data(name),
                " finds ",
                Data(", ".join(run.unknown_first)),
                f" and {more:,} more." if more else ".",
                " Either they are of another chunk set, or nobody judged what it finds; each "
                "counts as a miss.",
            ),
        )


def _ranking_stamps(record: Record, contrast: Contrast) -> Iterator[Stamp]:
    """The error of approximate search does not cancel between arms, so every verdict counts."""
    other = contrast.other_ranking
    if other is None:
        return
    found, again = primary_figures(contrast), other.measures[contrast.primary.measure]
    if _verdict(found) == _verdict(again):
        return
    unweighted = ", queries unweighted" * speaks_of_searches(record, contrast)
    yield Stamp(
        say("THE OTHER RANKING SAYS OTHERWISE"),
        "warn",
        say(
            f"By {other.ranking} the difference is {words.signed(again.difference)}, "
            f"p {words.equals(words.p_value(again.p))}{unweighted}."
        ),
    )


def _verdict(found: MeasureFigures) -> str:
    """Better, worse or not distinguishable, at the level that decides."""
    if found.p >= words.LEVEL:
        return "not distinguishable"
    return "better" if found.difference > 0 else "worse"
