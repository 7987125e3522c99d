"""Logs: a query log is looked at, its columns are confirmed, and it is read."""

import shutil
from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from evaluator import InputError
from labeler.app.blocks.sample import log_block, private_rows
from labeler.app.blocks.work import JOBS, UPLOADS, begin, keep_uploads, outcome
from labeler.app.frame import frame, session
from labeler.app.frame.components import checks, sheet, table
from labeler.logs.columns import Shape
from labeler.logs.preview import LogPreview, guess_columns

_LOOK = "Only look: read the log if there is none"
_PRIVATE = {
    _LOOK: None,
    "Leave these queries out": "drop",
    "Mask it, as in [e-mail]": "mask",
    "Keep it, and show it to those who judge": "keep",
}
_NONE = "none"


def log_file(folder: Path) -> Path | None:
    """
    The log that was brought or named, None while there is none.

    It stays until it is read, since somebody may have to decide something first.
    """
    if kept := next((path for path in folder.glob("*") if path.is_file()), None):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.text(f"{kept.name}, uploaded", width="content")
            if st.button("Another file instead"):
                shutil.rmtree(folder)
                st.rerun()
        return kept
    if brought := st.file_uploader("A query log"):
        keep_uploads([brought], folder)
        st.rerun()
    named = st.text_input(
        "Or a file on this machine",
        value=st.session_state.get("log-named", ""),
        placeholder="/var/log/searches-2026-11.csv",
    ).strip()
    st.session_state["log-named"] = named
    return Path(named).expanduser() if named else None


def layout(preview: LogPreview, shape: Shape) -> list[str]:
    """What the file was taken for, to be confirmed or corrected, as options of `labeler logs`."""
    options: list[str] = []
    if preview.parameters:
        parameter = st.selectbox(
            "Parameter of the address that holds the query", preview.parameters
        )
        options += ["--query-parameter", parameter]
    elif preview.names and preview.layout != "plain lines":
        found, names = preview.columns, list(preview.names)
        left, right = st.columns(2)
        query = left.selectbox(
            "Column of the queries",
            names,
            index=names.index(found.query) if found and found.query in names else None,
        )
        counts = [_NONE, *names]
        count = right.selectbox(
            "Column that says how often",
            counts,
            index=counts.index(found.count) if found and found.count in counts else 0,
            help="Without one, each row is one search.",
        )
        options += [
            "--query-column",
            query or "",
            "--count-column",
            "" if count == _NONE else count,
        ]
    for option, given in (("--delimiter", shape.delimiter), ("--encoding", shape.encoding)):
        options += [option, given] if given else []
    return options


def show(preview: LogPreview) -> None:
    """The first rows, in which private data is masked."""
    by = "" if preview.delimiter is None else f", cells separated by {preview.delimiter!r}"
    st.text(f"{preview.file}: {preview.layout}, {preview.encoding or 'no encoding'}{by}")
    sheet(table("First rows", preview.names, preview.rows), key="rows")
    for each in (preview.question, *preview.notes):
        if each:
            st.text(each)


def read_one(folder: Path, job: Path, work: Path) -> None:
    """From a file to the job that reads it."""
    path = log_file(folder)
    if path is None:
        return
    if not path.is_file():
        raise InputError(f"There is no file {path} on this machine.")
    with st.expander("How the file is laid out"):
        delimiter = st.text_input("Between cells", placeholder="found by itself", max_chars=1)
        encoding = st.text_input("Encoding", placeholder="UTF-8, or a guess that is said")
    shape = Shape(delimiter=delimiter or None, encoding=encoding.strip() or None)
    preview = guess_columns(path, shape)
    show(preview)
    options = layout(preview, shape)
    private = _PRIVATE[
        st.radio(
            "If queries hold private data: e-mail addresses, phone or card numbers and the like",
            list(_PRIVATE),
        )
    ]
    own = st.text_input(
        "What else is private here", placeholder=r"KD-[0-9]{6}", help="A regular expression."
    )
    options += ["--private", private] if private else []
    options += ["--identifier", own] if own else []
    if st.button("Read this log", type="primary"):
        begin(job, f"Reading {path.name}", "labeler", "logs", str(work), str(path), *options)


def show_kept(logs: Sequence[dict[str, object]]) -> None:
    st.header("Logs that were read", anchor=False)
    sheet(log_block(logs), checks(private_rows(logs)), key="logs")


frame.enter()
st.title("Logs", anchor=False)
st.text(
    "What people searched for, and how often. Queries are drawn from it in proportion to their "
    "searches, so that the labels speak for the traffic.",
    width=720,
)
workspace = session.workspace()
uploads, job = workspace.path / UPLOADS / "logs", workspace.path / JOBS / "logs"
if outcome(job) is not None:
    shutil.rmtree(uploads, ignore_errors=True)  # it is read, and may hold private data
    st.session_state["log-named"] = ""
if logs := workspace.queries.logs():
    show_kept(logs)
if workspace.queries.sample() is None:
    if logs and st.button("Forget what was read"):
        workspace.queries.forget_log("all")
        st.rerun()
    st.header("Read a log", anchor=False)
    with frame.or_say("This file cannot be read as a log."), st.container(width=820):
        read_one(uploads, job, workspace.path)
else:
    st.caption("A sample was drawn from these logs. Another log takes another study.")
frame.next_step(workspace, "logs")
