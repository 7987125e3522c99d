"""
A workspace -> a frozen label set.

It decides what goes into the set and what the manifest says of how it came about; the
format itself is `evaluator.labelset`'s, and what stands in the way `labeler.obstacles`'.
The clock comes in as an argument, and header work is declared by a person: there is no
default.
"""

import json
import os
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from evaluator import InputError, __version__
from evaluator.files.whole import made_aside
from evaluator.labelset.format import Told, label_set_draft, read_label_set, utc_text
from labeler.freezing.header_work import treatment_sha256
from labeler.freezing.manifest import assessment, pooling, scale
from labeler.freezing.obstacles import Pooled, obstacles, with_skips, without_skipped
from labeler.freezing.scribe import scribe_for
from labeler.judging.adjudicate import Rule, adjudicate
from labeler.workspace.workspace import EXPERIMENTS, FILE, LABELS, SNAPSHOT, Workspace

Clock = Callable[[], datetime]
_Written = tuple[str, list[str]]  # the identity of a set, and what to know of it
_Write = Callable[..., _Written]
_MANY = 100_000  # judgements, from which a second process to write them is worth its start
_EARLIEST_ZONE = timedelta(hours=14)  # a day begins on Kiritimati that long before UTC


@dataclass(frozen=True, slots=True)
class HeaderWork:
    """
    What the owner declares: whether work on headers has begun, and when.

    With `treatments`, digests of header rules or files, it has begun on those only.
    """

    begun: bool
    at: str | None = None
    treatments: tuple[str, ...] = ()

    def record(self, declared_by: str) -> dict[str, Any]:
        """The declaration as the manifest holds it."""
        named = {"treatments": list(self.treatments)} if self.treatments else {}
        return {"begun": self.begun, "at": self.at, "declared_by": declared_by, **named}


@dataclass(frozen=True, slots=True)
class Frozen:
    """
    A label set that was frozen just now: its directory, identity, and what to know of it.

    `paste` are the lines for an experiment, `git` is the one that commits the set.
    """

    path: Path
    sha256: str
    paste: str
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

    It is written to WORK/labels/NAME unless `out` names another directory. The pool's
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
    path, before = out or workspace.path / LABELS / name, _superseded(supersedes)
    stated = {
        "name": name,
        "version": before["version"] + 1 if before else 1,
        "header_work": header_work.record(declared_by),
        "supersedes": before and {key: before[key] for key in ("name", "sha256")},
        "tool": f"onecause {__version__}",
    }
    write = partial(_written, path, workspace, stated=stated, before=before, rule=rule, clock=clock)
    sha256, notes = _with_a_scribe(path, workspace, write) or _alone(path, workspace, write)
    return Frozen(
        path=path,
        sha256=sha256,
        paste=paste_lines(workspace, path, sha256),
        git=git_line(path, sha256),
        notes=(*notes, *_after_header_work(header_work)),
    )


def _alone(path: Path, workspace: Workspace, write: _Write) -> _Written:
    with made_aside(path) as aside, workspace.reading():
        return write(aside=aside)


def _with_a_scribe(path: Path, workspace: Workspace, write: _Write) -> _Written | None:
    """
    The same in two processes that read as of one moment, where the second is worth its start.

    Nothing where that fails: who writes alone meets it too, and tells it better. What stands in
    the way of any freeze is the same for both, and told at once.
    """
    if workspace.event_count() <= _MANY:
        return None
    with made_aside(path) as aside, scribe_for(workspace.path / FILE) as scribe:
        if scribe is None:
            return None
        try:
            with workspace.reading(partial(scribe.begin, aside)):
                return write(aside=aside, elsewhere=scribe.written)
        except InputError:
            raise
        except Exception:
            return None


def _written(
    path: Path,
    workspace: Workspace,
    *,
    aside: Path,
    elsewhere: Told | None = None,
    stated: Mapping[str, Any],
    before: dict[str, Any] | None,
    rule: Rule,
    clock: Clock,
) -> _Written:
    """Write the set unless something is in the way; its identity and what to know of it."""
    queries, now = list(with_skips(workspace)), utc_text(clock())
    with label_set_draft(
        path,
        queries=queries,
        pool=workspace.pairs(to_check=elsewhere is not None),
        judgements=workspace.event_rows(to_check=elsewhere is not None),
        manifest={**stated, "frozen_at": now, **_stated(workspace, rule)},
        aside=aside,
        elsewhere=elsewhere,
    ) as draft:
        decisions = workspace.standing_decisions()
        adjudicated = adjudicate(draft.given(), rule=rule, decisions=decisions)
        found = obstacles(
            workspace,
            adjudicated=adjudicated,
            queries=queries,
            pooled=Pooled(
                draft.pairs_by_query(), draft.sha256_by_chunk(), draft.judged_on_others()
            ),
        )
        late = _later_than(now, workspace, before)
        if blocking := [*(each.text for each in found if each.blocking), *late]:
            draft.take_what_others_wrote()
            told = [f"- {text}" for text in blocking]
            raise InputError("\n".join(["Nothing was frozen.", *told]))
        draft.require_sound()
        sha256 = draft.finish(
            without_skipped(adjudicated.qrels, queries),
            assessment=assessment(workspace, adjudicated, queries=queries),
        )
    return sha256, [each.text for each in found]


def declared(text: str, *, now: datetime, on: Sequence[str] = ()) -> HeaderWork:
    """
    What `none` or a date declares of header work, of all of it or of the headers in `on`.

    A date without a time is the first moment of that day, UTC, or now where the day has
    not begun there yet. Raises InputError for anything else and for a date to come.
    """
    treatments = tuple(dict.fromkeys(map(treatment_sha256, on)))
    if text == "none":
        if treatments:
            raise InputError("Headers are named, but --header-work none says that none is begun.")
        return HeaderWork(begun=False)
    try:
        moment = datetime.fromisoformat(text)
        utc_text(moment.replace(tzinfo=moment.tzinfo or UTC))
    except ValueError:
        raise InputError(
            f"--header-work {text!r}: say none if no header work has begun, or the date on "
            "which it began, like 2026-01-31."
        ) from None
    ahead = timedelta(0)
    if moment.tzinfo is None:
        moment, ahead = moment.replace(tzinfo=UTC), _EARLIEST_ZONE
    if moment > now + ahead:
        raise InputError(
            f"--header-work {text!r} is still to come. If no header work has begun, say none."
        )
    return HeaderWork(begun=True, at=utc_text(min(moment, now)), treatments=treatments)


def paste_lines(workspace: Workspace, path: Path, sha256: str) -> str:
    """The lines that pin this label set and its snapshot in a file of WORK/experiments."""

    def as_seen(target: Path) -> str:
        try:
            seen = os.path.relpath(target, workspace.path / EXPERIMENTS)
        except ValueError:  # another drive
            seen = str(target.resolve())
        return json.dumps(Path(seen).as_posix(), ensure_ascii=False)  # as TOML writes a string

    return (
        f'[labels]\npath = {as_seen(path)}\nsha256 = "{sha256}"\n\n'
        f"[snapshot]\npath = {as_seen(workspace.path / SNAPSHOT)}\n"
        f'digest = "{workspace.settings.snapshot_digest}"'
    )


def git_line(path: Path, sha256: str) -> str:
    """The line that commits a label set, its digest in the message, from any folder."""
    git = f"git -C {shlex.quote(str(path.resolve().parent))}"
    name = shlex.quote(path.name)
    message = shlex.quote(f"Freeze label set {path.name}, SHA-256 {sha256}")
    return f"{git} add {name} && {git} commit -m {message} -- {name}"


def _stated(workspace: Workspace, rule: Rule) -> dict[str, Any]:
    """What the workspace says of how the set came about, whatever was judged."""
    return {
        "snapshot": {
            "name": workspace.settings.snapshot_name,
            "digest": workspace.settings.snapshot_digest,
        },
        "sampling": workspace.sample(),
        "pooling": pooling(workspace),
        "assessment": scale(workspace) | {"rule": rule},
        "held_out": asdict(workspace.settings.held_out_rule),
    }


def _later_than(now: str, workspace: Workspace, before: dict[str, Any] | None) -> Iterator[str]:
    """A set cannot be older than what it holds or supersedes: the clock was set back."""
    moments = {"the last judgement": workspace.last_moment()}
    if before:
        moments["the set that it supersedes"] = before["frozen_at"]
    for what, at in moments.items():
        if at > now:
            yield f"The clock says {now}, and {what} is of {at}. Set the clock right."


def _after_header_work(declared: HeaderWork) -> Iterator[str]:
    if not declared.begun:
        return
    began = f"Header work began at {declared.at}, before this freeze: the evaluator marks results"
    if declared.treatments:
        named = ", ".join(digest[:12] for digest in declared.treatments)
        yield f"{began} of the headers {named} as not usable. The set is good for others."
    else:
        yield (
            f"{began} of any header as not usable. `labeler freeze --header-work-on` names the "
            "headers that were begun; the set is then good for those begun after it."
        )


def _superseded(directory: Path | None) -> dict[str, Any] | None:
    if directory is None:
        return None
    labels = read_label_set(directory)
    version = int(labels.manifest.get("version") or 1)
    return {
        "name": labels.name,
        "sha256": labels.sha256,
        "version": version,
        "frozen_at": labels.manifest["frozen_at"],
    }
