"""Who has judged here, who may, and who judges what."""

from collections.abc import Mapping, Sequence
from typing import Any

from evaluator import InputError
from labeler.workspace.connection import Connection
from labeler.workspace.records import Role


class People:
    """The assessors of a workspace, their roles, and the queries assigned to them."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def add_assessor(self, name: str, *, now: str) -> None:
        with self._db.write():
            self._db.execute("INSERT OR IGNORE INTO assessors VALUES (?, ?)", name, now)

    def assessors(self) -> list[str]:
        found = self._db.rows("SELECT assessor FROM assessors ORDER BY added_at, assessor")
        return [row["assessor"] for row in found]

    # Roles

    def set_role(self, role: Role, *, now: str) -> None:
        """
        State what somebody may do. Who may judge is an assessor of the workspace.

        E-mail addresses are compared without regard to case. Raises InputError for one that
        is somebody else's.
        """
        email = role.email.casefold() if role.email else None
        with self._db.write():
            taken = self._db.rows("SELECT * FROM roles WHERE email = ?", email)
            if any(row["assessor"] != role.assessor for row in taken):
                raise InputError(f"{role.email} is the address of {taken[0]['assessor']}.")
            self._db.execute(
                "INSERT OR REPLACE INTO roles VALUES (?, ?, ?, ?)",
                *(role.assessor, email, role.may_judge, role.may_freeze),
            )
            if role.may_judge:
                self.add_assessor(role.assessor, now=now)

    def remove_role(self, assessor: str) -> None:
        """Take somebody off the list. What they judged stays. Raises InputError for strangers."""
        with self._db.write():
            if not self._db.rows("SELECT 1 FROM roles WHERE assessor = ?", assessor):
                raise InputError(f"{assessor} is not on the list of {self._db.path}.")
            self._db.execute("DELETE FROM roles WHERE assessor = ?", assessor)

    def roles(self) -> list[Role]:
        """Who may do what, by name. Nobody is on the list until somebody is put there."""
        return [_role(row) for row in self._db.rows("SELECT * FROM roles ORDER BY assessor")]

    def role_of(self, *, email: str) -> Role | None:
        """Who signed in with this address, or None if they are not on the list."""
        found = self._db.rows("SELECT * FROM roles WHERE email = ?", email.casefold())
        return _role(found[0]) if found else None

    # Assignments

    def save_assignment(
        self,
        assessors_by_query: Mapping[str, Sequence[str]],
        *,
        record: Mapping[str, Any],
        now: str,
    ) -> None:
        """Keep who judges what, in place of the last assignment, and how it was made."""
        names = sorted({name for there in assessors_by_query.values() for name in there})
        with self._db.write():
            for name in names:
                self.add_assessor(name, now=now)
            self._db.execute("DELETE FROM assignments")
            self._db.execute_many(
                "INSERT INTO assignments VALUES (?, ?)",
                [(q, assessor) for q, there in assessors_by_query.items() for assessor in there],
            )
            self._db.keep_setting("assignment", dict(record))

    def assignment(self) -> dict[str, Any] | None:
        """How queries were assigned last: assessors, overlap, seed and time; None if never."""
        record: dict[str, Any] | None = self._db.setting("assignment")
        return record

    def assessors_by_query(self) -> dict[str, tuple[str, ...]]:
        """The assessors of each query that was assigned."""
        found: dict[str, tuple[str, ...]] = {}
        for row in self._db.rows("SELECT * FROM assignments ORDER BY query_id, assessor"):
            found[row["query_id"]] = (*found.get(row["query_id"], ()), row["assessor"])
        return found

    def assigned_to(self, assessor: str) -> set[str] | None:
        """The ids of an assessor's own queries; None where queries were never assigned."""
        if self.assignment() is None:
            return None
        found = self._db.rows("SELECT query_id FROM assignments WHERE assessor = ?", assessor)
        return {row["query_id"] for row in found}


def _role(row: Mapping[str, Any]) -> Role:
    return Role(row["assessor"], bool(row["may_judge"]), bool(row["may_freeze"]), row["email"])
