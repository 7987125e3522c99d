"""
What stands in the way of freezing a workspace, and what should be known before it.

It looks at the workspace as it stands and puts what it finds into sentences. Whether to
freeze is its owner's to decide, and how is `freeze`'s.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from operator import attrgetter

from evaluator.labelset.format import Query, Rule, text_sha256
from evaluator.text.messages import counted, first_few, some_ids
from labeler.judging.adjudicate import (
    Adjudicated,
    adjudicate_workspace,
    with_skips,
    without_skipped,
)
from labeler.workspace.pairs import of_one_text
from labeler.workspace.records import KNOWN_ANSWER
from labeler.workspace.workspace import Workspace

_CHUNKS_AT_ONCE = 1_000  # texts in memory
_LONG = 60  # characters of a query

DECIDES: Mapping[Rule, str] = {
    "majority": "what most of them gave (of a tie, the lower)",
    "highest": "the highest grade",
    "lowest": "the lowest grade",
    "median": "the middle grade (of two, the lower)",
}
"""What each rule takes where assessors differ."""


@dataclass(frozen=True, slots=True)
class Obstacle:
    """One thing that stands in the way of freezing, or should be known before it."""

    blocking: bool
    text: str


def obstacles(
    workspace: Workspace,
    *,
    adjudicated: Adjudicated | None = None,
    queries: Sequence[Query] | None = None,
) -> list[Obstacle]:
    """
    What stands in the way of freezing; `blocking` ones must be gone first.

    Grades and queries with their skips are read from the workspace where the caller does not
    have them already.
    """
    adjudicated = adjudicated or adjudicate_workspace(workspace)
    queries = list(with_skips(workspace)) if queries is None else queries
    blocking = _blocking(workspace, adjudicated, queries)
    to_know = _to_know(workspace, adjudicated, queries)
    return [*(Obstacle(True, text) for text in blocking), *(Obstacle(False, t) for t in to_know)]


def _blocking(
    workspace: Workspace, adjudicated: Adjudicated, queries: Sequence[Query]
) -> Iterator[str]:
    sha256_by_chunk = workspace.pool.sha256_by_chunk()
    if not queries:
        yield "There are no queries. Read a log and draw a sample, or import queries."
    if not sha256_by_chunk:
        yield "The pool is empty: there is nothing to judge. Run labeler pool or labeler import."
    elif not adjudicated.judged:
        yield "Nothing is judged yet."
    scale = {grade for grade, _ in workspace.settings.grades}
    if outside := sorted(adjudicated.given - scale):
        yield f"Grades that are not on the scale: {', '.join(map(str, outside))}."
    yield from _other_texts(workspace, sha256_by_chunk)
    if on_others := workspace.judgements.on_other_text():
        were = counted(on_others, "judgement was", many="judgements were")
        yield f"{were} made on another text than the pool's."


def _other_texts(workspace: Workspace, sha256_by_chunk: Mapping[str, str]) -> Iterator[str]:
    """What was judged must be the snapshot's plain text, to the letter."""
    missing, changed, rest = [], [], iter(sorted(sha256_by_chunk))
    while some := list(islice(rest, _CHUNKS_AT_ONCE)):
        texts = workspace.snapshot.texts(some)
        missing += [chunk_id for chunk_id in some if chunk_id not in texts]
        changed += [
            chunk_id
            for chunk_id, text in sorted(texts.items())
            if text_sha256(text) != sha256_by_chunk[chunk_id]
        ]
    if missing:
        are = counted(len(missing), "pooled chunk is", many="pooled chunks are")
        yield f"{are} not in the snapshot: {some_ids(missing)}."
    if changed:
        have = counted(len(changed), "pooled chunk has", many="pooled chunks have")
        yield (
            f"{have} another text in the snapshot than the one that was judged: "
            f"{some_ids(changed)}. Restore the snapshot."
        )


def _to_know(
    workspace: Workspace, adjudicated: Adjudicated, queries: Sequence[Query]
) -> Iterator[str]:
    sizes = workspace.pool.sizes()
    qrels = without_skipped(adjudicated.qrels, queries)
    asked = [query for query in queries if query.skip_reason is None]
    skipped = [query for query in queries if query.skip_reason is not None]
    judged = sum(map(len, qrels.values()))
    pairs = sum(sizes.values()) - sum(sizes.get(query.query_id, 0) for query in skipped)
    if judged < pairs:
        unsure = counted(adjudicated.unsure, "pair")
        told = f"; on {unsure} nobody could tell" if adjudicated.unsure else ""
        left = "is" if pairs - judged == 1 else "are"
        yield f"{pairs - judged:,} of {counted(pairs, 'pair')} {left} unjudged{told}."
    if sizes and (unpooled := [query for query in asked if not sizes.get(query.query_id)]):
        have = counted(len(unpooled), "query has", many="queries have")
        them = "it" if len(unpooled) == 1 else "them"
        yield f"{have} no chunk in the pool, so nobody can judge {them}: {_named(unpooled)}."
    if adjudicated.disagreements:
        yield _on_disagreements(adjudicated)
    least = workspace.settings.min_grade
    best = {query_id: max(grades.values()) for query_id, grades in qrels.items() if grades}
    if without := [query for query in asked if best.get(query.query_id, least - 1) < least]:
        have = "has" if len(without) == 1 else "have"
        asked_for = counted(len(asked), "query", many="queries")
        yield f"{len(without):,} of {asked_for} {have} no relevant chunk: {_named(without)}."
    if several := of_one_text(asked, qrels, least=least):
        yield (
            f"{counted(len(several), 'text')} of several queries that have different relevant "
            f"chunks: {first_few(several)}. A ranking cannot tell such queries apart."
        )
    if skipped:
        were = counted(len(skipped), "query was", many="queries were")
        yield f"{were} skipped: {_named(sorted(skipped, key=attrgetter('query_id')))}."
    sample = workspace.queries.sample()
    if sample is None:
        yield "No sample was drawn, so the set says nothing about the traffic of a log."
    elif len(sample.logs) < len(workspace.queries.logs()):
        yield "The sample was drawn before the last log was read."


def _on_disagreements(adjudicated: Adjudicated) -> str:
    found = (
        f"Assessors differ on {adjudicated.disagreements:,} of "
        f"{counted(adjudicated.graded_twice, 'pair')} with two or more grades"
    )
    if KNOWN_ANSWER in adjudicated.pairs_by_assessor:
        found += " (known answers counted, which Agreement leaves out)"
    decides = DECIDES[adjudicated.rule]
    if not adjudicated.decided:
        return f"{found}; {decides} decides."
    on = counted(adjudicated.decided, "pair")
    if own := sum(adjudicated.own_by_adjudicator.values()):
        on += f" ({own:,} by somebody who had graded {'it' if own == 1 else 'them'})"
    return f"{found}; adjudicators decided on {on}, and {decides} decides the rest."


def _named(queries: Sequence[Query]) -> str:
    """The first queries as people know them, each with its id, and how many more there are."""
    return first_few([f"{_beginning(query.text)} ({query.query_id})" for query in queries])


def _beginning(text: str) -> str:
    """How a query begins; not every script sets blanks between words."""
    line = " ".join(text.split())
    return line if len(line) <= _LONG else f"{line[: _LONG - 2].rstrip()} …"
