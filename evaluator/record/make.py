"""
The record of a run, put together from what was measured and what was observed.

The same for a run that was just made and for one that is read back from its files: nothing
in here encodes, reads a clock or opens a file.
"""

import os
import platform
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any, get_args

from evaluator.arms.arm import allowed_rows, prescribed
from evaluator.arms.ranking import compare_rankings
from evaluator.arms.setting import Setting
from evaluator.contrasts.answers import with_answers
from evaluator.contrasts.causes import overlap_of
from evaluator.contrasts.contrast import contrasts
from evaluator.contrasts.measured import Measured, arm_costs
from evaluator.contrasts.model import Verdicts
from evaluator.experiment.pinned import Pinned, check_retrievable
from evaluator.experiment.population import Population
from evaluator.labelset.format import LabelSet, Origin, Query, QueryClass, utc_text
from evaluator.labelset.ledger import known_rows
from evaluator.measures.values import answers, mean_over, tie_notice
from evaluator.order.evidence import LabelOrder
from evaluator.order.later_headers import after_look_text, observed_order
from evaluator.record.files import file_names
from evaluator.record.model import (
    RECORD_FORMAT,
    SAMPLED,
    ArmModel,
    ArmRankings,
    ChunkSet,
    ExperimentSummary,
    HeadlineQueries,
    Labels,
    Machine,
    MeanLevel,
    PoolDescription,
    QueryClassSize,
    Record,
    RecordedArm,
    Versions,
    in_file_order,
)
from evaluator.record.observed import Observed, arm_facts, earlier_choices
from evaluator.snapshot.chunk import unlabelled_equals
from evaluator.snapshot.snapshot import Snapshot
from evaluator.statistics.clusters import independent_units
from evaluator.statistics.per_search import share_of_searches
from evaluator.statistics.power import FLIP_SHARE, what_can_be_detected


def observe(
    opened: Pinned,
    setting: Setting,
    measured: Mapping[str, Measured],
    *,
    arms: Sequence[tuple[str, str]],
    at: datetime,
    looks: int,
    opened_flips: bool,
    answers: Verdicts | None = None,
) -> Observed:
    """
    Everything about a run that no later reader can find out again.

    `arms` are the digests of each contrast's two arms, as `arm_digests` gives them.
    """
    rendered = {name: one.run.header_strings_sha256 for name, one in measured.items()}
    rows = known_rows(opened.labels)
    return Observed(
        started_at=utc_text(at),
        looks=looks,
        opened_flips=opened_flips,
        order=observed_order(opened.labels, opened.experiment, opened.headers, rendered, now=at),
        versions=versions(),
        machine=machine(),
        paths={
            "experiment": str(opened.experiment.path),
            "labels": str(opened.labels.path),
            "snapshot": str(opened.snapshot.path),
        },
        arms={name: arm_facts(one.run) for name, one in measured.items()},
        answers=answers,
        earlier_choices=tuple(
            earlier_choices(rows, pair, measure=setting.primary) for pair in arms
        ),
    )


def arm_digests(measured: Mapping[str, Measured], setting: Setting) -> list[tuple[str, str]]:
    """The digests of baseline and treatment of each contrast, whatever their names are."""
    digests = {name: one.run.arm_sha256(setting.bodies) for name, one in measured.items()}
    specs = setting.experiment.contrasts
    return [(digests[each.baseline], digests[each.treatment]) for each in specs]


def make_record(
    opened: Pinned, setting: Setting, measured: Mapping[str, Measured], observed: Observed
) -> Record:
    """The record without the digests of its files, which are known once they are written."""
    population, verdicts = setting.population, observed.answers
    experiment, snapshot = opened.experiment, opened.snapshot
    found = contrasts(measured, setting, open_held_out=observed.opened_flips)
    if observed.earlier_choices is not None:
        pairs = zip(found, observed.earlier_choices, strict=True)
        found = tuple(replace(one, earlier_choices=choices or None) for one, choices in pairs)
    after_looks = map(after_look_text, observed.order.after_looks)
    record = Record(
        format=RECORD_FORMAT,
        experiment=ExperimentSummary(
            name=experiment.name,
            note=experiment.note,
            references=tuple(experiment.references),
            file=observed.paths["experiment"],
            sha256=experiment.sha256,
            protocol=experiment.protocol,
            usage=experiment.usage,
        ),
        labels=_labels(
            opened.labels,
            path=observed.paths["labels"],
            order=observed.order,
            looks=observed.looks,
        ),
        headline=_headline(population, snapshot),
        arms=tuple(_arm(one, setting) for one in measured.values()),
        contrasts=with_answers(found, verdicts, query_ids=population.query_ids),
        overlap=overlap_of(setting.labels, population.gold_ids, setting.chunks),
        notes=(*after_looks, *_notes(setting, opened, measured)),
        snapshot=ChunkSet(
            path=observed.paths["snapshot"],
            name=snapshot.name,
            digest=snapshot.digest,
            chunks=len(snapshot),
            documents=snapshot.manifest["documents"],
            derived=snapshot.derived,
        ),
        started_at=observed.started_at,
        versions=observed.versions,
        machine=observed.machine,
        answers=verdicts.source if verdicts else None,
    )
    return in_file_order(record)


def _headline(population: Population, snapshot: Snapshot) -> HeadlineQueries:
    stamps = [population.stamp, SAMPLED if snapshot.derived else None]
    return HeadlineQueries(
        split=population.split,
        stamp="; ".join(filter(None, stamps)) or None,
        origin=population.origin,
        n=len(population.query_ids),
        n_gold=len(population.gold_ids),
        query_ids=tuple(population.query_ids),
    )


def _arm(measured: Measured, setting: Setting) -> RecordedArm:
    """One arm: its strings, costs, levels, and how the two rankings differ."""
    run, arm, population = measured.run, measured.run.arm, setting.population
    protocol = setting.experiment.protocol
    hit = setting.success(protocol.k)
    asked = [query.query_id for query in population.asked]
    queries = population.gold_ids, population.query_ids
    return RecordedArm(
        name=arm.name,
        measures={name: mean_level(measured.primary[name], *queries) for name in setting.measures},
        judged={
            name: mean_over(values, population.query_ids)
            for name, values in measured.judged.items()
        },
        unanswered=answers(run.ranking(protocol.ranking), asked).unanswered,
        query_prefix=arm.query_prefix,
        doc_prefix=arm.doc_prefix,
        **run.header.record(),
        header_strings_sha256=run.header_strings_sha256 if arm.header != "none" else None,
        model=ArmModel(
            source=run.model.source,
            identity=run.model.identity,
            weights_sha256=arm.model.weights_sha256,
            max_tokens=run.model.max_tokens,
            dimension=run.model.dimension,
            precision=run.model.precision,
            engine=run.model.engine,
            prompts=run.model.prompts,
            prescribed=prescribed(arm, run.model),
        ),
        notices=run.notices,
        costs=arm_costs(run, setting),
        rankings=ArmRankings(
            primary=protocol.ranking,
            other=setting.other_ranking,
            **asdict(compare_rankings(run.exact, run.hnsw, query_ids=asked, k=protocol.k)),
            hits_that_differ=sum(
                measured.primary[hit][q] != measured.other[hit][q] for q in population.gold_ids
            ),
            other_measures={
                name: mean_level(measured.other[name], *queries) for name in setting.measures
            },
        ),
        files=file_names(arm, setting),
    )


def mean_level(
    values: Mapping[str, float], gold_ids: Sequence[str], query_ids: Sequence[str]
) -> MeanLevel:
    """The level over the queries with gold, and over all of the headline."""
    own = {query_id: values[query_id] for query_id in gold_ids}
    return MeanLevel(mean_over(own, gold_ids), mean_over(own, query_ids))


def _ties(setting: Setting, measured: Mapping[str, Measured]) -> Iterator[str]:
    """A sentence on each arm whose lists tie at k, as runs made elsewhere get one."""
    protocol, population = setting.experiment.protocol, setting.population
    for name, one in measured.items():
        tied = tie_notice(
            name,
            one.run.ranking(protocol.ranking),
            query_ids=population.query_ids,
            gold=setting.labels.gold,
            k=protocol.k,
            order="equal scores stand in the order of their chunk ids",
        )
        yield from [tied] if tied else []


def _notes(setting: Setting, opened: Pinned, measured: Mapping[str, Measured]) -> list[str]:
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
    notes += _ties(setting, measured)
    labels = setting.labels
    equal = unlabelled_equals(setting.chunks, labels.qrels, min_grade=labels.min_grade)
    notes += [equal] if equal else []
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


def _labels(labels: LabelSet, *, path: str, order: LabelOrder, looks: int) -> Labels:
    """The label set: how it came about, what it holds, and what its classes can detect."""
    manifest = labels.manifest
    origins = [query.origin for query in labels.queries]
    judged = [query for query in labels.queries if labels.qrels.get(query.query_id)]
    without_gold = [query.query_id for query in judged if not labels.gold(query.query_id)]
    return Labels(
        path=path,
        name=labels.name,
        sha256=labels.sha256,
        frozen_at=manifest["frozen_at"],
        min_grade=labels.min_grade,
        queries=len(labels.queries),
        with_gold=sum(bool(labels.gold(query.query_id)) for query in labels.queries),
        grades=manifest["assessment"]["grades"],
        assessment=_assessment(manifest["assessment"]),
        origins={origin: origins.count(origin) for origin in get_args(Origin)},
        classes=_classes(labels, judged),
        traffic_without_gold=share_of_searches(judged, without_gold),
        pool=PoolDescription(
            depth=manifest["pooling"].get("depth"),
            found_by=tuple(sorted({name for entry in labels.pool for name in entry.found_by})),
        ),
        order=order,
        looks=looks,
    )


def versions() -> Versions:
    """Python and the packages that can change a figure; none of them is imported."""
    found: dict[str, str] = {}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return Versions(platform.python_version(), found)


def machine() -> Machine:
    """The kind of machine, without its name."""
    return Machine(platform.system(), platform.machine(), os.cpu_count() or 0)


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


def _classes(labels: LabelSet, judged: Sequence[Query]) -> dict[str, QueryClassSize]:
    """The judged queries by class: what nobody judged is not without gold."""
    members: dict[str, list[Query]] = {name: [] for name in get_args(QueryClass)}
    for query in judged:
        members[labels.query_class(query.query_id)].append(query)
    return {name: _class(labels, name, queries) for name, queries in members.items() if queries}


def _class(labels: LabelSet, name: str, queries: list[Query]) -> QueryClassSize:
    n = len(queries)
    if name == "no-gold":
        return QueryClassSize(n, None, None)
    documents = sum(
        len({labels.doc_id_by_chunk[chunk_id] for chunk_id in labels.gold(query.query_id)})
        for query in queries
    )
    units = independent_units(query.group for query in queries)
    detects = what_can_be_detected(n, flip_share=FLIP_SHARE, units=units)
    return QueryClassSize(n, documents / n, detects)
