"""Experiments: one is written from choices, its headers are looked at, and it is run."""

import re
from pathlib import Path

import streamlit as st

from evaluator import InputError
from evaluator.experiment.draft import ArmChoice, draft_for_labels
from evaluator.text.messages import counted
from labeler.app.blocks.work import JOBS, begin, outcome
from labeler.app.frame import frame, session
from labeler.app.frame.components import sheet, table
from labeler.results.results import find_experiments, find_results, read_results
from labeler.sets.frozen import frozen_sets
from labeler.workspace.workspace import EXPERIMENTS, LABELS, Workspace

# What stands before a chunk, and the name of an arm that has it.
_HEADERS = {
    "none": ("Nothing", "plain"),
    "title": ("The title", "title"),
    "path": ("The heading path", "path"),
    "title+path": ("Title and heading path", "title and path"),
}


def arms() -> list[ArmChoice]:
    """The arms that are chosen; the first is the baseline."""
    headers = st.multiselect(
        "Headers to compare, an arm each; the first is the baseline",
        list(_HEADERS),
        default=["none", "title+path"],
        format_func=lambda each: _HEADERS[each][0],
    )
    left, right = st.columns(2)
    query = left.text_input("Before each query", placeholder="query: ", key="query-prefix")
    doc = right.text_input("Before each chunk", placeholder="passage: ", key="doc-prefix")
    chosen = [ArmChoice(_HEADERS[each][1], each, query, doc) for each in headers]
    if (query or doc) and chosen:
        first = chosen[0]
        if left.checkbox("Also an arm without prefixes"):
            chosen.append(ArmChoice("no prefixes", first.header, "", ""))
        if right.checkbox("Also an arm with the two prefixes reversed"):
            chosen.append(ArmChoice("reversed prefixes", first.header, doc, query))
    return chosen


def write(workspace: Workspace) -> None:
    """From choices to a file of WORK/experiments, which is read before it is kept."""
    names = [each["name"] for each in frozen_sets(workspace.path / LABELS)]
    if not names:
        st.text("An experiment measures on a frozen label set, and there is none yet.")
        return
    labels = workspace.path / LABELS / st.selectbox("On the label set", names)
    name = st.text_input("Name of the experiment", placeholder="headers-1").strip()
    if not name:
        return
    if not re.fullmatch(r"[\w-][\w .-]{0,99}", name):
        raise InputError("A name has letters, digits, blanks, points, - and _; at most 100.")
    file = workspace.path / EXPERIMENTS / f"{name}.toml"
    text = draft_for_labels(labels, workspace.snapshot, path=file, arms=arms(), name=name)
    edited = st.text_area("The experiment, as it will be kept", text, height=420)
    if st.button("Keep this experiment", type="primary"):
        file.parent.mkdir(exist_ok=True)
        try:
            with file.open("x", encoding="utf-8", newline="\n") as out:
                out.write(edited)
        except FileExistsError:
            st.error(f"There is an experiment named {name} already. Choose another name.")
            return
        st.session_state["experiment"] = file.name
        st.rerun()


def run(workspace: Workspace, job: Path) -> None:
    """Look at an experiment's headers, and run it."""
    files = find_experiments(workspace.path)
    if not files:
        return
    wanted = st.session_state.get("experiment")
    at = next((n for n, file in enumerate(files) if file.name == wanted), 0)
    file = st.selectbox("Experiment", files, index=at, format_func=lambda path: path.stem)
    with st.expander("The file"):
        frame.say_command(file.read_text(encoding="utf-8").rstrip())
    with st.container(horizontal=True):
        if st.button("Show its headers and their tokens"):
            begin(job, f"Headers of {file.stem}", "evaluator", "headers", str(file))
        if st.button("Run it", type="primary"):
            begin(job, f"Running {file.stem}", "evaluator", "run", str(file))
    st.caption(
        "Each arm's strings are encoded once and kept, so a second run is quick. Choose the "
        "primary measure before the first run: every run is counted."
    )


def show_runs(workspace: Workspace) -> None:
    """The runs so far, the newest first."""
    paths = find_results(workspace.path)
    if not paths:
        return
    st.header("Runs", anchor=False)
    rows = []
    for path in paths:
        with frame.or_say(f"{path} cannot be read."):
            record = read_results(path).record
            rows.append(
                [
                    path.relative_to(workspace.path).as_posix(),
                    record.experiment.name,
                    counted(len(record.arms), "arm"),
                    str(record.started_at or "not stated")[:16].replace("T", " "),
                ]
            )
    sheet(table("Runs", ["Results", "Experiment", "Arms", "At (UTC)"], rows), key="runs")


frame.enter()
st.title("Experiments", anchor=False)
workspace = session.workspace()
job = workspace.path / JOBS / "experiment"
done = outcome(job)
if done is not None and done.words[1] == "run":
    frame.lead("report", "Read the report", urged=True)
elif done is not None:
    frame.say_command(done.answer.rstrip())
run(workspace, job)
with (
    st.expander("Write an experiment", expanded=not find_experiments(workspace.path)),
    frame.or_say("No experiment can be written from this."),
):
    write(workspace)
show_runs(workspace)
frame.next_step(workspace, "experiments")
