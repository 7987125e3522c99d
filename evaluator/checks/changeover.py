"""
Two runs of the same arms: on an old label set and its successor, or on one set at two dates.

Where the set was replaced, their contrasts stand side by side. No level of one set can be
compared with a level of the other unless all else is equal, and it says whether it is. Where the
corpus lives on under one set, each arm's values are paired by query, and what moved is told from
noise. No ranking is measured anew.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from evaluator import InputError
from evaluator.checks.shared_queries import (
    ChangeoverRun,
    SharedDifference,
    SharedQueries,
    difference_on_shared,
    read_run,
    shared_queries,
)
from evaluator.contrasts.model import CellFigures, Contrast
from evaluator.record.facts import arm_by_name, in_order, order_verdict, primary_figures
from evaluator.record.model import Record, RecordedArm
from evaluator.report.document import visible
from evaluator.report.sections.headline import headline, speaks_of_searches, test_name
from evaluator.statistics.clusters import clusters_of_groups, compare_clustered
from evaluator.text import figures as words


@dataclass(frozen=True, slots=True)
class ChangedField:
    """One field, by its full name, in which the runs differ."""

    field: str
    old: object
    new: object


@dataclass(frozen=True, slots=True)
class ReplacedSet:
    """What one run says of its label set."""

    name: str | None
    sha256: str | None
    frozen_at: str | None
    n: int | None
    n_gold: int | None
    origin: str | None
    split: str | None


@dataclass(frozen=True, slots=True)
class Column:
    """The headline of one contrast in one run, whichever estimand it speaks of."""

    baseline_arm: str
    treatment_arm: str
    measure: str
    baseline: float | None
    treatment: float | None
    difference: float | None
    interval: Sequence[float] | None
    interval_of: str
    p: float | None
    p_holm: float | None
    test: str | None
    verdict: str
    cells: CellFigures | None


@dataclass(frozen=True, slots=True)
class ContrastChange:
    """
    One contrast in both runs.

    `other_measures` holds the difference in either run. `agree` is None where there are no two
    conclusions to compare; `discontinuity` says how far both levels moved where all else is equal.
    """

    baseline: str
    treatment: str
    old: Column
    new: Column
    other_measures: Mapping[str, tuple[float | None, float | None]]
    shared: SharedDifference | None
    differences: tuple[ChangedField, ...]
    agree: bool | None
    conclusion: str
    discontinuity: str | None


@dataclass(frozen=True, slots=True)
class ArmChange:
    """
    One arm at two dates: its level in either run, and the paired difference by query.

    `moved` where the exact test of the difference stays below 5%.
    """

    arm: str
    measure: str
    n: int
    old: float
    new: float
    difference: float
    interval: tuple[float, float] | None
    p: float
    moved: bool


@dataclass(frozen=True, slots=True)
class Changeover:
    """Both runs per contrast, or per arm on one label set; what they share and what differs."""

    old: ReplacedSet
    new: ReplacedSet
    differences: tuple[ChangedField, ...]
    shared: SharedQueries | None
    contrasts: tuple[ContrastChange, ...] = ()
    arms: tuple[ArmChange, ...] = ()


def compare_label_sets(old: Path, new: Path) -> Changeover:
    """The changeover from the results directory `old` to `new`."""
    return changeover(read_run(old), read_run(new))


def changeover(old: ChangeoverRun, new: ChangeoverRun) -> Changeover:
    """
    The runs set side by side.

    Raises InputError when no contrast of the old run has the same baseline and treatment
    definitions in the new one; on one label set, when no arm is in both or they speak of other
    queries.
    """
    old_set, new_set = _set_facts(old.record), _set_facts(new.record)
    common = list(_differences(_surroundings(old.record), _surroundings(new.record)))
    if old_set.sha256 == new_set.sha256:
        return Changeover(old_set, new_set, tuple(common), None, arms=tuple(_dates(old, new)))
    shared = shared_queries(old, new)
    contrasts = tuple(
        _contrast(old, new, a, b, common=common, shared=shared)
        for a, b in _pairs(old.record, new.record)
    )
    seen = {str(field): field for one in contrasts for field in one.differences}
    return Changeover(old_set, new_set, tuple(seen.values()), shared, contrasts)


def _set_facts(record: Record) -> ReplacedSet:
    labels, head = record.labels, record.headline
    of_set = labels.name, labels.sha256, labels.frozen_at
    return ReplacedSet(*of_set, head.n, head.n_gold, head.origin, head.split)


# One label set at two dates


def _dates(old: ChangeoverRun, new: ChangeoverRun) -> Iterator[ArmChange]:
    """The arms that both runs define alike, in each measure that both have."""
    query_ids = old.record.headline.query_ids
    if query_ids != new.record.headline.query_ids:
        raise InputError(
            "Both runs are on one label set and speak of other queries of it. Give two runs of "
            "one experiment file, on the snapshots of two dates."
        )
    defined = {arm.name: _arm(arm) for arm in new.record.arms}
    arms = [arm.name for arm in old.record.arms if defined.get(arm.name) == _arm(arm)]
    if not arms:
        raise InputError(
            "No arm is defined alike in both runs. Run the arms of the old experiment file again."
        )
    queries = () if old.labels is None else old.labels.queries
    groups = clusters_of_groups({query.query_id: query.group for query in queries}) or {}
    for arm in arms:
        before, after = old.tables[arm], new.tables[arm]
        for measure in in_order(before.keys() & after.keys()):
            asked = [q for q in query_ids if q in before[measure] and q in after[measure]]
            first, second = ({q: table[measure][q] for q in asked} for table in (before, after))
            chance = compare_clustered(first, second, cluster_by_query=groups, seed=0)
            levels = fmean(first.values()), fmean(second.values())
            yield ArmChange(
                arm,
                measure,
                len(asked),
                *levels,
                difference=levels[1] - levels[0],
                interval=chance.interval,
                p=chance.test.p,
                moved=chance.test.p < words.LEVEL,
            )


# What differs


def _surroundings(record: Record) -> dict[str, Any]:
    """Everything outside the arms that could move a figure, apart from the queries."""
    labels, protocol, versions = record.labels, record.experiment.protocol, record.versions
    return {
        "snapshot digest": record.snapshot.digest if record.snapshot else None,
        "protocol": asdict(protocol) if protocol else {},
        "queries of origin": record.headline.origin,
        "labels": {
            "min_grade": labels.min_grade,
            "grades": str(labels.grades),
            "pool": asdict(labels.pool) if labels.pool else {},
        },
        "versions": asdict(versions) if versions else {},
    }


def _arm(arm: RecordedArm) -> dict[str, Any]:
    """What the encoder is given and what it is; names and paths of the same things are not."""
    kept = ("query_prefix", "doc_prefix", "header_sha256", "header_options")
    named = ("identity", "max_tokens", "dimension", "precision", "engine")
    return {key: getattr(arm, key) for key in kept} | {
        "model": {key: getattr(arm.model, key, None) for key in named}
    }


def _differences(
    old: Mapping[str, Any], new: Mapping[str, Any], within: str = ""
) -> Iterator[ChangedField]:
    """Each field in which the two differ, nested ones by their full name."""
    for key in dict.fromkeys([*old, *new]):
        a, b, name = old.get(key), new.get(key), f"{within} {key}".strip()
        if isinstance(a, Mapping) and isinstance(b, Mapping):
            yield from _differences(a, b, name)
        elif a != b:
            yield ChangedField(name, a, b)


def _pairs(old: Record, new: Record) -> list[tuple[Contrast, Contrast]]:
    """Each old contrast with its like: by definition, else by the names of its arms."""
    pairs, alike = [], 0
    for a in old.contrasts:
        same = [b for b in new.contrasts if _alike(old, a, new, b)]
        named = [b for b in new.contrasts if _names(a) == _names(b)]
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


def _names(contrast: Contrast) -> tuple[str, str]:
    return contrast.baseline, contrast.treatment


def _listed(record: Record) -> str:
    return ", ".join(f"{b!r} against {a!r}" for a, b in map(_names, record.contrasts)) or "none"


def _alike(old: Record, a: Contrast, new: Record, b: Contrast) -> bool:
    """The same strings and header rules, and models of one source or identity."""
    for name_a, name_b in zip(_names(a), _names(b), strict=True):
        arm_a, arm_b = arm_by_name(old, name_a), arm_by_name(new, name_b)
        model_a, model_b = (
            (arm.model.source, arm.model.identity) if arm.model else (None, None)
            for arm in (arm_a, arm_b)
        )
        same_model = any(x == y for x, y in zip(model_a, model_b, strict=True))
        if not same_model or (_arm(arm_a) | {"model": 0}) != (_arm(arm_b) | {"model": 0}):
            return False
    return True


# One contrast


def _contrast(
    old: ChangeoverRun,
    new: ChangeoverRun,
    a: Contrast,
    b: Contrast,
    *,
    common: Sequence[ChangedField],
    shared: SharedQueries | None,
) -> ContrastChange:
    arms = [
        field
        for x, y in zip(_names(a), _names(b), strict=True)
        for field in _differences(
            _arm(arm_by_name(old.record, x)), _arm(arm_by_name(new.record, y)), f"arm {x!r}"
        )
    ]
    columns = _column(old.record, a), _column(new.record, b)
    differences = (*common, *arms)
    main = {a.primary.measure, b.primary.measure}
    others = in_order({*a.measures, *b.measures} - main)
    agree, conclusion = _agreement(*columns)
    return ContrastChange(
        *_names(a),
        *columns,
        {name: (_difference(a, name), _difference(b, name)) for name in others},
        difference_on_shared(old, new, a, b, shared=shared),
        differences,
        agree,
        conclusion,
        None if differences else _discontinuity(*columns, shared),
    )


def _difference(contrast: Contrast, measure: str) -> float | None:
    found = contrast.measures.get(measure)
    return found.difference if found else None


def _column(record: Record, contrast: Contrast) -> Column:
    found, tested = headline(record, contrast), primary_figures(contrast)
    searches = speaks_of_searches(record, contrast)
    return Column(
        *_names(contrast),
        measure=found.measure,
        baseline=found.baseline,
        treatment=found.treatment,
        difference=found.difference,
        interval=found.interval,
        interval_of="searches of the log" if searches else "judged queries",
        p=None if searches else tested.p,
        p_holm=None if searches else contrast.primary.p_holm,
        test=None if searches else test_name(tested),
        verdict=_verdict(record, found.rules_out_zero, found.difference),
        cells=contrast.cells.get(str(contrast.primary.k)),
    )


def _verdict(record: Record, rules_out_zero: bool | None, difference: float | None) -> str:
    if order_verdict(record) == "contradicted":
        return "not usable"
    if rules_out_zero is None or difference is None:
        return "undecided"
    if not rules_out_zero:
        return "not distinguishable"
    return "better" if difference > 0 else "worse"


def _agreement(old: Column, new: Column) -> tuple[bool | None, str]:
    """Whether sign and verdict are the same, and the sentence that says so."""
    if old.measure != new.measure:
        return None, "The conclusions cannot be compared: measures differ."
    verdicts = {old.verdict, new.verdict}
    signs = {words.signed(column.difference)[0] for column in (old, new)}
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
    first, second = (f"{one.verdict} ({words.signed(one.difference)})" for one in (old, new))
    said = f"{visible(old.treatment_arm)} is {first} on the old set and {second} on the new"
    return agree, f"{lead}: {said}."


def _discontinuity(old: Column, new: Column, shared: SharedQueries | None) -> str | None:
    """How far both levels moved; only for runs in which all else is equal."""
    baseline = words.difference(old.baseline, new.baseline)
    treatment = words.difference(old.treatment, new.treatment)
    if not (baseline and treatment) or old.measure != new.measure:
        return None
    judged = shared.judged_otherwise if shared else 0
    also = f" ({judged} of the shared ones were judged otherwise)" if judged else ""
    return (
        f"Levels of {old.measure} moved by {baseline} with {visible(old.baseline_arm)} and by "
        f"{treatment} with {visible(old.treatment_arm)} because the queries changed{also}, not "
        "the system."
    )
