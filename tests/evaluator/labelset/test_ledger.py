"""The list of looks: every look is counted, whatever became of the lines before it."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

from evaluator.labelset.ledger import known_looks, ledger_path, record_look


@dataclass(frozen=True, slots=True)
class Labels:
    """As much of a label set as the ledger asks for."""

    path: Path
    sha256: str = "ab" * 32


def look(labels: Labels, who: str = "ada") -> int:
    at = datetime(2026, 1, 2, tzinfo=UTC)
    return record_look(
        labels, at=at, experiment="e", sha256="0", split="all", what="results", who=who
    )


@pytest.mark.parametrize(
    ("spoil", "counted"),
    [(lambda text: text[:-1], 2), (lambda text: text + b'{"at":"2026', 2), (lambda _: b"\n", 1)],
    ids=["without its last line end", "with half a line", "nothing but a line end"],
)
def test_a_look_is_counted_whatever_the_file_ends_with(
    tmp_path: Path, spoil: Callable[[bytes], bytes], counted: int
) -> None:
    """A full disk leaves half a line, and some editors take the last line end away."""
    labels = Labels(tmp_path / "set")
    look(labels)
    path = ledger_path(labels.path)
    path.write_bytes(spoil(path.read_bytes()))
    assert counted == look(labels)


def test_a_look_by_a_name_that_is_no_text_is_counted(tmp_path: Path) -> None:
    """The name of a user is whatever the system has for it."""
    labels = Labels(tmp_path / "set")
    assert 1 == look(labels, "half \udcff")
    assert ["half \udcff"] == [each["who"] for each in known_looks(labels)]
