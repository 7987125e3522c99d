"""
Queries of a workspace -> the assessors who judge them, stored.

What was assigned before stays as it is where it can, and a query stays with whoever has
begun it. How queries are shared out is `labeler.assignment`'s.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from evaluator import InputError
from evaluator.labelset.format import utc_text
from labeler.judging.adjudicate import KNOWN_ANSWER
from labeler.judging.assign import assign
from labeler.judging.names import person_name
from labeler.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Assigned:
    """Queries by assessor, how many have two, and how many places are new or went away."""

    queries_by_assessor: Mapping[str, int]
    queries: int
    shared: int
    given: int
    taken: int


def assign_queries(
    workspace: Workspace,
    *,
    assessors: Sequence[str] = (),
    overlap: float | None = None,
    seed: int | None = None,
    now: datetime,
) -> Assigned:
    """
    Assign all queries of the workspace, or those that came since, and store who has which.

    What is not given is as it was the last time; the first time it is everybody who may
    judge, an overlap of 0 and seed 13. Raises InputError when there is no query or nobody
    to judge, and where people are listed, for somebody who may not judge.
    """
    last = workspace.assignment() or {}
    names = [person_name(name) for name in assessors or last.get("assessors") or ()]
    names = names or [role.assessor for role in workspace.roles() if role.may_judge]
    _check(workspace, names)
    overlap = float(last.get("overlap", 0.0)) if overlap is None else overlap
    seed = int(last.get("seed", 13)) if seed is None else seed
    record = {"assessors": names, "overlap": overlap, "seed": seed, "at": utc_text(now)}
    before = workspace.assessors_by_query()
    after = assign(
        [query.query_id for query in workspace.queries()],
        names,
        overlap=overlap,
        seed=seed,
        before=before,
        begun=_begun(workspace),
    )
    workspace.save_assignment(after, record=record, now=utc_text(now))
    return _assigned(before, after, names)


def _check(workspace: Workspace, names: Sequence[str]) -> None:
    if not workspace.queries():
        raise InputError(f"{workspace.path} has no queries to assign yet.")
    may = {role.assessor for role in workspace.roles() if role.may_judge}
    strangers = [name for name in names if name not in may]
    if may and strangers:
        raise InputError(
            f"{', '.join(strangers)} may not judge in {workspace.path}. "
            "Put them on the list with labeler assessors --add."
        )


def _begun(workspace: Workspace) -> dict[str, tuple[str, ...]]:
    """Who has judged any chunk of a query, or ended it."""
    return {
        row.query_id: tuple({*row.judged_by, *row.ended_by} - {KNOWN_ANSWER})
        for row in workspace.progress()
    }


def _assigned(
    before: Mapping[str, Sequence[str]], after: Mapping[str, Sequence[str]], names: Sequence[str]
) -> Assigned:
    was = {(query_id, name) for query_id, there in before.items() for name in there}
    now = {(query_id, name) for query_id, there in after.items() for name in there}
    return Assigned(
        queries_by_assessor={name: sum(n == name for _, n in now) for name in names},
        queries=len(after),
        shared=sum(len(there) > 1 for there in after.values()),
        given=len(now - was),
        taken=len(was - now),
    )
