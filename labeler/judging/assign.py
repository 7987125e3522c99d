"""
Which assessor judges which query.

Everybody gets as many queries as anybody else, a chosen share of the queries goes to two, an
assignment that is made again moves as little as it can, and a query stays with whoever has begun
it. `assign_queries` does it in a workspace and stores it; `assign` is pure. It also says what
can be the name of an assessor.
"""

import hashlib
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import combinations

from evaluator import InputError
from evaluator.labelset.format import utc_text
from labeler.workspace.records import KNOWN_ANSWER
from labeler.workspace.workspace import Workspace

Assignment = Mapping[str, Sequence[str]]
_LONGEST = 80  # characters of a name


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
    last = workspace.people.assignment() or {}
    names = [person_name(name) for name in assessors or last.get("assessors") or ()]
    names = names or [role.assessor for role in workspace.people.roles() if role.may_judge]
    _check_people(workspace, names)
    overlap = float(last.get("overlap", 0.0)) if overlap is None else overlap
    seed = int(last.get("seed", 13)) if seed is None else seed
    record = {"assessors": names, "overlap": overlap, "seed": seed, "at": utc_text(now)}
    before = workspace.people.assessors_by_query()
    after = assign(
        [query.query_id for query in workspace.queries.all()],
        names,
        overlap=overlap,
        seed=seed,
        before=before,
        begun={
            row.query_id: tuple({*row.judged_by, *row.ended_by} - {KNOWN_ANSWER})
            for row in workspace.progress()
        },
    )
    workspace.people.save_assignment(after, record=record, now=utc_text(now))
    return _assigned(before, after, names)


def assign(
    query_ids: Sequence[str],
    assessors: Sequence[str],
    *,
    overlap: float,
    seed: int,
    before: Assignment | None = None,
    begun: Assignment | None = None,
) -> dict[str, tuple[str, ...]]:
    """
    The assessors of every query, sorted; `overlap` is the share of queries that get two.

    Numbers of queries differ by one at most between assessors. With `before`, only what must
    move does: queries that come later take nothing from anybody, and a new assessor takes an
    equal share while nothing is exchanged among the others. Queries in `begun` stay with
    those who began them, at the cost of balance if there is no other way.
    Ties are broken by a digest of seed, assessor and query, so the order of the arguments
    does not matter.

    Raises InputError for no or repeated assessors, an overlap outside 0 to 1, and an overlap
    with one assessor alone.
    """
    _check(assessors, overlap)
    fixed = {q: {a for a in (begun or {}).get(q, ()) if a in assessors} for q in query_ids}
    table = _Table(assessors, seed, fixed)
    kept = {q: {a for a in (before or {}).get(q, ()) if a in assessors} for q in fixed}
    shared = _shared(fixed, kept, wanted=round(overlap * len(fixed)), seed=seed)
    for query_id in fixed:
        table.keep(query_id, kept[query_id], most=2 if query_id in shared else 1)
    for query_id in sorted(fixed, key=lambda q: _digest(seed, q)):
        table.fill(query_id, wanted=2 if query_id in shared else 1)
    table.balance()
    return {query_id: tuple(sorted(table.assessors_by_query[query_id])) for query_id in query_ids}


def person_name(text: str) -> str:
    """
    The name as it is stored: composed, without blanks around it.

    Raises InputError for what cannot be shown, or stands for something else than a person.
    """
    name = unicodedata.normalize("NFC", text).strip()
    if not name or len(name) > _LONGEST:
        raise InputError(f"A name has 1 to {_LONGEST} characters.")
    if any(unicodedata.category(character) in ("Cc", "Cs") for character in name):
        raise InputError("A name cannot hold control characters.")
    if name == KNOWN_ANSWER:
        raise InputError(
            "This name stands for answers that are known from elsewhere. Choose another."
        )
    return name


def _check_people(workspace: Workspace, names: Sequence[str]) -> None:
    if not workspace.queries.all():
        raise InputError(f"{workspace.path} has no queries to assign yet.")
    may = {role.assessor for role in workspace.people.roles() if role.may_judge}
    strangers = [name for name in names if name not in may]
    if may and strangers:
        raise InputError(
            f"{', '.join(strangers)} may not judge in {workspace.path}. "
            "Put them on the list with labeler assessors --add."
        )


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


def _check(assessors: Sequence[str], overlap: float) -> None:
    if not assessors:
        raise InputError(
            "There is nobody to assign queries to. Name assessors: --assessors Ada,Bob"
        )
    if len(set(assessors)) < len(assessors):
        raise InputError(f"An assessor is named twice: {', '.join(assessors)}.")
    if not 0 <= overlap <= 1:
        raise InputError(f"An overlap of {overlap} is no share. Give a number from 0 to 1.")
    if overlap and len(assessors) < 2:
        raise InputError(
            f"An overlap of {overlap} needs two assessors. Name another, or give an overlap of 0."
        )


def _shared(
    fixed: Mapping[str, set[str]], kept: Mapping[str, set[str]], *, wanted: int, seed: int
) -> set[str]:
    """The queries that two judge: those that two have begun, then those that were shared."""

    def order(query_id: str) -> tuple[bool, bool, str]:
        two_began, were_shared = len(fixed[query_id]) > 1, len(kept[query_id]) > 1
        return not two_began, not were_shared, _digest(seed, query_id)

    began = sum(len(assessors) > 1 for assessors in fixed.values())
    return set(sorted(fixed, key=order)[: max(wanted, began)])


class _Table:
    """An assignment in the making: who has which query, and which places may still move."""

    def __init__(self, assessors: Sequence[str], seed: int, fixed: Mapping[str, set[str]]) -> None:
        self._seed = seed
        self._fixed = fixed
        self.assessors_by_query = {query_id: set(there) for query_id, there in fixed.items()}
        self._queries: dict[str, set[str]] = {assessor: set() for assessor in assessors}
        self._kept: set[tuple[str, str]] = set()
        self._orders: dict[str, list[str]] = {}
        for query_id, there in fixed.items():
            for assessor in there:
                self._queries[assessor].add(query_id)

    def keep(self, query_id: str, before: set[str], *, most: int) -> None:
        """Take over what was assigned before, as far as there is room."""
        for assessor in sorted(before, key=lambda a: _digest(self._seed, query_id, a)):
            if len(self.assessors_by_query[query_id]) < most:
                self._give(query_id, assessor)
                self._kept.add((query_id, assessor))

    def fill(self, query_id: str, *, wanted: int) -> None:
        """Give the query to those with fewest, until it has enough."""
        there = self.assessors_by_query[query_id]
        while len(there) < wanted:
            self._give(
                query_id,
                min(
                    self._queries.keys() - there,
                    key=lambda a: (len(self._queries[a]), _digest(self._seed, query_id, a)),
                ),
            )

    def balance(self) -> None:
        """Move queries from those with most to those with fewest while that helps."""
        while move := self._best_move():
            query_id, giver, taker = move
            self._queries[giver].remove(query_id)
            self.assessors_by_query[query_id].remove(giver)
            self._give(query_id, taker)

    def _best_move(self) -> tuple[str, str, str] | None:
        """A query of the fullest that the emptiest can take, if they are two or more apart."""
        load = {assessor: len(queries) for assessor, queries in self._queries.items()}
        by_load = sorted(load, key=lambda a: (load[a], _digest(self._seed, a)))
        apart = [(t, g) for t, g in combinations(by_load, 2) if load[g] - load[t] > 1]
        for taker, giver in sorted(apart, key=lambda pair: load[pair[0]] - load[pair[1]]):
            free = [
                query_id
                for query_id in self._order(taker)
                if query_id in self._queries[giver] - self._queries[taker]
                and giver not in self._fixed[query_id]
            ]
            new = (query_id for query_id in free if (query_id, giver) not in self._kept)
            if free:
                return next(new, free[0]), giver, taker
        return None

    def _order(self, taker: str) -> Sequence[str]:
        """All queries in the order in which this assessor would take them."""
        if taker not in self._orders:
            self._orders[taker] = sorted(
                self.assessors_by_query, key=lambda q: _digest(self._seed, q, taker)
            )
        return self._orders[taker]

    def _give(self, query_id: str, assessor: str) -> None:
        self.assessors_by_query[query_id].add(assessor)
        self._queries[assessor].add(query_id)


def _digest(seed: int, *parts: str) -> str:
    return hashlib.sha256("\0".join([str(seed), *parts]).encode()).hexdigest()
