"""
The order of labels and treatment as a run finds it: witnesses and traces, then the verdict.

And with the same traces, which headers came after a look at held-out results.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from evaluator.experiment.headers.rule import HeaderRule
from evaluator.experiment.protocol import Experiment
from evaluator.labelset.format import LabelSet
from evaluator.labelset.ledger import known_looks
from evaluator.order.header_dates import chain_of, labels_evidence, traces_of
from evaluator.order.label_dates import witnesses_of
from evaluator.order.later_headers import headers_after_looks
from evaluator.order.verdict import order_of_work


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
        "witnesses": witnesses.record(),
        "after_looks": headers_after_looks(traces, looks, sha256=experiment.sha256, now=now),
    }
