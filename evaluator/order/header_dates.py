"""
What dates the header work of an experiment: its files, its declarations, earlier results.

It opens header files, the experiment and the results beside it, and asks git for their first
commits. What that is worth against the labels, `verdict` decides.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from evaluator.experiment.headers.rule import HeaderRule
from evaluator.experiment.protocol import Arm, Experiment
from evaluator.labelset.format import MANIFEST, LabelSet, canonical_line, sha256_of_set
from evaluator.labelset.ledger import known_looks
from evaluator.order.evidence import Ancestor, LabelEvidence, Trace, Treatment
from evaluator.order.git_commits import History, file_history
from evaluator.order.label_dates import Witnesses
from evaluator.text.moments import moment_of


@dataclass(frozen=True, slots=True)
class Dated:
    """One file or declaration with its digest and every date that it has."""

    what: str
    name: str
    sha256: str
    changed_at: str | None = None
    generated_at: str | None = None
    declared_at: str | None = None
    declared_by: str | None = None
    commit: Mapping[str, Any] | None = None
    git: str | None = None


@dataclass(frozen=True, slots=True)
class Chain:
    """The superseded sets at hand, newest first; `whole` if the first of all is among them."""

    sets: tuple[Ancestor, ...]
    whole: bool


@dataclass(frozen=True, slots=True)
class Traces:
    """The treatments of an experiment, what dates them, and what is doubtful about that."""

    treatments: tuple[Treatment, ...]
    dated: tuple[Dated, ...]
    doubts: tuple[str, ...]

    def record(self) -> list[dict[str, Any]]:
        """The dated files and declarations as `record.json` keeps them."""
        return [asdict(each) for each in self.dated]


def chain_of(labels: LabelSet) -> Chain:
    """
    The sets that this one supersedes, directly or through others, of those that lie beside it.

    They are known by the digest that their successor states, not by their names.
    """
    manifest: Mapping[str, Any] = labels.manifest
    beside = {
        sha256_of_set(path.parent): path.parent
        for path in sorted(labels.path.resolve().parent.glob(f"*/{MANIFEST}"))
    }
    found: list[Ancestor] = []
    while isinstance(superseded := manifest.get("supersedes"), Mapping):
        digest = str(superseded.get("sha256"))
        path = beside.pop(digest, None)
        if path is None:
            return Chain(tuple(found), whole=False)
        manifest = _json(path / MANIFEST)
        name, frozen_at = str(manifest.get("name")), str(manifest.get("frozen_at"))
        found.append(Ancestor(name, frozen_at, path, digest))
    return Chain(tuple(found), whole=True)


def labels_evidence(labels: LabelSet, witnesses: Witnesses, *, chain: Chain) -> LabelEvidence:
    """What a label set, its witnesses and the sets it supersedes say of its time."""
    manifest = labels.manifest
    superseded = manifest.get("supersedes")
    return LabelEvidence(
        sha256=labels.sha256,
        frozen_at=str(manifest["frozen_at"]),
        header_work=manifest["header_work"],
        newest_judgement=witnesses.judged.newest,
        witnesses=witnesses.usable(),
        supersedes=str(superseded.get("name")) if superseded else None,
        ancestors=chain.sets,
        all_ancestors=chain.whole,
    )


def traces_of(
    experiment: Experiment, headers: Mapping[str, HeaderRule], *, frozen_at: str, chain: Chain
) -> Traces:
    """Everything that dates the headers of an experiment, one treatment for each digest."""
    own = file_history(experiment.path)
    dated = [_dated_file("experiment", experiment.path, experiment.sha256, own)]
    doubts = [*_experiment_doubts(experiment, own, dated[0], frozen_at)]
    arms: dict[str, list[Arm]] = {}
    for arm in experiment.arms:
        digest = sha256(canonical_line(asdict(arm)).encode()).hexdigest()
        one = Dated("arm declaration", arm.name, digest, declared_at=arm.header_begun)
        dated.append(replace(one, declared_by=arm.header_declared_by))
        if headers[arm.name].rule != "none":
            arms.setdefault(headers[arm.name].digest, []).append(arm)
    earlier = _earlier_runs(experiment, chain.sets)
    treatments = []
    for digest, using in arms.items():
        header, history = headers[using[0].name], None
        if header.file:
            history = file_history(header.file.path)
            file = _dated_file("header file", header.file.path, header.file.sha256, history)
            dated.append(replace(file, generated_at=header.file.generated_at))
            doubts += _earlier_versions(header.file.path.name, history, frozen_at)
        traces = (*_declared(using), *_of_file(header, history), *earlier.get(digest, ()))
        treatments.append(_treatment(header, using, traces))
    return Traces(tuple(treatments), tuple(dated), tuple(doubts))


def _treatment(header: HeaderRule, arms: Sequence[Arm], traces: tuple[Trace, ...]) -> Treatment:
    file = header.file
    named = (arm.header_declared_by or "nobody named" for arm in arms if arm.header_begun)
    return Treatment(
        sha256=header.digest,
        rule=header.rule if file is None else f"file:{file.path.name}",
        arms=tuple(arm.name for arm in arms),
        traces=traces,
        declared_by=next(named, None),
        labels_sha256=file.labels_sha256 if file else None,
        without_options=file.sha256 if file else sha256(header.rule.encode()).hexdigest(),
    )


def _declared(arms: Sequence[Arm]) -> Iterator[Trace]:
    for arm in arms:
        if arm.header_begun:
            by = f" by {arm.header_declared_by}" if arm.header_declared_by else ""
            text = f"trace of header work: arm {arm.name!r} declares {arm.header_begun}{by}"
            yield Trace(arm.header_begun, "arm", text)


def _of_file(header: HeaderRule, history: History | None) -> Iterator[Trace]:
    if header.file is None:
        return
    named = f"file {header.file.path.name} ({header.file.sha256[:12]})"
    if header.file.generated_at:
        at = header.file.generated_at
        yield Trace(
            at, "generated", f"trace of header work: {named} dates its first header {at} itself"
        )
    if history and history.first:
        yield Trace(
            history.first.earliest_at,
            "committed",
            f"trace of header work: {named}, first in {history.first.text()}",
        )
    at = _changed_at(header.file.path)
    text = f"trace of header work: {named}, last changed {at}; a copy or a clock can move that date"
    yield Trace(at, "changed", text)


def _earlier_versions(name: str, history: History, frozen_at: str) -> Iterator[str]:
    """An older file of that name had another digest, so it decides nothing; it is said."""
    first, frozen = history.first_of_path, moment_of(frozen_at)
    if first is None or frozen is None or first == history.first:
        return
    before = moment_of(first.earliest_at)
    if before and before < frozen:
        yield (
            f"doubt: another version of {name} was committed before the freeze (commit "
            f"{first.id[:12]}, {first.earliest_at}); by its digest it was something else"
        )


def _experiment_doubts(
    experiment: Experiment, history: History, dated: Dated, frozen_at: str
) -> Iterator[str]:
    yield from _earlier_versions(experiment.path.name, history, frozen_at)
    frozen, changed = moment_of(frozen_at), moment_of(dated.changed_at)
    if frozen and changed and changed < frozen:
        yield (
            f"doubt: {experiment.path.name} holds the digest of the labels and is dated before "
            f"them (last changed {dated.changed_at}): one of the two clocks was wrong"
        )


def _dated_file(what: str, path: Path, digest: str, history: History) -> Dated:
    return Dated(
        what,
        path.name,
        digest,
        changed_at=_changed_at(path),
        commit=asdict(history.first) if history.first else None,
        git=history.text(),
    )


def _changed_at(path: Path) -> str:
    return datetime.fromtimestamp(path.stat().st_mtime, UTC).isoformat("T", "seconds")


def _earlier_runs(experiment: Experiment, superseded: Sequence[Ancestor]) -> dict[str, list[Trace]]:
    """By the digest of a header, the first run that used it, of those that are known."""
    found: dict[str, list[Trace]] = {}
    for digest, trace in (*_results_beside(experiment), *_looks_at(superseded)):
        found.setdefault(digest, []).append(trace)
    return {digest: [min(runs, key=lambda run: run.at)] for digest, runs in found.items()}


def _results_beside(experiment: Experiment) -> Iterator[tuple[str, Trace]]:
    """Digest and trace of every header in the results that lie beside the experiment."""
    for path in sorted(experiment.path.parent.glob("*.results/*/record.json")):
        record = _json(path)
        at, arms = record.get("started_at"), record.get("arms")
        if not moment_of(at) or not isinstance(arms, list):
            continue
        where = path.parent.relative_to(experiment.path.parent).as_posix()
        trace = Trace(str(at), "run", f"trace of header work: it was run at {at} ({where})")
        yield from (
            (str(arm.get("header_sha256")), trace) for arm in arms if isinstance(arm, Mapping)
        )


def _looks_at(superseded: Sequence[Ancestor]) -> Iterator[tuple[str, Trace]]:
    """Digest and trace of every header whose results on a superseded set were looked at."""
    for labels in superseded:
        for look in known_looks(labels):
            at, digests = look.get("at"), look.get("headers")
            if moment_of(at) and isinstance(digests, list):
                text = f"trace of header work: results on {labels.name} were looked at at {at}"
                yield from ((str(digest), Trace(str(at), "run", text)) for digest in digests)


def _json(path: Path) -> Mapping[str, Any]:
    """An object from a file that may be anything; an empty one where it is none."""
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, Mapping) else {}
