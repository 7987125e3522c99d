"""
The store's part on people: who has judged here.
"""

from labeler.store.tables import Tables


class PeopleTables(Tables):
    """The assessors of a workspace."""

    def add_assessor(self, name: str, *, now: str) -> None:
        with self.write() as db:
            db.execute("INSERT OR IGNORE INTO assessors VALUES (?, ?)", [name, now])

    def assessors(self) -> list[str]:
        found = self._rows("SELECT assessor FROM assessors ORDER BY added_at, assessor")
        return [row["assessor"] for row in found]
