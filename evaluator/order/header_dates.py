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

from evaluator.experiment.headers.file import HeaderFile
from evaluator.experiment.headers.rule import HeaderRule
from evaluator.experiment.protocol import Arm, Experiment
from evaluator.labelset.format import MANIFEST, LabelSet, canonical_line, sha256_of_set
from evaluator.labelset.ledger import known_rows
from evaluator.order.evidence import Ancestor, DatedFile, LabelEvidence, Trace, Treatment
from evaluator.order.git_commits import History, file_history
from evaluator.order.label_dates import Witnesses
from evaluator.text.moments import instant, is_before, moment_of

NOT_AT_HAND = "not at hand"


@dataclass(frozen=True, slots=True)
class Traces:
    """The treatments of an experiment, what dates them, and what is doubtful about that."""

    treatments: tuple[Treatment, ...]
    dated: tuple[DatedFile, ...]
    doubts: tuple[str, ...]


def labels_evidence(labels: LabelSet, witnesses: Witnesses) -> LabelEvidence:
    """What a label set, its witnesses and the sets it supersedes say of its time."""
    manifest = labels.manifest
    superseded = manifest.get("supersedes")
    ancestors = tuple(_superseded(labels))
    return LabelEvidence(
        sha256=labels.sha256,
        frozen_at=str(manifest["frozen_at"]),
        header_work=manifest["header_work"],
        newest_judgement=witnesses.judged.newest,
        witnesses=witnesses.usable(),
        supersedes=str(superseded.get("name")) if superseded else None,
        ancestors=ancestors,
        all_ancestors=all(each.frozen_at != NOT_AT_HAND for each in ancestors),
    )


def _superseded(labels: LabelSet) -> Iterator[Ancestor]:
    """
    The sets that this one supersedes, directly or through others, as far as they lie beside it.

    They are known by the digest that their successor states, not by their names. The last one
    may be gone: then only its ledger may be there, under the name that is stated.
    """
    manifest: Mapping[str, Any] = labels.manifest
    here = labels.path.resolve()
    beside = {
        sha256_of_set(path.parent): path.parent
        for path in sorted(here.parent.glob(f"*/{MANIFEST}"))
    }
    while isinstance(superseded := manifest.get("supersedes"), Mapping):
        digest, name = str(superseded.get("sha256")), str(superseded.get("name"))
        path = beside.pop(digest, None)
        if path is None:
            yield Ancestor(name, NOT_AT_HAND, here.with_name(Path(name).name or "?"), digest)
            return
        manifest = _json(path / MANIFEST)
        yield Ancestor(str(manifest.get("name")), str(manifest.get("frozen_at")), path, digest)


def traces_of(
    experiment: Experiment,
    headers: Mapping[str, HeaderRule],
    rendered: Mapping[str, str],
    labels: LabelEvidence,
) -> Traces:
    """
    Everything that dates the headers of an experiment.

    `rendered` is the digest of the headers that each arm renders: one treatment for each,
    whatever rule or file they come from.
    """
    own, frozen_at = file_history(experiment.path), labels.frozen_at
    dated = [_dated_file("experiment", experiment.path, experiment.sha256, own)]
    doubts = [*_experiment_doubts(experiment, own, dated[0], frozen_at)]
    arms: dict[str, list[Arm]] = {}
    for arm in experiment.arms:
        digest = sha256(canonical_line(asdict(arm)).encode()).hexdigest()
        said = arm.header_begun, arm.header_declared_by
        dated.append(DatedFile("arm declaration", arm.name, digest, None, None, *said, None, None))
        if headers[arm.name].rule != "none":
            arms.setdefault(rendered[arm.name], []).append(arm)
    earlier = _earlier_runs(experiment, labels.ancestors)
    treatments = []
    for digest, using in arms.items():
        rules = list({headers[arm.name].digest: headers[arm.name] for arm in using}.values())
        traces = [*_declared(using)]
        for file in (header.file for header in rules if header.file):
            history = file_history(file.path)
            one = _dated_file("header file", file.path, file.sha256, history)
            dated.append(replace(one, generated_at=file.generated_at))
            doubts += _earlier_versions(file.path.name, history, frozen_at)
            if history.shallow and history.first is None:
                doubts.append(
                    f"doubt: since when git has {file.path.name} is unknown: {history.note}"
                )
            traces += _of_file(file, history)
        treatment = _treatment(digest, rules, using)
        runs = [run for name in treatment.digests for run in earlier.get(name, ())]
        traces += sorted(runs, key=lambda run: instant(run.at))[:1]
        treatments.append(replace(treatment, traces=tuple(traces)))
    return Traces(tuple(treatments), tuple(dated), tuple(doubts))


def _treatment(digest: str, rules: Sequence[HeaderRule], arms: Sequence[Arm]) -> Treatment:
    named = (arm.header_declared_by or "nobody named" for arm in arms if arm.header_begun)
    names = [f"file:{header.path.name}" if header.path else header.rule for header in rules]
    bare = [
        header.file.sha256 if header.file else sha256(header.rule.encode()).hexdigest()
        for header in rules
    ]
    inside = {header.file.labels_sha256 for header in rules if header.file}
    return Treatment(
        sha256=digest,
        rule=" and ".join(dict.fromkeys(names)),
        arms=tuple(arm.name for arm in arms),
        declared_by=next(named, None),
        labels_sha256=inside.pop() if len(inside) == 1 else None,
        rules=frozenset([*(header.digest for header in rules), *bare]),
    )


def _declared(arms: Sequence[Arm]) -> Iterator[Trace]:
    for arm in arms:
        if arm.header_begun:
            by = f" by {arm.header_declared_by}" if arm.header_declared_by else ""
            text = f"trace of header work: arm {arm.name!r} declares {arm.header_begun}{by}"
            yield Trace(arm.header_begun, "arm", text)


def _of_file(file: HeaderFile, history: History) -> Iterator[Trace]:
    named = f"file {file.path.name} ({file.sha256[:12]})"
    if at := file.generated_at:
        yield Trace(
            at, "generated", f"trace of header work: {named} dates its first header {at} itself"
        )
    if history.first:
        text = f"trace of header work: {named}, in {history.text()}"
        yield Trace(history.first.earliest_at, "committed", text)
    at = _changed_at(file.path)
    text = f"trace of header work: {named}, last changed {at}; a copy or a clock can move that date"
    yield Trace(at, "changed", text)


def _earlier_versions(name: str, history: History, frozen_at: str) -> Iterator[str]:
    """An older file of that name with other bytes decides nothing; it is said."""
    first = history.first_of_path
    if first and first != history.first and is_before(first.earliest_at, frozen_at):
        yield (
            f"doubt: another version of {name} was committed before the freeze (commit "
            f"{first.id[:12]}, {first.earliest_at}); whether it made the same headers is unknown"
        )


def _experiment_doubts(
    experiment: Experiment, history: History, dated: DatedFile, frozen_at: str
) -> Iterator[str]:
    yield from _earlier_versions(experiment.path.name, history, frozen_at)
    if is_before(dated.changed_at, frozen_at):
        yield (
            f"doubt: {experiment.path.name} holds the digest of the labels and is dated before "
            f"them (last changed {dated.changed_at}): one of the two clocks was wrong"
        )


def _dated_file(what: str, path: Path, digest: str, history: History) -> DatedFile:
    known = history.text(), history.first
    return DatedFile(what, path.name, digest, _changed_at(path), None, None, None, *known)


def _changed_at(path: Path) -> str:
    return datetime.fromtimestamp(path.stat().st_mtime, UTC).isoformat("T", "seconds")


def _earlier_runs(experiment: Experiment, superseded: Sequence[Ancestor]) -> dict[str, list[Trace]]:
    """By each digest of a header, the runs that used it, of those that are known."""
    found: dict[str, list[Trace]] = {}
    for digest, trace in (*_results_beside(experiment), *_looks_at(superseded)):
        found.setdefault(digest, []).append(trace)
    return found


def _results_beside(experiment: Experiment) -> Iterator[tuple[str, Trace]]:
    """Digest and trace of every header, by rule and as rendered, in the results beside it."""
    for path in sorted(experiment.path.parent.glob("*.results/*/record.json")):
        record = _json(path)
        at, arms = record.get("started_at"), record.get("arms")
        if not moment_of(at) or not isinstance(arms, list):
            continue
        where = path.parent.relative_to(experiment.path.parent).as_posix()
        trace = Trace(str(at), "run", f"trace of header work: it was run at {at} ({where})")
        for arm in arms:
            if isinstance(arm, Mapping):
                digests = arm.get("header_sha256"), arm.get("header_strings_sha256")
                yield from ((str(digest), trace) for digest in digests)


def _looks_at(superseded: Sequence[Ancestor]) -> Iterator[tuple[str, Trace]]:
    """Digest and trace of every header that ran on a superseded set, wherever its results are."""
    for labels in superseded:
        for look in known_rows(labels):
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
