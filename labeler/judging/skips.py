"""
Queries with the reason they were skipped for, and the grades of a workspace beside them.

A skipped query is unjudged: its events are kept, its grades count for nothing.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from evaluator.labelset.format import Query, Rule
from labeler.judging.adjudicate import Adjudicated, adjudicate
from labeler.workspace.workspace import Workspace


def adjudicate_workspace(workspace: Workspace, *, rule: Rule = "majority") -> Adjudicated:
    """One grade per pair, from what stands in the workspace and what was decided there."""
    decisions = workspace.decisions.standing()
    return adjudicate(workspace.judgements.given(), rule=rule, decisions=decisions)


def with_skips(workspace: Workspace) -> Iterator[Query]:
    """
    The queries, each with the reason for which it was skipped, if it was.

    A query is skipped when an assessor skipped it and nobody else finished it.
    """
    reasons: dict[str, list[str]] = {}
    finished: set[str] = set()
    for end in workspace.judgements.query_ends():
        if end["outcome"] == "skipped":
            reasons.setdefault(end["query_id"], []).append(end["reason"] or "no reason given")
        else:
            finished.add(end["query_id"])
    for query in workspace.queries.all():
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
