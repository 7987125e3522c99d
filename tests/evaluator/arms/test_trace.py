"""The literal strings that the encoder receives."""

from typing import Any

import pytest

from evaluator import InputError
from evaluator.arms.trace import trace_experiment, trace_text
from tests.small_world import RUN_AT, World, arm, load_stand_in
from tests.stand_in import stand_in_model


def trace(world: World, **how: Any):  # type: ignore[no-untyped-def]
    how = {"arms": (), "query_ids": (), "chunk_ids": (), "show": 3, **how}
    return trace_experiment(world.experiment, load_model=load_stand_in, clock=lambda: RUN_AT, **how)


def test_a_trace_shows_the_literal_between_marks(world: World) -> None:
    """A blank at the end of a prefix and the header's line break can be seen."""
    world.write_experiment(
        arms=arm("prefixed", query_prefix="query: ", doc_prefix="passage: ", header="path")
    )
    text = trace_text(trace(world, query_ids=["q4"], chunk_ids=["pay#0"]))
    assert "⟦query: overtime paid when⟧" in text
    assert "⟦passage: Pay > Overtime⏎\nThe hours are paid with the next month.⟧" in text
    assert "arm 'prefixed', query q4: 6 tokens, the model reads 32" in text


def test_an_empty_prefix_puts_nothing_before_the_text(world: World) -> None:
    """Neither `nan` nor `None` nor a blank."""
    world.write_experiment(arms=arm("raw"))
    assert "⟦overtime paid when⟧" in trace_text(trace(world, query_ids=["q4"]))


def test_a_trace_shows_what_is_cut_off(world: World) -> None:
    """The part that the model does not read is not left to be guessed."""
    found = trace_experiment(
        world.experiment,
        arms=["plain"],
        query_ids=[],
        chunk_ids=["pay#0"],
        show=1,
        load_model=lambda *_, **__: stand_in_model(max_tokens=6),
    )
    assert [" with the next month."] == [traced.cut_off for traced in found]
    assert "not read: ⟦ with the next month.⟧" in trace_text(found)


def test_a_trace_shows_tuning_examples_unless_others_are_named(world: World) -> None:
    """Nothing held out is shown by default; what is asked for by name is written down."""
    ledger = world.labels.with_name("small-1.ledger.jsonl")
    found = trace(world)
    assert {"q4", "q5", "q7", "pay#0", "keys#0", "lease#0"} == {traced.id for traced in found}
    assert not ledger.exists()
    trace(world, query_ids=["q1"], chunk_ids=["leave#0"])
    assert "trace of q1, leave#0" in ledger.read_text()


@pytest.mark.parametrize(
    ("message", "how"),
    [
        ("no arm 'plan'. Did you mean \"plain\"", {"arms": ["plan"]}),
        ("no query 'q99'", {"query_ids": ["q99"]}),
        ("no chunk 'leave#9'", {"chunk_ids": ["leave#9"]}),
    ],
)
def test_what_is_not_there_cannot_be_traced(
    world: World, message: str, how: dict[str, Any]
) -> None:
    """A likely spelling is offered where there is one."""
    with pytest.raises(InputError) as refused:
        trace(world, **how)
    assert message in str(refused.value)
