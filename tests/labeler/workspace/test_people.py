"""Who may judge and freeze, who judges what, and who sees whose grades."""

from pathlib import Path

import pytest

from evaluator import InputError
from evaluator.labelset.format import Query
from labeler.judging.assign import Assigned, assign_queries, person_name
from labeler.workspace.records import KNOWN_ANSWER, Event, Role
from labeler.workspace.sample_design import SampleDesign
from labeler.workspace.workspace import Workspace
from tests.labeler.small import AT, NOW, entry, small_workspace


def judge(workspace: Workspace, assessor: str, query_id: str, *verdicts: str) -> None:
    """Give leave.md#0, parking.md#0 and vpn.md#1 grades or other verdicts, in that order."""
    chunk_ids = ("leave.md#0", "parking.md#0", "vpn.md#1")
    events = [
        Event(
            f"{assessor}-{query_id}-{number}",
            chunk_id,
            int(verdict) if verdict.isdigit() else None,
            "grade" if verdict.isdigit() else verdict,  # type: ignore[arg-type]
        )
        for number, (chunk_id, verdict) in enumerate(zip(chunk_ids, verdicts, strict=False))
    ]
    assert not workspace.judgements.record(assessor, query_id, events, now=AT).refused


# Roles


def test_the_list_says_who_may_do_what(empty: Workspace) -> None:
    """Whoever may judge is an assessor; who may only freeze is not."""
    empty.people.set_role(Role("Ada", True, False, "Ada@Example.org"), now=AT)
    empty.people.set_role(Role("Bob", False, True), now=AT)
    assert [
        Role("Ada", True, False, "ada@example.org"),
        Role("Bob", False, True),
    ] == empty.people.roles()
    assert ["Ada"] == empty.people.assessors()


def test_who_signs_in_is_found_by_address(empty: Workspace) -> None:
    """In any case, and one address is one person; several people may have none."""
    assert empty.people.role_of(email="ada@example.org") is None
    empty.people.set_role(Role("Ada", True, True, "ada@example.org"), now=AT)
    found = empty.people.role_of(email="ADA@example.ORG")
    assert found is not None
    assert ("Ada", True) == (found.assessor, found.may_freeze)
    assert empty.people.role_of(email="bob@example.org") is None
    with pytest.raises(InputError, match="is the address of Ada"):
        empty.people.set_role(Role("Eve", True, False, "ADA@example.org"), now=AT)
    for name in ("Bob", "Cy"):
        empty.people.set_role(Role(name, True, False), now=AT)
    assert 3 == len(empty.people.roles())


def test_a_role_can_be_changed_and_taken_away(pooled: Workspace) -> None:
    """What somebody judged stays theirs."""
    pooled.people.set_role(Role("Ada", True, False), now=AT)
    pooled.people.set_role(Role("Ada", True, True), now=AT)
    judge(pooled, "Ada", "q1", "1")
    assert [Role("Ada", True, True)] == pooled.people.roles()
    pooled.people.remove_role("Ada")
    assert ([], ["Ada"]) == (pooled.people.roles(), pooled.people.assessors())
    assert 1 == len(pooled.judgements.current("Ada", "q1"))
    with pytest.raises(InputError, match="Ada is not on the list"):
        pooled.people.remove_role("Ada")


@pytest.mark.parametrize("name", ["", "  ", "x" * 81, "a\nb", "\ud800", KNOWN_ANSWER])
def test_what_is_no_name_is_refused(name: str) -> None:
    """Blank, endless, not to be shown, or taken by something else."""
    with pytest.raises(InputError):
        person_name(name)


def test_a_name_is_composed_and_trimmed() -> None:
    """So that one person is not two."""
    assert "Zoë" == person_name(" Zoe\u0308 ")


# Assignments


def with_queries(directory: Path, count: int) -> Workspace:
    workspace = small_workspace(directory)
    workspace.queries.add([Query(f"q{n:02}", f"query {n}") for n in range(count)])
    return workspace


def test_queries_are_assigned_and_the_assignment_is_kept(tmp_path: Path) -> None:
    """With how it was made; the assessors are on the workspace's list from then on."""
    workspace = with_queries(tmp_path, 10)
    done = assign_queries(workspace, assessors=["Ada", "Bob"], overlap=0.2, now=NOW)
    assert Assigned({"Ada": 6, "Bob": 6}, queries=10, shared=2, given=12, taken=0) == done
    there = workspace.people.assessors_by_query()
    assert {q for q, names in there.items() if "Ada" in names} == workspace.people.assigned_to(
        "Ada"
    )
    assert {"assessors": ["Ada", "Bob"], "overlap": 0.2, "seed": 13, "at": AT} == (
        workspace.people.assignment()
    )
    assert ["Ada", "Bob"] == workspace.people.assessors()


def test_assigning_again_goes_on_as_before(tmp_path: Path) -> None:
    """More queries get assessors by the same choices, and nobody loses one."""
    workspace = with_queries(tmp_path, 10)
    assign_queries(workspace, assessors=["Ada", "Bob"], overlap=0.5, seed=7, now=NOW)
    workspace.queries.add([Query("late", "late"), Query("later", "later")])
    done = assign_queries(workspace, now=NOW)
    assert (12, 6, 0) == (done.queries, done.shared, done.taken)
    assert {"late", "later"} <= workspace.people.assessors_by_query().keys()


def test_a_new_assessor_takes_nothing_that_was_begun(pooled: Workspace) -> None:
    """Judging a single chunk, or ending a query, is to begin it."""
    assign_queries(pooled, assessors=["Ada"], now=NOW)
    judge(pooled, "Ada", "q1", "1")
    done = assign_queries(pooled, assessors=["Ada", "Bob"], now=NOW)
    assert {"q1": ("Ada",), "q2": ("Bob",)} == pooled.people.assessors_by_query()
    assert (1, 1) == (done.given, done.taken)
    pooled.judgements.end_query("Bob", "q2", outcome="skipped", reason="unclear", now=AT)
    assign_queries(pooled, assessors=["Ada", "Bob", "Cy"], now=NOW)
    assert {"q1": ("Ada",), "q2": ("Bob",)} == pooled.people.assessors_by_query()


def test_a_known_answer_has_begun_nothing(pooled: Workspace) -> None:
    """It is nobody to assign a query to."""
    judge(pooled, KNOWN_ANSWER, "q1", "1")
    assign_queries(pooled, assessors=["Ada"], now=NOW)
    assert ("Ada",) == pooled.people.assessors_by_query()["q1"]


def test_only_people_on_the_list_are_assigned_queries(tmp_path: Path) -> None:
    """Where there is a list; without names it is everybody on it who may judge."""
    workspace = with_queries(tmp_path, 4)
    workspace.people.set_role(Role("Ada", True, False), now=AT)
    workspace.people.set_role(Role("Bob", False, True), now=AT)
    with pytest.raises(InputError, match="Bob, Cy may not judge"):
        assign_queries(workspace, assessors=["Ada", "Bob", "Cy"], now=NOW)
    assert {"Ada": 4} == assign_queries(workspace, now=NOW).queries_by_assessor


def test_nothing_and_nobody_are_refused(tmp_path: Path) -> None:
    """Each with what to do."""
    with pytest.raises(InputError, match="no queries to assign"):
        assign_queries(small_workspace(tmp_path / "a"), assessors=["Ada"], now=NOW)
    with pytest.raises(InputError, match="nobody to assign"):
        assign_queries(with_queries(tmp_path / "b", 1), now=NOW)


def test_a_new_sample_forgets_the_assignment_of_the_old_one(empty: Workspace) -> None:
    """Queries that are gone are nobody's."""
    drawn = Query("s1", "one", log_count=1, inclusion_probability=1.0, weight=1.0)
    empty.queries.save_sample(SampleDesign(seed=1), [drawn])
    assign_queries(empty, assessors=["Ada"], now=NOW)
    empty.queries.save_sample(SampleDesign(seed=2), [])
    assert {} == empty.people.assessors_by_query()


# What an own search found


def test_a_chunk_that_an_assessor_found_joins_the_pool(pooled: Workspace) -> None:
    """Recorded as theirs; a pair that was there gets one more finder."""
    assert pooled.add_found("Ada", "q1", "vpn.md#0")
    assert not pooled.add_found("Ada", "q1", "vpn.md#0")
    assert not pooled.add_found("Ada", "q1", "leave.md#0")
    found_by = {each.chunk_id: each.found_by for each in pooled.pool.entries("q1")}
    assert ("assessor:Ada",) == found_by["vpn.md#0"]
    assert ("assessor:Ada", "system") == found_by["leave.md#0"]
    assert entry("q1", "vpn.md#0", "assessor:Ada") in list(pooled.pool.entries("q1"))
    judged = Event("e", "vpn.md#0", 1, "grade")
    assert ("e",) == pooled.judgements.record("Ada", "q1", [judged], now=AT).stored


def test_what_cannot_be_found_is_refused(pooled: Workspace) -> None:
    """No such query, no such chunk, or outside of what the asker could search."""
    pooled.queries.add([Query("q3", "x", filter={"team": "v"})])
    with pytest.raises(InputError, match="no query 'q9'"):
        pooled.add_found("Ada", "q9", "vpn.md#0")
    with pytest.raises(InputError, match="no chunk 'gone'"):
        pooled.add_found("Ada", "q1", "gone")
    with pytest.raises(InputError, match="outside what the asker"):
        pooled.add_found("Ada", "q3", "leave.md#0")
    assert pooled.add_found("Ada", "q3", "vpn.md#0")
