"""
What of a frozen set goes into files for other tools, and what does not.

Grades go; what has no grade never becomes one. Skipped queries stay behind, as they do in
the set's own qrels. It knows no format.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from evaluator.labelset.format import Judgement, LabelSet, Pair, PoolEntry, Query
from evaluator.snapshot.snapshot import Snapshot
from labeler.sets.frozen import FinalEvents, final_events

Files = dict[str, Iterable[str]]
"""Lines by the path of a file within the export."""
Written = tuple[Files, tuple[str, ...]]
"""The files of a format, and notes on what came otherwise."""


@dataclass(frozen=True)
class Content:
    """A label set as exports see it; `snapshot` is the one it was judged on, if at hand."""

    labels: LabelSet
    snapshot: Snapshot | None = None

    @cached_property
    def stands(self) -> FinalEvents:
        return final_events(self.labels.judgements)

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

    def decision(self, entry: PoolEntry) -> Judgement | None:
        """What an adjudicator decided on a pair."""
        return self.stands.decided.get((entry.query_id, entry.chunk_id))

    @cached_property
    def rule(self) -> str | None:
        """The rule that settled grades, if the set states one."""
        stated: str | None = self.labels.manifest["assessment"].get("rule")
        return stated

    @cached_property
    def settled(self) -> frozenset[Pair]:
        """The pairs on which assessors differ and nobody decided, so that the rule did."""
        return frozenset(
            pair
            for pair, given in self.stands.by_pair.items()
            if self.rule
            and pair[0] in self.query_by_id
            and pair not in self.stands.decided
            and len({event.grade for event in given.values()} - {None}) > 1
        )

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
        counted = self._of_queries() | self._of_pairs() | self._of_events()
        return {name: f"{what} ({count:,})" for name, (count, what) in counted.items() if count}

    def _of_queries(self) -> dict[str, tuple[int, str]]:
        queries = self.query_by_id.values()
        skipped = len(self.labels.queries) - len(queries)
        return {
            "queries": (len(self.query_by_id.keys() - self.qrels.keys()), "queries without grades"),
            "skipped": (skipped, "skipped queries"),
            "needs": (sum(query.need is not None for query in queries), "stated needs"),
            "filters": (sum(query.filter is not None for query in queries), "filters of queries"),
            "groups": (sum(query.group is not None for query in queries), "groups of queries"),
            "ids": (len(queries), "ids of queries"),
            "texts": (len(queries), "texts of queries"),
            "origins": (sum(q.origin != "authored" for q in queries), "origins of queries"),
            "weights": (sum(query.weight is not None for query in queries), "weights"),
        }

    def _of_pairs(self) -> dict[str, tuple[int, str]]:
        unjudged = unsure = 0
        pooled: set[str] = set()
        sources: set[str] = set()
        for entry in self.pool():
            pooled.add(entry.query_id)
            sources.update(entry.found_by)
            if entry.chunk_id not in self.qrels.get(entry.query_id, {}):
                looked_at = bool(self.given(entry))
                unsure += looked_at
                unjudged += not looked_at
        return {
            "unjudged": (unjudged, "pairs that nobody judged"),
            "unsure": (unsure, "pairs that were looked at and have no grade"),
            "unpooled": (len(self.query_by_id.keys() - pooled), "queries without pairs"),
            "sources": (len(sources), "names of what found the pairs"),
        }

    def _of_events(self) -> dict[str, tuple[int, str]]:
        stand = [event for given in self.stands.by_pair.values() for event in given.values()]
        decided = len(self.stands.decided)
        replaced = len(self.labels.judgements) - len(stand) - decided
        return {
            "decisions": (decided, "decisions on disagreements, as such"),
            "decided": (decided, "decisions on disagreements and the grades that they gave"),
            "assessors": (len({event.assessor for event in stand}), "names of assessors"),
            "times": (len(stand), "times of judgements"),
            "places": (sum(e.position is not None for e in stand), "places in the order shown"),
            "methods": (sum(e.method is not None for e in stand), "ways of judging"),
            "notes": (sum(event.note is not None for event in stand), "notes of assessors"),
            "replaced": (replaced, "events that were replaced or undone"),
        }
