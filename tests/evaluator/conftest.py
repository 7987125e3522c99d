"""What tests of runs have in common: a place for vectors, and something small to run."""

from pathlib import Path

import pytest

from evaluator.run import WrittenRun
from tests.small_world import World, run_world, small_world


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where vectors are kept: a place of its own, so that no test finds those of another."""
    place = tmp_path / "cache"
    monkeypatch.setenv("ONECAUSE_CACHE", str(place))
    return place


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Labels, snapshot and experiment, as small as they can be."""
    return small_world(tmp_path)


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> WrittenRun:
    """The small world as it is, run once for all tests that only read what a run wrote."""
    place = tmp_path_factory.mktemp("finished")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ONECAUSE_CACHE", str(place / "cache"))
        return run_world(small_world(place))
