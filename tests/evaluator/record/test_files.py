"""A report that is printed again, and what is counted then."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner

from evaluator.cli.main import main
from evaluator.record.files import note_reprint
from tests.small_world import run_world, small_world

NOW = datetime(2026, 12, 9, tzinfo=UTC)


@pytest.mark.usefixtures("cache")
def test_printing_held_out_queries_again_is_a_look(tmp_path: Path) -> None:
    """Where the label set is out of reach, nobody can count it, and that is said."""
    world = small_world(tmp_path)
    closed, opened = (
        run_world(world, out=tmp_path / name, open_held_out=name == "opened").record
        for name in ("closed", "opened")
    )
    again = CliRunner().invoke(main, ["report", str(tmp_path / "closed")])
    assert ("", 0) == (again.stderr, again.exit_code)
    assert note_reprint(closed, at=NOW) is None
    assert "look 3 that is known" in str(note_reprint(opened, at=NOW))
    again = CliRunner().invoke(main, ["report", str(tmp_path / "opened")])
    said = "Names held-out queries: look 4 that is known in this copy of the label set."
    assert said == again.stderr.strip()
    world.labels.rename(tmp_path / "elsewhere")
    assert "nobody counts this look" in str(note_reprint(opened, at=NOW))
