"""An experiment that nobody had to write."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from evaluator import InputError
from evaluator.cli.main import main
from evaluator.experiment.draft import draft_experiment
from evaluator.experiment.pinned import open_experiment
from evaluator.labelset.format import read_label_set
from evaluator.snapshot.snapshot import read_snapshot
from tests.small_world import World


def test_the_draft_can_be_run_as_it_is(world: World, tmp_path: Path) -> None:
    """Arms for title and path, from another folder; a file that is there is left alone."""
    file = tmp_path / "apart" / "first.toml"
    file.parent.mkdir()
    asked = [
        "new",
        str(world.labels),
        "--snapshot",
        str(world.folder / "snapshot"),
        "-o",
        str(file),
    ]
    result = CliRunner().invoke(main, asked)
    assert 0 == result.exit_code, result.stderr
    assert f"evaluator run {file}" in result.stderr
    opened = open_experiment(file)
    assert world.labels_sha256 == opened.labels.sha256
    arms = {arm.name: arm.header for arm in opened.experiment.arms}
    assert {"plain": "none", "title": "title", "title and path": "title+path"} == arms
    assert [("plain", "title"), ("plain", "title and path")] == [
        (each.baseline, each.treatment) for each in opened.experiment.contrasts
    ]
    again = CliRunner().invoke(main, asked)
    assert 1 == again.exit_code
    assert "exists" in again.stderr


def test_another_chunk_set_or_a_model_that_is_not_here_is_refused(world: World) -> None:
    labels, snapshot = read_label_set(world.labels), read_snapshot(world.folder / "snapshot")
    manifest = {**labels.manifest}
    how = {"manifest": manifest, "held_out": 0, "path": world.experiment}
    with pytest.raises(InputError, match="no_such"):
        draft_experiment(world.labels, "0", snapshot, **how, model="package:no_such/model")
    manifest["snapshot"] = {"digest": "0" * 64}
    with pytest.raises(InputError, match="not the chunk set that was judged"):
        draft_experiment(world.labels, "0", snapshot, **how)
