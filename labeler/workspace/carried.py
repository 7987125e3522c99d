"""
The store's part on label sets: what was frozen elsewhere, into a workspace that is empty.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from evaluator import InputError
from evaluator.labelset.format import Judgement, PoolEntry, Query
from labeler.workspace.connection import keep_setting
from labeler.workspace.decisions import DecidedTables, insert_decisions
from labeler.workspace.judgements import insert_judgements
from labeler.workspace.pool import insert_pool
from labeler.workspace.queries import insert_queries

_USED = ("queries", "pool", "judgements")


class CarriedTables(DecidedTables):
    """What a frozen set brings into a workspace."""

    def require_unused(self) -> None:
        """Raise InputError unless there is nothing yet but the snapshot."""
        used = [name for name in _USED if self._rows(f"SELECT 1 FROM {name} LIMIT 1")]
        if used:
            raise InputError(
                f"{self.path} holds {' and '.join(used)} already. A label set is carried into a "
                "workspace that holds nothing but its snapshot; make one with labeler init."
            )

    def add_carried(
        self,
        *,
        queries: Sequence[Query],
        pool: Sequence[PoolEntry],
        judgements: Iterable[Judgement],
        decisions: Iterable[Judgement],
        source: Mapping[str, Any],
        sample: Mapping[str, Any] | None,
        seen: Mapping[str, str],
    ) -> None:
        """
        Everything of a frozen set that stands here, or nothing.

        Raises InputError for a workspace that is in use.
        """
        with self.write() as db:
            self.require_unused()
            insert_queries(db, queries)
            insert_pool(db, pool, source)
            insert_judgements(db, judgements)
            insert_decisions(db, decisions)
            if sample is not None:
                keep_setting(db, "sample", sample)
            if seen:
                keep_setting(db, "seen", seen)
