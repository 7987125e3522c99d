"""
What of a frozen set goes into files for other tools, and what does not.

Grades go; what has no grade never becomes one. Skipped queries stay behind, as they do in
the set's own qrels. It knows no format.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from evaluator.labelset import Judgement, LabelSet, PoolEntry, Query
from evaluator.snapshot import Snapshot
from labeler.stands import Stands, what_stands


@dataclass(frozen=True)
class Content:
    """A label set as exports see it; `snapshot` is the one it was judged on, if at hand."""

    labels: LabelSet
    snapshot: Snapshot | None = None

    @cached_property
    def stands(self) -> Stands:
        return what_stands(self.labels.judgements)

    @cached_property
    def query_by_id(self) -> Mapping[str, Query]:
        """The queries that were not skipped."""
        return {q.query_id: q for q in self.labels.queries if q.skip_reason is None}

    @property
    def qrels(self) -> Mapping[str, Mapping[str, int]]:
        """One grade per judged pair, after adjudication."""
        return self.labels.qrels

    def pool(self) -> Iterator[PoolEntry]:
        return (entry for entry in self.labels.pool if entry.query_id in self.query_by_id)

    def given(self, entry: PoolEntry) -> Mapping[str, Judgement]:
        """What stands on a pair, by assessor."""
        return self.stands.by_pair.get((entry.query_id, entry.chunk_id), {})

    @cached_property
    def grades_by_assessor(self) -> Mapping[str, Mapping[str, Mapping[str, int]]]:
        """Grade by chunk by query by assessor, before adjudication."""
        found: dict[str, dict[str, dict[str, int]]] = {}
        for (query_id, chunk_id), given in sorted(self.stands.by_pair.items()):
            for assessor, event in given.items():
                if event.grade is not None and query_id in self.query_by_id:
                    by_query = found.setdefault(assessor, {})
                    by_query.setdefault(query_id, {})[chunk_id] = event.grade
        return found

    @cached_property
    def left_behind(self) -> Mapping[str, str]:
        """What a file of grades may have no room for, in words, by a short name; none is empty."""
        queries = self.query_by_id.values()
        ungraded = [e for e in self.pool() if e.chunk_id not in self.qrels.get(e.query_id, {})]
        unsure = sum(bool(self.given(entry)) for entry in ungraded)
        assessors = sorted({name for given in self.stands.by_pair.values() for name in given})
        counted = {
            "unjudged": (len(ungraded) - unsure, "pairs that nobody judged"),
            "unsure": (unsure, "pairs that were looked at and have no grade"),
            "queries": (len(self.query_by_id.keys() - self.qrels.keys()), "queries without grades"),
            "skipped": (len(self.labels.queries) - len(queries), "skipped queries"),
            "needs": (sum(query.need is not None for query in queries), "stated needs"),
            "weights": (sum(query.weight is not None for query in queries), "weights"),
            "decisions": (len(self.stands.decided), "decisions on disagreements, as such"),
            "assessors": (len(assessors), "names of assessors"),
            "times": (sum(map(len, self.stands.by_pair.values())), "times of judgements"),
        }
        return {name: f"{what} ({count:,})" for name, (count, what) in counted.items() if count}
