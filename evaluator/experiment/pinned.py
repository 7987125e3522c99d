"""
What an experiment pins, opened: labels, snapshot, header files and models.

Each is compared with what the file says of it, and refused when it is another. Nothing is
encoded or measured here.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from evaluator import InputError
from evaluator.experiment.experiment import check_contrasts, read_experiment, read_header_rules
from evaluator.experiment.factors import Prescribed
from evaluator.experiment.headers.rule import HeaderRule
from evaluator.experiment.protocol import Experiment, ModelChoice
from evaluator.labelset.format import (
    MANIFEST,
    LabelSet,
    Problem,
    read_label_set,
    sha256_of_set,
    text_sha256,
)
from evaluator.snapshot.chunk import Chunk
from evaluator.snapshot.snapshot import Snapshot, read_snapshot
from evaluator.vectors.model import Model
from evaluator.vectors.weights import Precision, prescribed_prefixes


class LoadModel(Protocol):
    """What `load_model` of `evaluator.vectors.encoder` does."""

    def __call__(
        self,
        source: str,
        /,
        *,
        revision: str | None = None,
        weights_sha256: str | None = None,
        precision: Precision = "fp32",
    ) -> Model: ...


@dataclass(frozen=True, slots=True)
class Pinned:
    """What an experiment pins, opened and found to be just that."""

    experiment: Experiment
    labels: LabelSet
    snapshot: Snapshot
    headers: Mapping[str, HeaderRule]


def open_experiment(path: Path, *, sample: Path | None = None) -> Pinned:
    """
    Labels, snapshot and header files of an experiment, each compared with what it pins.

    `sample` is a derived snapshot that stands in for the pinned one; the experiment then
    names that. Raises InputError or LabelSetError for anything that is not what was pinned.
    """
    experiment = read_experiment(path)
    _require_pinned(experiment)
    labels = read_label_set(experiment.labels, sha256=experiment.labels_sha256)
    if sample is not None:
        stand_in = read_snapshot(sample)
        _require_sample_of(stand_in, experiment)
        experiment = replace(experiment, snapshot=sample, snapshot_digest=stand_in.digest)
    _require_judged_chunks(labels, experiment)
    snapshot = read_snapshot(experiment.snapshot, digest=experiment.snapshot_digest, verify=True)
    _require_pool(labels, snapshot, experiment)
    if len(snapshot) == 0:
        raise InputError(f"{experiment.snapshot} holds no chunks, so nothing can be searched.")
    return Pinned(experiment, labels, snapshot, read_header_rules(experiment))


def load_models(experiment: Experiment, load: LoadModel) -> dict[ModelChoice, Model]:
    """
    Every model of the experiment, each loaded once.

    Once their prompts are known, the contrasts are held to one cause again. Raises
    InputError also for two names of one and the same model.
    """
    models: dict[ModelChoice, Model] = {}
    for arm in experiment.arms:
        if arm.model not in models:
            models[arm.model] = load_choice(arm.model, load)
    check_contrasts(experiment, prescribed_by(models))
    for contrast in experiment.contrasts:
        a, b = experiment.arm(contrast.baseline), experiment.arm(contrast.treatment)
        if (
            a.model.source != b.model.source
            and models[a.model].identity == models[b.model].identity
        ):
            raise InputError(
                f"The models of arms {a.name!r} and {b.name!r} are one and the same under two "
                f"names ({models[a.model].identity[:19]}). Compare two models, or one factor."
            )
    return models


def load_choice(choice: ModelChoice, load: LoadModel) -> Model:
    """One model as it was chosen."""
    return load(
        choice.source,
        revision=choice.revision,
        weights_sha256=choice.weights_sha256,
        precision=choice.precision,
    )


def prescribed_by(models: Mapping[ModelChoice, Model]) -> Prescribed:
    """The prefixes that each model's own configuration names."""
    return {choice: prescribed_prefixes(model.prompts) for choice, model in models.items()}


def check_retrievable(labels: LabelSet, held: Mapping[str, Chunk], *, where: str) -> list[Problem]:
    """
    Every judged chunk that a snapshot, in which `held` was found, does not hold as it was judged.

    A gold chunk that is missing can never be hit, and one whose text changed was judged as
    something else. One that belongs to another document puts its queries into another class,
    since held out or not is decided by the document's id.
    """
    gold = {chunk_id for query in labels.queries for chunk_id in labels.gold(query.query_id)}
    judged = dict.fromkeys((e.chunk_id, e.doc_id, e.text_sha256) for e in labels.pool)
    problems = []
    for chunk_id, doc_id, text in judged:
        kind = "gold chunk" if chunk_id in gold else "judged chunk"
        member = f"{where}: {kind} {chunk_id}"
        chunk = held.get(chunk_id)
        if chunk is None:
            problems.append(Problem(member, "completeness", "a chunk", "nothing"))
            continue
        differing = [
            (f"{name} {expected}", f"{name} {found}")
            for name, expected, found in (
                ("text", text[:12], text_sha256(chunk.text)[:12]),
                ("document", repr(doc_id), repr(chunk.doc_id)),
            )
            if expected != found
        ]
        if differing:
            expected, found = (" and ".join(side) for side in zip(*differing, strict=True))
            problems.append(Problem(member, "bytes", expected, found))
    return problems


def _require_sample_of(snapshot: Snapshot, experiment: Experiment) -> None:
    """Refuse what is no sample of the chunk set that the experiment pins."""
    parent = snapshot.derived["parent"]["digest"] if snapshot.derived else None
    if parent != experiment.snapshot_digest:
        what = "no sample" if parent is None else f"a sample of another chunk set ({parent})"
        raise InputError(
            f"{snapshot.path} is {what}. Make one with `evaluator sample {experiment.path.name}`."
        )


def _require_judged_chunks(labels: LabelSet, experiment: Experiment) -> None:
    """Refuse another chunk set than the one that assessors read, or a sample of it."""
    made_for = labels.manifest["snapshot"].get("digest")
    if made_for == experiment.snapshot_digest:
        return
    derived = read_snapshot(experiment.snapshot).derived
    if derived is None or derived["parent"]["digest"] != made_for:
        raise InputError(
            f"Label set {labels.name} was made for another chunk set (digest {made_for}) than "
            f"the experiment pins ({experiment.snapshot_digest}). Its judgements speak of the "
            "chunks that assessors read: name that snapshot, or judge this one."
        )


def _require_pool(labels: LabelSet, snapshot: Snapshot, experiment: Experiment) -> None:
    """Refuse a sample that lacks some of the pool: such a gold chunk could never be hit."""
    pool = {entry.chunk_id for entry in labels.pool} if snapshot.derived else set()
    lost = sorted(pool - snapshot.fetch(sorted(pool)).keys())
    if lost:
        raise InputError(
            f"{snapshot.path} lacks {len(lost)} chunks of the pool of {labels.name} "
            f"({lost[0]}). Sample anew with `evaluator sample {experiment.path.name}`."
        )


def _require_pinned(experiment: Experiment) -> None:
    """Say it in the words of the experiment when the label set is another one."""
    manifest = experiment.labels / MANIFEST
    if not manifest.is_file():
        raise InputError(
            f"{experiment.path} names the label set {experiment.labels}, but there is none. "
            "A path is taken from the folder of the experiment file."
        )
    found = sha256_of_set(experiment.labels)
    if found != experiment.labels_sha256:
        raise InputError(
            f"The label set {experiment.labels} is not the one that {experiment.path.name} pins "
            f"(expected {experiment.labels_sha256}, found {found}). Restore it, or start a new "
            "experiment on the other set; a pin is not to be changed after a run."
        )
