"""
The flips of some results with what people noted on them, as data and as lines of text.

What the page "Flips" shows one by one, for programs and terminals. Flips of held-out queries
are counted and never named here.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from labeler.results.flips import (
    HitContrast,
    NamedFlip,
    Wanted,
    by_side,
    contrasts_of,
    marks_by_query,
    read_queries,
    said_of,
    select,
)
from labeler.results.results import ResultsFolder
from labeler.workspace.workspace import Workspace

_OUTRANKING = ("chunk_id", "rank", "title", "first_words")
_SIGNED = ("person", "marked_at", "verdict", "comment")


def flip_report(
    workspace: Workspace, results: ResultsFolder, wanted: Wanted | None = None
) -> dict[str, Any]:
    """Every contrast with its counts, and the wanted flips with every mark on them."""
    wanted = wanted or Wanted()
    all_marks = tuple(workspace.flip_marks.of(results.sha256))
    contrasts = []
    for contrast in contrasts_of(results):
        marks = marks_by_query(all_marks, contrast)
        read, named = read_queries(marks), contrast.listed(opened=False)
        contrasts.append(
            {
                "baseline": contrast.of.baseline,
                "treatment": contrast.of.treatment,
                "measure": contrast.of.primary.measure,
                "k": contrast.k,
                "n": contrast.cells.n,
                "lost": contrast.cells.lost,
                "won": contrast.cells.won,
                "read": sum(flip.query.query_id in read for flip in named),
                "not_named": contrast.cells.lost + contrast.cells.won - len(named),
                "flips": [
                    {
                        **_told(flip, contrast),
                        "said": said_of(contrast, flip),
                        "read": flip.query.query_id in read,
                        "marks": [
                            {name: getattr(mark, name) for name in _SIGNED}
                            for mark in marks.get(flip.query.query_id, ())
                        ],
                    }
                    for flip in select(named, wanted, read=read)
                ],
            }
        )
    return {
        "results": str(results.path),
        "results_sha256": results.sha256,
        "contrasts": contrasts,
    }


def flip_lines(report: Mapping[str, Any]) -> Iterator[str]:
    """The report to read in a terminal: a line for each flip, its comments below it."""
    yield f"{report['results']} (record {report['results_sha256'][:12]})"
    for part in report["contrasts"]:
        yield ""
        yield (
            f"{part['treatment']} against {part['baseline']}, hits at {part['k']}: "
            f"lost {part['lost']}, won {part['won']} of {part['n']} queries with gold; "
            f"{part['read']} read, {part['not_named']} held-out and not named"
        )
        for flip in part["flips"]:
            causes = f" [{', '.join(flip['causes'])}]" if flip["causes"] else ""
            read = ", read" if flip["read"] else ""
            yield f"{'won' if flip['won'] else 'lost'}{read}: {flip['text']}{causes}"
            for mark in flip["marks"]:
                if mark["comment"]:
                    yield f"  {mark['person']}, {mark['marked_at']}: {mark['comment']}"


def _told(flip: NamedFlip, contrast: HitContrast) -> dict[str, Any]:
    """A flip as it is; where the record opened held-out documents, without words of chunks."""
    query, chunk = flip.query, flip.query.chunk
    names = ("chunk_id", "rank") if contrast.of.flips.opened else _OUTRANKING
    return {
        "query_id": query.query_id,
        "text": query.text,
        "won": flip.won,
        "query_class": query.class_,
        "gold": query.gold,
        "chunk_id": chunk.chunk_id,
        "first_gold": flip.first_gold,
        "ranks": flip.ranks,
        "header_tokens": by_side(chunk.header_tokens_baseline, chunk.header_tokens_treatment),
        "body_tokens": by_side(chunk.body_tokens_baseline, chunk.body_tokens_treatment),
        "outranked_by": [{n: getattr(each, n) for n in names} for each in query.outranked_by],
        "causes": query.causes,
    }
