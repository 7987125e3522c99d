"""
Two arms over the same queries: measures, cells, and the table of cutoff by treatment.

It owns which statistic belongs to which measure, whoever made the runs. The arithmetic is in
`evaluator.statistics`. It reads no files.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluator import InputError
from evaluator.contrasts.model import (
    CellFigures,
    ClusteredFigures,
    CutoffTable,
    EffectByCutoff,
    MeasureFigures,
    StandardErrors,
    UnclusteredFigures,
)
from evaluator.contrasts.pair import ArmPair, Values
from evaluator.labelset.format import Query
from evaluator.measures.names import is_hit
from evaluator.statistics.cells import (
    PairedCells,
    exact_mcnemar,
    four_cells,
    mid_p_mcnemar,
    one_arm_standard_error,
    paired_standard_error,
    require_same_queries,
    rule_of_thumb_band,
    unpaired_standard_error,
)
from evaluator.statistics.clusters import compare_clustered
from evaluator.statistics.intervals import (
    METHOD,
    Inference,
    agreeing_with_test,
    inference,
    tango_interval,
    why_no_interval,
)
from evaluator.statistics.per_search import traffic_estimate
from evaluator.statistics.sign_flip import SEED
from evaluator.text.figures import signed

_NO_SPREAD = 1e-12


def cell_figures(cells: PairedCells) -> CellFigures:
    """
    The four cells with everything that is said about them.

    The exact p decides, and the interval agrees with it on 0; mid-p stands beside it. The
    standard errors carry the name of what they are: only `paired` belongs to the difference.
    """
    n, p, difference = cells.n, exact_mcnemar(cells.won, cells.lost), cells.difference
    reason = why_no_interval(np.ones(n))
    interval = tango_interval(n, cells.won, cells.lost)
    mean_rate = (cells.rate_baseline + cells.rate_treatment) / 2
    return CellFigures(
        n=n,
        both=cells.both,
        neither=cells.neither,
        won=cells.won,
        lost=cells.lost,
        rate_baseline=cells.rate_baseline,
        rate_treatment=cells.rate_treatment,
        difference=difference,
        interval=None if reason else agreeing_with_test(interval, difference=difference, p=p),
        interval_method=f"no interval, since {reason}" if reason else METHOD,
        mcnemar_exact_p=p,
        mid_p=mid_p_mcnemar(cells.won, cells.lost),
        standard_errors=StandardErrors(
            paired=paired_standard_error(cells),
            one_arm_baseline=one_arm_standard_error(cells.rate_baseline, n),
            one_arm_treatment=one_arm_standard_error(cells.rate_treatment, n),
            as_if_unpaired=unpaired_standard_error(cells),
            rule_of_thumb_band=rule_of_thumb_band(mean_rate, n),
        ),
    )


def measure_figures(
    name: str,
    baseline: Mapping[str, float],
    treatment: Mapping[str, float],
    *,
    seed: int = SEED,
    cluster_by_query: Mapping[str, str] | None = None,
) -> MeasureFigures:
    """
    One measure of one contrast: both levels, difference, interval, p and the test's name.

    Success gets the exact McNemar test, every other measure the sign-flip test. The values are
    by query, over the same queries. Where queries come in clusters these decide, and what
    counts every query by itself stands under `ignoring_clusters`. Raises InputError when the
    arms were not measured on the same queries or a value is not a finite number.
    """
    require_same_queries(baseline, treatment)
    query_ids = sorted(baseline)
    before, after = (np.array([arm[q] for q in query_ids]) for arm in (baseline, treatment))
    differences = after - before
    if not np.isfinite(differences).all():
        raise InputError("A measure has a value that is not a finite number.")
    chance = inference(differences, np.ones(len(differences)), seed=seed)
    paired_t_p, effect_size, note = _spread_statistics(differences)
    found = MeasureFigures(
        n=len(query_ids),
        baseline=float(before.mean()),
        treatment=float(after.mean()),
        difference=float(differences.mean()),
        **_interval_and_p(chance, METHOD),
        test=f"sign flip, {chance.test.how}",
        paired_t_p=paired_t_p,
        effect_size=effect_size,
        up=int((differences > 0).sum()),
        down=int((differences < 0).sum()),
        note=note,
    )
    if is_hit(name):
        cells = cell_figures(four_cells(baseline, treatment))
        found = replace(
            found,
            interval=cells.interval,
            interval_method=cells.interval_method,
            p=cells.mcnemar_exact_p,
            test="exact McNemar, queries unweighted",
        )
    if cluster_by_query is None:
        return found
    clustered = compare_clustered(baseline, treatment, cluster_by_query=cluster_by_query, seed=seed)
    apart = UnclusteredFigures(found.interval, found.interval_method, found.p, found.test)
    return replace(found, **_by_cluster(clustered), ignoring_clusters=apart)


def _spread_statistics(
    differences: NDArray[np.float64],
) -> tuple[float | None, float | None, str | None]:
    """Paired t and effect size, or why there is none."""
    if not differences.any():
        return None, None, "no difference: no query has another value in the treatment"
    spread = float(differences.std(ddof=1)) if len(differences) > 1 else 0.0
    if spread <= _NO_SPREAD * float(np.abs(differences).max()):
        return None, None, "all queries moved by the same amount: no t-test"
    from scipy.special import stdtr  # half a second less to import than scipy.stats

    n, mean = len(differences), float(differences.mean())
    t = mean / math.sqrt(float(np.mean((differences - mean) ** 2)) * (n / (n - 1)) / n)
    return 2 * float(stdtr(n - 1, -abs(t))), mean / spread, None


def clustered_figures(
    baseline: Mapping[str, float],
    treatment: Mapping[str, float],
    *,
    cluster_by_query: Mapping[str, str],
) -> ClusteredFigures:
    """The same difference with its chance counted by cluster, as a line beside the contrast."""
    found = compare_clustered(baseline, treatment, cluster_by_query=cluster_by_query, seed=SEED)
    n = len(baseline)
    difference = sum(treatment[q] - baseline[q] for q in sorted(baseline)) / n
    return ClusteredFigures(n, difference, **_by_cluster(found))


def _by_cluster(found: Inference) -> dict[str, Any]:
    """Interval and p by cluster, with the methods by name."""
    return {
        **_interval_and_p(found, f"{METHOD}, clusters as units"),
        "test": f"cluster sign flip, {found.test.how}, {found.units:,} clusters",
        "clusters": found.units,
        "largest_share": found.largest_share,
    }


def _interval_and_p(found: Inference, method: str) -> dict[str, Any]:
    return {
        "interval": found.interval,
        "interval_method": method if found.interval else f"no interval, since {found.reason}",
        "p": found.test.p,
    }


def cutoff_table(
    *,
    k: int,
    baseline: tuple[float, float],
    treatment: tuple[float, float],
    measure: str,
    notes: Sequence[str] = (),
) -> CutoffTable:
    """
    Four cells of cutoff by treatment: how much a larger k gives without the treatment.

    `baseline` and `treatment` hold each arm's value at k and at 2k; `measure` is the name
    at k. A hit within k is a hit within 2k, so a rise from k to 2k is certain and nothing
    here is tested: the figures are subtracted and described.
    """
    (baseline_k, baseline_k2), (treatment_k, treatment_k2) = baseline, treatment
    effect_k, effect_k2 = treatment_k - baseline_k, treatment_k2 - baseline_k2
    by_k_alone = baseline_k2 - baseline_k
    return CutoffTable(
        measure=measure,
        k=k,
        k2=2 * k,
        baseline_k=baseline_k,
        treatment_k=treatment_k,
        baseline_k2=baseline_k2,
        treatment_k2=treatment_k2,
        effect_of_treatment=EffectByCutoff(effect_k, effect_k2),
        main_effect_of_treatment=(effect_k + effect_k2) / 2,
        main_effect_of_k=(by_k_alone + treatment_k2 - treatment_k) / 2,
        interaction=effect_k2 - effect_k,
        text=_k_in_words(k, effect_k, by_k_alone, treatment_k - baseline_k2, effect_k2),
        notes=tuple(notes),
    )


def cells_by_group(
    baseline: Mapping[str, float],
    treatment: Mapping[str, float],
    *,
    queries: Sequence[Query],
    group_by_query: Mapping[str, str],
) -> dict[str, CellFigures]:
    """The cells of each group of queries apart, each with its own n, interval and estimate."""
    found = {}
    for group in sorted({group_by_query[query_id] for query_id in baseline}):
        members = [query_id for query_id in baseline if group_by_query[query_id] == group]
        before, after = ({q: arm[q] for q in members} for arm in (baseline, treatment))
        estimate = traffic_estimate(before, after, queries=queries)
        found[group] = replace(cell_figures(four_cells(before, after)), traffic=estimate)
    return found


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """
    The p-values of one family, adjusted so that any false alarm stays at the stated level.

    Source: Holm, Scandinavian Journal of Statistics 6:65-70 (1979).
    """
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for done, position in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (len(p_values) - done) * p_values[position]))
        adjusted[position] = largest
    return tuple(adjusted)


def _k_in_words(k: int, effect: float, by_k_alone: float, left: float, effect_at_2k: float) -> str:
    """What the four cells say, without the names of the arms."""
    first = (
        f"At k = {k} the treatment differs from the baseline by {signed(effect)}. Raising k to "
        f"{2 * k} takes the baseline alone {signed(by_k_alone)}, without the treatment"
    )
    if effect <= 0:
        share = ": there is no gain at k that a larger k could stand in for."
    elif left > 0:
        share = (
            f": {by_k_alone:.3f} of the {effect:.3f} was available by k alone, "
            f"and {left:.3f} is beyond its reach."
        )
    else:
        share = f": the whole {effect:.3f} was available by k alone."
    return (
        f"{first}{share} At k = {2 * k} the difference between the arms is {signed(effect_at_2k)}. "
        "Across cutoffs these figures are subtracted, not tested: a larger k cannot lose a hit."
    )


def measure_and_cells(pair: ArmPair) -> tuple[MeasureFigures, CellFigures]:
    """The primary measure and the cells at k alone, of a pair with queries with gold."""
    hits = pair.success(pair.k)
    before, after = pair.values([pair.primary, hits])
    measure = pair_figures(pair, pair.primary, before, after)
    return measure, cell_figures(four_cells(before[hits], after[hits]))


def pair_figures(pair: ArmPair, name: str, before: Values, after: Values) -> MeasureFigures:
    """One measure of a pair, with its paraphrases as clusters."""
    clusters = pair.paraphrase_clusters
    return measure_figures(name, before[name], after[name], cluster_by_query=clusters)
