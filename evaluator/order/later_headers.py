"""
What a record says of the order, and which headers were first seen after a look at results.

A header that was written with such results in mind is no longer measured on unseen queries.
The ledger says when they were looked at, and files, commits and earlier runs say since when
a header has been there as it is. Dates can be wrong, so it says what is seen and no more.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from evaluator.experiment.headers.rule import HeaderRule
from evaluator.experiment.protocol import Experiment
from evaluator.labelset.format import LabelSet, utc_text
from evaluator.labelset.ledger import known_looks
from evaluator.order.evidence import FirstLook, LabelOrder, LaterHeader, Treatment
from evaluator.order.header_dates import Traces, labels_evidence, traces_of
from evaluator.order.label_dates import still_to_come, witnesses_of
from evaluator.order.verdict import order_of_work
from evaluator.text.moments import instant, is_before, moment_of

# When work on a header began says nothing here; these date what it is now.
_AS_IT_IS = frozenset({"committed", "changed", "run"})


def observed_order(
    labels: LabelSet,
    experiment: Experiment,
    headers: Mapping[str, HeaderRule],
    rendered: Mapping[str, str],
    *,
    now: datetime,
) -> LabelOrder:
    """
    What a record says of the order: verdict, what it rests on, and all that is dated.

    `rendered` is the digest of the strings that the header of each arm renders.
    """
    witnesses = witnesses_of(labels, now=now, roots=experiment.authority)
    evidence = labels_evidence(labels, witnesses)
    traces = traces_of(experiment, headers, rendered, evidence)
    spoiled = [f"no witness: {stamp.text()}" for stamp in witnesses.stamps if stamp.problem]
    dates = [("the header work of the manifest", evidence.header_work.get("at"))]
    dates += [(f"superseded set {each.name}", each.frozen_at) for each in evidence.ancestors]
    dates += [
        (f"work on {t.rule} ({trace.kind})", trace.at)
        for t in traces.treatments
        for trace in t.traces
    ]
    clocks = (*witnesses.clocks, *still_to_come(dates, now=now))
    doubts = [*spoiled, *(f"clocks: {found}" for found in clocks), *traces.doubts]
    if not evidence.all_ancestors:
        doubts.append(
            f"doubt: {evidence.ancestors[-1].name}, which was superseded, is not at hand: of runs "
            "on it only those are known that a ledger beside these labels lists"
        )
    found = order_of_work(evidence, traces.treatments, doubts=doubts)
    looks = known_looks(labels)
    after = headers_after_looks(traces, looks, sha256=experiment.sha256, now=now)
    return replace(found, dated=traces.dated, after_looks=tuple(after))


def headers_after_looks(
    traces: Traces, looks: Sequence[Mapping[str, Any]], *, sha256: str, now: datetime
) -> Iterator[LaterHeader]:
    """
    The headers of an experiment that nothing shows before a look, with those looks.

    `looks` are the lines of the ledger, `sha256` is the experiment's digest. A header is
    seen at the earliest of: its file's change or commit, a run that used it, a look by a
    run that used it or by this very experiment, the experiment file's own change or
    commit, and `now`.
    """
    experiment = traces.dated[0]  # as old as the header rules in it
    commit = experiment.commit
    written = experiment.changed_at, commit.earliest_at if commit else None
    dated = [(str(row.get("at")), row) for row in looks if moment_of(row.get("at"))]
    for treatment in traces.treatments:
        as_it_is = (trace.at for trace in treatment.traces if trace.kind in _AS_IT_IS)
        seen = [utc_text(now), *filter(moment_of, [*written, *as_it_is])]
        seen += [at for at, row in dated if _used(row, treatment, sha256)]
        first = min(filter(None, seen), key=instant)
        ordered = sorted(dated, key=lambda look: instant(look[0]))
        before = [row for at, row in ordered if is_before(at, first)]
        if before:
            said = (before[0].get(key) for key in ("at", "who", "experiment"))
            look = FirstLook(*(None if each is None else str(each) for each in said))
            named = treatment.sha256, treatment.rule, treatment.arms
            yield LaterHeader(*named, first, len(before), look)


def after_look_text(found: LaterHeader) -> str:
    """One of these in a sentence."""
    look, looks = found.first_look, found.looks_before
    times = "a known look" if looks == 1 else f"{looks} known looks"
    return (
        f"HEADER WRITTEN AFTER A LOOK: {found.rule} of {', '.join(found.arms)} "
        f"(sha256 {found.sha256[:12]}) is first seen at {found.first_seen_at}, after "
        f"{times} at held-out results of these labels, the first at {look.at} by "
        f"{look.who} ({look.experiment})"
    )


def _used(look: Mapping[str, Any], treatment: Treatment, sha256: str) -> bool:
    headers = look.get("headers")
    named = isinstance(headers, list) and not treatment.digests.isdisjoint(map(str, headers))
    return named or look.get("sha256") == sha256
