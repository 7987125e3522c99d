"""
Whether labels came before treatment: evidence in, one verdict of three out.

It owns the rule and its words. It opens no file and asks no clock: moments come in as text,
each with what it was read from, and nothing it says goes beyond them. A date can be wrong
and a file can be copied, so the best verdict is that nothing contradicts a declaration.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from evaluator.order.evidence import (
    LabelEvidence,
    LabelOrder,
    Trace,
    TraceKind,
    Treatment,
    TreatmentOrder,
)
from evaluator.text.moments import instant, is_before, moment_of

NOT_USABLE = "NOT USABLE: HEADER WORK BEFORE THE LABELS"
COMPLETED_AFTER = "LABELS COMPLETED AFTER TREATMENT"
NOT_SHOWN = "ORDER NOT SHOWN"

# A file that holds the digest of the labels was written after them, whatever its dates say.
_OF_THE_BYTES: frozenset[TraceKind] = frozenset({"committed", "changed"})
# What the labels may be used for, the worst first, with the verdict and the stamp.
_USES: Mapping[str, tuple[str, str | None]] = {
    "not usable": ("contradicted", NOT_USABLE),
    "sensitivity analysis": ("contradicted", COMPLETED_AFTER),
    "order not shown": ("unknown", NOT_SHOWN),
    "usable": ("declared, not contradicted", None),
}


def order_of_work(
    labels: LabelEvidence, treatments: Sequence[Treatment], *, doubts: Sequence[str] = ()
) -> LabelOrder:
    """
    The verdict on labels before treatment; what is dated is for the caller to add.

    A treatment is contradicted when anything dates it before the labels; it stands as
    declared when nothing does and somebody declared something of it; else its order is not
    shown. Dates are as exact as they are written: equal is not before, and a day is not
    before a moment within it. Against a successor set, a treatment that began after a
    superseded one is a sensitivity analysis. The labels exist from their freeze on, or from
    their newest judgement where that is later, or from the earliest checked time stamp where
    that is earlier. `doubts` are sentences that decide nothing and are printed all the same.
    """
    witnesses = tuple(_witnesses(labels))
    if not treatments:
        none = "no arm has a header, so header work cannot have shaped what is compared"
        return LabelOrder(*_USES["usable"], "usable", (*witnesses, none, *doubts), (), (), ())
    verdicts = tuple(_verdict_on(labels, treatment) for treatment in treatments)
    use = min((one.use for one in verdicts), key=list(_USES).index)
    several = len(verdicts) > 1
    rests_on = [*witnesses, *_declaration(labels.header_work)]
    for treatment, one in zip(treatments, verdicts, strict=True):
        named = f"{_named(treatment)}: " if several else ""
        verdict = [f"verdict {one.verdict}, {one.use}"] if several else []
        rests_on += [f"{named}{text}" for text in (*verdict, *one.rests_on)]
    return LabelOrder(*_USES[use], use, (*rests_on, *doubts), verdicts, (), ())


def _verdict_on(labels: LabelEvidence, treatment: Treatment) -> TreatmentOrder:
    exist_from = _exist_from(labels)
    traces = [*_declared_begun(labels, treatment), *_counting(labels, treatment, exist_from)]
    ordered = sorted(traces, key=lambda trace: instant(trace.at))
    treatment = replace(treatment, traces=tuple(ordered))
    said = [trace.text for trace in treatment.traces]
    if not said:
        said.append("earliest trace of header work: no file and no declaration dates it")
    said += _digest_inside(labels, treatment)
    early = [trace for trace in ordered if is_before(trace.at, exist_from)]
    begun = _begun(labels, treatment)
    if early or (begun and not is_before(exist_from, labels.header_work.get("at"))):
        return _contradicted(labels, treatment, early, said)
    if exist_from is None:
        said.append(f"the freeze is dated {labels.frozen_at!r}, which is no moment")
        return _order("order not shown", said, treatment)
    if begun is None and treatment.declared_by is None:
        return _order("order not shown", said, treatment)
    said += _within_the_precision(exist_from, treatment)
    said += _own_word_only(labels, treatment)
    if labels.supersedes:
        said.append(
            f"this set supersedes {labels.supersedes}, and nothing dates this treatment before "
            f"it; for the treatment that prompted it, it is a sensitivity analysis "
            f"({COMPLETED_AFTER})"
        )
    return _order("usable", said, treatment)


def _order(use: str, rests_on: Sequence[str], treatment: Treatment) -> TreatmentOrder:
    verdict, stamp = _USES[use]
    named = treatment.sha256, treatment.rule, treatment.arms
    return TreatmentOrder(verdict, stamp, use, tuple(rests_on), *named)


def _contradicted(
    labels: LabelEvidence, treatment: Treatment, early: Sequence[Trace], said: Sequence[str]
) -> TreatmentOrder:
    """Not usable; or, against a successor of a set that came first, a sensitivity analysis."""
    if not labels.supersedes:
        return _order("not usable", said, treatment)
    first = early[0].at if early else None
    dated = [a for a in labels.ancestors if moment_of(a.frozen_at)]
    before = [a for a in dated if first and not is_before(first, a.frozen_at)]
    if before:
        why = f"it is not dated before {before[0].name} ({before[0].frozen_at}), but before this "
        why += "successor: a sensitivity analysis beside the number on that set"
    elif first and dated and labels.all_ancestors:
        why = f"it is dated before {dated[-1].name} too, the first set of the chain"
        return _order("not usable", (*said, why), treatment)
    else:
        why = "a sensitivity analysis beside the number on the superseded set; whether that set "
        why += "came before the treatment is not shown, since it is not at hand or nothing dates "
        why += "the treatment"
    return _order("sensitivity analysis", (*said, why), treatment)


def _exist_from(labels: LabelEvidence) -> str | None:
    """The moment from which the labels are taken to exist, as text; None when none is known."""
    frozen, newest = labels.frozen_at, labels.newest_judgement
    latest = [newest if newest and is_before(frozen, newest) else frozen]
    stamped = [witness.at for witness in labels.witnesses if witness.checked]
    return min(filter(moment_of, [*stamped, *latest]), key=instant, default=None)


def _begun(labels: LabelEvidence, treatment: Treatment) -> bool | None:
    """What the manifest declares of this treatment: begun, not begun, or nothing."""
    begun = labels.header_work.get("begun")
    if not isinstance(begun, bool):
        return None
    of = labels.header_work.get("treatments")
    return begun and (not isinstance(of, list) or not treatment.digests.isdisjoint(of))


def _declared_begun(labels: LabelEvidence, treatment: Treatment) -> Iterator[Trace]:
    at = labels.header_work.get("at")
    if _begun(labels, treatment) and moment_of(at):
        yield Trace(str(at), "labels", f"trace of header work: declared to have begun at {at}")


def _counting(
    labels: LabelEvidence, treatment: Treatment, exist_from: str | None
) -> Iterator[Trace]:
    """
    The traces that say when the work was done, without dates that the digest refutes.

    Nor runs after the labels, which each run would add to what the next one says.
    """
    written_after = treatment.labels_sha256 == labels.sha256
    for trace in treatment.traces:
        later_run = trace.kind == "run" and is_before(exist_from, trace.at)
        refuted = written_after and trace.kind in _OF_THE_BYTES
        if moment_of(trace.at) and not later_run and not refuted:
            yield trace


def _digest_inside(labels: LabelEvidence, treatment: Treatment) -> Iterator[str]:
    named = treatment.labels_sha256
    if named == labels.sha256:
        yield (
            "the header file holds the digest of this label set, so that file was written after "
            "it; the texts in it may be older"
        )
    elif named:
        yield f"the header file names another label set ({named[:12]}), which says nothing of this"


def _within_the_precision(exist_from: str, treatment: Treatment) -> Iterator[str]:
    """Say which dates are neither before the labels nor after them, as exactly as is written."""
    close = [t.at for t in treatment.traces if not is_before(exist_from, t.at)]
    if close:
        yield (
            f"{close[0]} and {exist_from} cannot be told apart as they are written (a date "
            "without a zone is known within 14 hours): unknown which of the two was first"
        )


def _own_word_only(labels: LabelEvidence, treatment: Treatment) -> Iterator[str]:
    """Say where nothing but the manifest's own date puts the labels before the treatment."""
    first = treatment.traces[0].at if treatment.traces else None
    if first and not any(is_before(witness.at, first) for witness in labels.witnesses):
        yield (
            "that the labels came first rests on the date in their own manifest: no time stamp "
            f"and no commit of them is surely older than the earliest trace ({first})"
        )


def _witnesses(labels: LabelEvidence) -> Iterator[str]:
    yield f"witness of the labels: their manifest, frozen at {labels.frozen_at} by its own word"
    if is_before(labels.frozen_at, labels.newest_judgement):
        yield (
            f"the newest judgement is dated {labels.newest_judgement}, after the freeze: a clock "
            "was set back or another one dated it, and the labels count from that judgement on"
        )
    yield from (f"witness of the labels: {witness.text}" for witness in labels.witnesses)
    if labels.supersedes and labels.ancestors:
        yield "superseded: " + ", ".join(f"{a.name} ({a.frozen_at})" for a in labels.ancestors)


def _declaration(declared: Mapping[str, Any]) -> Iterator[str]:
    by = declared.get("declared_by") or "nobody named"
    of = declared.get("treatments")
    listed = [str(digest)[:12] for digest in of] if isinstance(of, list) else []
    which = f"header work on {', '.join(listed)}" if listed else "header work"
    if declared.get("begun") is False:
        yield f"declared by {by}: no header work had begun at the freeze"
    elif declared.get("begun") is True:
        yield f"declared by {by}: {which} had begun before the freeze"
    else:
        yield "nobody declared whether header work had begun at the freeze"


def _named(treatment: Treatment) -> str:
    arms = ", ".join(repr(arm) for arm in treatment.arms)
    return f"treatment {treatment.sha256[:12]} of {arms}"
