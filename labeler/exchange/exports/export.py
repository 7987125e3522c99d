"""
A frozen label set -> files that other tools take as they are.

One entry a format says how it is written and what it has no room for; whatever of that the
set has is told, counted. Files are written aside and renamed, and nothing is overwritten.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluator import InputError
from evaluator.files.ids import NAME as ID_MAP
from evaluator.files.whole import made_aside, require_new
from evaluator.labelset.format import Query, canonical_line, read_label_set
from evaluator.text.messages import counted
from labeler.exchange.exports import by_id, by_text
from labeler.exchange.exports.content import Content, Written
from labeler.sets.frozen import judged_on

_QUERIES = ("skipped", "needs", "filters", "groups", "origins", "weights")
_EVENTS = ("times", "places", "methods", "notes", "replaced", "sources")
_BY_ONE = ("decisions", "assessors", *_EVENTS)


@dataclass(frozen=True, slots=True)
class _Format:
    """
    One way to write a set: a folder of files if `suffix` is empty, else one file.

    `lacks` names what it has no room for, as `Content.left_behind` does; `relevant_from_1`
    says that its tools take every grade from 1 up as relevant unless they are told, and
    `settles` that a pair has one grade there, whatever its assessors gave.
    """

    title: str
    write: Callable[[Content], Written]
    suffix: str
    lacks: tuple[str, ...]
    relevant_from_1: bool = False
    settles: bool = True


@dataclass(frozen=True, slots=True)
class Exported:
    """The files that were written, and what a person should know of them."""

    files: tuple[Path, ...]
    notes: tuple[str, ...]


def export(directory: Path, out: Path, *, to: str, snapshot: Path | None = None) -> Exported:
    """
    Write the label set in a directory as one of the formats.

    Raises InputError for a place that is taken, or has another suffix than the format's
    tools expect, and for BEIR without the snapshot that was judged.
    """
    chosen = FORMATS[to]
    require_new(out)
    if chosen.suffix and out.suffix.lower() != chosen.suffix:
        raise InputError(f"{out}: {chosen.title} are one file that ends in {chosen.suffix}.")
    labels = read_label_set(directory)
    content = Content(labels, judged_on(labels, snapshot) if to == "beir" or snapshot else None)
    files, notes = chosen.write(content)
    written = _put(out, files, folder=not chosen.suffix)
    return Exported(written, (*notes, *_notes(content, chosen, ID_MAP in files)))


def write_topics(queries: Sequence[Query], out: Path) -> int:
    """Write queries as JSON lines of query_id and text; returns how many they are."""
    require_new(out)
    if not queries:
        raise InputError("The workspace holds no queries. Draw them first: labeler sample")
    _put(
        out,
        {out.name: (canonical_line({"query_id": q.query_id, "text": q.text}) for q in queries)},
        folder=False,
    )
    return len(queries)


def _notes(content: Content, chosen: _Format, encoded: bool) -> Iterator[str]:
    left = [content.left_behind[name] for name in chosen.lacks if name in content.left_behind]
    if left:
        yield f"{chosen.title} have no room for {', '.join(left)}. Nothing of it became a grade."
    if (least := content.labels.min_grade) > 1:
        taken = f": these tools take 1 and up as relevant unless told rel={least}"
        told = taken if chosen.relevant_from_1 else ""
        yield f"Gold is grade {least} and up, and no file says so{told}."
    if not chosen.settles and content.settled:
        yield (
            f"On {counted(len(content.settled), 'pair')} assessors differ, and the rule "
            f"{content.rule} settled it; what is read back is settled alike by labeler freeze "
            f"--rule {content.rule}."
        )
    if encoded:
        yield f"Some ids are percent-encoded; {ID_MAP} gives each back."
    held_out = sum(content.labels.query_class(q) == "held-out" for q in content.qrels)
    if held_out:
        are, them = ("is", "it") if held_out == 1 else ("are", "them")
        yield f"{held_out:,} of the queries {are} held out: tune nothing on {them}."


def _put(out: Path, files: Mapping[str, Iterable[str]], *, folder: bool) -> tuple[Path, ...]:
    """Write all files aside, then rename them into place together."""
    with made_aside(out) as aside:
        aside.mkdir()
        for name, lines in files.items():
            path = aside / name
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("w", encoding="utf-8", newline="") as file:
                file.writelines(lines)
                file.flush()
                os.fsync(file.fileno())
        if folder:
            aside.rename(out)
            return tuple(out / name for name in files)
        (aside / next(iter(files))).rename(out)
        return (out,)


# The formats


FORMATS: Mapping[str, _Format] = {
    "trec": _Format(
        "TREC qrels",
        by_id.trec,
        "",
        ("unjudged", "unsure", "queries", "skipped", "weights", "decisions", *_EVENTS),
        relevant_from_1=True,
    ),
    "beir": _Format(
        "BEIR's qrels",
        by_id.beir,
        "",
        ("unjudged", "unsure", "queries", "skipped", "weights", *_BY_ONE),
        relevant_from_1=True,
    ),
    "ranx": _Format(
        "Qrels of ranx",
        by_id.ranx,
        ".json",
        ("unjudged", "unsure", "queries", "texts", *_QUERIES, *_BY_ONE),
        relevant_from_1=True,
    ),
    "quepid": _Format(
        "Ratings of Quepid",
        by_text.quepid_ratings,
        ".csv",
        ("unjudged", "unsure", "ids", *_QUERIES, *_BY_ONE),
    ),
    "quepid-book": _Format(
        "Books of Quepid",
        by_text.quepid_book,
        ".csv",
        ("unsure", "unpooled", "ids", *_QUERIES, "decided", *_EVENTS),
        settles=False,
    ),
    "opensearch": _Format(
        "Judgements of OpenSearch",
        by_text.opensearch,
        ".json",
        ("unjudged", "unsure", "queries", "ids", *_QUERIES, *_BY_ONE),
    ),
    "csv": _Format(
        "Tables of judgements",
        by_id.table,
        ".csv",
        ("skipped", "weights", "places", "methods", "replaced", "sources"),
        settles=False,
    ),
}
