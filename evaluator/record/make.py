"""
The record of a run, put together from what was measured and what was observed.

The same for a run that was just made and for one that is read back from its files: nothing
in here encodes, reads a clock or opens a file.
"""

import os
import platform
from collections.abc import Mapping
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any, get_args

from evaluator.arms.arm import allowed_rows
from evaluator.arms.bodies import cut_counts
from evaluator.arms.setting import Setting
from evaluator.contrasts.answers import answers_source, with_answers
from evaluator.contrasts.causes import overlap_of
from evaluator.contrasts.contrast import contrast_records
from evaluator.contrasts.costs import costs
from evaluator.contrasts.measured import Measured, arm_record
from evaluator.experiment.pinned import Pinned, check_retrievable
from evaluator.experiment.population import Population
from evaluator.experiment.protocol import Experiment
from evaluator.labelset.format import LabelSet, Origin, Query, QueryClass, utc_text
from evaluator.order.later_headers import after_look_text, observed_order
from evaluator.record.files import file_names
from evaluator.record.model import RECORD_FORMAT, SAMPLED, Record, made_record
from evaluator.record.observed import Observed, arm_facts
from evaluator.snapshot.snapshot import Snapshot
from evaluator.statistics.power import FLIP_SHARE, what_can_be_detected


def observe(
    opened: Pinned,
    measured: Mapping[str, Measured],
    *,
    at: datetime,
    looks: int,
    opened_flips: bool,
    answers: Mapping[str, Any] | None = None,
) -> Observed:
    """Everything about a run that no later reader can find out again."""
    return Observed(
        started_at=utc_text(at),
        looks=looks,
        opened_flips=opened_flips,
        order=observed_order(opened.labels, opened.experiment, opened.headers, now=at),
        versions=versions(),
        machine=machine(),
        paths={
            "experiment": str(opened.experiment.path),
            "labels": str(opened.labels.path),
            "snapshot": str(opened.snapshot.path),
        },
        arms={name: arm_facts(one.run) for name, one in measured.items()},
        answers=answers,
    )


def make_record(
    opened: Pinned, setting: Setting, measured: Mapping[str, Measured], observed: Observed
) -> Record:
    """The record without the digests of its files, which are known once they are written."""
    return made_record(_parts(opened, setting, measured, observed))


def _parts(
    opened: Pinned, setting: Setting, measured: Mapping[str, Measured], observed: Observed
) -> dict[str, Any]:
    paths = observed.paths
    return {
        "format": RECORD_FORMAT,
        "experiment": experiment_record(opened.experiment) | {"file": paths["experiment"]},
        "started_at": observed.started_at,
        "versions": observed.versions,
        "machine": observed.machine,
        "labels": labels_record(opened.labels, order=observed.order, looks=observed.looks)
        | {"path": paths["labels"]},
        "snapshot": snapshot_record(opened.snapshot) | {"path": paths["snapshot"]},
        "headline": _headline(setting.population, opened.snapshot),
        "arms": [
            arm_record(
                one,
                setting,
                costs=costs(one.run, setting),
                files=file_names(one.run.arm, setting),
            )
            for one in measured.values()
        ],
        "contrasts": with_answers(
            contrast_records(measured, setting, open_held_out=observed.opened_flips),
            observed.answers,
            query_ids=setting.population.query_ids,
        ),
        "answers": answers_source(observed.answers),
        "bodies": cut_counts(setting),
        "overlap": overlap_of(setting.labels, setting.population.gold_ids, setting.chunks),
        "notes": [
            *map(after_look_text, observed.order.get("after_looks", ())),
            *_notes(setting, opened),
        ],
    }


def _headline(population: Population, snapshot: Snapshot) -> dict[str, Any]:
    stamps = [population.stamp, SAMPLED if snapshot.derived else None]
    return {
        "split": population.split,
        "stamp": "; ".join(filter(None, stamps)) or None,
        "origin": population.origin,
        "n": len(population.query_ids),
        "n_gold": len(population.gold_ids),
        "query_ids": list(population.query_ids),
    }


def _notes(setting: Setting, opened: Pinned) -> list[str]:
    notes = [*_sampled(opened.snapshot), *setting.population.notes]
    n, protocol = len(setting.chunks), setting.experiment.protocol
    notes += [
        f"k = {k} reaches the corpus size ({n} chunks): the number cannot tell arms apart"
        for k in protocol.cutoffs
        if k >= n
    ]
    held = {chunk.chunk_id: chunk for chunk in setting.chunks}
    lost = check_retrievable(setting.labels, held, where=opened.snapshot.path.name)
    if lost:
        notes.append(f"{len(lost)} judged chunks are not as they were judged: {lost[0]}")
    filtered = [q for q in setting.population.asked if q.filter]
    if filtered and protocol.filter:
        notes.append(f"{len(filtered)} queries are filtered, alike in every arm and ranking")
        notes.append("the latency is that of the graph without filters")
        notes += _shut_out(setting)
    if filtered and not protocol.filter:
        notes.append(f"{len(filtered)} queries have a filter that this protocol does not apply")
    if protocol.index.ef_search < protocol.depth:
        notes.append(
            f"hnsw lists end at {protocol.index.ef_search} (ef_search), the exact ones at "
            f"{protocol.depth}: asking the graph for more would search it more widely"
        )
    if not setting.experiment.contrasts:
        notes.append("a level is not a difference: with one arm there is nothing to compare")
    return notes


def _sampled(snapshot: Snapshot) -> list[str]:
    derived = snapshot.derived
    if derived is None:
        return []
    return [
        f"sampled corpus: {len(snapshot):,} of {derived['parent']['chunks']:,} chunks, the pool "
        f"among {derived['distractors']:,} distractors drawn with seed {derived['seed']}. Fewer "
        "distractors flatter every arm: no level is quotable, and a difference may be narrower "
        "or wider than on the whole"
    ]


def _shut_out(setting: Setting) -> list[str]:
    """Queries whose own filter leaves out all of their gold, so that no arm can hit."""
    by_id = {chunk.chunk_id: chunk for chunk in setting.chunks}
    lost = []
    for query in setting.population.asked:
        gold = [by_id[c] for c in setting.labels.gold(query.query_id) if c in by_id]
        allowed = allowed_rows(query, gold)
        if gold and allowed is not None and not allowed.any():
            lost.append(query.query_id)
    if not lost:
        return []
    return [f"{len(lost)} queries have a filter that shuts out all of their gold: {lost[0]}"]


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
    """The experiment as it was resolved; where it lay is among what was observed."""
    return {
        "name": experiment.name,
        "note": experiment.note,
        "references": list(experiment.references),
        "sha256": experiment.sha256,
        "protocol": experiment.protocol,
        "usage": experiment.usage,
    }


def labels_record(labels: LabelSet, *, order: Mapping[str, Any], looks: int) -> dict[str, Any]:
    """The label set: how it came about, what it holds, and what its classes can detect."""
    manifest = labels.manifest
    gold = [query for query in labels.queries if labels.gold(query.query_id)]
    return {
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
