"""Bodies that are cut alike in every arm, so that a header pushes nothing out."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from evaluator import InputError
from evaluator.arms.bodies import ArmText, match_bodies
from evaluator.arms.trace import trace_experiment
from evaluator.record.model import record_json
from evaluator.vectors.model import Model
from tests.small_world import RUN_AT, World, arm, run_record, run_world, small_chunks, small_world
from tests.stand_in import stand_in_model

MATCHED = 'split = "all"\nbody = "matched"'
IDS = ["a", "b"]

pytestmark = pytest.mark.usefixtures("cache")


@pytest.fixture
def world(tmp_path: Path) -> World:
    found = small_world(tmp_path)
    found.write_experiment(protocol=MATCHED)
    return found


def load(source: str, /, *, max_tokens: int = 11, **_: object) -> Model:
    return stand_in_model(name=source, max_tokens=max_tokens)


def run(world: World, **how: Any) -> Any:
    return run_record(world, load_model=load, **how)


def test_the_arm_with_the_least_room_decides_for_all() -> None:
    """Eight words fit; three of header leave five of the text, in the plain arm as well."""
    model = stand_in_model(max_tokens=10)
    plain, headed = (
        ArmText("plain", model, ["", ""]),
        ArmText("headed", model, ["x > y\n", "x > y\n"]),
    )
    texts = ["one two three four five six seven", "short one"]
    assert ["one two three four five", "short one"] == (
        match_bodies(texts, [plain, headed], chunk_ids=IDS)
    )
    assert texts == match_bodies(texts, [plain], chunk_ids=IDS)


def test_two_models_cut_for_the_one_that_reads_less() -> None:
    """Also when the arm that reads less comes second."""
    sides = [ArmText(str(n), stand_in_model(max_tokens=n), [""]) for n in (8, 5)]
    assert ["one two three"] == match_bodies(["one two three four five"], sides, chunk_ids=IDS)


def test_a_cut_that_adds_tokens_is_cut_again() -> None:
    """Half a word can be more pieces than the whole one: what grew loses another letter."""
    whole = stand_in_model(max_tokens=5)

    def count(texts: Any) -> Any:
        return whole.count_tokens(texts) + [2 * text.endswith("three") for text in texts]

    model = replace(whole, count_tokens=count)
    assert ["one two thre"] == match_bodies(
        ["one two three four"], [ArmText("plain", model, [""])], chunk_ids=IDS
    )


def test_a_header_that_leaves_no_room_is_refused() -> None:
    """With the chunk, the arm, and what to do."""
    model = stand_in_model(max_tokens=5)
    with pytest.raises(InputError, match=r"arm 'headed'.* 1 chunks \(b\).*header_max_tokens"):
        match_bodies(["one", "two"], [ArmText("headed", model, ["", "x y z\n"])], chunk_ids=IDS)


def test_a_tokenizer_that_cannot_tell_where_it_cuts_is_refused() -> None:
    """Only where something would have to be cut."""
    model = replace(stand_in_model(max_tokens=5), characters_read=None)
    side = ArmText("plain", model, [""])
    assert ["one"] == match_bodies(["one"], [side], chunk_ids=IDS)
    with pytest.raises(InputError, match='Use body = "whole"'):
        match_bodies(["one two three four"], [side], chunk_ids=IDS)


def test_nothing_is_truncated_and_the_cause_is_one_again(world: World) -> None:
    """The same run with whole bodies is a header plus lost body."""
    found = run(world)
    [contrast] = found["contrasts"]
    assert [0, 0] == [one["costs"]["truncated_inputs"] for one in found["arms"]]
    assert "header" == contrast["label"]
    assert [] == [row for row in contrast["closure"] if not row["met"]]
    assert "with matched bodies the model cuts no input" in [
        row["name"] for row in contrast["closure"]
    ]
    assert {"field": "body", "value": "matched"} in contrast["held_still"]
    world.write_experiment()
    assert "header plus lost body" == run(world)["contrasts"][0]["label"]


def test_what_was_cut_is_counted_and_printed(world: World) -> None:
    """Chunks, and the gold ones among them, under the headline."""
    heads = {c.chunk_id: " > ".join(dict.fromkeys([c.title, *c.headings])) for c in small_chunks()}
    long = {
        chunk.chunk_id
        for chunk in small_chunks()
        if len(f"{heads[chunk.chunk_id]} {chunk.text}".split()) > 9
    }
    gold = {"leave#0", "leave#1", "leave#2", "pay#0", "keys#0", "alarm#0", "lease#0"}
    found = run(world)
    assert 0 < len(long) < 12
    notice = f"Bodies are matched: {len(long)} of 12 chunks, and {len(long & gold)} of 7 gold"
    assert any(text.startswith(notice) for text in found["contrasts"][0]["notices"])


def test_both_arms_get_the_same_bytes(world: World) -> None:
    """What the trace shows of a chunk ends alike behind header and prefix."""
    world.write_experiment(
        protocol=MATCHED,
        arms=arm("plain") + arm("headed", header="title+path") + arm("asked", doc_prefix="p: "),
    )
    found = trace_experiment(
        world.experiment,
        arms=(),
        query_ids=(),
        chunk_ids=("leave#0",),
        show=1,
        load_model=load,
        clock=lambda: RUN_AT,
    )
    plain, headed, asked = (one.string for one in found)
    assert small_chunks()[0].text.startswith(plain)
    assert plain != small_chunks()[0].text
    assert headed.endswith("\n" + plain)
    assert "p: " + plain == asked
    assert ["", "", ""] == [one.cut_off for one in found]


def test_bodies_that_fit_change_nothing(tmp_path: Path) -> None:
    """Where no arm truncates, matched and whole are the same run, from the same vectors."""
    world = small_world(tmp_path)
    roomy = partial(load, max_tokens=99)
    whole = run_world(world, load_model=roomy)
    world.write_experiment(protocol=MATCHED)
    matched = run_world(world, load_model=roomy)
    for name in ("plain.run", "headed.run", "headed.tsv"):
        assert (whole.path / name).read_bytes() == (matched.path / name).read_bytes()
    assert [0, 0] == [one["costs"]["vectors_made"] for one in record_json(matched.record)["arms"]]
    assert "none had to be cut" in record_json(matched.record)["contrasts"][0]["notices"][-1]
