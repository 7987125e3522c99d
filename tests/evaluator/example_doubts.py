"""The doubts of the made-up record: unjudged chunks, assessors, near quotations, one story."""

from typing import Any

from evaluator.contrasts.causes import NEAR_QUOTE, OVERLAP_METHOD
from evaluator.contrasts.doubts import NOT_COVERED
from evaluator.contrasts.figures import cell_figures, measure_figures
from evaluator.record.typed_json import to_json
from evaluator.statistics.cells import paired_cells


def _range(low: float, high: float, method: str = "exact") -> Any:
    return {"method": method, "interval": [low, high], "over_all": [low - 0.01, high + 0.03]}


def cells(n: int, both: int, won: int, lost: int) -> Any:
    """The four cells as a record has them."""
    return to_json(cell_figures(paired_cells(n, both, won, lost)))


def hits(n: int, both: int, won: int, lost: int) -> Any:
    """The measure of the same cells."""
    pairs = [(1.0, 1.0)] * both + [(0.0, 1.0)] * won + [(1.0, 0.0)] * lost
    pairs += [(0.0, 0.0)] * (n - len(pairs))
    before, after = ({f"q{at}": pair[arm] for at, pair in enumerate(pairs)} for arm in (0, 1))
    return to_json(measure_figures("Success@5", before, after, seed=13))


def _assessor(name: str, n: int, *counts: int) -> Any:
    figures = {"measure": hits(n, *counts), "cells": cells(n, *counts)}
    return {"assessor": name, "queries": n + 3, "with_gold": n, **figures}


DOUBTS: dict[str, Any] = {
    "doubts": {
        "reason": None,
        "k": 5,
        "unjudged": {"won-1": ["handbook/x.md#4", "handbook/y.md#2"]},
        "unjudged_pairs": 171,
        "not_covered": NOT_COVERED,
        "per_search": False,
        "ranges": {
            "Success@5": _range(-0.18, 0.215),
            "Success@10": _range(-0.05, 0.12),
            "R@5": _range(-0.2, 0.31),
            "RR@10": _range(-0.1, 0.22),
            "nDCG@10": _range(-0.3, 0.6, "outer bound"),
        },
        "primary_range": _range(-0.18, 0.215),
        "sign": {
            "method": "exact",
            "difference": 0.17,
            "chunks": 71,
            "by_query": {f"q{number}": ["handbook/x.md#4"] for number in range(34)},
        },
    },
    "assessors": [_assessor("A. Reed", 116, 70, 22, 4), _assessor("B. Stone", 100, 60, 19, 3)],
    "shared_documents": {
        "n": 200,
        "difference": 0.17,
        "p": 0.0021,
        "test": "cluster sign flip, exact, 96 clusters",
        "interval": [0.07, 0.27],
        "interval_method": "score interval, 95%, clusters as units",
        "clusters": 96,
        "largest_share": 0.09,
    },
}

OVERLAP: dict[str, Any] = {
    "method": OVERLAP_METHOD,
    "threshold": NEAR_QUOTE,
    "all": {"queries": 200, "mean_share": 0.43, "near_quotes": 21},
    "groups": {
        "held-out": {"queries": 36, "mean_share": 0.38, "near_quotes": 2},
        "mixed": {"queries": 23, "mean_share": 0.51, "near_quotes": 4},
        "tuning": {"queries": 141, "mean_share": 0.43, "near_quotes": 15},
    },
}


def story_of(chunk_id: str, before: int | None, after: int | None) -> dict[str, Any]:
    """What a flip's record says beside its ranks."""
    return {
        "chunk": {
            "chunk_id": chunk_id,
            "rank_baseline": before,
            "rank_treatment": after,
            "title": "A title",
            "first_words": "The first words of the gold chunk ...",
            "header_tokens_baseline": 0,
            "header_tokens_treatment": 9,
            "body_tokens_baseline": 88,
            "body_tokens_treatment": 88,
        },
        "outranked_by": [
            {
                "chunk_id": "handbook/other.md#1",
                "rank": 1,
                "title": "Another title",
                "first_words": "Words of what stands before it ...",
            },
            {"chunk_id": "handbook/closed.md#0", "rank": 2, "held_out": True},
        ],
        "causes": ["misleading path", "near tie"],
    }
