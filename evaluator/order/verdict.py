"""
Whether labels came before treatment: evidence in, one verdict of three out.

It owns the rule and its words. It opens no file and asks no clock: moments come in as text,
each with what it was read from, and nothing it says goes beyond them. A date can be wrong
and a file can be copied, so the best verdict is that nothing contradicts a declaration.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from evaluator.order.evidence import LabelEvidence, Trace, TraceKind, Treatment
from evaluator.text.moments import instant, moment_of

VerdictName = Literal["contradicted", "declared, not contradicted", "unknown"]
Use = Literal["usable", "sensitivity analysis", "not usable", "order not shown"]

NOT_USABLE = "NOT USABLE: HEADER WORK BEFORE THE LABELS"
COMPLETED_AFTER = "LABELS COMPLETED AFTER TREATMENT"
NOT_SHOWN = "ORDER NOT SHOWN"

# A file that holds the digest of the labels was written after them, whatever its dates say.
_OF_THE_BYTES: frozenset[TraceKind] = frozenset({"committed", "changed"})
# What the labels may be used for, the worst first, with the verdict and the stamp.
_USES: Mapping[Use, tuple[VerdictName, str | None]] = {
    "not usable": ("contradicted", NOT_USABLE),
    "sensitivity analysis": ("contradicted", COMPLETED_AFTER),
    "order not shown": ("unknown", NOT_SHOWN),
    "usable": ("declared, not contradicted", None),
}


@dataclass(frozen=True, slots=True)
class OrderVerdict:
    """
    What the labels may be used for, with the sentences that this rests on.

    One of a `treatment`, or that of an experiment, which is the worst of its `treatments`.
    """

    use: Use
    rests_on: tuple[str, ...]
    treatment: Treatment | None = None
    treatments: tuple["OrderVerdict", ...] = ()

    @property
    def verdict(self) -> VerdictName:
        return _USES[self.use][0]

    @property
    def stamp(self) -> str | None:
        return _USES[self.use][1]

    def record(self) -> dict[str, Any]:
        """The verdict as `record.json` keeps it."""
        found: dict[str, Any] = {
            "verdict": self.verdict,
            "stamp": self.stamp,
            "use": self.use,
            "rests_on": list(self.rests_on),
        }
        if self.treatment is None:
            return found | {"treatments": [one.record() for one in self.treatments]}
        return found | {
            "sha256": self.treatment.sha256,
            "rule": self.treatment.rule,
            "arms": list(self.treatment.arms),
        }


def order_of_work(
    labels: LabelEvidence, treatments: Sequence[Treatment], *, doubts: Sequence[str] = ()
) -> OrderVerdict:
    """
    The verdict on labels before treatment.

    A treatment is contradicted when anything dates it before the labels; it stands as
    declared when nothing does and somebody declared something of it; else its order is not
    shown. Against a successor set, a treatment that began after a superseded one is a
    sensitivity analysis. The labels exist from their freeze on, or from their newest
    judgement where that is later, or from the earliest checked time stamp where that is
    earlier. `doubts` are sentences that decide nothing and are printed all the same.
    """
    witnesses = tuple(_witnesses(labels))
    if not treatments:
        none = "no arm has a header, so header work cannot have shaped what is compared"
        return OrderVerdict("usable", (*witnesses, none, *doubts))
    verdicts = tuple(_verdict_on(labels, treatment) for treatment in treatments)
    use = min((one.use for one in verdicts), key=list(_USES).index)
    several = len(verdicts) > 1
    rests_on = [*witnesses, *_declaration(labels.header_work)]
    for treatment, one in zip(treatments, verdicts, strict=True):
        named = f"{_named(treatment)}: " if several else ""
        verdict = [f"verdict {one.verdict}, {one.use}"] if several else []
        rests_on += [f"{named}{text}" for text in (*verdict, *one.rests_on)]
    return OrderVerdict(use, (*rests_on, *doubts), treatments=verdicts)


def _verdict_on(labels: LabelEvidence, treatment: Treatment) -> OrderVerdict:
    exist_from = _exist_from(labels)
    traces = [*_declared_begun(labels, treatment), *_counting(labels, treatment)]
    ordered = sorted(traces, key=lambda trace: instant(trace.at))
    treatment = replace(treatment, traces=tuple(ordered))
    said = [trace.text for trace in treatment.traces]
    if not said:
        said.append("earliest trace of header work: no file and no declaration dates it")
    said += _digest_inside(labels, treatment)
    early = [t for t in ordered if exist_from and instant(t.at) < instant(exist_from)]
    begun = _begun(labels, treatment)
    if early or (begun and moment_of(labels.header_work.get("at")) is None):
        return _contradicted(labels, treatment, early, said)
    if exist_from is None:
        said.append(f"the freeze is dated {labels.frozen_at!r}, which is no moment")
        return OrderVerdict("order not shown", tuple(said), treatment)
    if begun is None and treatment.declared_by is None:
        return OrderVerdict("order not shown", tuple(said), treatment)
    said += _own_word_only(labels, treatment)
    if labels.supersedes:
        said.append(
            f"this set supersedes {labels.supersedes}, and nothing dates this treatment before "
            f"it; for the treatment that prompted it, it is a sensitivity analysis "
            f"({COMPLETED_AFTER})"
        )
    return OrderVerdict("usable", tuple(said), treatment)


def _contradicted(
    labels: LabelEvidence, treatment: Treatment, early: Sequence[Trace], said: Sequence[str]
) -> OrderVerdict:
    """Not usable; or, against a successor of a set that came first, a sensitivity analysis."""
    if not labels.supersedes:
        return OrderVerdict("not usable", tuple(said), treatment)
    first = instant(early[0].at) if early else None
    dated = [a for a in labels.ancestors if moment_of(a.frozen_at)]
    before = [a for a in dated if first and instant(a.frozen_at) <= first]
    if before:
        why = f"it began after {before[0].name} was frozen ({before[0].frozen_at}) and before "
        why += "this successor: a sensitivity analysis beside the number on that set"
    elif first and dated and labels.all_ancestors:
        why = f"it is dated before {dated[-1].name} too, the first set of the chain"
        return OrderVerdict("not usable", (*said, why), treatment)
    else:
        why = "a sensitivity analysis beside the number on the superseded set; whether that set "
        why += "came before the treatment is not shown, since it is not at hand or nothing dates "
        why += "the treatment"
    return OrderVerdict("sensitivity analysis", (*said, why), treatment)


def _exist_from(labels: LabelEvidence) -> str | None:
    """The moment from which the labels are taken to exist, as text; None when none is known."""
    own = [text for text in (labels.frozen_at, labels.newest_judgement) if text and moment_of(text)]
    latest = [max(own, key=instant)] if moment_of(labels.frozen_at) else []
    stamped = [witness.at for witness in labels.witnesses if witness.checked]
    return min([*stamped, *latest], key=instant, default=None)


def _begun(labels: LabelEvidence, treatment: Treatment) -> bool | None:
    """What the manifest declares of this treatment: begun, not begun, or nothing."""
    begun = labels.header_work.get("begun")
    if not isinstance(begun, bool):
        return None
    of = labels.header_work.get("treatments")
    named = treatment.sha256, treatment.without_options
    return begun and (not isinstance(of, list) or any(digest in of for digest in named))


def _declared_begun(labels: LabelEvidence, treatment: Treatment) -> Iterator[Trace]:
    at = labels.header_work.get("at")
    if _begun(labels, treatment) and moment_of(at):
        yield Trace(str(at), "labels", f"trace of header work: declared to have begun at {at}")


def _counting(labels: LabelEvidence, treatment: Treatment) -> Iterator[Trace]:
    """The traces that say when the work was done, without dates that the digest refutes."""
    written_after = treatment.labels_sha256 == labels.sha256
    for trace in treatment.traces:
        if moment_of(trace.at) and not (written_after and trace.kind in _OF_THE_BYTES):
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


def _own_word_only(labels: LabelEvidence, treatment: Treatment) -> Iterator[str]:
    """Say where nothing but the manifest's own date puts the labels before the treatment."""
    first = treatment.traces[0].at if treatment.traces else None
    if first and not any(instant(witness.at) <= instant(first) for witness in labels.witnesses):
        yield (
            "that the labels came first rests on the date in their own manifest: no time stamp "
            f"and no commit of them is as old as the earliest trace ({first})"
        )


def _witnesses(labels: LabelEvidence) -> Iterator[str]:
    yield f"witness of the labels: their manifest, frozen at {labels.frozen_at} by its own word"
    newest, frozen = moment_of(labels.newest_judgement), moment_of(labels.frozen_at)
    if newest and frozen and newest > frozen:
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
