"""
One arm over one snapshot: its strings, vectors, index and rankings, with what they cost.

Everything an arm does happens in here, the index included, and in the same way for every
arm. It knows no labels: what a ranking is worth is decided elsewhere.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluator import InputError
from evaluator.arms.ranking import FilterGroup, Rankings, fallback_notices, rank_both
from evaluator.console import Progress
from evaluator.experiment.headers.rule import HeaderRule, OwnTokens, strings_sha256
from evaluator.experiment.protocol import Arm, Protocol
from evaluator.labelset.format import Query
from evaluator.snapshot.chunk import Chunk
from evaluator.text.messages import counted, some_ids
from evaluator.vectors.encoder import document_input, query_input
from evaluator.vectors.model import BrokenVectors, Encoded, Model, encode_cached
from evaluator.vectors.search import HnswIndex, build_hnsw, exact_search
from evaluator.vectors.weights import prescribed_prefixes


@dataclass(frozen=True, slots=True)
class Inputs:
    """
    The tokens of an arm's document strings, one entry per chunk, as offered to the model.

    `header` and `front` are counted in place: the tokens of the whole input less those of the
    input without its header, or without header and document prefix, since a tokenizer can join
    or part words at a seam. `header_alone` counts the texts in `headers` by themselves, without
    special tokens. `truncated` says where the model reads less than it is offered.
    """

    offered: NDArray[np.int64]
    front: NDArray[np.int64]
    header: NDArray[np.int64]
    header_alone: NDArray[np.int64]
    truncated: NDArray[np.bool_]
    without_header: int
    headers: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class ArmRun:
    """
    What one arm did. `exact` and `hnsw` rank the chunks of every query, best first.

    `strings_sha256` covers all document strings in order and then all query strings: two
    arms with the same one gave the encoder the same work. The times of a query are there once
    all arms were timed in turns. `fp32_first` holds the first chunks of some queries by vectors in
    fp32, where the arm's own are in another precision.
    """

    arm: Arm
    model: Model
    header: HeaderRule
    inputs: Inputs
    encode_seconds: float
    encode_cpu_seconds: float | None
    query_encode_seconds: float
    vectors_reused: int
    vectors_made: int
    index_bytes: int
    build_seconds: float
    exact: Rankings
    hnsw: Rankings
    strings_sha256: str
    notices: tuple[str, ...]
    query_ms_p50: float | None = None
    query_ms_p95: float | None = None
    query_ms_spread: tuple[float, float] | None = None
    fp32_first: Mapping[str, Sequence[str]] | None = None

    @property
    def tokens_read(self) -> NDArray[np.int64]:
        """How many of each chunk's tokens the model reads; it cuts the rest off from the end."""
        limit = self.model.max_tokens
        return self.inputs.offered if limit is None else self.inputs.offered.clip(max=limit)

    @property
    def tokens_cut(self) -> NDArray[np.int64]:
        """How many of each chunk's tokens it does not read."""
        return self.inputs.offered - self.tokens_read

    @property
    def header_strings_sha256(self) -> str:
        """The digest of the headers as they were rendered, which says which treatment this is."""
        return strings_sha256(self.inputs.headers)

    def arm_sha256(self, bodies: Sequence[str]) -> str:
        """The digest of all that decides what this arm finds for any query, its name left out."""
        headers = zip(self.inputs.headers, bodies, strict=True)
        documents = (document_input(self.arm.doc_prefix, *each) for each in headers)
        other = [] if self.model.precision == "fp32" else [self.model.precision]
        return strings_sha256([self.model.identity, *other, self.arm.query_prefix, *documents])

    def ranking(self, name: str) -> Rankings:
        """The ranking of that name, exact or hnsw."""
        return self.exact if name == "exact" else self.hnsw


def run_arm(
    arm: Arm,
    *,
    model: Model,
    header: HeaderRule,
    chunks: Sequence[Chunk],
    bodies: Sequence[str],
    queries: Sequence[Query],
    protocol: Protocol,
    progress: Progress | None = None,
) -> tuple[ArmRun, HnswIndex, NDArray[np.float32]]:
    """
    Encode the chunks and queries of one arm, build its index and rank; the index and the queries'
    vectors come along to be timed.

    `chunks` are in the order of their ids; `bodies` are their texts as all arms get them,
    whole or matched. Headers are made from the whole chunks. Both rankings are made from
    the same vectors.
    """
    headers = header.headers(chunks, own_tokens=own_token_counter(model))
    strings = [
        document_input(arm.doc_prefix, head, body)
        for head, body in zip(headers, bodies, strict=True)
    ]
    inputs = count_inputs(arm, model, headers=headers, bodies=bodies, strings=strings)
    chunk_ids = [chunk.chunk_id for chunk in chunks]
    documents = _encode_chunks(arm, model, strings, chunk_ids, progress=progress)
    asked_strings = [query_input(arm.query_prefix, query.text) for query in queries]
    asked = encode_cached(model, asked_strings, progress=progress)
    index = build_hnsw(
        documents.vectors,
        chunk_ids=chunk_ids,
        m=protocol.index.m,
        ef_construction=protocol.index.ef_construction,
        ef_search=protocol.index.ef_search,
        seed=protocol.index.seed,
    )
    query_ids = [query.query_id for query in queries]
    groups = _by_filter(queries, chunks, on=protocol.filter)
    vectors = documents.vectors, asked.vectors
    exact, hnsw, exact_instead = rank_both(
        groups, query_ids, vectors=vectors, index=index, protocol=protocol
    )
    run = ArmRun(
        arm=arm,
        model=model,
        header=header,
        inputs=inputs,
        encode_seconds=documents.seconds,
        encode_cpu_seconds=documents.cpu_seconds,
        query_encode_seconds=asked.seconds,
        vectors_reused=documents.reused,
        vectors_made=documents.made,
        index_bytes=index.size_bytes,
        build_seconds=index.build_seconds,
        exact=exact,
        hnsw=hnsw,
        strings_sha256=strings_sha256([*strings, "", *asked_strings]),
        notices=(
            *prefix_notices(arm, model),
            *([model.notice] if model.notice else []),
            *fallback_notices(exact_instead, protocol),
            *_equal_vectors(documents.vectors, strings, chunk_ids),
        ),
    )
    return run, index, asked.vectors


def first_in_fp32(
    run: ArmRun, fp32: Model, *, queries: Sequence[Query], documents: Mapping[str, str], k: int
) -> Mapping[str, Sequence[str]]:
    """
    The first k chunks of each query by the same model in fp32.

    The arm's whole list by exact search is ranked again, and no other chunk: precision moves a
    score in the third decimal at most, so what is far below k does not come up to it.
    """
    ids = sorted({chunk_id for query in queries for chunk_id, _ in run.exact[query.query_id]})
    row_by_id = {chunk_id: row for row, chunk_id in enumerate(ids)}
    vectors = encode_cached(fp32, [documents[chunk_id] for chunk_id in ids]).vectors
    asked = encode_cached(fp32, [query_input(run.arm.query_prefix, q.text) for q in queries])
    found: dict[str, Sequence[str]] = {}
    for query, vector in zip(queries, asked.vectors, strict=True):
        rows = sorted(row_by_id[chunk_id] for chunk_id, _ in run.exact[query.query_id])
        allowed = np.isin(np.arange(len(ids)), rows)
        [best] = exact_search(vector[None], vectors, chunk_ids=ids, depth=k, allowed=allowed)
        found[query.query_id] = [chunk_id for chunk_id, _ in best]
    return found


def _encode_chunks(
    arm: Arm,
    model: Model,
    strings: Sequence[str],
    chunk_ids: Sequence[str],
    *,
    progress: Progress | None,
) -> Encoded:
    """The chunks' vectors. Raises InputError naming those whose vector has no direction."""
    try:
        found = encode_cached(model, strings, progress=progress)
        ids = [chunk_ids[row] for row in np.flatnonzero(~found.vectors.any(axis=1)).tolist()]
        what = "all zeros"
    except BrokenVectors as error:
        pairs = zip(chunk_ids, strings, strict=True)
        ids = [chunk_id for chunk_id, string in pairs if string in error.texts]
        what = "NaN or infinity"
    if ids:
        raise InputError(
            f"Arm {arm.name!r}: the vectors of {counted(len(ids), 'chunk')} hold {what}, so that "
            f"nothing can be compared with them: {some_ids(ids)}. Mend these chunks or the model's "
            "files."
        )
    return found


def _equal_vectors(
    vectors: NDArray[np.float32], strings: Sequence[str], chunk_ids: Sequence[str]
) -> Iterator[str]:
    """A sentence on chunks with one vector: of one input, or where the model sees no difference."""
    rows_by_vector: dict[bytes, list[int]] = {}
    for row, vector in enumerate(vectors):
        rows_by_vector.setdefault(vector.tobytes(), []).append(row)
    several = [rows for rows in rows_by_vector.values() if len(rows) > 1]
    same, alike = (
        [rows for rows in several if (len({strings[row] for row in rows}) > 1) == differ]
        for differ in (False, True)
    )
    for groups, what in ((same, "input"), (alike, "vector, though their inputs differ")):
        ids = [chunk_ids[row] for rows in groups for row in rows]
        if ids:
            yield (
                f"{counted(len(ids), 'chunk')} in {counted(len(groups), 'group')} have one {what}, "
                f"and are ranked by their ids: {some_ids(ids)}"
            )


def count_inputs(
    arm: Arm,
    model: Model,
    *,
    headers: Sequence[str],
    bodies: Sequence[str],
    strings: Sequence[str],
) -> Inputs:
    """Tokens offered per chunk, and how many of them document prefix and header bring along."""
    offered = model.count_tokens(strings)
    any_header = any(headers)
    plain = [document_input(arm.doc_prefix, "", body) for body in bodies] if any_header else strings
    without_header = model.count_tokens(plain) if any_header else offered
    bare = model.count_tokens(bodies) if arm.doc_prefix else without_header
    limit = offered.max(initial=0) if model.max_tokens is None else model.max_tokens
    return Inputs(
        offered=offered,
        front=offered - bare,
        header=offered - without_header,
        header_alone=_own_tokens(model, headers),
        truncated=offered > limit,
        without_header=sum(1 for header in headers if not header),
        headers=headers,
    )


def prescribed(arm: Arm, model: Model) -> tuple[str, str] | None:
    """The query and document prefix that the model's makers prescribe, where anything says so."""
    return arm.model.prescribed or prescribed_prefixes(model.prompts)


def prefix_notices(arm: Arm, model: Model) -> tuple[str, ...]:
    """
    A word where an arm's prefix is not what the model's own configuration names.

    An experiment may want that; nobody should have it by accident.
    """
    named = prescribed(arm, model)
    sides = zip(("query_prefix", "doc_prefix"), arm.prefixes, named or ("", ""), strict=True)
    return tuple(
        f'{side} is "{used}", the model names ' + (f'"{wanted}"' if named else "no prefix")
        for side, used, wanted in sides
        if used != wanted
    )


def allowed_rows(query: Query, chunks: Sequence[Chunk]) -> NDArray[np.bool_] | None:
    """Which chunks a query's own filter lets in; None when it has no filter."""
    if not query.filter:
        return None
    wanted = query.filter.items()
    return np.array(
        [all(chunk.attributes.get(name) == value for name, value in wanted) for chunk in chunks],
        dtype=bool,
    )


def own_token_counter(model: Model) -> OwnTokens:
    """The tokens of texts by themselves, as a list."""
    return lambda texts: _own_tokens(model, texts).tolist()


def _own_tokens(model: Model, texts: Sequence[str]) -> NDArray[np.int64]:
    """Tokens of each text without the special ones, each distinct text counted once."""
    distinct = list(dict.fromkeys(["", *texts]))
    counts = model.count_tokens(distinct)
    by_text = dict(zip(distinct, (counts - counts[0]).tolist(), strict=True))
    return np.array([by_text[text] for text in texts], dtype=np.int64)


def _by_filter(queries: Sequence[Query], chunks: Sequence[Chunk], *, on: bool) -> list[FilterGroup]:
    """The queries grouped by their filter, so that each mask is made once."""
    groups: dict[tuple[tuple[str, str], ...], list[int]] = {}
    for row, query in enumerate(queries):
        wanted = tuple(sorted((query.filter or {}).items())) if on else ()
        groups.setdefault(wanted, []).append(row)
    return [
        (rows, allowed_rows(queries[rows[0]], chunks) if wanted else None)
        for wanted, rows in groups.items()
    ]
