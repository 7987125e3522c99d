"""Which string a stored vector was made from."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evaluator import InputError
from evaluator.checks.store_vectors import Probe, probe_experiment, probe_json, probe_text
from evaluator.vectors.model import Model
from tests.small_world import RUN_AT, World, arm, small_chunks
from tests.stand_in import stand_in_model

PROMPTS = {"query": "query: ", "document": "passage: "}
ARMS = arm("plain") + arm("headed", header="title+path")


def load(source: str, /, **_: object) -> Model:
    return stand_in_model(name=source, prompts=PROMPTS)


def stored(world: World, before: Any, *, scale: float = 1.0, name: str = "vectors.npy") -> Path:
    """Vectors of all chunks, made from what `before` puts before each text."""
    model = load("folder:" + str((world.folder / "stand-in").resolve()))
    chunks = small_chunks()
    vectors = scale * model.encode([before(chunk) + chunk.text for chunk in chunks])
    path = world.folder / name
    rows = [
        {"chunk_id": chunk.chunk_id, "vector": vector.tolist()}
        for chunk, vector in zip(chunks, vectors, strict=True)
    ]
    if path.suffix == ".npy":
        np.save(path, vectors)
        (world.folder / "ids.txt").write_text("\n".join(c.chunk_id for c in chunks) + "\n")
    elif path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(rows), path)
    else:
        path.write_text("\n".join(map(json.dumps, rows)) + "\n")
    return path


def probe(world: World, path: Path, **how: Any) -> Probe:
    if path.suffix == ".npy":
        how = {"ids": world.folder / "ids.txt", **how}
    return probe_experiment(
        world.experiment, path, load_model=load, clock=lambda: RUN_AT, **{"show": 4, **how}
    )


def head(chunk: Any) -> str:
    steps = dict.fromkeys([chunk.title, *chunk.headings])
    return " > ".join(steps) + "\n" if chunk.title else ""


@pytest.mark.parametrize(
    ("name", "before"),
    [
        ("arm 'plain'", lambda _: ""),
        ("arm 'headed'", head),
        ("no header, document prefix 'passage: '", lambda _: "passage: "),
        ("no header, query prefix 'query: ' (reversed)", lambda _: "query: "),
        ("header of 'headed', document prefix 'passage: '", lambda c: "passage: " + head(c)),
    ],
)
def test_stored_vectors_name_the_string_that_made_them(
    world: World, name: str, before: Any
) -> None:
    """Plain, headed, prefix on or reversed: one way agrees to the last digits, no other."""
    found = probe(world, stored(world, before))
    [best] = found.agreeing
    assert name == best.names[0]
    assert best.cosine_least == pytest.approx(1.0)
    assert best.largest_difference < 1e-6
    assert found.candidates[1].cosine_least < 0.999
    assert 4 == len(found.chunk_ids)
    assert f"They agree with {name}" in probe_text(found)
    assert name == probe_json(found)["agrees_with"][0][0]


@pytest.mark.parametrize("name", ["v.npy", "v.parquet", "v.jsonl"])
def test_every_kind_of_file_is_read(world: World, name: str) -> None:
    """Also vectors that nobody made unit length; their length is printed."""
    found = probe(world, stored(world, head, scale=3.0, name=name))
    assert "arm 'headed'" == found.agreeing[0].names[0]
    assert found.lengths == pytest.approx((3.0, 3.0))
    assert "stored vectors of length 3" in probe_text(found)


def test_vectors_of_other_texts_agree_with_nothing(world: World) -> None:
    """Nearest is not the same."""
    found = probe(world, stored(world, lambda _: "An extra sentence about nothing much. "))
    assert () == found.agreeing
    assert "They agree with none of these ways" in probe_text(found)


def test_arms_that_give_the_same_strings_are_one_way(world: World) -> None:
    """A chunk without a title has no header, so nothing tells plain and headed apart."""
    found = probe(world, stored(world, head), chunk_ids=("plain#0",))
    assert ("arm 'headed'", "arm 'plain'") == found.agreeing[0].names[:2]


def test_an_end_that_is_not_read_is_said(world: World) -> None:
    """What the model does not read leaves no trace in a vector."""

    def short(source: str, /, **_: object) -> Model:
        return stand_in_model(name=source, prompts=PROMPTS, max_tokens=5)

    path = stored(world, head)
    found = probe_experiment(
        world.experiment, path, ids=world.folder / "ids.txt", show=2, load_model=short
    )
    assert {2} == {one.not_read for one in found.candidates}


def test_vectors_of_another_length_are_another_models(world: World) -> None:
    """Both lengths stand in the message."""
    path = world.folder / "v.jsonl"
    path.write_text('{"chunk_id": "pay#0", "vector": [0.6, 0.8]}\n')
    with pytest.raises(InputError, match="have 2 numbers, the models here give others"):
        probe(world, path)


@pytest.mark.parametrize(
    ("part", "line"),
    [
        ("holds no vector of", '{"chunk_id": "z", "vector": [1.0]}'),
        ("expected an id", '{"chunk_id": "pay#0", "vector": ["a"]}'),
        ("zero or not finite", '{"chunk_id": "pay#0", "vector": [0.0]}'),
        ("not JSON", "{"),
    ],
)
def test_what_holds_no_vectors_is_refused(world: World, part: str, line: str) -> None:
    """With what was expected."""
    path = world.folder / "v.jsonl"
    path.write_text(line + "\n")
    with pytest.raises(InputError, match=part):
        probe(world, path)


def test_a_numpy_file_needs_ids_for_its_rows(world: World) -> None:
    """As many as it has rows."""
    path = stored(world, head)
    with pytest.raises(InputError, match="one chunk id per line: --ids"):
        probe(world, path, ids=None)
    (world.folder / "ids.txt").write_text("pay#0\n")
    with pytest.raises(InputError, match="one row of numbers for each id"):
        probe(world, path)


def test_a_named_held_out_chunk_is_a_look(world: World) -> None:
    """By default only tuning chunks are encoded again."""
    path = stored(world, head)
    assert () == probe(world, path).held_out
    ledger = world.labels.with_name("small-1.ledger.jsonl")
    assert not ledger.exists()
    assert ("leave#0",) == probe(world, path, chunk_ids=("leave#0", "pay#0")).held_out
    assert "probe of leave#0" in ledger.read_text()
