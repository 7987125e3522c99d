"""
What an experiment pins, opened: labels, snapshot, header files and models.

Each is compared with what the file says of it, and refused when it is another. Nothing is
encoded or measured here.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from evaluator import InputError
from evaluator.encode import Model
from evaluator.experiment import Experiment, check_contrasts, read_experiment
from evaluator.factors import Prescribed
from evaluator.header import HeaderRule, read_header_rule
from evaluator.labelset import LabelSet, read_label_set, sha256_of_set
from evaluator.protocol import ModelChoice
from evaluator.snapshot import Snapshot, read_snapshot
from evaluator.weights import prescribed_prefixes


class LoadModel(Protocol):
    """What `evaluator.encode.load_model` does."""

    def __call__(
        self, source: str, /, *, revision: str | None = None, weights_sha256: str | None = None
    ) -> Model: ...


@dataclass(frozen=True, slots=True)
class Opened:
    """What an experiment pins, opened and found to be just that."""

    experiment: Experiment
    labels: LabelSet
    snapshot: Snapshot
    headers: Mapping[str, HeaderRule]


def open_experiment(path: Path) -> Opened:
    """
    Labels, snapshot and header files of an experiment, each compared with what it pins.

    Raises InputError or LabelSetError for anything that is not what was pinned.
    """
    experiment = read_experiment(path)
    _require_pinned(experiment)
    labels = read_label_set(experiment.labels, sha256=experiment.labels_sha256)
    made_for = labels.manifest["snapshot"].get("digest")
    if made_for != experiment.snapshot_digest:
        raise InputError(
            f"Label set {labels.name} was made for another chunk set (digest {made_for}) than "
            f"the experiment pins ({experiment.snapshot_digest}). Its judgements speak of the "
            "chunks that assessors read: name that snapshot, or judge this one."
        )
    snapshot = read_snapshot(experiment.snapshot, digest=experiment.snapshot_digest, verify=True)
    if len(snapshot) == 0:
        raise InputError(f"{experiment.snapshot} holds no chunks, so nothing can be searched.")
    headers = {
        arm.name: read_header_rule(arm.header, folder=path.parent, options=arm.header_options)
        for arm in experiment.arms
    }
    return Opened(experiment, labels, snapshot, headers)


def load_models(experiment: Experiment, load: LoadModel) -> dict[ModelChoice, Model]:
    """
    Every model of the experiment, each loaded once.

    Once their prompts are known, the contrasts are held to one cause again. Raises
    InputError also for two names of one and the same model.
    """
    models: dict[ModelChoice, Model] = {}
    for arm in experiment.arms:
        if arm.model not in models:
            models[arm.model] = load(
                arm.model.source,
                revision=arm.model.revision,
                weights_sha256=arm.model.weights_sha256,
            )
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


def prescribed_by(models: Mapping[ModelChoice, Model]) -> Prescribed:
    """The prefixes that each model's own configuration names."""
    return {choice: prescribed_prefixes(model.prompts) for choice, model in models.items()}


def _require_pinned(experiment: Experiment) -> None:
    """Say it in the words of the experiment when the label set is another one."""
    manifest = experiment.labels / "manifest.json"
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
