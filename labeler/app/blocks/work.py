"""
Long work on a page: its start, how far it is, its end; and files that people bring along.

Work is a command of `labeler` or `evaluator`, run beside the app, so that a page does what the
command does and says what it says. What is uploaded is put into a folder of the workspace under
its own name, checked before anything is made of it.
"""

import re
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import streamlit as st

from evaluator import InputError
from evaluator.text.messages import counted
from labeler.app.frame import frame
from labeler.app.serving import jobs

JOBS, UPLOADS = "jobs", "uploads"
_MOST_FILES = 20_000
_MOST_BYTES = 4_000_000_000  # unpacked
_SHOWN = 30  # lines of what a command said


class Upload(Protocol):
    """A file as Streamlit hands it over."""

    name: str

    def getbuffer(self) -> memoryview: ...


def begin(folder: Path, title: str, *words: str) -> None:
    """Start `python -m` with these words as the job of a folder, and show it at once."""
    with frame.or_say("It was not started."):
        jobs.start(folder, title, words)
        st.rerun()


def outcome(folder: Path) -> jobs.Job | None:
    """
    The job of a folder once it has ended well, with what it said; None where there is none.

    While it runs the page shows how far it is, and ends here. Where it failed, it is said why.
    """
    job = jobs.read(folder)
    if job is None:
        return None
    if job.code is None:
        _watch(folder)
        st.stop()
    lines = [line.removeprefix("Error: ") for line in job.told]
    if job.code == 0:
        st.success(f"{job.title}: done.")
    elif job.stopping:
        st.warning(f"{job.title}: stopped. Nothing half done was kept.")
    else:
        st.error(f"{job.title} did not succeed.")
        lines = lines or ["It ended without a word, as when the machine is switched off."]
    if lines:
        st.text("\n".join(lines[-_SHOWN:]))
    if st.button("Close", key=f"close-{folder.name}"):
        jobs.forget(folder)
        st.rerun()
    return job if job.code == 0 else None


@st.fragment(run_every=1.0)
def _watch(folder: Path) -> None:
    job = jobs.read(folder)
    if job is None or job.code is not None:
        st.rerun()
    with st.container(border=True):
        st.text(f"{job.title} …")
        st.progress(job.share or 0.0, text=job.said[-1] if job.said else "Starting")
        st.caption("It goes on if you leave this page or close the browser.")
        if job.stopping:
            st.caption("It was asked to stop, and tidies up.")
        elif st.button("Stop", key=f"stop-{folder.name}"):
            jobs.stop(folder)
            st.rerun(scope="fragment")


def keep_uploads(uploads: Sequence[Upload], folder: Path) -> list[Path]:
    """
    Put uploaded files into a folder, under their own names, and give their paths.

    Raises InputError for a name that leads elsewhere or stands twice.
    """
    folder.mkdir(parents=True, exist_ok=True)
    paths: list[Path] = []
    for upload in uploads:
        path = folder / _plain(upload.name)
        if path in paths:
            raise InputError(f"{path.name!r} was given twice. Rename one, or bring one only.")
        path.write_bytes(upload.getbuffer())
        paths.append(path)
    return paths


def unpack(archive: Path, folder: Path) -> None:
    """
    Unpack a zip into a folder.

    Raises InputError for what is no zip, what unpacks to more than a folder of documents would,
    and for members that lead out of the folder or are links.
    """
    try:
        with zipfile.ZipFile(archive) as opened:
            members = [each for each in opened.infolist() if not each.is_dir()]
            size = sum(each.file_size for each in members)
            if len(members) > _MOST_FILES or size > _MOST_BYTES:
                raise InputError(
                    f"{archive.name} unpacks to {counted(len(members), 'file')} of {size:,} bytes; "
                    f"at most {_MOST_FILES:,} of {_MOST_BYTES:,} are taken. Put the folder on this "
                    "machine and name it instead."
                )
            for each in members:
                parts = Path(each.filename.replace("\\", "/")).parts
                if ".." in parts or Path(each.filename).is_absolute() or _is_link(each):
                    raise InputError(
                        f"{archive.name} holds {each.filename!r}, which leads out of its folder. "
                        "Nothing was unpacked."
                    )
            opened.extractall(folder, members)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError) as error:
        raise InputError(f"{archive.name} cannot be unpacked: {error}.") from None


def _is_link(member: zipfile.ZipInfo) -> bool:
    return (member.external_attr >> 28) == 0o12


def _plain(name: str) -> str:
    """The last part of a name, if a file may have it."""
    last = re.split(r"[/\\]", name)[-1]
    if not last.strip(". ") or len(last) > 200 or any(not letter.isprintable() for letter in last):
        raise InputError(f"A file cannot be kept under the name {name!r}. Rename it.")
    return last
