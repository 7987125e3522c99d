"""Agreement: how far assessors agree, how sure that is, and how many pairs wait for a decision."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from labeler.app.blocks.agreement import grade_blocks, grades_by_assessor, overall_blocks
from labeler.app.desk.decide import disagreements, docket
from labeler.app.frame import frame, session
from labeler.app.frame.components import notes, numbers, sheet, table, tally
from labeler.judging.agreement import AgreementReport, Disagreements, measure_agreement
from labeler.workspace.workspace import Workspace

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Compared:
    agreement: AgreementReport
    disagreements: Disagreements
    by_assessor: "pd.DataFrame"


def compare(workspace: Workspace) -> Compared:
    """All that takes long on this page: with 24,000 shared pairs, a second."""
    scale = [grade for grade, _ in workspace.settings.grades]
    with st.spinner("Comparing what assessors gave …"):
        agreement = measure_agreement(workspace.judgements.given(), scale=scale)
        return Compared(agreement, disagreements(workspace), grades_by_assessor(workspace))


def show_decisions(workspace: Workspace, found: Disagreements) -> None:
    there = docket(workspace, found)
    sheet(
        numbers(
            tally(len(there.pairs), "pair to decide", many="pairs to decide"),
            tally(len(there.decided), "pair decided", many="pairs decided"),
        ),
        key="disagreements",
    )
    if there.pairs:
        frame.lead("decide", "Decide them one by one", urged=True)
    else:
        frame.lead("freeze", "Go on to freezing")


frame.enter()
st.title("Agreement", anchor=False)
workspace = session.workspace()
if not frame.has_judgements(workspace):
    st.stop()
both = session.kept("agreement", workspace, compare)
report = both.agreement
if report.shared_pairs:
    st.header("Between assessors", anchor=False)
    sheet(*overall_blocks(report), key="between")
else:
    st.text("No chunk of a query has been graded by two assessors, so nothing can be compared.")
    st.text("Assign a share of the queries to two people.")
    frame.lead("people", "Assign queries")
if known := workspace.judgements.by_key():
    st.header("Against known answers", anchor=False)
    rows = [
        (name, f"{pairs:,}", f"{same:,} ({same / pairs:.0%})", f"{near:,}")
        for name, pairs, same, near in known
    ]
    columns = ["Assessor", "Pairs with a known answer>", "Same grade>", "At most one step off>"]
    check = (
        "Known answers are checks: assessors judge these pairs without being told. Add more on "
        "the page Queries. Only this page says how they did."
    )
    sheet(table("Against known answers", columns, rows), notes(check), key="known")
st.header("Grades given", anchor=False)
meanings = dict(workspace.settings.grades)
sheet(*grade_blocks(report, both.by_assessor, meanings), key="given")
if report.shared_pairs:
    st.header("Disagreements", anchor=False)
    show_decisions(workspace, both.disagreements)
frame.next_step(workspace, "agreement")
