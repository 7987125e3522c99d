"""
A live index asked for queries: a TREC run, and beside it a record of what was asked.

The run is a run like any other from then on: it fills pools, and is compared with arms that
were built here. What the store returned and the snapshot does not hold as it is stands in the
record, since labels do not speak of it.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from evaluator import InputError
from evaluator.checks.live import IndexSearch, LiveStore, StoreFields, fetch_rows, live_store
from evaluator.console import Progress
from evaluator.experiment.pinned import LoadModel
from evaluator.experiment.protocol import ModelChoice
from evaluator.files.records import read_rows, refuse
from evaluator.files.whole import made_aside, require_new
from evaluator.labelset.format import (
    Query,
    canonical_line,
    read_label_set,
    text_sha256,
    utc_text,
)
from evaluator.snapshot.snapshot import read_snapshot
from evaluator.text.messages import counted, some_ids
from evaluator.trec import write_run
from evaluator.vectors.encoder import load_model, query_input
from evaluator.vectors.weights import prescribed_prefixes


@dataclass(frozen=True, slots=True)
class Asked:
    """
    What was asked of a live index, how, and what is odd in what came back.

    `short` are queries with fewer chunks than were asked for, `repeated` counts rows whose
    chunk stood above already and was left out. `not_in_snapshot` and `other_text` are chunks
    that came back and are none of the snapshot's, or not as they are there.
    """

    store: str
    fields: StoreFields
    search: IndexSearch
    settings: Mapping[str, str]
    model: ModelChoice
    model_identity: str
    query_prefix: str
    prescribed_prefix: str | None
    queries: int
    filters_not_asked: int
    queries_sha256: str
    begun_at: str
    ended_at: str
    onecause: str
    short: tuple[str, ...]
    repeated: int
    snapshot: str | None = None
    snapshot_digest: str | None = None
    not_in_snapshot: tuple[str, ...] = ()
    other_text: tuple[str, ...] = ()


def record_path(run: Path) -> Path:
    """Where the record of what was asked stands."""
    return run.with_name(f"{run.name}.json")


def read_queries(labels: Path | None, queries: Path | None) -> list[Query]:
    """The queries of a label set, or of rows with `query_id` (or `_id`, `id`) and `text`."""
    if labels is not None:
        return list(read_label_set(labels).queries)
    assert queries is not None
    found: dict[str, Query] = {}
    problems = []
    for row in read_rows(queries):
        query_id, text = row.first("query_id", "_id", "id"), row.first("text", "query")
        if not isinstance(query_id, str | int) or not isinstance(text, str) or not text.strip():
            problems.append(f"{row.place}: no query_id and text")
        elif str(query_id) in found:
            problems.append(f"{row.place}: query {query_id!r} stands above already")
        else:
            found[str(query_id)] = Query(str(query_id), text)
    if problems or not found:
        refuse(queries, problems or ["no query"], todo="Give rows of query_id and text.")
    return list(found.values())


def ask_store(
    address: str,
    queries: Sequence[Query],
    *,
    out: Path,
    fields: StoreFields,
    model: ModelChoice,
    query_prefix: str,
    search: IndexSearch,
    snapshot: Path | None,
    progress: Progress,
    load_model: LoadModel = load_model,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> Asked:
    """
    Ask for every query, and write the run and its record, both or neither.

    Vectors are made unit length, as arms have them. Scores are the store's similarities, or its
    distances with the sign turned, so that more is better. Raises InputError for what the
    store refuses, and where its scores rise down a ranking.
    """
    for place in (out, record_path(out)):
        require_new(place)
    held = read_snapshot(snapshot) if snapshot else None
    loaded = load_model(model.source, revision=model.revision, weights_sha256=model.weights_sha256)
    begun = clock()
    run: dict[str, list[tuple[str, float]]] = {}
    repeated = 0
    unknown: list[str] = []
    other: list[str] = []
    with live_store(address, fields) as store:
        for query in progress(queries, label="Asking"):
            string, query_id = query_input(query_prefix, query.text), query.query_id
            [vector] = np.asarray(loaded.encode([string]), np.float64)
            unit = (vector / np.linalg.norm(vector)).tolist()
            rows = store.search(unit, search)
            best: dict[str, float] = {}
            for chunk_id, score in rows:
                best.setdefault(chunk_id, score)
            run[query_id] = list(best.items())
            repeated += len(rows) - len(run[query_id])
            scores = [score for _, score in run[query_id]]
            if scores != sorted(scores, reverse=True):
                raise InputError(f"{address}: scores rise down the ranking of {query_id!r}.")
        settings = store.settings()
        returned = sorted({chunk_id for ranking in run.values() for chunk_id, _ in ranking})
        if held is not None:
            texts = held.texts(returned)
            unknown = [chunk_id for chunk_id in returned if chunk_id not in texts]
            other = _other_texts(store, texts)
    if not returned:
        raise InputError(f"{address}, {fields.collection} returned nothing for any query.")
    asked = Asked(
        store=address,
        fields=fields,
        search=search,
        settings=settings,
        model=model,
        model_identity=loaded.identity,
        query_prefix=query_prefix,
        prescribed_prefix=(prescribed_prefixes(loaded.prompts) or (None,))[0],
        queries=len(queries),
        filters_not_asked=sum(bool(query.filter) for query in queries),
        queries_sha256=text_sha256(canonical_line({q.query_id: q.text for q in queries})),
        begun_at=utc_text(begun),
        ended_at=utc_text(clock()),
        onecause=version("onecause"),
        short=tuple(query_id for query_id, ranking in run.items() if len(ranking) < search.depth),
        repeated=repeated,
        snapshot=str(snapshot) if snapshot else None,
        snapshot_digest=held.digest if held else None,
        not_in_snapshot=tuple(unknown),
        other_text=tuple(other),
    )
    with made_aside(out) as aside, made_aside(record_path(out)) as record:
        write_run(aside, run, tag="live")
        record.write_text(json.dumps(asdict(asked), indent=2, ensure_ascii=False) + "\n", "utf-8")
        aside.rename(out)
        record.rename(record_path(out))
    return asked


def asked_text(asked: Asked) -> str:
    """How much was asked, and each thing that does not speak for the run."""
    lines = [
        f"{counted(asked.queries, 'query', many='queries')} asked to depth {asked.search.depth}"
    ]
    if asked.prescribed_prefix not in (None, asked.query_prefix):
        lines.append(
            f"The model prescribes the query prefix {asked.prescribed_prefix!r}, and "
            f"{asked.query_prefix!r} was asked with (--prefix)"
        )
    if asked.filters_not_asked:
        lines.append(f"{asked.filters_not_asked:,} queries have a filter, and were asked without")
    if asked.short:
        lines.append(
            f"{len(asked.short):,} have fewer chunks than were asked for: {some_ids(asked.short)}. "
            "Is the index's own search list shorter (pgvector: --option hnsw.ef_search=N)?"
        )
    if asked.repeated:
        lines.append(f"{asked.repeated:,} rows were of a chunk that stood above, and left out")
    if asked.not_in_snapshot:
        lines.append(
            f"{len(asked.not_in_snapshot):,} chunks are not in the snapshot: "
            f"{some_ids(asked.not_in_snapshot)}"
        )
    if asked.other_text:
        lines.append(
            f"{len(asked.other_text):,} chunks have another text than in the snapshot: "
            f"{some_ids(asked.other_text)}"
        )
    return "\n".join(lines)


def _other_texts(store: LiveStore, texts: Mapping[str, str]) -> list[str]:
    found: dict[str, set[Any]] = {}
    for chunk_id, text, _ in fetch_rows(store, list(texts)):
        found.setdefault(chunk_id, set()).add(text)
    return [chunk_id for chunk_id, text in texts.items() if found.get(chunk_id) != {text}]
