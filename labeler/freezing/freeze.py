"""
A workspace -> a frozen label set.

It decides what goes into the set and what the manifest says of how it came about; the
format itself is `labelset`'s, and what stands in the way `obstacles`'. The clock comes in as
an argument, and header work is declared by a person: there is no default.
"""

import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import Any

from evaluator import InputError, __version__
from evaluator.experiment.draft import draft_experiment
from evaluator.files.whole import made_aside
from evaluator.labelset.format import LabelSet, Qrels, Rule, read_label_set, utc_text
from evaluator.labelset.ledger import ledger_path
from evaluator.labelset.writing import write_label_set
from evaluator.snapshot.chunk import Chunk, unlabelled_equals
from labeler.freezing.header_work import HeaderWork, consequences
from labeler.freezing.manifest import assessment, pooling
from labeler.freezing.obstacles import obstacles
from labeler.judging.adjudicate import adjudicate_workspace, with_skips, without_skipped
from labeler.workspace.workspace import EXPERIMENTS, LABELS, SNAPSHOT, Workspace

Clock = Callable[[], datetime]


@dataclass(frozen=True, slots=True)
class Frozen:
    """
    A label set that was frozen just now: its directory, identity, and what to know of it.

    `command` runs its experiment, or drafts it; `git` is the line that commits set and ledger.
    """

    path: Path
    sha256: str
    command: str
    git: str
    notes: tuple[str, ...]


def freeze(
    workspace: Workspace,
    *,
    name: str,
    header_work: HeaderWork,
    declared_by: str,
    supersedes: Path | None = None,
    out: Path | None = None,
    rule: Rule = "majority",
    clock: Clock,
) -> Frozen:
    """
    Freeze what stands in the workspace as a label set and give its identity.

    It is written to WORK/labels/NAME unless `out` names another directory, and a first experiment
    for it to WORK/experiments/NAME.toml, if there is none of that name. The pool's
    text hashes are compared with the snapshot first, so that what was judged is what
    will be measured. Everything is read as of one moment, so judging may go on meanwhile;
    what comes later waits for the next set. Raises InputError listing what is in the way,
    and LabelSetError for a directory that exists.
    """
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", name):
        raise InputError(
            f"{name!r} cannot name a label set. Use letters, digits, dots, dashes and underscores."
        )
    if not declared_by.strip():
        raise InputError("Say who declares whether header work has begun: it stands in the set.")
    path = out or workspace.path / LABELS / name
    before = read_label_set(supersedes) if supersedes else None

    with made_aside(path) as aside, workspace.connection.reading():
        now = utc_text(clock())
        queries, sample = list(with_skips(workspace)), workspace.queries.sample()
        adjudicated = adjudicate_workspace(workspace, rule=rule)
        found = obstacles(workspace, adjudicated=adjudicated, queries=queries)
        late = _later_than(now, workspace, before)
        if blocking := [*(each.text for each in found if each.blocking), *late]:
            raise InputError("\n- ".join(["Nothing was frozen.", *blocking]))
        qrels = without_skipped(adjudicated.qrels, queries)
        sources, equals = _in_snapshot(workspace, qrels)
        manifest = {
            "name": name,
            "version": int(before.manifest.get("version") or 1) + 1 if before else 1,
            "frozen_at": now,
            "snapshot": {
                "name": workspace.settings.snapshot_name,
                "digest": workspace.settings.snapshot_digest,
            },
            "sampling": None if sample is None else sample.to_json(),
            "pooling": pooling(workspace, sources),
            "assessment": assessment(workspace, adjudicated, queries=queries),
            "held_out": asdict(workspace.settings.held_out_rule),
            "header_work": header_work.record(declared_by),
            "supersedes": before and {"name": before.name, "sha256": before.sha256},
            "tool": f"onecause {__version__}",
        }
        sha256 = write_label_set(
            path,
            queries=queries,
            pool=workspace.pool.entries(),
            judgements=workspace.events(),
            qrels=qrels,
            manifest=manifest,
            aside=aside,
        )

    ledger_path(path).touch()
    undrafted = _write_experiment(
        workspace, path, sha256, manifest=manifest, held_out=_held_out(workspace, qrels)
    )
    return Frozen(
        path=path,
        sha256=sha256,
        command=experiment_command(workspace, path),
        git=git_line(path, sha256),
        notes=(
            *(each.text for each in found),
            *consequences(header_work),
            *(note for note in (equals, undrafted) if note),
        ),
    )


def _later_than(now: str, workspace: Workspace, before: LabelSet | None) -> Iterator[str]:
    """A set cannot be older than what it holds or supersedes: the clock was set back."""
    moments = {"the last judgement": workspace.decisions.last_moment()}
    if before:
        moments["the set that it supersedes"] = before.manifest["frozen_at"]
    for what, at in moments.items():
        if at > now:
            yield f"The clock says {now}, and {what} is of {at}. Set the clock right."


def _gold(workspace: Workspace, qrels: Qrels) -> dict[str, list[str]]:
    """The chunks of each query with a grade of at least `min_grade`."""
    least = workspace.settings.min_grade
    return {q: [c for c, grade in grades.items() if grade >= least] for q, grades in qrels.items()}


def _in_snapshot(workspace: Workspace, qrels: Qrels) -> tuple[dict[str, str], str | None]:
    """
    Of one walk through all chunks: the source of each document with gold, and a word on queries
    whose gold text stands elsewhere too.
    """
    gold = set(chain.from_iterable(_gold(workspace, qrels).values()))
    sources: dict[str, str] = {}

    def chunks() -> Iterator[Chunk]:
        for chunk in workspace.snapshot.chunks():
            if chunk.chunk_id in gold:
                sources[chunk.doc_id] = chunk.source
            yield chunk

    equals = unlabelled_equals(chunks(), qrels, min_grade=workspace.settings.min_grade)
    return sources, equals


def _held_out(workspace: Workspace, qrels: Qrels) -> int:
    """How many queries have all their gold in held-out documents."""
    rule, doc_by_chunk = workspace.settings.held_out_rule, workspace.pool.doc_by_chunk()
    gold = _gold(workspace, qrels).values()
    return sum(rule.query_class(doc_by_chunk[c] for c in ids) == "held-out" for ids in gold)


def experiment_command(workspace: Workspace, path: Path) -> str:
    """The command that runs the experiment of a label set, or the one that drafts it."""
    file = workspace.path / EXPERIMENTS / f"{path.name}.toml"
    if file.is_file():
        return shlex.join(["evaluator", "run", str(file)])
    snapshot = str(workspace.path / SNAPSHOT)
    return shlex.join(["evaluator", "new", str(path), "--snapshot", snapshot, "-o", str(file)])


def _write_experiment(
    workspace: Workspace, path: Path, sha256: str, *, manifest: Mapping[str, Any], held_out: int
) -> str | None:
    """A first experiment for the set beside the others; why there is none, where that is so."""
    file = workspace.path / EXPERIMENTS / f"{path.name}.toml"
    try:
        text = draft_experiment(
            path, sha256, workspace.snapshot, manifest=manifest, held_out=held_out, path=file
        )
        file.parent.mkdir(exist_ok=True)
        with file.open("x", encoding="utf-8", newline="\n") as out:
            out.write(text)
    except FileExistsError:
        return f"{file} was there already and is as it was."
    except InputError as error:
        return f"No experiment was drafted: {error}"
    return None


def git_line(path: Path, sha256: str) -> str:
    """The line that commits a label set and its ledger, the digest in the message."""
    git = f"git -C {shlex.quote(str(path.resolve().parent))}"
    there = [each.name for each in (path, ledger_path(path)) if each.exists()]
    message = shlex.quote(f"Freeze label set {path.name}, SHA-256 {sha256}")
    return f"{git} add {shlex.join(there)} && {git} commit -m {message} -- {shlex.join(there)}"
