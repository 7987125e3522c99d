"""What tests that encode have in common."""

from pathlib import Path

import pytest


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where vectors are kept: a place of its own, so that no test finds those of another."""
    place = tmp_path / "cache"
    monkeypatch.setenv("ONECAUSE_CACHE", str(place))
    return place
