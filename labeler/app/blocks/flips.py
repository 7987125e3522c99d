"""
Flips as the browser gets them: a list to choose from, and one of them to read.

It puts what a record tells and what chunks say into words and rows. Every text that is not
ours travels as data, and nothing of a held-out document does before it is opened.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluator.text.messages import first_words
from labeler.results.chunk_texts import ChunkText, chunk_texts
from labeler.results.flips import (
    HELD_OUT,
    SIDES,
    ArmSide,
    HitContrast,
    NamedFlip,
    Wanted,
    said_of,
    select,
)
from labeler.results.results import LabelsHere, ResultsFolder
from labeler.workspace.records import FlipMark
from labeler.workspace.workspace import Workspace

_NO_CLASS = "unknown"


@dataclass(frozen=True, slots=True)
class OpenContrast:
    """One contrast being read: which flips may be named, which were read, what is wanted."""

    results: ResultsFolder
    contrast: HitContrast
    labels: LabelsHere | None
    opened: bool
    marks: Mapping[str, Sequence[FlipMark]]
    read: frozenset[str]
    wanted: Wanted

    @property
    def flips(self) -> tuple[NamedFlip, ...]:
        return self.contrast.listed(opened=self.opened)

    @property
    def listed(self) -> tuple[NamedFlip, ...]:
        return select(self.flips, self.wanted, read=self.read)

    @property
    def shut(self) -> int:
        """How many flips are counted and not named."""
        return max(0, self.contrast.cells.won + self.contrast.cells.lost - len(self.flips))


def next_unread(there: OpenContrast, after: str | None) -> str | None:
    """The query to read after one: the next of the list that nobody has read, round its end."""
    ids = [flip.query.query_id for flip in there.listed]
    start = ids.index(after) + 1 if after in ids else 0
    return next((q for q in [*ids[start:], *ids[:start]] if q not in there.read), None)


def shown(workspace: Workspace, there: OpenContrast, chosen: str | None) -> dict[str, Any]:
    """Everything on the page; without a choice the first flip of the list lies open."""
    listed = there.listed
    flip = next((each for each in there.flips if each.query.query_id == chosen), None)
    first = flip or (listed[0] if listed else None)
    return {
        "filters": filters(there),
        "rows": [_row(there, each) for each in listed],
        "total": len(there.flips),
        "chosen": flip is not None,
        "flip": None if first is None else story(workspace, there, first),
        "nothing": _nothing(there),
    }


def filters(there: OpenContrast) -> list[dict[str, Any]]:
    """Each filter with its choices and how many flips each would list by itself."""
    flips, wanted = there.flips, there.wanted
    classes = sorted({flip.query.class_ or _NO_CLASS for flip in flips})
    found = {cause for flip in flips for cause in flip.query.causes}
    causes = [rule for rule in there.contrast.of.flips.rules if rule in found]

    def made(
        name: str, label: str, any_: str, choices: Sequence[tuple[str, str]]
    ) -> dict[str, Any]:
        counted = [
            [value, text, len(select(flips, Wanted(**{name: value}), read=there.read))]
            for value, text in [("", any_), *choices]
        ]
        return {"name": name, "label": label, "value": getattr(wanted, name), "choices": counted}

    return [
        made("moved", "Moved", "Lost and won", [("lost", "Lost"), ("won", "Won")]),
        made("query_class", "Class", "Every class", [(each, each) for each in classes]),
        made("cause", "Cause", "Every cause", [(each, each) for each in causes]),
        made("read", "Read", "Read or not", [("unread", "Not read yet"), ("read", "Read")]),
    ]


def story(workspace: Workspace, there: OpenContrast, flip: NamedFlip) -> dict[str, Any]:
    """One flip at length."""
    contrast = there.contrast
    ids = [flip.query.chunk.chunk_id, *(each.chunk_id for each in flip.query.outranked_by)]
    texts = chunk_texts(
        workspace, there.results, contrast, ids, labels=there.labels, opened=there.opened
    )
    return {
        **_row(there, flip),
        "need": _need(workspace, flip),
        "said": said_of(contrast, flip),
        "arms": [contrast.of.baseline, contrast.of.treatment],
        "figures": figures(contrast, flip),
        "gold": {
            **_chunk(texts[flip.query.chunk.chunk_id], contrast, sides=SIDES),
            "others": [each for each in flip.query.gold if each != flip.query.chunk.chunk_id],
        },
        "before": {"arm": contrast.arm(flip.misses), "rows": _before(there, flip, texts)},
        "causes": [[name, contrast.of.flips.rules.get(name, "")] for name in flip.query.causes],
        "rules": len(contrast.of.flips.rules),
        "marks": [
            [mark.person, mark.marked_at[:16].replace("T", " "), mark.verdict, mark.comment or ""]
            for mark in there.marks.get(flip.query.query_id, ())
        ],
    }


def figures(contrast: HitContrast, flip: NamedFlip) -> list[list[str]]:
    """What is counted in both arms, a row each: its name, the baseline, the treatment."""

    def rank(value: int | None) -> str:
        if value is not None:
            return str(value)
        return "not found" if contrast.depth is None else f"below {contrast.depth}"

    rows = [["Rank of the best gold chunk", *(rank(flip.first_gold[side]) for side in SIDES)]]
    if flip.ranks != flip.first_gold:
        rows.append(["Rank of the gold chunk below", *(rank(flip.ranks[s]) for s in SIDES)])
    chunk = flip.query.chunk  # of runs made elsewhere no tokens are counted
    if chunk.header_tokens_baseline is not None:
        of_headers = chunk.header_tokens_baseline, chunk.header_tokens_treatment
        of_bodies = chunk.body_tokens_baseline, chunk.body_tokens_treatment
        rows.append(["Header tokens", *(f"{tokens:,}" for tokens in of_headers)])
        rows.append(["Body tokens", *(f"{tokens:,}" for tokens in of_bodies)])
    return rows


def _row(there: OpenContrast, flip: NamedFlip) -> dict[str, Any]:
    return {
        "id": flip.query.query_id,
        "text": flip.query.text,
        "won": flip.won,
        "class": flip.query.class_ or _NO_CLASS,
        "causes": list(flip.query.causes),
        "read": flip.query.query_id in there.read,
    }


def _need(workspace: Workspace, flip: NamedFlip) -> str | None:
    """What the query asks for, if the workspace still has that query."""
    wanted = (flip.query.query_id, flip.query.text)
    return next((q.need for q in workspace.queries.all() if (q.query_id, q.text) == wanted), None)


def _chunk(chunk: ChunkText, contrast: HitContrast, *, sides: Sequence[ArmSide]) -> dict[str, Any]:
    headers = chunk.header_by_side or {}
    return {
        "id": chunk.chunk_id,
        "known": chunk.known,
        "shut": chunk.shut,
        "place": " > ".join(chunk.headings),
        "title": chunk.title or "",
        "text": chunk.text,
        "headers": [[contrast.arm(side), headers[side]] for side in sides if headers.get(side)],
    }


def _before(
    there: OpenContrast, flip: NamedFlip, texts: Mapping[str, ChunkText]
) -> list[dict[str, Any]]:
    """
    What outranks the gold chunk, by the record's own words.

    Of an opened record nothing is told that cannot be known to be open: the chunks of another
    snapshot have no document here. A record of runs made elsewhere may know no chunks.
    """
    rows = []
    of_opened = there.contrast.of.flips.opened
    for each in flip.query.outranked_by:
        chunk = texts[each.chunk_id]
        untold = each.title is None and each.first_words is None
        hidden = not there.opened and (chunk.shut or (of_opened and not chunk.known))
        closed = hidden or (untold and not chunk.known)
        rows.append(
            {
                **_chunk(chunk, there.contrast, sides=[flip.misses]),
                "text": "",
                "rank": each.rank,
                "title": "" if closed else each.title or chunk.title or "",
                "words": "" if closed else each.first_words or first_words(chunk.text),
                "shut": closed,
            }
        )
    return rows


def _nothing(there: OpenContrast) -> str:
    if not there.contrast.cells.won + there.contrast.cells.lost:
        return "No query changed between these arms."
    if not there.flips:
        return f"Only {HELD_OUT} queries changed, and they are not opened."
    return "No flip is like that. Choose otherwise above."
