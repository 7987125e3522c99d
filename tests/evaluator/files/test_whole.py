"""Places to write at: what can be said of them before there is anything to write."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from evaluator import InputError
from evaluator.files.whole import made_aside, require_new, require_writable


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
        ("deeper/out", under_a_file, "place is no folder"),
        ("x" * 250, Path.mkdir, "File name too long"),
        pytest.param(
            "out",
            shut,
            "takes no new files",
            marks=pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere"),
        ),
    ],
    ids=["under a file", "too long a name", "a folder that is shut"],
)
def test_a_place_that_cannot_be_written_is_known_before(
    tmp_path: Path, below: str, make: Callable[[Path], object], expected: str
) -> None:
    """In words, with the place as it was given; nothing is made on the way."""
    make(tmp_path / "place")
    with pytest.raises(InputError, match=f"cannot be written: .*{expected}"):
        require_writable(tmp_path / "place" / below)


@pytest.mark.parametrize("below", ["out.csv", "deeper/out", "qrels.txt"])
def test_nothing_is_written_into_a_frozen_label_set(tmp_path: Path, below: str) -> None:
    """Not through a link either: with another file in it, it is what was frozen no more."""
    labels = Path(__file__).parents[2] / "golden/binary"
    (tmp_path / "link").symlink_to(labels)
    with pytest.raises(InputError, match=f"would break the frozen label set {labels}"):
        require_writable(tmp_path / "link" / below)
    require_writable(labels.with_name("out.csv"))


def test_a_place_must_be_free(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A dangling link is something too; looking at a place makes no folders on the way to it."""
    (tmp_path / "link").symlink_to("nowhere")
    monkeypatch.chdir(tmp_path)
    require_new(Path("a/b/c"))
    assert ["link"] == [path.name for path in tmp_path.iterdir()]
    with pytest.raises(InputError, match="link exists already and is not overwritten"):
        require_new(tmp_path / "link")


KILLED = """
import os, pathlib, signal
from evaluator.files.whole import made_aside
with made_aside(pathlib.Path("set")) as aside:
    (aside / "inner").mkdir(parents=True)
    (aside / "inner" / "half").write_text("half")
    print(aside.name, flush=True)
    {end}
"""


def started(folder: Path, end: str) -> tuple["subprocess.Popen[str]", str]:
    """A process that is making something in a folder, and the name it makes it under."""
    code = KILLED.format(end=end)
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=folder,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    return process, process.stdout.readline().strip()


def test_what_a_killed_process_left_is_deleted_by_the_next_that_writes(tmp_path: Path) -> None:
    """Under whatever name it writes; the killed process had no chance to tidy up."""
    process, left = started(tmp_path, "os.kill(os.getpid(), signal.SIGKILL)")
    process.communicate()
    assert -signal.SIGKILL == process.returncode
    assert (tmp_path / left / "inner/half").is_file()
    with made_aside(tmp_path / "other") as aside:
        assert [] == list(tmp_path.iterdir())
        aside.write_text("whole")
        aside.rename(tmp_path / "other")
    assert ["other"] == [path.name for path in tmp_path.iterdir()]


def test_what_a_living_process_makes_is_left_alone(tmp_path: Path) -> None:
    """Two runs may write into one folder."""
    process, making = started(tmp_path, "input()")
    try:
        with made_aside(tmp_path / "set"):
            assert (tmp_path / making / "inner/half").is_file()
    finally:
        process.communicate("\n")
    assert [] == list(tmp_path.iterdir())


@pytest.mark.parametrize("name", [".set.part", ".set.00000000-1-0a1b2c3d.part"])
def test_what_may_be_somebody_elses_is_left_alone(tmp_path: Path, name: str) -> None:
    """A download of a browser, and what another machine is making in a shared folder."""
    (tmp_path / name).write_text("theirs")
    with made_aside(tmp_path / "set"):
        pass
    assert [name] == [path.name for path in tmp_path.iterdir()]


def test_what_may_not_be_deleted_stays_and_hides_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder that was closed meanwhile: told is the place, and not what was made beside it."""

    def closed(path: Path, **_: object) -> None:
        raise PermissionError(13, "denied", str(path))

    place = tmp_path / "made"
    monkeypatch.setattr(Path, "unlink", closed)
    with pytest.raises(PermissionError) as refused, made_aside(place) as aside:
        raise PermissionError(13, "denied", str(aside))
    assert str(place) == refused.value.filename


@pytest.mark.parametrize("as_folder", [True, False])
def test_a_place_that_another_took_meanwhile_is_told_as_such(
    as_folder: bool, tmp_path: Path
) -> None:
    """Both looked when it was free; the second to be done overwrites nothing."""
    place = tmp_path / "made"

    def made_by_both() -> None:
        with made_aside(place) as aside:
            aside.mkdir()
            if as_folder:
                (place / "first").mkdir(parents=True)
            else:
                place.write_text("first")
            aside.rename(place)

    with pytest.raises(InputError, match="exists already and is not overwritten"):
        made_by_both()
    assert [place] == list(tmp_path.iterdir())
