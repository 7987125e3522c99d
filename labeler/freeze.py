"""
A workspace -> a frozen label set, and what stands in the way.

It decides what goes into the set and what the manifest says of how it came about; the
format itself is `evaluator.labelset`'s. The clock comes in as an argument, and header
work is declared by a person: there is no default.
"""

import errno
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

from evaluator import InputError, __version__
from evaluator.labelset import (
    Query,
    read_label_set,
    text_sha256,
    utc_text,
    write_label_set,
)
from labeler.adjudicate import Adjudicated, Rule
from labeler.assessment import adjudicated as one_grade_each
from labeler.assessment import assessment, pooling
from labeler.pool import first_few
from labeler.store import EXPERIMENTS, LABELS, SNAPSHOT, Workspace

Clock = Callable[[], datetime]
_CHUNKS_AT_ONCE = 5_000  # texts in memory
_EARLIEST_ZONE = timedelta(hours=14)  # a day begins on Kiritimati that long before UTC


@dataclass(frozen=True, slots=True)
class Obstacle:
    """One thing that stands in the way of freezing, or should be known before it."""

    blocking: bool
    text: str


@dataclass(frozen=True, slots=True)
class HeaderWork:
    """What the owner declares: whether work on headers has begun, and when."""

    begun: bool
    at: str | None = None


@dataclass(frozen=True, slots=True)
class Frozen:
    """A label set that was frozen just now: its directory, identity, and what to know of it."""

    path: Path
    sha256: str
    paste: str
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
    will be measured. Raises InputError listing what is in the way, and LabelSetError for
    a directory that exists.
    """
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", name):
        raise InputError(
            f"{name!r} cannot name a label set. Use letters, digits, dots, dashes and underscores."
        )
    adjudicated = one_grade_each(workspace, rule=rule)
    found = obstacles(workspace, adjudicated=adjudicated)
    if blocking := [obstacle.text for obstacle in found if obstacle.blocking]:
        raise InputError("\n".join(["Nothing was frozen.", *(f"- {text}" for text in blocking)]))
    before = _superseded(supersedes)
    queries = list(with_skips(workspace))
    path = out or workspace.path / LABELS / name
    with _named(path):
        sha256 = write_label_set(
            path,
            queries=queries,
            pool=workspace.pairs(),
            judgements=workspace.events(),
            qrels=without_skipped(adjudicated.qrels, queries),
            manifest={
                "name": name,
                "version": before["version"] + 1 if before else 1,
                "frozen_at": utc_text(clock()),
                "snapshot": {
                    "name": workspace.settings.snapshot_name,
                    "digest": workspace.settings.snapshot_digest,
                },
                "sampling": workspace.sample(),
                "pooling": pooling(workspace),
                "assessment": assessment(workspace, adjudicated, queries=queries),
                "held_out": _held_out(workspace),
                "header_work": {
                    "begun": header_work.begun,
                    "at": header_work.at,
                    "declared_by": declared_by,
                },
                "supersedes": before and {key: before[key] for key in ("name", "sha256")},
                "tool": f"onecause {__version__}",
            },
        )
    return Frozen(
        path=path,
        sha256=sha256,
        paste=paste_lines(workspace, path, sha256),
        notes=tuple(obstacle.text for obstacle in found),
    )


def declared(text: str, *, now: datetime) -> HeaderWork:
    """
    What `none` or a date declares of header work.

    A date without a time is the first moment of that day, UTC, or now where the day has
    not begun there yet. Raises InputError for anything else and for a date to come.
    """
    if text == "none":
        return HeaderWork(begun=False)
    try:
        moment = datetime.fromisoformat(text)
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
    return HeaderWork(begun=True, at=utc_text(min(moment, now)))


def obstacles(workspace: Workspace, *, adjudicated: Adjudicated | None = None) -> list[Obstacle]:
    """What stands in the way of freezing; `blocking` ones must be gone first."""
    adjudicated = adjudicated or one_grade_each(workspace)
    found = [Obstacle(True, text) for text in _blocking(workspace, adjudicated)]
    return found + [Obstacle(False, text) for text in _to_know(workspace, adjudicated)]


def _blocking(workspace: Workspace, adjudicated: Adjudicated) -> Iterator[str]:
    if not workspace.queries():
        yield "There are no queries. Read a log and draw a sample, or import queries."
    sha256_by_chunk = workspace.sha256_by_chunk()
    if not sha256_by_chunk:
        yield "The pool is empty: there is nothing to judge. Run labeler pool or labeler import."
    elif not adjudicated.judged:
        yield "Nothing is judged yet."
    scale = {grade for grade, _ in workspace.settings.grades}
    used = {grade for by_chunk in adjudicated.qrels.values() for grade in by_chunk.values()}
    if outside := sorted(used - scale):
        yield f"Grades that are not on the scale: {', '.join(map(str, outside))}."
    yield from _other_texts(workspace, sha256_by_chunk)


def _other_texts(workspace: Workspace, sha256_by_chunk: Mapping[str, str]) -> Iterator[str]:
    """What was judged must be the snapshot's plain text, to the letter."""
    missing, changed, rest = [], [], iter(sorted(sha256_by_chunk))
    while some := list(islice(rest, _CHUNKS_AT_ONCE)):
        chunks = workspace.snapshot.fetch(some)
        missing += [chunk_id for chunk_id in some if chunk_id not in chunks]
        changed += [
            chunk_id
            for chunk_id, chunk in sorted(chunks.items())
            if text_sha256(chunk.text) != sha256_by_chunk[chunk_id]
        ]
    if missing:
        yield f"{len(missing)} pooled chunks are not in the snapshot: {first_few(missing)}."
    if changed:
        yield (
            f"{len(changed)} pooled chunks have another text in the snapshot than the one that "
            f"was judged: {first_few(changed)}. Restore the snapshot."
        )
    if shown := workspace.judged_on_other_text():
        yield f"{shown} judgements were made on another text than the pool's."


def _to_know(workspace: Workspace, adjudicated: Adjudicated) -> Iterator[str]:
    queries = list(with_skips(workspace))
    qrels = without_skipped(adjudicated.qrels, queries)
    asked = [query for query in queries if query.skip_reason is None]
    skipped = {query.query_id for query in queries} - {query.query_id for query in asked}
    judged = sum(map(len, qrels.values()))
    pairs = sum(n for q, n in workspace.pool_sizes().items() if q not in skipped)
    if judged < pairs:
        yield (
            f"{pairs - judged} of {pairs} pairs are unjudged; on {adjudicated.unsure} pairs "
            "nobody could tell."
        )
    if adjudicated.disagreements:
        yield _on_disagreements(adjudicated)
    without = [q.query_id for q in asked if not _has_gold(qrels, q, workspace.settings.min_grade)]
    if without:
        yield f"{len(without)} of {len(asked)} queries have no gold: {first_few(without)}."
    if skipped:
        yield f"{len(skipped)} queries were skipped: {first_few(sorted(skipped))}."
    sample = workspace.sample()
    if sample is None:
        yield "No sample was drawn, so the set says nothing about the traffic of a log."
    elif len(sample["logs"]) < len(workspace.logs()):
        yield "The sample was drawn before the last log was read."


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Errors of writing name the label set, and not a file beside it that is gone."""
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EFBIG, errno.EDQUOT):
            raise
        raise OSError(error.errno, os.strerror(error.errno), str(path)) from error


def _on_disagreements(adjudicated: Adjudicated) -> str:
    found = (
        f"{adjudicated.disagreements} of {adjudicated.graded_twice} pairs with two or more "
        "grades are disagreements"
    )
    if not adjudicated.decided:
        return f"{found}, which the rule {adjudicated.rule!r} decides."
    return (
        f"{found}; adjudicators decided on {adjudicated.decided} pairs, the rule "
        f"{adjudicated.rule!r} decides the rest."
    )


def _has_gold(qrels: Mapping[str, Mapping[str, int]], query: Query, min_grade: int) -> bool:
    return any(grade >= min_grade for grade in qrels.get(query.query_id, {}).values())


def with_skips(workspace: Workspace) -> Iterator[Query]:
    """
    The queries, each with the reason for which it was skipped, if it was.

    A query is skipped when an assessor skipped it and nobody else finished it.
    """
    reasons: dict[str, list[str]] = {}
    finished: set[str] = set()
    for end in workspace.query_ends():
        if end["outcome"] == "skipped":
            reasons.setdefault(end["query_id"], []).append(end["reason"] or "no reason given")
        else:
            finished.add(end["query_id"])
    for query in workspace.queries():
        if query.query_id in reasons and query.query_id not in finished:
            reason = "; ".join(sorted(set(reasons[query.query_id])))
            yield replace(query, skip_reason=query.skip_reason or reason)
        else:
            yield query


def without_skipped(
    qrels: Mapping[str, Mapping[str, int]], queries: Sequence[Query]
) -> dict[str, Mapping[str, int]]:
    """The qrels of the queries that were not skipped: a skipped query is unjudged."""
    skipped = {query.query_id for query in queries if query.skip_reason is not None}
    return {query_id: grades for query_id, grades in qrels.items() if query_id not in skipped}


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


def _superseded(directory: Path | None) -> dict[str, Any] | None:
    if directory is None:
        return None
    labels = read_label_set(directory)
    version = int(labels.manifest.get("version") or 1)
    return {"name": labels.name, "sha256": labels.sha256, "version": version}


def _held_out(workspace: Workspace) -> dict[str, Any]:
    rule = workspace.settings.held_out_rule
    return {"salt": rule.salt, "buckets": rule.buckets, "held_out": list(rule.held_out)}
