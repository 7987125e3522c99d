"""Places to write at: what can be said of them before there is anything to write."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from evaluator import InputError
from evaluator.files import require_new, require_writable


def shut(folder: Path) -> Path:
    folder.mkdir()
    folder.chmod(0o500)
    return folder


def under_a_file(folder: Path) -> Path:
    folder.write_text("a file")
    return folder


@pytest.mark.parametrize(
    ("below", "make", "expected"),
    [
        ("out", under_a_file, "place is no folder"),
        ("deeper/out", under_a_file, "place is no folder"),
        ("x" * 250, Path.mkdir, "File name too long"),
        pytest.param(
            "out",
            shut,
            "takes no new files",
            marks=pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere"),
        ),
    ],
    ids=["under a file", "far under a file", "too long a name", "a folder that is shut"],
)
def test_a_place_that_cannot_be_written_is_known_before(
    tmp_path: Path, below: str, make: Callable[[Path], object], expected: str
) -> None:
    """In words, with the place as it was given; nothing is made on the way."""
    make(tmp_path / "place")
    with pytest.raises(InputError, match=f"cannot be written: .*{expected}"):
        require_writable(tmp_path / "place" / below)


def test_folders_that_are_still_to_be_made_are_fine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also below the working directory; looking at a place makes nothing there."""
    monkeypatch.chdir(tmp_path)
    require_new(Path("a/b/c"))
    assert [] == list(tmp_path.iterdir())


def test_a_place_that_is_taken_is_refused(tmp_path: Path) -> None:
    """A dangling link is something too."""
    (tmp_path / "link").symlink_to("nowhere")
    with pytest.raises(InputError, match="link exists already and is not overwritten"):
        require_new(tmp_path / "link")
