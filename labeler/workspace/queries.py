"""What is asked: query logs, the sample, queries and their needs."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from evaluator import InputError
from evaluator.labelset.format import Query
from labeler.logs.private import check_decided
from labeler.logs.queries import LogQuery, merged
from labeler.workspace import rows
from labeler.workspace.connection import Connection
from labeler.workspace.sample_design import SampleDesign

_AT_ONCE = 5_000  # queries; SQLite takes no more than 32,766 values in one statement

_IDS = "SELECT query_id FROM queries"
# A sample of the most frequent has counts and no probabilities; nothing else has counts.
_DRAWN = (
    "SELECT query_id FROM queries WHERE inclusion_probability IS NOT NULL OR log_count IS NOT NULL"
)


class Queries:
    """Logs, sample and queries of a workspace."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def add_log(self, record: Mapping[str, Any], queries: Iterable[LogQuery]) -> None:
        """Add one log, as `add_logs` does."""
        self.add_logs([(record, queries)])

    def add_logs(self, logs: Sequence[tuple[Mapping[str, Any], Iterable[LogQuery]]]) -> None:
        """
        Add the distinct queries of some logs, of all or of none; counts of equal queries add up.

        Takes them a few at a time, so that a log of millions needs no room in memory.
        Refuses a log with private data as long as nobody has decided what to do about it, a
        log that is there already, and one in which queries are equal by another rule.
        """
        for record, _ in logs:
            check_decided(record)
        with self._db.write():
            for record, queries in logs:
                self._add_log(record, queries)

    def _add_log(self, record: Mapping[str, Any], queries: Iterable[LogQuery]) -> None:
        logs = self.logs()
        if any(log["sha256"] == record["sha256"] for log in logs):
            raise InputError(
                f"{record['file']} has been read into this workspace already. "
                "Nothing was stored; leave it out."
            )
        for log in logs:
            rules = (record.get("normalising"), log.get("normalising"))
            if None not in rules and rules[0] != rules[1]:
                raise InputError(
                    f"In {log['file']} queries are equal after: {rules[1]}; in {record['file']} "
                    f"after: {rules[0]}. In one workspace they must be so by one rule, or one "
                    "query would be two. Nothing was stored; read both with --no-normalise, or "
                    "both without."
                )
        self._db.execute("INSERT INTO logs (record) VALUES (?)", json.dumps(record))
        rest = iter(queries)
        while some := list(islice(rest, _AT_ONCE)):
            known = self._known([query.query for query in some]) if logs else {}
            whole = [merged(query, known.get(query.query)) for query in some]
            self._db.execute_many(
                "INSERT OR REPLACE INTO log_queries VALUES (?, ?, ?, ?, ?)",
                ((q.query, q.text, q.count, json.dumps(q.variants), q.stratum) for q in whole),
            )

    def forget_log(self, name: str) -> None:
        """
        Take a log out again that was read by mistake.

        Raises InputError once a sample was drawn, for a log that is not there, and where counts
        of several were added up, unless `all` of them go.
        """
        names = [str(log["file"]) for log in self.logs()]
        if self.sample() is not None:
            raise InputError(
                "A sample was drawn from the logs, so they stay. Make a new workspace."
            )
        if name != "all" and names != [name]:
            there = ", ".join(names) or "none"
            raise InputError(
                f"{name} is not there; logs that were read: {there}."
                if name not in names
                else f"The counts of {there} were added up. Forget all of them (--forget all), and "
                "read the others again."
            )
        with self._db.write():
            self._db.execute("DELETE FROM logs")
            self._db.execute("DELETE FROM log_queries")

    def _known(self, keys: Sequence[str]) -> dict[str, LogQuery]:
        """Those of some queries that are there already, by their keys."""
        marks = ", ".join("?" for _ in keys)
        found = self._db.rows(f"SELECT * FROM log_queries WHERE query IN ({marks})", *keys)
        return {row["query"]: rows.log_query(row) for row in found}

    def logs(self) -> list[dict[str, Any]]:
        found = self._db.rows("SELECT * FROM logs ORDER BY 1")
        return [rows.from_json(row["record"], dict, place="logs.record") for row in found]

    def log_queries(self) -> list[LogQuery]:
        found = self._db.rows("SELECT * FROM log_queries ORDER BY query")
        return [rows.log_query(row) for row in found]

    def save_sample(self, design: SampleDesign, queries: Sequence[Query]) -> None:
        """
        Keep the sample and its design, with the logs it was drawn from.

        A sample that nobody has judged yet is replaced, with its pool.
        """
        with self._db.write():
            if self.sample_is_judged():
                raise InputError(
                    "Judging of the present sample has begun, so it cannot be drawn again. "
                    "Draw another sample in a new workspace."
                )
            for table in ("assignments", "query_ends", "pool_found", "pool", "queries"):
                self._db.execute(f"DELETE FROM {table} WHERE query_id IN ({_DRAWN})")
            self._db.execute(
                "DELETE FROM pool_sources WHERE source NOT IN (SELECT source FROM pool_found)"
            )
            self.add(queries)
            logs = tuple(self.logs())
            kept = replace(design, logs=logs, absent=design.absent - {"logs"})
            self._db.keep_setting("sample", kept.to_json())

    def sample_is_judged(self) -> bool:
        """Whether judging of the sample has begun, so that no other can replace it."""
        return bool(self._db.rows(f"SELECT 1 FROM judgements WHERE query_id IN ({_DRAWN}) LIMIT 1"))

    def sample(self) -> SampleDesign | None:
        """The design of the sample that was drawn, or None."""
        design = self._db.setting("sample")
        return None if design is None else SampleDesign.from_json(design)

    def add(self, queries: Sequence[Query]) -> None:
        """Add queries. Raises InputError if a query id is taken."""
        with self._db.write():
            there = {query_id for (query_id,) in self._db.execute(_IDS)}
            taken = sorted(query.query_id for query in queries if query.query_id in there)
            if taken:
                raise InputError(
                    f"{len(taken)} of {len(queries)} query ids are in the workspace already: "
                    f"{', '.join(taken[:5])}."
                )
            new = [rows.query_row(query) for query in queries]
            if new:
                columns = ", ".join(f'"{column}"' for column in new[0])
                values = ", ".join(f":{column}" for column in new[0])
                self._db.execute_many(f"INSERT INTO queries ({columns}) VALUES ({values})", new)

    def declare_seen(self, seen_by_id: Mapping[str, str]) -> None:
        """Keep what the authors of queries declare to have seen of the documents."""
        with self._db.write():
            self._db.keep_setting("seen", {**self.seen(), **seen_by_id})

    def seen(self) -> dict[str, str]:
        """What was declared, by query id."""
        return self._db.setting("seen") or {}

    def declare_author(self, author: str, *, seen: str) -> None:
        """Keep what an author declares once, for the queries that are still to be written."""
        with self._db.write():
            self._db.keep_setting("authors", {**self.authors(), author: seen})

    def authors(self) -> dict[str, str]:
        """What authors declared to have seen, by name."""
        return self._db.setting("authors") or {}

    def keep_wording(self, check: Mapping[str, Any]) -> None:
        """Keep the last check of how queries are worded, which is frozen with them."""
        self._db.keep_setting("wording", check)

    def wording(self) -> dict[str, Any] | None:
        """The last check, or None."""
        check: dict[str, Any] | None = self._db.setting("wording")
        return check

    def set_needs(self, need_by_id: Mapping[str, str]) -> None:
        """State what queries ask for. Refused where somebody has judged without it."""
        found = self._db.execute("SELECT DISTINCT query_id FROM standing")
        judged = {query_id for (query_id,) in found}
        late = sorted(
            q.query_id
            for q in self.all()
            if q.query_id in judged & {*need_by_id} and q.need != need_by_id[q.query_id]
        )
        if late:
            raise InputError(
                f"{len(late)} of these queries are judged already: {', '.join(late[:5])}. "
                "A need that comes later is not what their assessors read."
            )
        with self._db.write():
            self._db.execute_many(
                "UPDATE queries SET need = ? WHERE query_id = ?",
                [(need, query_id) for query_id, need in need_by_id.items()],
            )

    def all(self) -> list[Query]:
        return [rows.query(row) for row in self._db.rows("SELECT * FROM queries ORDER BY position")]

    def get(self, query_id: str) -> Query:
        found = self._db.rows("SELECT * FROM queries WHERE query_id = ?", query_id)
        if not found:
            raise InputError(f"There is no query {query_id!r} in {self._db.path}.")
        return rows.query(found[0])
