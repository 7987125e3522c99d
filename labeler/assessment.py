"""
How the pairs of a workspace came together and were judged, as a manifest states it.

Counts and names only, taken from the workspace as it stands. It decides nothing.
"""

from collections.abc import Sequence
from typing import Any

from evaluator.labelset import Query
from labeler.adjudicate import KNOWN_ANSWER, Adjudicated
from labeler.store import Workspace


def pooling(workspace: Workspace) -> dict[str, Any]:
    """What filled the pool: every source as recorded, and the depth of the deepest."""
    sources = workspace.pool_sources()
    depths = [source["depth"] for source in sources if source.get("depth") is not None]
    return {
        "depth": max(depths) if depths else None,
        "sources": sources,
        "order_seed": workspace.settings.order_seed,
    }


def assessment(
    workspace: Workspace, adjudicated: Adjudicated, *, queries: Sequence[Query]
) -> dict[str, Any]:
    """
    Who judged, on what scale, by what rule, and how far they agreed.

    `negatives_recorded` is false where every grade counts as gold: such a set names what
    is relevant and says of no chunk that it is not.
    """
    settings = workspace.settings
    asked = {query.query_id for query in queries if query.skip_reason is None}
    grades = {
        g for q, by_chunk in adjudicated.qrels.items() if q in asked for g in by_chunk.values()
    }
    return {
        "made_by": _made_by(workspace, adjudicated),
        "grades": {str(grade): meaning for grade, meaning in settings.grades},
        "min_grade": settings.min_grade,
        "rule": adjudicated.rule,
        "assessors": [
            {"name": assessor, "pairs": pairs}
            for assessor, pairs in adjudicated.pairs_by_assessor.items()
        ],
        "overlap": {
            "pairs": adjudicated.graded_twice,
            "disagreements": adjudicated.disagreements,
        },
        "agreement": [
            {
                "assessors": list(each.assessors),
                "pairs": each.pairs,
                "raw": each.raw,
                "kappa": each.kappa,
            }
            for each in adjudicated.agreement
        ],
        "unsure": adjudicated.unsure,
        "negatives_recorded": any(grade < settings.min_grade for grade in grades),
    }


def _made_by(workspace: Workspace, adjudicated: Adjudicated) -> list[str]:
    """Some of `people`, `import` and `known answer`: where the grades come from."""
    imported = workspace.importing_assessors()
    return sorted(
        {
            KNOWN_ANSWER
            if assessor == KNOWN_ANSWER
            else ("import" if assessor in imported else "people")
            for assessor in adjudicated.pairs_by_assessor
        }
    )
