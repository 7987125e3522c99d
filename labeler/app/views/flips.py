"""Flips: the queries that an experiment won and lost, read one by one and marked as read."""

import shlex
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import streamlit as st

import evaluator
from evaluator import InputError
from evaluator.text.messages import counted
from labeler.app.blocks.flips import OpenContrast, next_unread, shown
from labeler.app.frame import components, frame, people, session
from labeler.app.frame.components import checks, notes, numbers, sheet
from labeler.results.flips import (
    HitContrast,
    Wanted,
    contrasts_of,
    marks_by_query,
    open_held_out,
    read_queries,
    still_to_judge,
)
from labeler.results.results import (
    LabelsHere,
    ResultsFolder,
    find_results,
    labels_here,
    read_results,
)
from labeler.sets.frozen import frozen_sets
from labeler.workspace.records import FlipMark
from labeler.workspace.workspace import LABELS, Workspace

_REFERENCE = Path(evaluator.__file__).with_name("experiment") / "experiment.md"
_BLIND = (
    "Whoever reads this page should not judge the same queries.",
    "Flips show titles, headers and ranks, and which chunks are gold: all that assessors must not "
    "know.",
)


def say_how_to_get_results(workspace: Workspace) -> None:
    st.text("There are no results in this workspace yet.")
    if not frozen_sets(workspace.path / LABELS):
        st.text("An experiment needs a frozen label set, so that comes first.")
        frame.lead("freeze", "Go to freezing")
    frame.lead("experiments", "Run an experiment")
    st.text("Every key of an experiment file is explained in")
    frame.say_command(str(_REFERENCE))
    st.text("Results from elsewhere are read too: put their directory into experiments/.")


def choose_contrast(results: ResultsFolder) -> HitContrast:
    found = list(contrasts_of(results))
    if not found:
        raise InputError(f"{results.path} compares no hits, so no query can be won or lost.")
    names = [f"{each.of.treatment} against {each.of.baseline}" for each in found]
    return found[st.selectbox("Contrast", range(len(found)), format_func=names.__getitem__)]


def stop_who_still_judges(workspace: Workspace, results: ResultsFolder, name: str) -> None:
    """Who has some of these queries to judge is asked whether to go on, once in a session."""
    if st.session_state.get("flips-anyway") == (name, results.sha256):
        return
    left = still_to_judge(
        workspace.progress(),
        person=name,
        assigned=workspace.people.assigned_to(name),
        query_ids=set(results.record.headline.query_ids),
    )
    if not left:
        st.session_state["flips-anyway"] = (name, results.sha256)
        return
    queries = "1 of these queries" if left == 1 else f"{left:,} of these queries"
    sheet(checks([("stop", f"You have {queries} still to judge.", _BLIND[1])]), key="judging")
    st.text("Judge them first, or leave them to somebody else from here on.")
    with st.container(horizontal=True):
        frame.lead("queue", "Go to the queue", urged=True)
        if st.button("Read the flips all the same"):
            st.session_state["flips-anyway"] = (name, results.sha256)
            st.rerun()
    st.stop()


def show_counts(there: OpenContrast) -> None:
    contrast, cells, record = there.contrast, there.contrast.cells, there.results.record
    read = sum(flip.query.query_id in there.read for flip in there.flips)
    sheet(
        numbers(
            ("queries lost", f"{cells.lost:,} of {cells.n:,}"),
            ("queries won", f"{cells.won:,} of {cells.n:,}"),
            ("of these named here", f"{len(there.flips):,} of {cells.lost + cells.won:,}"),
            ("of the named ones read", f"{read:,} of {len(there.flips):,}"),
        ),
        notes(
            f"Of {counted(cells.n, 'query', many='queries')} with gold; a query is won or lost "
            f"when only one arm has a gold chunk among its first {contrast.k}. "
            f"Primary measure: {contrast.of.primary.measure}. "
            f"Experiment: {record.experiment.name}. "
            f"Labels: {record.labels.name}.",
            "What they add up to, and what speaks against it, is told in the report of the same "
            "results.",
        ),
        key="counts",
    )


def show_shut(there: OpenContrast, name: str) -> None:
    """What stays shut of held-out queries, and how it is opened."""
    if there.opened or not (there.shut or there.contrast.of.flips.opened):
        return
    flips = "flip of a held-out query" if there.shut == 1 else "flips of held-out queries"
    with st.expander(f"{there.shut:,} {flips} not shown: how to open what is held out"):
        st.text(
            "Held-out queries stay away from all tuning. Whoever has read them has seen them, so "
            "every look is counted, in the list beside the label set."
        )
        if there.contrast.of.flips.opened:
            if st.button("Open it here, as one look"):
                open_here(there, name)
            return
        st.text("These results do not name them. Results that do take a second run:")
        frame.say_command(opening_command(there.results))
        st.caption("It encodes nothing anew as long as the vectors of this run are kept.")


def open_here(there: OpenContrast, name: str) -> None:
    """Note the look and show what was shut, or say why it cannot be counted."""
    with frame.or_say("Nothing was opened."):
        open_held_out(there.results, there.labels, person=name, now=datetime.now(UTC))
        opened_here().add(there.results.sha256)
        st.rerun()


def opening_command(results: ResultsFolder) -> str:
    """What names the held-out flips, of an experiment or of two runs made elsewhere."""
    if file := results.record.experiment.file:
        return f"evaluator run {shlex.quote(file)} --open-held-out"
    return "evaluator compare RUN_A RUN_B --labels DIR --open-held-out -o NAME"


def opened_here() -> set[str]:
    """The results whose held-out flips were opened in this session."""
    opened: set[str] = st.session_state.setdefault("flips-opened", set())
    return opened


def act_on(workspace: Workspace, there: OpenContrast, name: str, act: components.Payload) -> None:
    """Do what was asked for on the page. Raises InputError for what cannot be stored."""
    query_id = str(act.get("query"))
    if act.get("kind") == "filter":
        value = {str(act.get("name")): str(act.get("value"))}
        if value.keys() <= set(Wanted.__dataclass_fields__):
            st.session_state["flips-wanted"] = replace(there.wanted, **value)
            st.session_state["flips-chosen"] = None
    elif act.get("kind") == "open":
        st.session_state["flips-chosen"] = query_id
    elif act.get("kind") == "close":
        st.session_state["flips-chosen"] = None
    elif act.get("kind") == "mark" and any(f.query.query_id == query_id for f in there.flips):
        comment = act.get("comment")
        mark = FlipMark(
            event_id=str(act["press"]),
            results_sha256=there.results.sha256,
            baseline=there.contrast.of.baseline,
            treatment=there.contrast.of.treatment,
            query_id=query_id,
            verdict="read" if act.get("verdict") == "read" else "unread",
            comment=comment.strip() or None if isinstance(comment, str) else None,
        )
        workspace.flip_marks.add(mark, person=name, now=session.now())
        # What the page says of a mark that is on disk.
        text = next(flip.query.text for flip in there.flips if flip.query.query_id == query_id)
        st.session_state["flips-saved"] = {
            "press": mark.event_id,
            "query": query_id,
            "text": text,
            "verdict": mark.verdict,
        }
        if mark.verdict == "read" and query_id not in there.read:
            st.session_state["flips-chosen"] = next_unread(there, query_id) or query_id


def read_now(
    workspace: Workspace, results: ResultsFolder, contrast: HitContrast, labels: LabelsHere | None
) -> OpenContrast:
    """The contrast with the marks as they stand at this moment."""
    marks = marks_by_query(workspace.flip_marks.of(results.sha256), contrast)
    opened = contrast.of.flips.opened and results.sha256 in opened_here()
    wanted = st.session_state.get("flips-wanted", Wanted())
    return OpenContrast(results, contrast, labels, opened, marks, read_queries(marks), wanted)


def start_afresh(results: ResultsFolder, contrast: HitContrast) -> None:
    """Another contrast has other queries: what was chosen in the last one is let go."""
    now = (results.sha256, contrast.of.baseline, contrast.of.treatment)
    if st.session_state.get("flips-of") != now:
        st.session_state.update({"flips-of": now, "flips-chosen": None, "flips-wanted": Wanted()})


def main() -> None:
    workspace = session.workspace()
    if not (paths := find_results(workspace.path)):
        say_how_to_get_results(workspace)
        return
    name = people.named(workspace, "reading")
    left, right = st.columns(2)
    with left:
        work = workspace.path  # the newest comes first
        path = st.selectbox("Results", paths, format_func=lambda p: p.relative_to(work).as_posix())
        results = read_results(path)
    stop_who_still_judges(workspace, results, name)
    with right:
        contrast = choose_contrast(results)
    start_afresh(results, contrast)
    labels = labels_here(workspace.path, results)
    there = read_now(workspace, results, contrast, labels)
    sheet(checks([("care", *_BLIND)]), key="blind")
    if act := components.asked("flips"):
        with frame.or_say("Nothing was recorded."):
            act_on(workspace, there, name, act)
        there = read_now(workspace, results, contrast, labels)
    show_counts(there)
    show_shut(there, name)
    chosen: str | None = st.session_state["flips-chosen"]
    saved: dict[str, str] | None = st.session_state.get("flips-saved")
    components.show("flips", {**shown(workspace, there, chosen), "saved": saved})


frame.enter()
st.title("Flips", anchor=False)
main()
