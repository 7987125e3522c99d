"""
The release at which a frozen query set is replaced: the same arms on the old and the new set.

It reads two results directories and sets their contrasts side by side. No level of one set
can be compared with a level of the other unless all else is equal, and it says whether it is.
A query is shared when both sets hold its id with the same text. It measures nothing anew.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluator import InputError
from evaluator.labelset.format import LabelSet, LabelSetError, read_label_set
from evaluator.record.facts import (
    Record,
    arm_by_name,
    in_order,
    measured,
    order_verdict,
    primary_of,
    require_record,
)
from evaluator.record.files import read_record, read_table, record_file, table_paths
from evaluator.report.document import visible
from evaluator.report.sections.headline import headline, speaks_of_searches, test_name
from evaluator.text import figures as words

QueryTables = Mapping[str, Mapping[str, Mapping[str, float]]]
GradesByText = Mapping[tuple[str, str], list[int]]
"""Document and hash of the text -> the grades of its chunks with that text."""


@dataclass(frozen=True, slots=True)
class ChangeoverRun:
    """
    One run: its record, its tables as arm -> measure -> query id -> value, and its labels.

    `labels` is None where the set is no longer found where the run read it.
    """

    record: Record
    tables: QueryTables
    labels: LabelSet | None


def compare_label_sets(old: Path, new: Path) -> dict[str, Any]:
    """The changeover from the results directory `old` to `new`."""
    return changeover(read_run(old), read_run(new))


def changeover(old: ChangeoverRun, new: ChangeoverRun) -> dict[str, Any]:
    """
    Both runs per contrast, what the sets share, and what else differs.

    Raises InputError when both runs are on one label set, or when no contrast of the old run
    has the same baseline and treatment definitions in the new one.
    """
    labels = old.record["labels"]
    if labels.get("sha256") == new.record["labels"].get("sha256"):
        raise InputError(
            f"Both runs are on label set {labels.get('name')!r}, so no queries were replaced. "
            "Give a run on the set that was replaced and one on its successor."
        )
    common = list(_differences(_surroundings(old.record), _surroundings(new.record)))
    shared = shared_queries(old, new)
    contrasts = [
        _contrast(old, new, a, b, common=common, shared=shared)
        for a, b in _pairs(old.record, new.record)
    ]
    seen = {str(field): field for one in contrasts for field in one["differences"]}
    return {
        "old": _label_set(old.record),
        "new": _label_set(new.record),
        "differences": list(seen.values()),
        "shared": shared,
        "contrasts": contrasts,
    }


def _label_set(record: Record) -> dict[str, Any]:
    found = {key: record["labels"].get(key) for key in ("name", "sha256", "frozen_at")}
    return found | {key: record["headline"].get(key) for key in ("n", "n_gold", "origin", "split")}


# What differs


def _surroundings(record: Record) -> dict[str, Any]:
    """Everything outside the arms that could move a figure, apart from the queries."""
    labels = record["labels"]
    return {
        "snapshot digest": (record["snapshot"] or {}).get("digest"),
        "protocol": record["experiment"].get("protocol") or {},
        "queries of origin": record["headline"].get("origin"),
        "labels": {
            "min_grade": labels.get("min_grade"),
            "grades": str(labels.get("grades")),
            "pool": labels.get("pool") or {},
        },
        "versions": record.get("versions") or {},
    }


def _arm(arm: Record) -> dict[str, Any]:
    """What the encoder is given and what it is; names and paths of the same things are not."""
    kept = ("query_prefix", "doc_prefix", "header_sha256", "header_options")
    model = arm.get("model") or {}
    named = ("identity", "max_tokens", "dimension", "precision", "engine")
    return {key: arm.get(key) for key in kept} | {"model": {key: model.get(key) for key in named}}


def _differences(
    old: Mapping[str, Any], new: Mapping[str, Any], within: str = ""
) -> Iterator[dict[str, Any]]:
    """Each field in which the two differ, nested ones by their full name."""
    for key in dict.fromkeys([*old, *new]):
        a, b, name = old.get(key), new.get(key), f"{within} {key}".strip()
        if isinstance(a, Mapping) and isinstance(b, Mapping):
            yield from _differences(a, b, name)
        elif a != b:
            yield {"field": name, "old": a, "new": b}


def _pairs(old: Record, new: Record) -> list[tuple[Record, Record]]:
    """Each old contrast with its like: by definition, else by the names of its arms."""
    pairs, alike = [], 0
    for a in old["contrasts"]:
        same = [b for b in new["contrasts"] if _alike(old, a, new, b)]
        named = [b for b in new["contrasts"] if _names(a) == _names(b)]
        alike += bool(same)
        best = [b for b in same if b in named] or same or named
        pairs += [(a, best[0])] if best else []
    if not alike:
        raise InputError(
            f"No contrast has the same baseline and treatment definitions in both runs "
            f"(old: {_listed(old)}; new: {_listed(new)}). "
            "Run the arms of the old experiment file on the new label set."
        )
    return pairs


def _names(contrast: Record) -> tuple[str, str]:
    return contrast["baseline"], contrast["treatment"]


def _listed(record: Record) -> str:
    return ", ".join(f"{b!r} against {a!r}" for a, b in map(_names, record["contrasts"])) or "none"


def _alike(old: Record, a: Record, new: Record, b: Record) -> bool:
    """The same strings and header rules, and models of one source or identity."""
    for name_a, name_b in zip(_names(a), _names(b), strict=True):
        arm_a, arm_b = arm_by_name(old, name_a), arm_by_name(new, name_b)
        model_a, model_b = arm_a.get("model") or {}, arm_b.get("model") or {}
        same_model = any(model_a.get(key) == model_b.get(key) for key in ("source", "identity"))
        if not same_model or (_arm(arm_a) | {"model": 0}) != (_arm(arm_b) | {"model": 0}):
            return False
    return True


# One contrast


def _contrast(
    old: ChangeoverRun,
    new: ChangeoverRun,
    a: Record,
    b: Record,
    *,
    common: Sequence[dict[str, Any]],
    shared: Mapping[str, Any] | None,
) -> dict[str, Any]:
    arms = [
        field
        for x, y in zip(_names(a), _names(b), strict=True)
        for field in _differences(
            _arm(arm_by_name(old.record, x)), _arm(arm_by_name(new.record, y)), f"arm {x!r}"
        )
    ]
    columns = [_column(old.record, a), _column(new.record, b)]
    differences = [*common, *arms]
    main = {primary_of(a)[0], primary_of(b)[0]}
    others = in_order({*(a.get("measures") or {}), *(b.get("measures") or {})} - main)
    return {
        "baseline": a["baseline"],
        "treatment": a["treatment"],
        "old": columns[0],
        "new": columns[1],
        "other_measures": {
            name: {"old": _difference(a, name), "new": _difference(b, name)} for name in others
        },
        "shared": difference_on_shared(old, new, a, b, shared=shared),
        "differences": differences,
        **_agreement(columns),
        "discontinuity": None if differences else _discontinuity(columns, shared),
    }


def _difference(contrast: Record, measure: str) -> float | None:
    return measured(contrast, measure).get("difference")


def _column(record: Record, contrast: Record) -> dict[str, Any]:
    """The headline of one contrast in one run, whichever estimand it speaks of."""
    found, (measure, k) = headline(record, contrast), primary_of(contrast)
    searches, tested = speaks_of_searches(record, contrast), measured(contrast, measure)
    return {
        "baseline_arm": contrast["baseline"],
        "treatment_arm": contrast["treatment"],
        "measure": found.measure,
        "baseline": found.baseline,
        "treatment": found.treatment,
        "difference": found.difference,
        "interval": None if found.interval is None else list(found.interval),
        "interval_of": "this log window" if searches else "judged queries",
        "p": None if searches else tested.get("p"),
        "p_holm": None if searches else contrast["primary"].get("p_holm"),
        "test": None if searches else test_name(tested),
        "verdict": _verdict(record, found.rules_out_zero, found.difference),
        "cells": (contrast.get("cells") or {}).get(str(k)),
    }


def _verdict(record: Record, rules_out_zero: bool | None, difference: float | None) -> str:
    if order_verdict(record) == "contradicted":
        return "not usable"
    if rules_out_zero is None or difference is None:
        return "undecided"
    if not rules_out_zero:
        return "not distinguishable"
    return "better" if difference > 0 else "worse"


def _agreement(columns: Sequence[Record]) -> dict[str, Any]:
    """Whether sign and verdict are the same, and the sentence that says so."""
    if columns[0]["measure"] != columns[1]["measure"]:
        return {"agree": None, "conclusion": "The conclusions cannot be compared: measures differ."}
    old, new = (f"{one['verdict']} ({words.signed(one['difference'])})" for one in columns)
    verdicts = {column["verdict"] for column in columns}
    signs = {words.signed(column["difference"])[0] for column in columns}
    agree: bool | None = len(verdicts) == len(signs) == 1
    if verdicts & {"not usable", "undecided"}:
        agree, lead = None, "There are no two conclusions to compare"
    elif agree and verdicts == {"not distinguishable"}:
        lead = "Neither set tells the arms apart, and the signs agree"
    elif agree:
        lead = "The conclusions agree"
    else:
        parts = {"sign": len(signs), "verdict": len(verdicts)}
        apart = " and ".join(name for name, number in parts.items() if number > 1)
        lead = f"The conclusions differ in {apart}"
    said = f"{visible(columns[0]['treatment_arm'])} is {old} on the old set and {new} on the new"
    return {"agree": agree, "conclusion": f"{lead}: {said}."}


def _discontinuity(columns: Sequence[Record], shared: Mapping[str, Any] | None) -> str | None:
    """How far both levels moved; only for runs in which all else is equal."""
    old, new = columns
    moved = [words.difference(old[role], new[role]) for role in ("baseline", "treatment")]
    if not all(moved) or old["measure"] != new["measure"]:
        return None
    baseline, treatment = visible(old["baseline_arm"]), visible(old["treatment_arm"])
    judged = (shared or {}).get("judged_otherwise")
    also = f" ({judged} of the shared ones were judged otherwise)" if judged else ""
    return (
        f"Levels of {old['measure']} moved by {moved[0]} with {baseline} and by {moved[1]} "
        f"with {treatment} because the queries changed{also}, not the system."
    )


# The runs, and the queries that their sets share


def read_run(path: Path) -> ChangeoverRun:
    """A results directory, with its label set if that is still where the run read it."""
    record, folder = read_record(path), record_file(path).parent
    require_record(record)
    tables = {arm: read_table(table) for arm, table in table_paths(record, folder).items()}
    return ChangeoverRun(record, tables, _labels(record["labels"]))


def _labels(stated: Record) -> LabelSet | None:
    path, sha256 = stated.get("path"), stated.get("sha256")
    try:
        return read_label_set(Path(path), sha256=sha256) if path and sha256 else None
    except (LabelSetError, OSError):
        return None


def shared_queries(old: ChangeoverRun, new: ChangeoverRun) -> dict[str, Any] | None:
    """The queries of the same id and text in both sets; None where a set cannot be read."""
    if old.labels is None or new.labels is None:
        return None
    sets = old.labels, new.labels
    texts = [{query.query_id: query.text for query in labels.queries} for labels in sets]
    both = sorted(q for q in texts[0].keys() & texts[1].keys() if texts[0][q] == texts[1][q])
    grades = [_grades_by_text(labels) for labels in sets]
    one_snapshot = len({labels.manifest["snapshot"]["digest"] for labels in sets}) == 1
    return {
        "query_ids": both,
        "queries": len(both),
        "same_id_other_text": len(texts[0].keys() & texts[1].keys()) - len(both),
        "one_snapshot": one_snapshot,
        "judged_otherwise": sum(
            _judged_otherwise(*(found.get(q, {}) for found in grades), wholly=one_snapshot)
            for q in both
        ),
        "of_old": {"queries": len(texts[0]), "traffic_share": _traffic_share(sets[0], both)},
        "of_new": {"queries": len(texts[1]), "traffic_share": _traffic_share(sets[1], both)},
    }


def _grades_by_text(labels: LabelSet) -> dict[str, GradesByText]:
    """The grades by query: what of them can be compared under another cut into chunks."""
    found: dict[str, dict[tuple[str, str], list[int]]] = {}
    for entry in labels.pool:
        grade = labels.qrels.get(entry.query_id, {}).get(entry.chunk_id)
        if grade is not None:
            texts = found.setdefault(entry.query_id, {})
            texts.setdefault((entry.doc_id, entry.text_sha256), []).append(grade)
    return {query: {text: sorted(x) for text, x in texts.items()} for query, texts in found.items()}


def _judged_otherwise(old: GradesByText, new: GradesByText, *, wholly: bool) -> bool:
    """Whether grades differ: of one snapshot on any text, else on the texts that both judged."""
    texts = old.keys() | new.keys() if wholly else old.keys() & new.keys()
    return any(old.get(text) != new.get(text) for text in texts)


def _traffic_share(labels: LabelSet, query_ids: Sequence[str]) -> float | None:
    """The weight of these among all log queries of the set; None without weights."""
    weights = {q.query_id: q.weight for q in labels.queries if q.origin == "log"}
    known = {query_id: weight for query_id, weight in weights.items() if weight is not None}
    if len(known) < len(weights) or not sum(known.values()):
        return None
    return sum(known.get(query_id, 0.0) for query_id in query_ids) / sum(known.values())


def difference_on_shared(
    old: ChangeoverRun,
    new: ChangeoverRun,
    a: Record,
    b: Record,
    *,
    shared: Mapping[str, Any] | None,
) -> dict[str, Any] | None:
    """The primary difference in both runs over the shared queries that have gold in both."""
    measure = primary_of(a)[0]
    if shared is None or measure != primary_of(b)[0]:
        return None
    found = [_gains(side, c, measure) for side, c in ((old, a), (new, b))]
    both = [q for q in shared["query_ids"] if q in found[0] and q in found[1]]
    return {
        "measure": measure,
        "n_gold": len(both),
        "old": _mean_gain(old, a, found[0], both),
        "new": _mean_gain(new, b, found[1], both),
    }


def _gains(side: ChangeoverRun, contrast: Record, measure: str) -> dict[str, float]:
    """Treatment less baseline by query, for the queries of the headline."""
    before, after = (
        side.tables.get(name, {}).get(measure, {})
        for name in (contrast["baseline"], contrast["treatment"])
    )
    asked = set(side.record["headline"].get("query_ids") or ())
    return {q: after[q] - before[q] for q in before.keys() & after.keys() & asked}


def _mean_gain(
    side: ChangeoverRun, contrast: Record, values: Mapping[str, float], query_ids: Sequence[str]
) -> float | None:
    """The mean, weighted by the set's own weights where the headline speaks of searches."""
    assert side.labels is not None
    searches = speaks_of_searches(side.record, contrast)
    weight = {q.query_id: (q.weight or 0.0) if searches else 1.0 for q in side.labels.queries}
    total = sum(weight[q] for q in query_ids)
    return sum(weight[q] * values[q] for q in query_ids) / total if total else None
