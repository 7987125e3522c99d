"""A workspace with the results of a real run in it, by the stand-in encoder."""

from pathlib import Path
from typing import Any

from evaluator.run import run_experiment
from labeler.results.results import ResultsFolder, read_results
from labeler.workspace.records import Settings
from labeler.workspace.workspace import Workspace
from tests.small_world import RULE, RUN_AT, arm, load_stand_in, small_queries, small_world

AT = "2026-12-03T09:00:00.000Z"


def flipped_workspace(folder: Path, *, opened: bool = False, **world: Any) -> Workspace:
    """
    `small_world` as a workspace in which its experiment was run; no query is pooled.

    Its second contrast takes the header away again, and loses what the first one wins.
    """
    made = small_world(folder, **world)
    workspace = Workspace.create(
        folder,
        settings=Settings(
            name="small",
            created_at=AT,
            grades=((0, "not relevant"), (1, "relevant")),
            min_grade=1,
            held_out_rule=RULE,
            snapshot_name="small",
            snapshot_digest=made.digest,
            order_seed="abcd",
        ),
    )
    workspace.queries.add(world.get("queries") or small_queries())
    made.write_experiment(
        arms=arm("plain")
        + arm("headed", header="title+path")
        + arm("bare")
        + contrast("plain", "headed")
        + contrast("headed", "bare"),
        protocol='split = "all"\nnothing_tuned = true',
    )
    run_experiment(
        made.experiment,
        load_model=load_stand_in,
        clock=lambda: RUN_AT,
        open_held_out=opened,
    )
    return workspace


def contrast(baseline: str, treatment: str) -> str:
    return f'[[contrast]]\nbaseline = "{baseline}"\ntreatment = "{treatment}"\n'


def results_of(workspace: Workspace) -> ResultsFolder:
    """Its only results."""
    (path,) = workspace.path.glob("experiment.results/*")
    return read_results(path)
