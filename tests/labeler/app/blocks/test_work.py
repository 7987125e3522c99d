"""What people upload is checked before anything is made of it, and long work is a process."""

import time
import zipfile
from pathlib import Path

import pytest

from evaluator import InputError
from labeler.app.blocks import work
from labeler.app.serving import jobs


class Given:
    """A file as Streamlit hands it over."""

    def __init__(self, name: str, content: bytes = b"x") -> None:
        self.name, self.content = name, content

    def getbuffer(self) -> memoryview:
        return memoryview(self.content)


def zipped(path: Path, *names: str) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, "x" * 100)
    return path


def test_an_upload_is_kept_under_its_own_name(tmp_path: Path) -> None:
    """And never outside of its folder."""
    kept = work.keep_uploads([Given("../../a b.csv"), Given("c:\\d.md")], tmp_path / "up")
    assert [tmp_path / "up" / "a b.csv", tmp_path / "up" / "d.md"] == kept


@pytest.mark.parametrize("names", [("..",), ("a\x00.csv",), (" ",), ("a.csv", "x/a.csv")])
def test_names_that_cannot_be_kept_are_refused(tmp_path: Path, names: tuple[str, ...]) -> None:
    with pytest.raises(InputError):
        work.keep_uploads([Given(name) for name in names], tmp_path)


@pytest.mark.parametrize("name", ["../a.md", "/etc/a.md", "a/../../b.md", "..\\a.md"])
def test_an_archive_that_leads_out_of_its_folder_is_refused(tmp_path: Path, name: str) -> None:
    """With nothing unpacked."""
    archive = zipped(tmp_path / "a.zip", "good.md", name)
    with pytest.raises(InputError, match="leads out"):
        work.unpack(archive, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_an_archive_that_unpacks_to_too_much_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the sizes that it states, and what is no archive at all."""
    monkeypatch.setattr(work, "_MOST_BYTES", 150)
    with pytest.raises(InputError, match="2 files of 200 bytes"):
        work.unpack(zipped(tmp_path / "a.zip", "a", "b"), tmp_path)
    (tmp_path / "b.zip").write_bytes(b"PK no archive")
    with pytest.raises(InputError, match="cannot be unpacked"):
        work.unpack(tmp_path / "b.zip", tmp_path)


def test_a_job_tells_what_its_command_said_and_how_it_ended(tmp_path: Path) -> None:
    """A second of that name waits; one whose process is gone has ended without a word."""
    folder = tmp_path / "jobs" / "status"
    assert jobs.read(folder) is None
    jobs.start(folder, "Status", ["labeler", "status", str(tmp_path / "gone")])
    with pytest.raises(InputError, match="still running"):
        jobs.start(folder, "Status", ["labeler", "--help"])
    deadline = time.monotonic() + 60
    while (job := jobs.read(folder)) and job.code is None and time.monotonic() < deadline:
        time.sleep(0.1)
    assert job is not None
    assert 1 == job.code
    assert "is no workspace" in " ".join(job.said)
    jobs.forget(folder)
    assert jobs.read(folder) is None
