"""
What stands around the figures of a run: labels, chunk set, protocol, versions, machine.

Everything a reader needs to judge or repeat a run, in the shape of `record.json`. It
measures nothing.
"""

import os
import platform
from collections.abc import Mapping
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from typing import Any, get_args

from evaluator.experiment.protocol import Experiment
from evaluator.labelset.format import LabelSet, Origin, Query, QueryClass
from evaluator.snapshot.snapshot import Snapshot
from evaluator.statistics.power import FLIP_SHARE, what_can_be_detected

_PACKAGES = (
    "onecause",
    "hnswlib",
    "ir-measures",
    "numpy",
    "pyarrow",
    "scipy",
    "sentence-transformers",
    "tokenizers",
    "torch",
    "transformers",
)


def experiment_record(experiment: Experiment) -> dict[str, Any]:
    """The experiment as it was resolved."""
    return {
        "name": experiment.name,
        "note": experiment.note,
        "references": list(experiment.references),
        "file": str(experiment.path),
        "sha256": experiment.sha256,
        "protocol": asdict(experiment.protocol),
        "usage": asdict(experiment.usage),
    }


def labels_record(labels: LabelSet, *, order: Mapping[str, Any], looks: int) -> dict[str, Any]:
    """The label set: how it came about, what it holds, and what its classes can detect."""
    manifest = labels.manifest
    gold = [query for query in labels.queries if labels.gold(query.query_id)]
    return {
        "path": str(labels.path),
        "name": labels.name,
        "sha256": labels.sha256,
        "frozen_at": manifest["frozen_at"],
        "min_grade": labels.min_grade,
        "grades": dict(manifest["assessment"]["grades"]),
        "assessment": _assessment(manifest["assessment"]),
        "queries": len(labels.queries),
        "with_gold": len(gold),
        "origins": {
            origin: sum(query.origin == origin for query in labels.queries)
            for origin in get_args(Origin)
        },
        "classes": _classes(labels),
        "traffic_without_gold": _traffic_without_gold(labels),
        "pool": {
            "depth": manifest["pooling"].get("depth"),
            "found_by": sorted({name for entry in labels.pool for name in entry.found_by}),
        },
        "order": dict(order),
        "looks": looks,
    }


def snapshot_record(snapshot: Snapshot) -> dict[str, Any]:
    """The chunk set that all arms share."""
    return {
        "path": str(snapshot.path),
        "name": snapshot.name,
        "digest": snapshot.digest,
        "chunks": len(snapshot),
        "documents": snapshot.manifest["documents"],
        **({} if snapshot.derived is None else {"derived": dict(snapshot.derived)}),
    }


def versions() -> dict[str, Any]:
    """Python and the packages that can change a figure; none of them is imported."""
    found: dict[str, str] = {}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return {"python": platform.python_version(), "packages": found}


def machine() -> dict[str, Any]:
    """The kind of machine, without its name."""
    return {
        "system": platform.system(),
        "architecture": platform.machine(),
        "processors": os.cpu_count() or 0,
    }


def _assessment(stated: Mapping[str, Any]) -> dict[str, Any]:
    """How the labels were made; of the agreement its one number, the rest is in the set."""
    left_out = ("grades", "min_grade", "assignment")
    kept = {key: value for key, value in stated.items() if key not in left_out}
    agreement = kept.get("agreement")
    if isinstance(agreement, Mapping):
        alpha = agreement.get("alpha") or {}
        kept["agreement"] = {
            "alpha": alpha.get("value"),
            "interval": alpha.get("interval"),
            "pairs judged by two or more": agreement.get("shared_pairs"),
        }
    return kept


def _classes(labels: LabelSet) -> dict[str, dict[str, Any]]:
    """The judged queries by class: what nobody judged is not without gold."""
    members: dict[str, list[Query]] = {name: [] for name in get_args(QueryClass)}
    for query in labels.queries:
        if not labels.qrels.get(query.query_id):
            continue
        members[labels.query_class(query.query_id)].append(query)
    return {name: _class(labels, name, queries) for name, queries in members.items() if queries}


def _class(labels: LabelSet, name: str, queries: list[Query]) -> dict[str, Any]:
    documents = [
        len({labels.doc_id_by_chunk[chunk_id] for chunk_id in labels.gold(query.query_id)})
        for query in queries
    ]
    no_gold = name == "no-gold"
    return {
        "queries": len(queries),
        "gold_documents_mean": None if no_gold else sum(documents) / len(documents),
        "detects": None if no_gold else what_can_be_detected(len(queries), flip_share=FLIP_SHARE),
    }


def _traffic_without_gold(labels: LabelSet) -> float | None:
    """The weight of judged log queries without gold among all of them; None without weights."""
    judged = [q for q in labels.queries if q.origin == "log" and labels.qrels.get(q.query_id)]
    weights = {query.query_id: query.weight or 0.0 for query in judged}
    if any(query.weight is None for query in judged) or not sum(weights.values()):
        return None
    without = sum(weight for query_id, weight in weights.items() if not labels.gold(query_id))
    return without / sum(weights.values())
