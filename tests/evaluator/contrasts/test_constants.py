"""What was held still, field by field, and what happens when it was not."""

from dataclasses import replace
from typing import Any

import pytest

from evaluator import InputError
from evaluator.record.model import record_of
from evaluator.report.report import markdown_report
from evaluator.vectors.model import Model
from tests.small_world import World, arm, run_record
from tests.stand_in import stand_in_model

OTHER = f'[arm.model]\nsource = "folder:other"\nweights_sha256 = "{"1" * 64}"\n'
SHARED = {"label set", "chunk set", "queries", "ranking", "similarity", "graph", "filters", "body"}
RUNS = {"inputs encoded", "queries answered in one order", "precision", "encoder library"}

pytestmark = pytest.mark.usefixtures("cache")


def load(source: str, /, **_: object) -> Model:
    return stand_in_model(name=source.rsplit("/", maxsplit=1)[-1])


def run(world: World, arms: str, load_model: Any = load) -> dict[str, Any]:
    world.write_experiment(arms=arms)
    return run_record(world, load_model=load_model)


@pytest.mark.parametrize(
    ("arms", "still"),
    [
        (
            arm("a") + arm("b", header="title"),
            {"model", "tokens that the model reads", "query prefix", "document prefix"},
        ),
        (
            arm("a") + arm("b", query_prefix="q: ", doc_prefix="d: "),
            {"model", "tokens that the model reads", "header rule"},
        ),
        (
            arm("a") + arm("b", query_prefix="q: "),
            {"model", "tokens that the model reads", "header rule", "document prefix"},
        ),
        (arm("a") + arm("b") + OTHER, {"header rule", "prefixes"}),
    ],
)
def test_everything_but_the_factor_is_listed(world: World, arms: str, still: set[str]) -> None:
    """The factor's own fields are not among them; all others are, with their value."""
    [contrast] = run(world, arms)["contrasts"]
    assert SHARED | RUNS | still == {row["field"] for row in contrast["held_still"]}
    assert all(row["value"] for row in contrast["held_still"])


def test_the_report_lists_each_field(world: World) -> None:
    """An empty prefix is called empty."""
    text = markdown_report(record_of(run(world, arm("a") + arm("b", header="title"))))
    for line in ("query prefix | `(empty)`", "body | `whole`", "precision | `fp32`"):
        assert f"| {line} |" in text
    assert "16 fields were compared and found equal." in text


def test_arms_that_were_encoded_otherwise_are_refused(world: World) -> None:
    """Two models may differ; the library and precision that run them may not."""

    def mixed(source: str, /, **_: object) -> Model:
        model = load(source)
        return replace(model, precision="int8") if "other" in source else model

    with pytest.raises(InputError, match="to differ in model alone, and differ in precision"):
        run(world, arm("a") + arm("b") + OTHER, load_model=mixed)
