"""The sample: what the logs hold, a design to choose and look at, and the sample that is kept."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from evaluator import InputError
from evaluator.text.messages import counted
from labeler.app.blocks.sample import (
    DESIGN_NAMES,
    RULE_NAMES,
    cover_blocks,
    kept_blocks,
    log_block,
    private_rows,
    show_slice,
    slice_of,
    worth_blocks,
)
from labeler.app.frame import frame, people, session
from labeler.app.frame.components import checks, sheet
from labeler.sampling.designs import DESIGNS
from labeler.sampling.draw import Sample
from labeler.sampling.successor import draw
from labeler.workspace.sample_design import DesignName
from labeler.workspace.workspace import Workspace


@st.cache_resource(show_spinner="Drawing …", max_entries=4)
def drawn(path: Path, logs: str, chosen: dict[str, Any], _workspace: Workspace) -> Sample:
    """A sample to look at. It may take a long log to be read, so it is made once for each."""
    del path, logs
    return draw(_workspace, **chosen)


def show_logs(logs: Sequence[Mapping[str, Any]]) -> None:
    """What was read, what private data it holds, and what was decided about it."""
    sheet(log_block(logs), key="logs")
    st.header("Private data in the queries", anchor=False)
    sheet(checks(private_rows(logs)), key="private")


def choose(searched: int) -> dict[str, Any]:
    """Size, seed, design and strata, as `draw` takes them."""
    size_at, seed_at = st.columns(2)
    size = size_at.number_input("Queries", min_value=1, value=min(480, max(1, searched)), step=20)
    seed = seed_at.number_input("Seed", min_value=0, value=13, step=1)
    names: list[DesignName] = list(DESIGN_NAMES)
    design = st.radio(
        "Design",
        names,
        format_func=lambda name: DESIGN_NAMES[name],
        captions=[f"Cannot say {DESIGNS[name].cannot_say}." for name in names],
    )
    here = people.way_in() is None
    by = st.pills(
        "Shared out by",
        [rule for rule in RULE_NAMES if here or rule != "file"],
        format_func=lambda rule: RULE_NAMES[rule],
        selection_mode="multi",
        help="Each part of the log gets queries in proportion to its searches. Type tells "
        "questions from keywords, length counts words. Choose none to draw from the whole log "
        "at once.",
    )
    column = ""
    if here:
        column = st.text_input("And by a column of the logs", placeholder="country").strip()
    by = [*by, *([f"column:{column}"] if column else [])]
    files = log_files() if _of_searches(by) else ()
    return dict(size=int(size), seed=int(seed), design=design, by=tuple(by), files=files)


def _of_searches(by: Sequence[str]) -> bool:
    """Whether the log files are read again: only they say what each search was like."""
    return any(rule == "file" or rule.startswith("column:") for rule in by)


def log_files() -> tuple[Path, ...]:
    """The logs on this machine's disk; they are known again by their digests."""
    given = st.text_area(
        "Log files, one path a line",
        help="The file of a search is not kept with the workspace, so the logs are read "
        "again. They have to be unchanged.",
    )
    return tuple(Path(line.strip()).expanduser() for line in given.splitlines() if line.strip())


def draw_and_keep(workspace: Workspace, logs: Sequence[Mapping[str, Any]]) -> None:
    """Choose, look at what it covers, and keep."""
    left, right = st.columns([1, 1.7], gap="large")
    with left:
        st.header("Draw a sample", anchor=False)
        st.caption("The same choices always draw the same sample. Nothing is kept yet.")
        chosen = choose(sum(int(log["distinct"]) for log in logs))
    with right:
        st.header("What it covers", anchor=False)
        if not chosen["files"] and _of_searches(chosen["by"]):
            st.text("Say where these log files are: " + ", ".join(str(log["file"]) for log in logs))
            return
        try:
            as_read = json.dumps(logs, sort_keys=True)
            sample = drawn(workspace.path, as_read, chosen, workspace)
        except InputError as error:
            st.text(str(error))
            return
        sheet(*worth_blocks(sample.design), key="worth")
        if st.button("Keep this sample", type="primary"):
            keep(workspace, sample)
        sheet(*cover_blocks(sample), key="preview")


def keep(workspace: Workspace, sample: Sample) -> None:
    """Store it and say so, or say what is in the way."""
    with frame.or_say("The sample was not kept."):
        workspace.queries.save_sample(sample.design, sample.queries)
        kept = counted(len(sample.queries), "query", many="queries")
        st.session_state["sample-kept"] = f"{kept} kept."
        st.rerun()


frame.enter()
st.title("Sample", anchor=False)
workspace = session.workspace()
logs, kept = workspace.queries.logs(), workspace.queries.sample()
if not logs:
    st.text("No query log has been read yet.")
    st.text("A product without traffic starts from queries that people write.")
    with st.container(horizontal=True):
        frame.lead("logs", "Read a log", urged=True)
        frame.lead("write", "Write queries")
    show_slice(slice_of(workspace))
    st.stop()
if kept:
    st.header("The sample in use", anchor=False)
    if message := st.session_state.pop("sample-kept", None):
        st.success(message)
    sheet(*kept_blocks(kept), key="kept")
    begun = workspace.queries.sample_is_judged()
    st.caption(
        "Judging has begun, so this sample stays. Another one takes a new workspace."
        if begun
        else "Another one can replace it until judging has begun."
    )
st.header("What the logs hold", anchor=False)
show_logs(logs)
if kept and not begun:
    with st.expander("Draw another sample"):
        draw_and_keep(workspace, logs)
elif not kept:
    draw_and_keep(workspace, logs)
show_slice(slice_of(workspace))
frame.next_step(workspace, "sample")
