"""
Which string a stored vector was made from: the identity probe.

A few chunks are encoded again in every way that this experiment knows, with each header and
each prefix, the query's on the document side among them, and the stored vectors say with
which they agree. It lasts only as long as somebody keeps the old vectors.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluator import InputError
from evaluator.arms.arm import own_token_counter
from evaluator.arms.bodies import choose_bodies
from evaluator.arms.trace import choose_shown, note_look, tuning_chunks
from evaluator.checks.live import OWN_FIELDS, StoreFields, fetch_rows, is_address, live_store
from evaluator.experiment.pinned import (
    LoadModel,
    Pinned,
    load_models,
    open_experiment,
    prescribed_by,
)
from evaluator.experiment.protocol import ModelChoice
from evaluator.files.chunk_records import IDS, plain_id_field
from evaluator.files.records import stream_rows
from evaluator.snapshot.chunk import Chunk
from evaluator.text.messages import marked, some_ids
from evaluator.vectors.encoder import document_input, load_model
from evaluator.vectors.model import Model

VectorById = dict[str, NDArray[np.float64]]
_NAMES = ("vector", "embedding", "embeddings", "values")
# Half precision keeps a cosine above this; another prefix or header falls below it.
AGREES = 0.9995
_LOOKED_FOR = 200


@dataclass(frozen=True, slots=True)
class Candidate:
    """
    One way to make the strings, and how near the stored vectors are to it.

    `names` are all ways that give these chunks the same strings. Cosines are over the probed
    chunks; `largest_difference` is that of two components, both vectors made unit length.
    `not_read` counts the chunks whose end the model does not read; `agreeing_ids` are the
    chunks whose vectors were made so, which are not all where an index was half made again.
    """

    names: tuple[str, ...]
    model: str
    example: str
    cosine_mean: float
    cosine_least: float
    largest_difference: float
    not_read: int
    agreeing_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Probe:
    """All candidates, the nearest first, and what they say of the stored vectors."""

    vectors: str
    chunk_ids: tuple[str, ...]
    held_out: tuple[str, ...]
    lengths: tuple[float, float]
    candidates: tuple[Candidate, ...]

    @property
    def agreeing(self) -> tuple[Candidate, ...]:
        return tuple(one for one in self.candidates if one.cosine_least >= AGREES)


def probe_experiment(
    path: Path,
    vectors: str | Path,
    *,
    ids: Path | None = None,
    fields: StoreFields = OWN_FIELDS,
    chunk_ids: Sequence[str] = (),
    show: int = 3,
    load_model: LoadModel = load_model,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> Probe:
    """
    Encode a few chunks in every way the experiment knows and compare with stored vectors.

    The chunks are those named, or the first tuning ones that are stored and have a header
    where any arm has one. A held-out chunk that is named is a look. Raises InputError where
    the vectors are of another length than any model's.
    """
    opened = open_experiment(path)
    chunks = _choose(opened, chunk_ids)
    most = len(chunk_ids) or show
    wanted = [chunk.chunk_id for chunk in chunks]
    stored = _read_vectors(vectors, wanted, ids=ids, fields=fields, most=most)
    kept = [chunk for chunk in chunks if chunk.chunk_id in stored]
    if missing := [chunk_id for chunk_id in chunk_ids if chunk_id not in stored]:
        raise InputError(f"{vectors} holds no vector of chunk {missing[0]!r}.")
    models = load_models(opened.experiment, load_model)
    rule = opened.labels.held_out_rule
    held_out = tuple(chunk.chunk_id for chunk in kept if rule.holds_out(chunk.doc_id))
    note_look(opened, held_out, what="probe", clock=clock)
    units, lengths = _unit(np.array([stored[chunk.chunk_id] for chunk in kept]), vectors)
    fitting = {c: model for c, model in models.items() if model.dimension == units.shape[1]}
    if not fitting:
        listed = ", ".join(f"{m.source}: {m.dimension}" for m in models.values())
        raise InputError(
            f"The vectors in {vectors} have {units.shape[1]} numbers, the models here give "
            f"others ({listed}). They were made by another model."
        )
    found = [
        _compare(model, names, strings, units, [chunk.chunk_id for chunk in kept])
        for choice, model in fitting.items()
        for strings, names in _ways(opened, choice, models, kept).items()
    ]
    found.sort(key=lambda one: -one.cosine_mean)
    return Probe(str(vectors), tuple(c.chunk_id for c in kept), held_out, lengths, tuple(found))


def probe_text(found: Probe) -> str:
    """The verdict, then every way to make the strings, the nearest first."""
    low, high = found.lengths
    lengths = f"{low:.4g}" if f"{low:.4g}" == f"{high:.4g}" else f"{low:.4g} to {high:.4g}"
    lines = [
        f"{found.vectors}: {len(found.chunk_ids)} chunks encoded again "
        f"({', '.join(found.chunk_ids[:5])}); stored vectors of length {lengths}",
        *_verdict(found),
        "",
        "cosine, mean and least; largest difference of a component at unit length",
    ]
    lines += [_line(one) for one in found.candidates]
    return "\n".join(lines)


def probe_json(found: Probe) -> dict[str, Any]:
    """The same for a program."""
    return asdict(found) | {"agrees_with": [list(one.names) for one in found.agreeing]}


def _choose(opened: Pinned, chunk_ids: Sequence[str]) -> list[Chunk]:
    if chunk_ids:
        return list(choose_shown(opened, query_ids=(), chunk_ids=chunk_ids, show=0).chunks)
    some = list(islice(tuning_chunks(opened.snapshot, opened.labels), _LOOKED_FOR))
    rules = [rule for rule in opened.headers.values() if rule.rule != "none"]
    headed = [chunk for chunk in some if all(rule.drafts(chunk)[0] for rule in rules)]
    return headed or some


def _unit(
    vectors: NDArray[np.float64], path: str | Path
) -> tuple[NDArray[np.float64], tuple[float, float]]:
    """The vectors at unit length, and the least and largest length that was stored."""
    lengths = np.linalg.norm(vectors, axis=1)
    if not np.isfinite(vectors).all() or not lengths.all():
        raise InputError(f"{path} holds a vector that is zero or not finite.")
    return vectors / lengths[:, None], (float(lengths.min()), float(lengths.max()))


def _ways(
    opened: Pinned,
    choice: ModelChoice,
    models: Mapping[ModelChoice, Model],
    chunks: Sequence[Chunk],
) -> dict[tuple[str, ...], list[str]]:
    """The names of each way to make these chunks' strings for one model, by the strings."""
    bodies, tokens = choose_bodies(opened, chunks, models), own_token_counter(models[choice])
    heads_by_arm = {
        arm: opened.headers[arm.name].headers(chunks, own_tokens=tokens)
        for arm in opened.experiment.arms
    }
    headers = {"no header": [""] * len(chunks)}
    for arm, heads in heads_by_arm.items():
        if heads not in headers.values():
            headers[f"header of {arm.name!r}"] = heads
    ways: dict[tuple[str, ...], list[str]] = {}
    for header_name, heads in headers.items():
        for prefix_name, prefix in _prefixes(opened, choice, prescribed_by(models)).items():
            strings = _strings(prefix, heads, bodies)
            ways.setdefault(strings, []).append(f"{header_name}, {prefix_name}")
    for arm, heads in heads_by_arm.items():
        if arm.model == choice:
            strings = _strings(arm.doc_prefix, heads, bodies)
            ways[strings] = [f"arm {arm.name!r}", *ways.get(strings, [])]
    return ways


def _strings(prefix: str, heads: Sequence[str], bodies: Sequence[str]) -> tuple[str, ...]:
    pairs = zip(heads, bodies, strict=True)
    return tuple(document_input(prefix, head, body) for head, body in pairs)


def _prefixes(
    opened: Pinned,
    choice: ModelChoice,
    prescribed: Mapping[ModelChoice, tuple[str, str] | None],
) -> dict[str, str]:
    """No prefix, and every string that could stand before a document by rule or by mistake."""
    named = choice.prescribed or prescribed.get(choice)
    pairs = [named] if named else []
    pairs += [arm.prefixes for arm in opened.experiment.arms if arm.model == choice]
    found = {"no prefix": ""}
    for query_prefix, doc_prefix in pairs:
        for side, prefix in (("document", doc_prefix), ("query", query_prefix)):
            if prefix not in found.values():
                reversed_ = " (reversed)" if side == "query" else ""
                found[f"{side} prefix {prefix!r}{reversed_}"] = prefix
    return found


def _compare(
    model: Model,
    names: Sequence[str],
    strings: Sequence[str],
    units: NDArray[np.float64],
    chunk_ids: Sequence[str],
) -> Candidate:
    made = np.asarray(model.encode(strings), dtype=np.float64)
    cosines = (made * units).sum(axis=1) / np.linalg.norm(made, axis=1)
    limit = model.max_tokens
    return Candidate(
        names=tuple(names),
        model=model.source,
        example=strings[0],
        cosine_mean=float(cosines.mean()),
        cosine_least=float(cosines.min()),
        largest_difference=float(np.abs(made - units).max()),
        not_read=0 if limit is None else int((model.count_tokens(strings) > limit).sum()),
        agreeing_ids=tuple(c for c, near in zip(chunk_ids, cosines, strict=True) if near >= AGREES),
    )


def _verdict(found: Probe) -> list[str]:
    agreeing = found.agreeing
    if not agreeing and any(one.agreeing_ids for one in found.candidates):
        return list(_in_parts(found))
    if not agreeing:
        return [
            "They agree with none of these ways: another model, other texts or other strings made "
            f"them. Agreement is a cosine of {AGREES} or more for every chunk."
        ]
    best = agreeing[0]
    lines = [f"They agree with {' = '.join(best.names)}."]
    if len(agreeing) > 1:
        lines.append(
            f"So near are {len(agreeing)} ways that these chunks cannot tell them apart for "
            "certain; the first is the nearest."
        )
    if best.not_read:
        lines.append(
            f"The model does not read the end of {best.not_read} of these chunks, so a difference "
            "there would not show."
        )
    return [*lines, f"The first chunk's string in that way: {marked(best.example)}"]


def _in_parts(found: Probe) -> Iterator[str]:
    """An index that was made in several ways: how many chunks in which, and how many in none."""
    left, ways = list(found.chunk_ids), list(found.candidates)
    yield "They were not all made in one way:"
    while best := max(ways, key=lambda one: len(set(one.agreeing_ids) & set(left)), default=None):
        theirs = [chunk_id for chunk_id in left if chunk_id in best.agreeing_ids]
        if not theirs:
            break
        left = [chunk_id for chunk_id in left if chunk_id not in theirs]
        what = f"{' = '.join(best.names)} [{best.model}]"
        yield f"- {len(theirs)} of {len(found.chunk_ids)} with {what}: {some_ids(theirs)}"
    if left:
        yield f"- {len(left)} of {len(found.chunk_ids)} in none of these ways: {some_ids(left)}"


def _line(one: Candidate) -> str:
    figures = f"{one.cosine_mean:.6f} {one.cosine_least:.6f}  {one.largest_difference:.2e}"
    return f"{figures}  {' = '.join(one.names)} [{one.model}]"


# The stored vectors


def _read_vectors(
    where: str | Path,
    chunk_ids: Sequence[str],
    *,
    ids: Path | None,
    fields: StoreFields,
    most: int,
) -> VectorById:
    """
    The stored vectors of the first `most` of these chunks that the file or live store comes to.

    A `.npy` file needs `ids`, one chunk id per line in the order of its rows; JSON Lines,
    JSON and Parquet hold rows of an id and a vector. Raises InputError where the file is
    neither, and where it holds none of the chunks.
    """
    pairs: Iterator[tuple[str, NDArray[np.float64]]]
    path = Path(where)
    if is_address(str(where)):
        pairs = _live(str(where), chunk_ids, fields)
    elif not path.is_file():
        raise InputError(f"There is no file of vectors {path}.")
    else:
        pairs = _numpy(path, ids) if path.suffix == ".npy" else _rows(path)
    wanted = set(chunk_ids)
    seen: VectorById = {}
    for chunk_id, vector in pairs:
        if chunk_id in wanted:
            seen[chunk_id] = vector
        if len(seen) == min(most, len(wanted)):
            break
    if not seen:
        raise InputError(
            f"{where} holds no vector of {len(wanted)} chunks that were looked for "
            f"({', '.join(chunk_ids[:3])}). Are its ids those of the snapshot?"
        )
    return {chunk_id: seen[chunk_id] for chunk_id in chunk_ids if chunk_id in seen}


def _live(
    address: str, chunk_ids: Sequence[str], fields: StoreFields
) -> Iterator[tuple[str, NDArray[np.float64]]]:
    with live_store(address, fields) as store:
        for chunk_id, value, tenant in fetch_rows(store, chunk_ids, vectors=True):
            if fields.tenant and str(tenant) != fields.tenant[1]:
                continue
            vector = np.asarray(value if value is not None else [], dtype=np.float64)
            if vector.ndim != 1 or not len(vector):
                raise InputError(
                    f"{address} has no vector of {chunk_id!r} there. Say where with --vector-field."
                )
            yield chunk_id, vector


def _numpy(path: Path, ids: Path | None) -> Iterator[tuple[str, NDArray[np.float64]]]:
    if ids is None:
        raise InputError(f"{path} holds no ids. Name a file with one chunk id per line: --ids.")
    try:
        vectors = np.load(path, mmap_mode="r", allow_pickle=False)
        names = ids.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        raise InputError(f"There is no file of ids {ids}.") from None
    except ValueError as error:
        raise InputError(f"{path} or {ids} cannot be read: {error}.") from None
    if vectors.ndim != 2 or len(vectors) != len(names):
        raise InputError(
            f"{path} has the shape {vectors.shape}, {ids} has {len(names)} ids. Expected one row "
            "of numbers for each id."
        )
    return ((name, np.asarray(vectors[row], np.float64)) for row, name in enumerate(names))


def _rows(path: Path) -> Iterator[tuple[str, NDArray[np.float64]]]:
    for row in stream_rows(path):
        if row.problem:
            raise InputError(f"{path}, {row.place}: {row.problem}.")
        chunk_id = row.cells.get(plain_id_field(row.cells))
        value = next((row.cells[name] for name in _NAMES if name in row.cells), None)
        yield str(chunk_id), _vector(path, row.place, value, row.cells)


def _vector(
    path: Path, place: str, value: object, values: Mapping[str, object]
) -> NDArray[np.float64]:
    try:
        vector = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        vector = np.zeros(0)
    if vector.ndim != 1 or not len(vector) or not plain_id_field(values):
        raise InputError(
            f"{path}, {place}: expected an id ({', '.join(IDS)}) and a list of numbers "
            f"({', '.join(_NAMES)}), found {', '.join(map(repr, values)) or 'no fields'}."
        )
    return vector
