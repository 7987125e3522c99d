"""
What a record says of the order, and which headers were first seen after a look at results.

A header that was written with such results in mind is no longer measured on unseen queries.
The ledger says when they were looked at, and files, commits and earlier runs say since when
a header has been there as it is. Dates can be wrong, so it says what is seen and no more.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from operator import itemgetter
from typing import Any

from evaluator.experiment.headers.rule import HeaderRule
from evaluator.experiment.protocol import Experiment
from evaluator.labelset.format import LabelSet, utc_text
from evaluator.labelset.ledger import known_looks
from evaluator.order.evidence import Treatment
from evaluator.order.header_dates import Traces, chain_of, labels_evidence, traces_of
from evaluator.order.label_dates import witnesses_of
from evaluator.order.verdict import order_of_work
from evaluator.text.moments import moment_of

# When work on a header began says nothing here; these date what it is now.
_AS_IT_IS = frozenset({"committed", "changed", "run"})


def observed_order(
    labels: LabelSet, experiment: Experiment, headers: Mapping[str, HeaderRule], *, now: datetime
) -> dict[str, Any]:
    """What `record.json` says of the order: verdict, what it rests on, and all that is dated."""
    witnesses = witnesses_of(labels, now=now, roots=experiment.authority)
    chain = chain_of(labels)
    evidence = labels_evidence(labels, witnesses, chain=chain)
    traces = traces_of(experiment, headers, frozen_at=evidence.frozen_at, chain=chain)
    spoiled = [f"no witness: {stamp.text()}" for stamp in witnesses.stamps if stamp.problem]
    doubts = [*spoiled, *(f"clocks: {found}" for found in witnesses.clocks), *traces.doubts]
    found = order_of_work(evidence, traces.treatments, doubts=doubts)
    looks = known_looks(labels)
    return {
        **found.record(),
        "dated": traces.record(),
        "after_looks": headers_after_looks(traces, looks, sha256=experiment.sha256, now=now),
    }


def headers_after_looks(
    traces: Traces, looks: Sequence[Mapping[str, Any]], *, sha256: str, now: datetime
) -> list[dict[str, Any]]:
    """
    The headers of an experiment that nothing shows before a look, with those looks.

    `looks` are the lines of the ledger, `sha256` is the experiment's digest. A header is
    seen at the earliest of: its file's change or commit, a run that used it, a look by a
    run that used it or by this very experiment, the experiment file's own change or
    commit, and `now`.
    """
    dated = [(moment, row) for row in looks if (moment := moment_of(row.get("at")))]
    found = []
    for treatment in traces.treatments:
        as_it_is = (trace.at for trace in treatment.traces if trace.kind in _AS_IT_IS)
        seen = [now, *_file_dates(traces), *filter(None, map(moment_of, as_it_is))]
        seen += [moment for moment, row in dated if _used(row, treatment, sha256)]
        first = min(seen)
        before = [row for moment, row in sorted(dated, key=itemgetter(0)) if moment < first]
        if before:
            found.append(
                {
                    "sha256": treatment.sha256,
                    "rule": treatment.rule,
                    "arms": list(treatment.arms),
                    "first_seen_at": utc_text(first),
                    "looks_before": len(before),
                    "first_look": {key: before[0].get(key) for key in ("at", "who", "experiment")},
                }
            )
    return found


def after_look_text(found: Mapping[str, Any]) -> str:
    """One of these in a sentence."""
    look, looks = found["first_look"], found["looks_before"]
    times = "a known look" if looks == 1 else f"{looks} known looks"
    return (
        f"HEADER WRITTEN AFTER A LOOK: {found['rule']} of {', '.join(found['arms'])} "
        f"(sha256 {found['sha256'][:12]}) is first seen at {found['first_seen_at']}, after "
        f"{times} at held-out results of these labels, the first at {look['at']} by "
        f"{look['who']} ({look['experiment']})"
    )


def _file_dates(traces: Traces) -> Iterator[datetime]:
    """Since when the experiment has been as it is, and the header rule in it with it."""
    for dated in traces.dated:
        if dated.what == "experiment":
            commit = dated.commit or {}
            times = (dated.changed_at, commit.get("authored_at"), commit.get("committed_at"))
            yield from filter(None, map(moment_of, times))


def _used(look: Mapping[str, Any], treatment: Treatment, sha256: str) -> bool:
    headers = look.get("headers")
    named = isinstance(headers, list) and treatment.sha256 in headers
    return named or look.get("sha256") == sha256
