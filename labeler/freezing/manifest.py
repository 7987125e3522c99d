"""
How the pairs of a workspace came together and were judged, as a manifest states it.

Counts and names only, taken from the workspace as it stands. It decides nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from evaluator.labelset.format import Query
from evaluator.text.messages import counted
from labeler.judging.adjudicate import Adjudicated
from labeler.workspace.records import BY_MODEL, CHECKED_BY, KNOWN_ANSWER
from labeler.workspace.workspace import Workspace

_DIGITS = 6  # the last bits of a coefficient differ between processors


def pooling(workspace: Workspace, source_by_document: Mapping[str, str]) -> dict[str, Any]:
    """
    What filled the pool: every source as recorded, and the depth of the deepest.

    With the source type of each document that holds gold, so that a comparison without the
    snapshot can still go source by source.
    """
    sources = workspace.pool.sources()
    depths = [source["depth"] for source in sources if source.get("depth") is not None]
    return {
        "depth": max(depths) if depths else None,
        "sources": sources,
        "order_seed": workspace.settings.order_seed,
        "source_by_gold_document": dict(source_by_document),
    }


def assessment(
    workspace: Workspace, adjudicated: Adjudicated, *, queries: Sequence[Query]
) -> dict[str, Any]:
    """
    Who judged, on what scale, by what rule, and how far they agreed.

    `by_model`, where a model proposed any, has the judgements that each proposed and how many of
    them somebody checked. `negatives_recorded` is false where every grade counts as gold: such a
    set names what is relevant and says of no chunk that it is not.
    """
    asked = {query.query_id for query in queries if query.skip_reason is None}
    grades = {
        g for q, by_chunk in adjudicated.qrels.items() if q in asked for g in by_chunk.values()
    }
    return {
        "made_by": _made_by(workspace, adjudicated),
        "grades": {str(grade): meaning for grade, meaning in workspace.settings.grades},
        "min_grade": workspace.settings.min_grade,
        "rule": adjudicated.rule,
        "assessors": [
            {"name": assessor, "pairs": pairs}
            for assessor, pairs in adjudicated.pairs_by_assessor.items()
        ],
        "overlap": {"pairs": adjudicated.graded_twice, "disagreements": adjudicated.disagreements},
        "adjudication": {
            "decided": adjudicated.decided,
            "adjudicators": [
                {"name": name, "pairs": n, "own": adjudicated.own_by_adjudicator[name]}
                for name, n in adjudicated.pairs_by_adjudicator.items()
            ],
        },
        "guidelines": _guidelines(workspace),
        "assignment": workspace.people.assignment(),
        "agreement": agreement(workspace),
        "unsure": adjudicated.unsure,
        **_models(workspace),
        **_left_out(workspace),
        "authored": authored(workspace, queries),
        "negatives_recorded": any(grade < workspace.settings.min_grade for grade in grades),
    }


def _guidelines(workspace: Workspace) -> dict[str, Any]:
    """The digest of what assessors read, and every change of it after judging had begun."""
    versions = workspace.guidelines()
    return {
        "sha256": versions[-1].sha256,
        "changes": [
            {"at": each.at, "sha256": each.sha256, "judgements_before": each.judgements_before}
            for each in versions
            if each.judgements_before
        ],
    }


def authored(workspace: Workspace, queries: Sequence[Query]) -> dict[str, Any]:
    """
    What the author of each authored query declares to have seen, None where nobody said.

    With the last check of how the queries that no log gave are worded, if one was made.
    """
    seen, check = workspace.queries.seen(), workspace.queries.wording()
    return {
        "seen": {q.query_id: seen.get(q.query_id) for q in queries if q.origin == "authored"},
        "wording": check
        and {key: check[key] for key in ("rule", "reference", "groups", "flagged")},
    }


def agreement(workspace: Workspace) -> dict[str, Any]:
    """How far the assessors agree, as `judging.agreement` says it, ready for JSON."""
    from labeler.judging.agreement import (
        measure_agreement,  # the library behind it is slow to import
    )

    scale = [grade for grade, _ in workspace.settings.grades]
    report = measure_agreement(workspace.judgements.given(), scale=scale)
    found: dict[str, Any] = _rounded(asdict(report))
    return found


def agreement_in_words(found: Mapping[str, Any] | None) -> str:
    """The same in one sentence; None where no pair was graded twice, so that nothing is known."""
    if found is None:
        return "unknown: no pair was graded by two assessors"
    alpha = found["alpha"]
    on = (
        f"on {found['shared_pairs']:,} of {counted(found['pairs'], 'pair')}, "
        f"in {counted(found['shared_queries'], 'query', many='queries')}"
    )
    if alpha["value"] is None:
        return f"not defined {on}: {alpha['note']}"
    interval = alpha["interval"]
    within = f"95% interval {interval[0]:z.2f} to {interval[1]:z.2f}" if interval else alpha["note"]
    return f"Krippendorff’s alpha {alpha['value']:z.2f} ({found['alpha_metric']}; {within}) {on}"


def _rounded(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _rounded(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_rounded(item) for item in value]
    return round(value, _DIGITS) if isinstance(value, float) else value


def _left_out(workspace: Workspace) -> dict[str, Any]:
    """The judgements of imports that were left out since their query or chunk is not here."""
    found = [source["left_out"] for source in workspace.pool.sources() if source.get("left_out")]
    total = {key: sum(one[key] for one in found) for key in ("judgements", "gold")}
    return {"left_out": total} if found else {}


def _models(workspace: Workspace) -> dict[str, Any]:
    """The judgements that models proposed, as imports mark them by their method."""
    found: dict[str, dict[str, int]] = {}
    for method, count in workspace.judgements.by_method().items():
        if method.startswith(BY_MODEL):
            name, checked, _ = method.removeprefix(BY_MODEL).partition(CHECKED_BY)
            of_model = found.setdefault(name, {"judgements": 0, "checked": 0})
            of_model["judgements"] += count
            of_model["checked"] += count if checked else 0
    return {"by_model": found} if found else {}


def _made_by(workspace: Workspace, adjudicated: Adjudicated) -> list[str]:
    """Some of `people`, `import` and `known answer`: where the grades come from."""
    imported = workspace.judgements.importing_assessors()
    return sorted(
        {
            KNOWN_ANSWER
            if assessor == KNOWN_ANSWER
            else ("import" if assessor in imported else "people")
            for assessor in adjudicated.pairs_by_assessor
        }
    )
