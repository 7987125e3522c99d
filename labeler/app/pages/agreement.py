"""Agreement: how far assessors agree, how sure that is, and how many pairs wait for a decision."""

from pathlib import Path

import streamlit as st

from labeler.agreement import AgreementReport, measure_agreement
from labeler.app import frame, session
from labeler.app.components import numbers, sheet
from labeler.app.deciding import docket
from labeler.app.reports import grade_blocks, overall_blocks
from labeler.store import Workspace

_SEED = 13


@st.cache_data(show_spinner="Comparing what assessors gave …", max_entries=4)
def measured(path: Path, events: int, last: str, _workspace: Workspace) -> AgreementReport:
    """The report after a given last event; it takes seconds, so it is made once for each."""
    del path, events, last
    scale = [grade for grade, _ in _workspace.settings.grades]
    return measure_agreement(_workspace.standing(), scale=scale, seed=_SEED)


def show_decisions(workspace: Workspace) -> None:
    there = docket(workspace)
    sheet(
        numbers(
            ("pairs to decide", f"{len(there.pairs):,}"),
            ("pairs decided", f"{len(there.decided):,}"),
        ),
        key="disagreements",
    )
    if there.pairs:
        st.page_link("pages/decide.py", label="Decide them one by one")


frame.enter()
st.title("Agreement", anchor=False)
workspace = session.workspace()
events = [judgement.event_id for judgement in workspace.judgements()]
if not events:
    st.text("Nobody has judged yet.")
    st.stop()
report = measured(workspace.path, len(events), events[-1], workspace)
if not report.shared_pairs:
    st.text("No chunk of a query has been graded by two assessors, so nothing can be compared.")
    st.caption("Assign a share of the queries to two: labeler assign WORK --overlap 0.2")
st.header("Between assessors", anchor=False)
sheet(*overall_blocks(report), key="between")
st.header("Grades given", anchor=False)
sheet(*grade_blocks(report, dict(workspace.settings.grades)), key="given")
st.header("Disagreements", anchor=False)
show_decisions(workspace)
