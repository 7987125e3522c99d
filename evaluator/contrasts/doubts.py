"""
What a hostile reader would ask of the labels behind a contrast.

It owns the range of the difference over all ways to judge what nobody judged, the shortest
list of chunks that could turn its sign, each assessor's own verdict, the sensitivity to shared
documents, and when a level is full by how the labels were made. The arithmetic of one query is
in `unjudged_bounds`. Gold that neither arm returns is outside of all this, and the record says
so. It needs two rankings and labels, and nothing of how the rankings were made.
"""

import math
from collections.abc import Iterable, Mapping, Sequence

from evaluator.contrasts.figures import clustered_figures, measure_and_cells
from evaluator.contrasts.model import (
    AssessorFigures,
    ClusteredFigures,
    DifferenceRange,
    Doubts,
    Ends,
    SignChange,
)
from evaluator.contrasts.pair import ArmPair
from evaluator.labelset.format import ADJUDICATION, Judgement
from evaluator.measures.names import cutoff_of, family_of
from evaluator.statistics.clusters import clusters_of_shared
from evaluator.statistics.unjudged_bounds import (
    BOUNDED,
    STEPPED,
    Lists,
    difference_range,
    lowering_steps,
)

NOT_COVERED = (
    "Not covered is gold that neither arm returns in its first k; where a measure counts all "
    "gold, as R, AP and nDCG do, it would move both arms."
)
_NOTHING = 1e-9


def doubts(
    pair: ArmPair,
    before: Mapping[str, float],
    after: Mapping[str, float],
    *,
    weight_by_query: Mapping[str, float] | None = None,
) -> Doubts:
    """
    The range of every measure's difference, and what could turn the sign of the primary one.

    `before` and `after` are the primary measure of both arms over the queries with gold.
    With weights the primary difference and its range are those per search. Labels that hold
    only gold cannot say what was never judged: then there is a reason and no figure.
    """
    if not pair.negatives_recorded:
        return Doubts("negatives not recorded", {})
    lists = {q: _lists(pair, q, pair.k) for q in pair.query_ids}
    unjudged = {q: tuple(one.unjudged) for q, one in lists.items() if one.unjudged}
    ranges = {name: _range(pair, name) for name in pair.measures}
    return Doubts(
        reason=None,
        ranges=ranges,
        k=pair.k,
        unjudged=unjudged,
        unjudged_pairs=sum(map(len, unjudged.values())),
        not_covered=NOT_COVERED,
        per_search=weight_by_query is not None,
        primary_range=ranges[pair.primary]
        if weight_by_query is None
        else _range(pair, pair.primary, weight_by_query),
        sign=_sign(pair, before, after, weight_by_query),
    )


def _lists(pair: ArmPair, query_id: str, k: int) -> Lists:
    baseline, treatment = (
        [chunk_id for chunk_id, _ in rankings.get(query_id, ())[:k]]
        for rankings in (pair.baseline, pair.treatment)
    )
    return Lists(baseline, treatment, k, pair.grades(query_id), pair.min_grade, pair.max_grade)


def _range(
    pair: ArmPair, name: str, weight_by_query: Mapping[str, float] | None = None
) -> DifferenceRange:
    """
    The ends of the mean difference, over the queries with gold and over all of them.

    Queries do not share judgements, so the ends of the mean are the means of the ends. One
    without gold counts 0 in both arms unless a chunk of its own turns out to be gold.
    """
    family, k = family_of(name), cutoff_of(name)
    if family not in BOUNDED or k is None:
        return DifferenceRange(None, None, None)
    ends = {q: difference_range(family, _lists(pair, q, k)) for q in pair.query_ids}
    return DifferenceRange(
        "exact" if all(exact for *_, exact in ends.values()) else "outer bound",
        _mean_ends(ends, pair.gold_ids, weight_by_query),
        _mean_ends(ends, pair.query_ids, weight_by_query),
    )


def _mean_ends(
    ends: Mapping[str, tuple[float, float, bool]],
    query_ids: Sequence[str],
    weight_by_query: Mapping[str, float] | None,
) -> Ends:
    shares = _shares(query_ids, weight_by_query)
    low, high = (math.fsum(shares[q] * ends[q][end] for q in query_ids) for end in (0, 1))
    return low, high


def _shares(
    query_ids: Sequence[str], weight_by_query: Mapping[str, float] | None
) -> dict[str, float]:
    """How much of the mean each query is."""
    if weight_by_query is None:
        return dict.fromkeys(query_ids, 1 / len(query_ids))
    total = math.fsum(weight_by_query[q] for q in query_ids)
    return {q: weight_by_query[q] / total for q in query_ids}


def _sign(
    pair: ArmPair,
    before: Mapping[str, float],
    after: Mapping[str, float],
    weight_by_query: Mapping[str, float] | None,
) -> SignChange:
    """
    The fewest unjudged chunks whose being gold takes the primary difference to 0 or beyond.

    Over the queries with gold. `chunks` is None where no assignment does. The steps of a
    query never grow, so taking the largest of all queries first needs the fewest.
    """
    family = family_of(pair.primary)
    if family not in STEPPED:
        return SignChange(None, None, {})
    lists = {q: _lists(pair, q, pair.k) for q in pair.gold_ids}
    shares = _shares(pair.gold_ids, weight_by_query)
    left = math.fsum(shares[q] * (after[q] - before[q]) for q in pair.gold_ids)
    if abs(left) <= _NOTHING:
        return SignChange("exact", 0, {}, 0.0)
    difference = left
    if left < 0:
        lists, left = {q: one.swapped for q, one in lists.items()}, -left
    steps = [
        (shares[q] * lowering, q, chunk_id)
        for q in pair.gold_ids
        for lowering, chunk_id in lowering_steps(family, lists[q])
    ]
    by_query: dict[str, list[str]] = {}
    # Sorting is stable, so equal steps of one query keep their order.
    for lowering, query_id, chunk_id in sorted(steps, key=lambda step: -step[0]):
        by_query.setdefault(query_id, []).append(chunk_id)
        left -= lowering
        if left <= _NOTHING:
            break
    else:
        return SignChange("exact", None, {}, difference)
    fewest = {q: tuple(sorted(chunk_ids)) for q, chunk_ids in sorted(by_query.items())}
    return SignChange("exact", sum(map(len, fewest.values())), fewest, difference)


def full_by_construction(pair: ArmPair, k: int) -> list[str]:
    """
    A sentence for each arm whose first k hold all gold of a pool no deeper than k.

    None where the depth of the pool is not known. A deeper pool could have held gold beyond
    k, so that a full level would have been earned.
    """
    depth = pair.label_set.manifest["pooling"].get("depth") if pair.label_set else None
    if depth is None or depth > k or not pair.gold_ids:
        return []
    return [
        f"The pool is {depth} chunks deep and every gold chunk lies in the first {k} of "
        f"{arm!r}, as when this arm's own system filled the pool: its Success@{k} is 1 by "
        "construction, and no arm can be better."
        for arm, run in pair.runs.items()
        if all(pair.gold(q) <= {c for c, _ in run.get(q, ())[:k]} for q in pair.gold_ids)
    ]


def shared_documents(
    pair: ArmPair, before: Mapping[str, float], after: Mapping[str, float]
) -> ClusteredFigures | None:
    """
    The primary difference with queries that share a gold document as one cluster.

    `before` and `after` are the primary measure of both arms over the queries with gold.
    A line beside the contrast and never its verdict: queries of a log are draws of their own,
    whichever documents answer them. None without documents, or where no two share one.
    """
    if pair.label_set is None:
        return None
    doc_id_by_chunk = pair.label_set.doc_id_by_chunk
    clusters = clusters_of_shared(
        {q: sorted({doc_id_by_chunk[c] for c in pair.gold(q)}) for q in pair.gold_ids}
    )
    if clusters is None:
        return None
    return clustered_figures(before, after, cluster_by_query=clusters)


def own_labels(judgements: Iterable[Judgement]) -> dict[str, dict[str, dict[str, int]]]:
    """
    The grades that stand, by query and chunk, of each assessor apart.

    A later event replaces an earlier one of the same person; "can't tell" and an undone grade
    leave none. What settled a disagreement is nobody's own label and stays out.
    """
    standing: dict[tuple[str, str, str], int | None] = {}
    for event in judgements:
        if event.method != ADJUDICATION:
            grade = event.grade if event.verdict == "grade" else None
            standing[event.assessor, event.query_id, event.chunk_id] = grade
    found: dict[str, dict[str, dict[str, int]]] = {}
    for (assessor, query_id, chunk_id), grade in sorted(standing.items()):
        if grade is not None:
            found.setdefault(assessor, {}).setdefault(query_id, {})[chunk_id] = grade
    return found


def by_assessor(pair: ArmPair, judgements: Iterable[Judgement]) -> tuple[AssessorFigures, ...]:
    """
    For each assessor the contrast over the headline's queries that he or she judged.

    None where fewer than two people judged: one person's labels are the labels. Paraphrases
    count as one among the queries with gold by the assessor's own labels, which need not be
    those with gold by the adjudicated ones.
    """
    own = own_labels(judgements)
    pairs = {assessor: pair.judged_by(own[assessor]) for assessor in own}
    pairs = {assessor: one for assessor, one in pairs.items() if one.query_ids}
    if len(pairs) < 2:
        return ()
    return tuple(
        AssessorFigures(
            assessor,
            len(one.query_ids),
            len(one.gold_ids),
            *(measure_and_cells(one) if one.gold_ids else (None, None)),
        )
        for assessor, one in sorted(pairs.items())
    )
