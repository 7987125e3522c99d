"""
A workspace in numbers: what is there, how far judging has come, what stands in the way.

The same numbers for the command and the pages. It reads and counts; it decides nothing.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from evaluator.files.whole import half_made
from evaluator.statistics.power import FLIP_SHARE, what_can_be_detected
from evaluator.text.messages import counted
from labeler.freezing.held_out_counts import held_out, held_out_lines
from labeler.freezing.manifest import agreement, agreement_in_words
from labeler.freezing.obstacles import obstacles
from labeler.judging.adjudicate import Adjudicated, adjudicate_workspace, with_skips
from labeler.sampling.design_text import drawn_text
from labeler.sets.frozen import frozen_sets, last_frozen
from labeler.workspace.sample_design import SampleDesign
from labeler.workspace.workspace import LABELS, Workspace


def status(workspace: Workspace) -> dict[str, Any]:
    """Everything that `labeler status` prints, ready for JSON. Pairs are counted, not events."""
    adjudicated = adjudicate_workspace(workspace)
    queries, sample = list(with_skips(workspace)), workspace.queries.sample()
    frozen = last_frozen(workspace.path / LABELS)
    return {
        "name": workspace.settings.name,
        "snapshot": {
            "name": workspace.snapshot.name,
            "digest": workspace.snapshot.digest,
            "chunks": len(workspace.snapshot),
            "documents": len(workspace.snapshot.documents()),
        },
        "grades": {str(grade): meaning for grade, meaning in workspace.settings.grades},
        "min_grade": workspace.settings.min_grade,
        "logs": workspace.queries.logs(),
        "sample": None if sample is None else sample.to_json(),
        "queries": {
            "total": len(queries),
            "origins": dict(Counter(query.origin for query in queries)),
            "skipped": sum(query.skip_reason is not None for query in queries),
        },
        "pool": _pool(workspace, adjudicated),
        "assessors": _assessors(workspace, adjudicated),
        "disagreements": {
            "pairs": adjudicated.disagreements,
            "graded_twice": adjudicated.graded_twice,
            "decided": adjudicated.decided,
        },
        "agreement": agreement(workspace) if adjudicated.graded_twice else None,
        "held_out": held_out(workspace, adjudicated=adjudicated, queries=queries),
        "obstacles": [
            {"blocking": each.blocking, "text": each.text}
            for each in obstacles(workspace, adjudicated=adjudicated, queries=queries)
        ],
        "label_sets": frozen_sets(workspace.path / LABELS),
        "since_freeze": frozen
        and {
            "name": frozen[0],
            "frozen_at": frozen[1],
            "judgements": workspace.judgements.count(after=frozen[1]),
        },
        "left_behind": [path.name for path in half_made(workspace.path / LABELS)],
    }


def _pool(workspace: Workspace, adjudicated: Adjudicated) -> dict[str, Any]:
    pool, judged = workspace.pool.sizes(), workspace.judgements.sizes()
    return {
        "pairs": sum(pool.values()),
        "judged": adjudicated.judged,
        "unsure": adjudicated.unsure,
        "queries_judged": sum(n <= judged.get(query_id, 0) for query_id, n in pool.items()),
        "sources": workspace.pool.sources(),
    }


def _assessors(workspace: Workspace, adjudicated: Adjudicated) -> list[dict[str, Any]]:
    ends = Counter((end["assessor"], end["outcome"]) for end in workspace.judgements.query_ends())
    assigned = workspace.people.assessors_by_query()
    names = sorted({*workspace.people.assessors(), *adjudicated.pairs_by_assessor})
    return [
        {
            "name": name,
            "pairs": adjudicated.pairs_by_assessor.get(name, 0),
            "assigned": sum(name in there for there in assigned.values()),
            "finished": ends[name, "finished"],
            "skipped": ends[name, "skipped"],
        }
        for name in names
    ]


def sample_text(design: Mapping[str, Any] | None) -> str:
    """How much of the log a sample is, in a few words."""
    if design is None:
        return "none"
    return drawn_text(SampleDesign.from_json(design))


def with_gold(status: Mapping[str, Any]) -> int:
    """The number of queries that have gold and were not skipped."""
    classes: Mapping[str, int] = status["held_out"]["classes"]
    return sum(classes.values()) - classes["no-gold"]


def can_detect(status: Mapping[str, Any]) -> str:
    """What the queries with gold could show, if the set were frozen now."""
    if not (queries := with_gold(status)):
        return "nothing: no query has a relevant chunk yet"
    units = status["held_out"]["units"]["with gold"]
    return what_can_be_detected(queries, flip_share=FLIP_SHARE, units=units)


def _dropped(log: Mapping[str, Any]) -> str:
    """How many searches a decision on private data left; nothing where it left all."""
    dropped = (log.get("private") or {}).get("dropped_searches", 0)
    if not dropped:
        return ""
    whole = log["searches"] + dropped
    share = f"{log['searches'] / whole:.0%} of {counted(whole, 'search', many='searches')}"
    return f"; {share}, since the others held private data"


def status_text(status: Mapping[str, Any]) -> str:
    """The same for a person at a terminal, one fact to a line."""
    pool, queries = status["pool"], status["queries"]
    origins = ", ".join(f"{n:,} {origin}" for origin, n in sorted(queries["origins"].items()))
    sources = [f"{s['source']} ({_depth(s)})" for s in pool["sources"]]
    lines = [
        f"{status['name']}: {counted(status['snapshot']['chunks'], 'chunk')} "
        f"of {counted(status['snapshot']['documents'], 'document')}",
        f"Snapshot    {status['snapshot']['digest']}",
        "Grades      "
        + ", ".join(f"{grade} {meaning}" for grade, meaning in status["grades"].items())
        + f"; gold from {status['min_grade']}",
        *(
            f"Log         {log['file']}: {counted(log['searches'], 'search', many='searches')}, "
            + counted(log["distinct"], "distinct query", many="distinct queries")
            + _dropped(log)
            for log in status["logs"]
            if "searches" in log
        ),
        f"Sample      {sample_text(status['sample'])}",
        f"Queries     {queries['total']:,}"
        + (f" ({origins})" if origins else "")
        + (f", {queries['skipped']:,} skipped" if queries["skipped"] else ""),
        f"Pool        {counted(pool['pairs'], 'pair')}"
        + (f", from {'; '.join(sources)}" if sources else ""),
        f"Judged      {counted(pool['judged'], 'pair')}, {pool['unsure']:,} can't tell; "
        f"{counted(pool['queries_judged'], 'query', many='queries')} whole",
        *(
            f"  {a['name']}: {counted(a['pairs'], 'pair')}, "
            f"{counted(a['finished'], 'query', many='queries')} finished"
            + (f" of {a['assigned']:,} assigned" if a["assigned"] else "")
            + f", {a['skipped']:,} skipped"
            for a in status["assessors"]
        ),
        f"Agreement   {agreement_in_words(status['agreement'])}",
        f"Can detect  {can_detect(status)}",
        *held_out_lines(status["held_out"]),
        *(
            f"Label set   {s['name']} {s['sha256']}"
            + (f", superseded by {', '.join(after)}" if (after := s["superseded_by"]) else "")
            for s in status["label_sets"]
        ),
        *since_freeze_lines(status["since_freeze"]),
        *(
            f"Left behind {name} in {LABELS}: half a label set; delete it unless a freeze runs."
            for name in status["left_behind"]
        ),
        *(
            f"{'In the way ' if each['blocking'] else 'To know    '} {each['text']}"
            for each in status["obstacles"]
        ),
    ]
    return "\n".join(lines)


def since_freeze_lines(since: Mapping[str, Any] | None) -> list[str]:
    if since is None:
        return []
    judged = counted(since["judgements"], "judgement")
    return [f"Since then  {judged} after {since['name']} was frozen; they go into the next set"]


def _depth(source: Mapping[str, Any]) -> str:
    if source.get("kind") == "assessor":
        return "own search"
    return f"depth {source.get('depth') or 'as given'}"
