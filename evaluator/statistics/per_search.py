"""
What a contrast says about the searches of a log, not only about the queries that were judged.

It owns the estimate over a domain, read for this log window and for the judged queries as they
are, the reasons why a reading is missing, and what is said where the two disagree. It reads no
files.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from evaluator import InputError
from evaluator.labelset.format import Query
from evaluator.statistics.cells import require_same_queries
from evaluator.statistics.sample_weights import (
    DrawnSample,
    count,
    drawn_sample,
    first,
    why_no_weights,
)
from evaluator.statistics.weighted import (
    Floats,
    Uncertainty,
    effective_number,
    hajek_mean,
    over_the_draw,
    over_the_queries,
)
from evaluator.text.figures import signed

IntervalSide = Literal["above 0", "below 0", "includes 0"]

WINDOW_METHOD = (
    "score interval, 95%; variance of Hartley and Rao (1962) for systematic sampling in random "
    "order, with finite population correction; queries drawn with certainty add none"
)
POISSON_METHOD = (
    "score interval, 95%; variance of Poisson sampling, each query drawn by itself; queries "
    "drawn with certainty add none"
)
JUDGED_METHOD = "score interval, 95%; every judged query counts once; names no population"
# By simulation: with fewer changes the interval covers more than it says, and with weights as
# uneven as this, which only a draw that takes no account of searches makes, it covers less.
FEW_CHANGES = 5
UNEVEN = 0.5
ONE_QUERY = "one query has no spread"
_ZERO = 1e-12


@dataclass(frozen=True, slots=True)
class IntervalEstimate:
    """One way to read the differences; without an interval, `reason` says why."""

    difference: float | None
    standard_error: float | None
    interval: tuple[float, float] | None
    method: str
    reason: str | None = None

    @property
    def verdict(self) -> IntervalSide | None:
        """Where the interval lies."""
        if self.interval is None:
            return None
        lower, upper = self.interval
        return "above 0" if lower > _ZERO else "below 0" if upper < -_ZERO else "includes 0"


@dataclass(frozen=True, slots=True)
class TrafficEstimate:
    """
    Both arms and their difference over one domain, weighted by searches.

    `this_log_window` is open only about which queries were drawn; `judged_queries` is the
    plain mean. `drawn` counts the log's queries in the whole sample, `n` those in the domain,
    `certain` those of them that are in every sample, `changed_by_chance` those of the others
    whose value changed; `effective_queries` is how many of equal weight they are worth. Without
    weights everything but `judged_queries` is None and `reason` says why.
    """

    domain: str
    n: int
    drawn: int
    judged_queries: IntervalEstimate
    this_log_window: IntervalEstimate
    baseline: float | None = None
    treatment: float | None = None
    difference: float | None = None
    certain: int | None = None
    certain_share: float | None = None
    changed_by_chance: int | None = None
    largest_share: float | None = None
    effective_queries: float | None = None
    disagreement: str | None = None
    notes: tuple[str, ...] = ()
    reason: str | None = None


def traffic_estimate(
    baseline: Mapping[str, float],
    treatment: Mapping[str, float],
    *,
    queries: Iterable[Query],
    sampling: Mapping[str, Any] | None = None,
    domain: str = "all",
) -> TrafficEstimate:
    """
    The contrast per search of this log window, over the queries that have values.

    The values, between 0 and 1 by query id, say what the domain is: all judged queries, the
    held-out ones, those of one source. `queries` is the whole label set, since the variance
    within a domain needs the size of the sample that it is a part of. `sampling` is the
    design in its manifest; one with permanent numbers drew each query by itself, any other is
    taken for systematic. Weights are renormalised within the domain.

    Raises InputError when the arms differ in their queries, a value lies outside 0 to 1, a
    query is not in the label set, or its weight contradicts its count and probability.
    """
    require_same_queries(baseline, treatment)
    _check_values(baseline, treatment)
    query_by_id = {query.query_id: query for query in queries}
    strangers = sorted(baseline.keys() - query_by_id.keys())
    if strangers:
        raise InputError(
            f"{count(strangers)} not in the label set: {first(strangers)}. "
            "Measure the runs over the queries of the label set."
        )
    judged = _judged(baseline, treatment)
    drawn = [query_by_id[i] for i in sorted(query_by_id) if query_by_id[i].origin == "log"]
    reason = why_no_weights([query_by_id[query_id] for query_id in sorted(baseline)])
    if reason is not None:
        window = IntervalEstimate(None, None, None, WINDOW_METHOD, reason)
        return TrafficEstimate(domain, len(baseline), len(drawn), judged, window, reason=reason)
    sample = drawn_sample(baseline, treatment, drawn)
    skipped = sum(1 for q in drawn if q.query_id not in baseline and q.skip_reason is not None)
    independent = (sampling or {}).get("design") == "permanent"
    return _estimate(sample, independent, domain=domain, judged=judged, skipped=skipped)


def traffic_by_group(
    baseline: Mapping[str, float],
    treatment: Mapping[str, float],
    *,
    queries: Sequence[Query],
    group_by_query: Mapping[str, str],
    sampling: Mapping[str, Any] | None = None,
) -> dict[str, TrafficEstimate]:
    """The estimate for each group of queries as a domain of its own, by group."""
    require_same_queries(baseline, treatment)
    return {
        group: traffic_estimate(
            {q: value for q, value in baseline.items() if group_by_query[q] == group},
            {q: value for q, value in treatment.items() if group_by_query[q] == group},
            queries=queries,
            sampling=sampling,
            domain=group,
        )
        for group in sorted({group_by_query[query_id] for query_id in baseline})
    }


def _estimate(
    sample: DrawnSample, independent: bool, *, domain: str, judged: IntervalEstimate, skipped: int
) -> TrafficEstimate:
    inside, certain = sample.inside, sample.certain
    weights = np.where(inside, sample.weights, 0.0)
    differences = sample.after - sample.before
    difference = float(hajek_mean(differences, weights))
    window = _window(sample, differences, difference, independent=independent)
    changed = int((inside & ~certain & (differences != 0)).sum())
    return TrafficEstimate(
        domain=domain,
        n=int(inside.sum()),
        drawn=len(inside),
        judged_queries=judged,
        this_log_window=window,
        baseline=float(hajek_mean(sample.before, weights)),
        treatment=float(hajek_mean(sample.after, weights)),
        difference=difference,
        certain=int((inside & certain).sum()),
        certain_share=float(weights[certain].sum() / weights.sum()),
        changed_by_chance=changed,
        largest_share=float(weights.max() / weights.sum()),
        effective_queries=float(effective_number(weights)),
        disagreement=_disagreement(window, judged),
        notes=tuple(_notes(sample, window, changed=changed, skipped=skipped)),
    )


def _window(
    sample: DrawnSample, differences: Floats, difference: float, *, independent: bool
) -> IntervalEstimate:
    """The design-based reading, or why the draw says nothing about what it left out."""
    method = POISSON_METHOD if independent else WINDOW_METHOD
    reason = None
    if sample.probabilities is None:
        reason = "some queries have no inclusion probability, so the design is not known"
    elif sample.inside.sum() == 1:
        reason = ONE_QUERY
    elif not sample.certain.all() and not (sample.inside & ~sample.certain).any():
        reason = (
            "only queries drawn with certainty fell into this domain, so the sample says "
            "nothing about its rarer queries"
        )
    if reason is not None or sample.probabilities is None:
        return IntervalEstimate(difference, None, None, method, reason)
    spread = over_the_draw(
        differences,
        weights=sample.weights,
        probabilities=sample.probabilities,
        strata=sample.strata,
        inside=sample.inside,
        independent=independent,
    )
    return _estimated(difference, spread, method)


def _judged(baseline: Mapping[str, float], treatment: Mapping[str, float]) -> IntervalEstimate:
    """
    The plain mean with its paired standard error.

    Its interval is the paired score interval of the contrast, so that the two readings differ
    for their weights and not for their formulas.
    """
    differences = np.array([treatment[i] - baseline[i] for i in sorted(baseline)])
    mean = float(differences.mean())
    if len(differences) == 1:
        return IntervalEstimate(mean, None, None, JUDGED_METHOD, ONE_QUERY)
    return _estimated(mean, over_the_queries(differences), JUDGED_METHOD)


def _estimated(difference: float, spread: Uncertainty, method: str) -> IntervalEstimate:
    interval = float(spread.lower), float(spread.upper)
    return IntervalEstimate(difference, float(spread.standard_error), interval, method)


def _notes(
    sample: DrawnSample, window: IntervalEstimate, *, changed: int, skipped: int
) -> Iterable[str]:
    """What a reader should know of the interval there is, from what simulation showed of it."""
    if window.interval is not None:
        weights = np.where(sample.inside, sample.weights, 0.0)
        yield from _notes_on_the_draw(sample, weights, changed=changed)
    if skipped:
        yield f"{skipped} of the drawn queries were skipped; the estimate is for the others."


def _notes_on_the_draw(sample: DrawnSample, weights: Floats, *, changed: int) -> Iterable[str]:
    if sample.certain.all():
        yield (
            "Every query of the log was drawn with certainty: for this window nothing was left "
            "to chance, and its interval has no width."
        )
    elif changed < FEW_CHANGES:
        yield (
            f"Of the queries drawn by chance {changed} changed, so the interval for this log "
            "window is cautious."
        )
    by_chance = weights[sample.inside & ~sample.certain]
    if by_chance.any() and (worth := effective_number(by_chance)) < UNEVEN * len(by_chance):
        yield (
            f"The {len(by_chance)} queries drawn by chance weigh as {worth:.0f} equal ones would: "
            "they were not drawn by their searches, so the interval for this log window may be "
            "too narrow."
        )


def _disagreement(window: IntervalEstimate, judged: IntervalEstimate) -> str | None:
    """What to say when the readings differ in sign or verdict, None when they agree."""
    opposite = _sign(window.difference) * _sign(judged.difference) < 0
    verdicts = {window.verdict, judged.verdict} - {None}
    in_what = " and ".join(
        what for what, found in (("sign", opposite), ("verdict", len(verdicts) > 1)) if found
    )
    if not in_what:
        return None
    figures = "; ".join(
        f"{name} {signed(reading.difference)}"
        + (f" ({reading.verdict})" if reading.verdict else "")
        for name, reading in (("traffic of this log window", window), ("judged queries", judged))
    )
    text = f"The readings disagree in {in_what}: {figures}."
    if opposite:
        text += " Queries that are asked often moved the other way than the rest."
    if len(verdicts) > 1:
        text += " The mean over the judged queries names no population: quote the traffic."
    return text


def _sign(difference: float | None) -> int:
    if difference is None or abs(difference) <= _ZERO:
        return 0
    return 1 if difference > 0 else -1


def _check_values(*arms: Mapping[str, float]) -> None:
    wrong = {query_id for arm in arms for query_id, value in arm.items() if not 0 <= value <= 1}
    if wrong:
        raise InputError(
            f"The traffic estimate needs values from 0 to 1; look at {first(sorted(wrong))}."
        )
