"""
The literal strings that reach an encoder.

Nothing is interpreted: a string is shown as it is, with its tokens and the part that the
model does not read. What to show is chosen among tuning documents, so that looking costs
no held-out query; anything held out has to be asked for by name.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Literal

from evaluator import InputError
from evaluator.arms.arm import own_token_counter
from evaluator.arms.bodies import choose_bodies
from evaluator.experiment.headers.rule import HeaderRule
from evaluator.experiment.pinned import LoadModel, Pinned, load_models, open_experiment
from evaluator.experiment.protocol import Arm
from evaluator.files.form import meant
from evaluator.labelset.format import LabelSet, Query
from evaluator.labelset.ledger import record_look
from evaluator.snapshot.chunk import Chunk
from evaluator.snapshot.snapshot import Snapshot
from evaluator.text.messages import marked
from evaluator.vectors.encoder import document_input, load_model, query_input
from evaluator.vectors.model import Model


@dataclass(frozen=True, slots=True)
class Traced:
    """
    One string as the encoder of one arm receives it, `held_out` if showing it was a look.

    `cut_off` is the part that the model does not read: "" when it reads everything, None
    when its tokenizer cannot tell where the cut falls.
    """

    arm: str
    side: Literal["query", "chunk"]
    id: str
    string: str
    tokens: int
    max_tokens: int | None
    cut_off: str | None
    held_out: bool = False


@dataclass(frozen=True, slots=True)
class TraceChoice:
    """What a trace is to show, and the ids of what is held out of it."""

    queries: tuple[Query, ...]
    chunks: tuple[Chunk, ...]
    held_out: tuple[str, ...]


def trace_experiment(
    path: Path,
    *,
    arms: Sequence[str],
    query_ids: Sequence[str],
    chunk_ids: Sequence[str],
    show: int,
    load_model: LoadModel = load_model,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> list[Traced]:
    """
    The traced strings of an experiment's arms, all of them or those that are named.

    Whatever is held out among what was asked for is written to the ledger first.
    """
    opened = open_experiment(path)
    experiment = opened.experiment
    chosen = [experiment.arm(name) for name in arms] or list(experiment.arms)
    shown = choose_shown(opened, query_ids=query_ids, chunk_ids=chunk_ids, show=show)
    models = load_models(experiment, load_model)
    note_look(opened, shown.held_out, what="trace", clock=clock)
    bodies = choose_bodies(opened, shown.chunks, models)
    return [
        replace(traced, held_out=traced.id in shown.held_out)
        for arm in chosen
        for traced in trace(
            arm,
            model=models[arm.model],
            header=opened.headers[arm.name],
            queries=shown.queries,
            chunks=shown.chunks,
            bodies=bodies,
        )
    ]


def trace(
    arm: Arm,
    *,
    model: Model,
    header: HeaderRule,
    queries: Sequence[Query],
    chunks: Sequence[Chunk],
    bodies: Sequence[str],
) -> list[Traced]:
    """The strings of some queries and chunks in one arm, made where a run makes them."""
    heads = header.headers(chunks, own_tokens=own_token_counter(model))
    strings: list[tuple[Literal["query", "chunk"], str, str]] = [
        ("query", query.query_id, query_input(arm.query_prefix, query.text)) for query in queries
    ]
    strings += [
        ("chunk", chunk.chunk_id, document_input(arm.doc_prefix, head, body))
        for chunk, head, body in zip(chunks, heads, bodies, strict=True)
    ]
    counts = model.count_tokens([string for _, _, string in strings]).tolist()
    return [
        Traced(arm.name, side, name, string, tokens, model.max_tokens, _cut_off(model, string))
        for (side, name, string), tokens in zip(strings, counts, strict=True)
    ]


def choose_shown(
    opened: Pinned, *, query_ids: Sequence[str], chunk_ids: Sequence[str], show: int
) -> TraceChoice:
    """
    The queries and chunks asked for, or the first few tuning ones and their gold.

    A query counts as held out when any of its gold is. Raises InputError for an id that is
    not there.
    """
    labels, snapshot = opened.labels, opened.snapshot
    if not query_ids and not chunk_ids:
        queries = [q for q in labels.queries if labels.query_class(q.query_id) == "tuning"][:show]
        gold = dict.fromkeys(c for q in queries for c in sorted(labels.gold(q.query_id)))
        found = snapshot.fetch(list(gold)[:show])
        chunks = [found[chunk_id] for chunk_id in gold if chunk_id in found]
        chunks = chunks or list(islice(tuning_chunks(snapshot, labels), show))
        return TraceChoice(tuple(queries), tuple(chunks), ())
    queries = _queries(labels, query_ids)
    found = snapshot.fetch(chunk_ids)
    missing = [chunk_id for chunk_id in chunk_ids if chunk_id not in found]
    if missing:
        raise InputError(f"Snapshot {snapshot.name} has no chunk {missing[0]!r}.")
    chunks = [found[chunk_id] for chunk_id in chunk_ids]
    rule = labels.held_out_rule
    closed = ("held-out", "mixed")
    held_out = [q.query_id for q in queries if labels.query_class(q.query_id) in closed]
    held_out += [chunk.chunk_id for chunk in chunks if rule.holds_out(chunk.doc_id)]
    return TraceChoice(tuple(queries), tuple(chunks), tuple(held_out))


def note_look(
    opened: Pinned, held_out: Sequence[str], *, what: str, clock: Callable[[], datetime]
) -> None:
    """Count a look at held-out queries or chunks, if there are any among what is shown."""
    if held_out:
        record_look(
            opened.labels,
            at=clock(),
            experiment=opened.experiment.name,
            sha256=opened.experiment.sha256,
            split="held-out",
            what=f"{what} of {', '.join(held_out)}",
        )


def tuning_chunks(snapshot: Snapshot, labels: LabelSet) -> Iterator[Chunk]:
    """The chunks of documents that are not held out, in order."""
    rule = labels.held_out_rule
    return (chunk for chunk in snapshot.chunks() if not rule.holds_out(chunk.doc_id))


def _cut_off(model: Model, string: str) -> str | None:
    if model.max_tokens is None:
        return ""
    if model.characters_read is None:
        return None
    return string[model.characters_read(string) :]


def _queries(labels: LabelSet, query_ids: Sequence[str]) -> list[Query]:
    by_id = {query.query_id: query for query in labels.queries}
    for query_id in query_ids:
        if query_id not in by_id:
            raise InputError(
                f"Label set {labels.name} has no query {query_id!r}.{meant(query_id, by_id)}"
            )
    return [by_id[query_id] for query_id in query_ids]


def trace_text(found: Sequence[Traced]) -> str:
    """Every string with its arm, its tokens and what the model does not read of it."""
    lines: list[str] = []
    for traced in found:
        limit = "" if traced.max_tokens is None else f", the model reads {traced.max_tokens}"
        lines.append(
            f"arm {traced.arm!r}, {traced.side} {traced.id}: {traced.tokens} tokens{limit}"
        )
        lines.append(marked(traced.string))
        if traced.cut_off:
            lines.append(f"not read: {marked(traced.cut_off)}")
        elif traced.cut_off is None and traced.tokens > (traced.max_tokens or traced.tokens):
            lines.append("not read: the end; this tokenizer does not say from where")
        lines.append("")
    return "\n".join(lines).rstrip("\n")
